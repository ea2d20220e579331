//! Self tests of tasks in Python: the command runs their answers in the sandbox.

use buildtrack_domain::arena::tasks::{Answer, PythonTests, Score, Task, Verdict};
use buildtrack_sandbox::{Outcome, Sandbox, SandboxError, SandboxSettings, Unavailable};
use buildtrack_settings::{Settings, SettingsError, python};
use serde_json::Value;
use tokio::sync::OnceCell;

/// The sandbox, looked for when the first task in Python needs it.
#[derive(Default)]
pub(super) struct Programs {
    settings: SandboxSettings,
    sandbox: OnceCell<Result<Sandbox, Unavailable>>,
}

/// A score that a self test demands.
#[derive(Clone, Copy)]
enum Demand {
    /// 1.
    Right,
    /// Less than 1: a wrong program may pass some cases, and most tasks in Python give partial credit.
    Wrong,
}

impl Programs {
    /// Runs answers with the interpreter of the settings.
    pub(super) fn of(settings: &Settings) -> Result<Self, SettingsError> {
        let settings = SandboxSettings { python: python(settings)?, ..SandboxSettings::default() };
        Ok(Self { settings, sandbox: OnceCell::new() })
    }

    #[cfg(test)]
    pub(super) fn with(settings: SandboxSettings) -> Self {
        Self { settings, sandbox: OnceCell::new() }
    }

    /// Runs the answers of the tasks in Python: an error for each that does not score as it must, or why there is no sandbox.
    pub(super) async fn check(&self, tasks: &[Task]) -> Result<Vec<String>, &Unavailable> {
        let mut lines = Vec::new();
        for (index, task) in tasks.iter().enumerate() {
            let Some(tests) = task.python_tests() else { continue };
            let sandbox = self.sandbox.get_or_init(|| Sandbox::detect(&self.settings)).await.as_ref()?;
            for (answer, pointer, demand) in self_tests(task) {
                let fault = demand.fault(run(sandbox, tests, answer).await);
                lines.extend(
                    fault.map(|fault| format!("task {}, at /tasks/{index}/hidden/{pointer}: {fault}", task.id())),
                );
            }
        }
        Ok(lines)
    }
}

impl Programs {
    /// Judges a program; an error says why it was not run.
    pub(super) async fn verdict(&self, tests: &PythonTests, source: &str) -> Result<Verdict, String> {
        let sandbox = self.sandbox.get_or_init(|| Sandbox::detect(&self.settings)).await.as_ref();
        let sandbox = sandbox.map_err(ToString::to_string)?;
        let run = run(sandbox, tests, &Answer::new(source)).await;
        run.map(|(verdict, _)| verdict).map_err(|error| error.to_string())
    }
}

/// The answers of a task with their places in the file. The reference solution is the first of the accepted ones.
fn self_tests(task: &Task) -> impl Iterator<Item = (&Answer, String, Demand)> {
    let pointer =
        |index: usize| index.checked_sub(1).map_or("reference".to_owned(), |index| format!("accepts/{index}"));
    let accepted = task.accepted_answers().enumerate();
    let rejected = task.rejected_answers().enumerate();
    accepted
        .map(move |(index, answer)| (answer, pointer(index), Demand::Right))
        .chain(rejected.map(|(index, answer)| (answer, format!("rejects/{index}"), Demand::Wrong)))
}

async fn run(sandbox: &Sandbox, tests: &PythonTests, answer: &Answer) -> Result<(Verdict, Outcome), SandboxError> {
    let cases: Vec<&[Value]> = tests.cases.iter().map(|case| &*case.arguments).collect();
    let outcome = sandbox.run(answer.as_str(), &tests.function, &cases).await?;
    Ok((tests.verdict(&outcome.results), outcome))
}

impl Demand {
    /// What is wrong with the result of a run.
    fn fault(self, run: Result<(Verdict, Outcome), SandboxError>) -> Option<String> {
        let (verdict, outcome) = match run {
            Ok(run) => run,
            Err(error) => return Some(format!("this answer was not run: {error}")),
        };
        let (score, reason) = match verdict {
            Verdict::Scored { score, reason } => (score, reason),
            Verdict::NeedsSandbox | Verdict::NeedsPanel => return None,
        };
        let what = match self {
            Self::Right if score < Score::ONE => "must score 1",
            Self::Wrong if score == Score::ONE => "must score less than 1",
            _ => return None,
        };
        let scores = format!("it scores {} of 1000 ({}; {})", score.thousandths(), reason.as_str(), outcome.end);
        Some(format!("this answer {what}, and {scores}"))
    }
}
