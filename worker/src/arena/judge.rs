//! Judges the answers of a turn.

use std::{path::Path, time::Duration};

use buildtrack_domain::arena::{
    matches::{OpenTurn, SealedAnswer, VoidReason},
    tasks::{Answer, Bank, League, PythonTests, Reason, Score, Task, Verdict},
};
use buildtrack_sandbox::{Sandbox, SandboxSettings};

use super::slots::SPARE;

/// The name and version of this judge, which every judged turn records.
pub(super) const JUDGE: &str = concat!("buildtrack/", env!("CARGO_PKG_VERSION"));

/// Why a turn cannot be judged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Unjudged {
    pub(super) reason: VoidReason,
    pub(super) evidence: String,
}

/// The judge's score of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Judged {
    pub(super) score: Score,
    pub(super) reason: Reason,
    /// What running the answer has taken from others; zero if it was not run.
    pub(super) cost: Duration,
}

/// Judges answers. Cheap to clone.
#[derive(Debug, Clone)]
pub(super) struct Judge {
    /// Runs answers in Python; `None` if it cannot be had.
    sandbox: Option<Sandbox>,
}

/// The task of a turn, as it was sent.
pub(super) fn task_of(bank: &'static Bank, open: &OpenTurn) -> Result<&'static Task, Unjudged> {
    let task = bank.get(&open.task.id);
    task.filter(|task| task.hash().to_string() == open.task.hash).ok_or_else(|| Unjudged {
        reason: VoidReason::TaskGone,
        evidence: "the bank has no task with the id and the hash of this turn".to_owned(),
    })
}

impl Judge {
    /// Looks for the sandbox. Without it, the judge has all leagues but that of programs.
    pub(super) async fn find(python: &Path) -> Self {
        let default = SandboxSettings::default();
        let settings = SandboxSettings { python: python.to_owned(), runs: default.runs + SPARE, ..default };
        match Sandbox::detect(&settings).await {
            Ok(sandbox) => Self { sandbox: Some(sandbox) },
            Err(reason) => {
                tracing::info!(%reason, "this server cannot judge answers in Python; the league python is closed");
                Self { sandbox: None }
            }
        }
    }

    /// A judge that runs no program.
    pub(super) fn without_sandbox() -> Self {
        Self { sandbox: None }
    }

    /// The leagues whose answers it can judge.
    pub(super) fn leagues(&self) -> Vec<League> {
        League::ALL.into_iter().filter(|league| *league != League::Python || self.sandbox.is_some()).collect()
    }

    /// The number of programs that it runs at once.
    pub(super) fn runs(&self) -> usize {
        self.sandbox.as_ref().map_or(1, Sandbox::runs)
    }

    /// Judges one answer.
    pub(super) async fn judge(&self, task: &Task, answer: &SealedAnswer) -> Result<Judged, Unjudged> {
        let (verdict, cost) = match (task.judge(&Answer::new(answer.output.clone())), task.python_tests()) {
            (Verdict::NeedsSandbox, Some(tests)) => self.run(tests, &answer.output).await?,
            (verdict, _) => (verdict, Duration::ZERO),
        };
        match verdict {
            Verdict::Scored { score, reason } => Ok(Judged { score, reason, cost }),
            // Without another argument. A panel compares two.
            Verdict::NeedsPanel => Ok(Judged { score: Score::ONE, reason: Reason::Unopposed, cost }),
            Verdict::NeedsSandbox => Err(failed("the answer is a program without tests".to_owned())),
        }
    }

    async fn run(&self, tests: &PythonTests, source: &str) -> Result<(Verdict, Duration), Unjudged> {
        let sandbox = self.sandbox.as_ref();
        let sandbox = sandbox.ok_or_else(|| failed("this server has no sandbox for answers in Python".to_owned()))?;
        let cases: Vec<_> = tests.cases.iter().map(|case| &*case.arguments).collect();
        let outcome = sandbox.run(source, &tests.function, &cases).await;
        let outcome = outcome.map_err(|error| failed(format!("the sandbox failed: {error}")))?;
        Ok((tests.verdict(&outcome.results), outcome.cost))
    }
}

fn failed(evidence: String) -> Unjudged {
    Unjudged { reason: VoidReason::JudgeFailed, evidence }
}
