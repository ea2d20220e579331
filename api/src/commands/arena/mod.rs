//! The `arena` commands: list the bundled tasks, check task files, verify replays, and check agents. They need no settings and no
//! database.

mod checking;
mod programs;
mod replay;
mod votes;

use std::{
    collections::HashMap,
    fmt::Write as _,
    fs::File,
    io::{self, ErrorKind, Read, Write as _},
    path::{Path, PathBuf},
};

use buildtrack_domain::arena::tasks::{Bank, FILE_BYTES_MAX, League, PublishedTask, Task, read_tasks};
use buildtrack_sandbox::Unavailable;
use clap::Subcommand;

use super::CommandError;
use programs::Programs;

/// The number of characters of an instruction, and of digits of a hash, in a row of the table.
const INSTRUCTION_SHOWN: usize = 60;
const HASH_SHOWN: usize = 12;

/// What `buildtrack arena` does.
#[derive(Debug, Subcommand)]
pub enum Arena {
    /// Lists the bundled tasks, or checks task files.
    #[command(subcommand)]
    Tasks(Tasks),
    /// Checks an agent's AAP endpoint: health, rounds, and rounds that it should refuse.
    ///
    /// Says what is wrong, field by field. Lines begin with ✓ (good), ! (a warning) or ✗ (a fault).
    ///
    /// Exit codes: 0 no fault; 1 a fault; 2 nothing could be checked.
    Check(checking::Check),
    /// Verifies a replay: its seal, the commitment to each answer, and each score, which it judges again.
    ///
    /// Exit codes: 0 everything agrees; 1 something differs, or the file is no replay.
    Replay {
        /// The document at /replays/{id}; - for standard input
        #[arg(value_name = "FILE")]
        file: PathBuf,
    },
}

/// The largest replay that is read: 50 turns of 100 agents with the longest answers.
const REPLAY_BYTES_MAX: u64 = 512 * 1024 * 1024;

/// What `buildtrack arena tasks` does.
#[derive(Debug, Subcommand)]
pub enum Tasks {
    /// Prints the public parts of the bundled tasks, without answers.
    List {
        /// Prints the tasks of one league: trivia, reasoning, structured, python or debate.
        #[arg(long)]
        league: Option<League>,
        /// Prints JSON with whole instructions and hashes instead of a table.
        #[arg(long)]
        json: bool,
    },
    /// Checks task files, and prints every error with file, task and JSON pointer.
    ///
    /// Runs answers in Python in a sandbox. Where there is no sandbox, the command says so, and checks the rest.
    ///
    /// Exit codes: 0 every task is valid and passes its own self tests; 1 a file has an error or cannot be read.
    Check {
        /// Task files in JSON
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
    },
}

/// Runs the command.
pub async fn run(command: &Arena) -> Result<(), CommandError> {
    let command = match command {
        Arena::Tasks(command) => command,
        Arena::Check(check) => return checking::run(check).await,
        Arena::Replay { file } => return verify(file).await,
    };
    match command {
        Tasks::List { league, json } => {
            let tasks = Bank::bundled().iter().filter(|task| league.is_none_or(|league| task.league() == league));
            print(&if *json { as_json(tasks)? } else { as_table(tasks) })
        }
        Tasks::Check { files } => {
            let report = check(files, &Programs::default()).await;
            print(&report.text)?;
            report.result
        }
    }
}

/// Verifies a replay, and prints what was found.
async fn verify(file: &Path) -> Result<(), CommandError> {
    let failed = |reason: String| CommandError::Failed(format!("{}: {reason}", file.display()));
    let mut text = String::new();
    let read = if file == Path::new("-") {
        io::stdin().take(REPLAY_BYTES_MAX).read_to_string(&mut text)
    } else {
        File::open(file).and_then(|file| file.take(REPLAY_BYTES_MAX).read_to_string(&mut text))
    };
    read.map_err(|error| failed(error.to_string()))?;
    let findings = replay::verify(&text, &Programs::default()).await.map_err(failed)?;
    print(&findings.text)?;
    match findings.differences {
        0 => Ok(()),
        differences => Err(failed(format!("{differences} differences"))),
    }
}

/// Prints to standard output. A reader that has read enough, such as `head`, is no failure.
fn print(text: &str) -> Result<(), CommandError> {
    match io::stdout().write_all(text.as_bytes()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(CommandError::Failed(format!("standard output: {error}")))
        }
        _ => Ok(()),
    }
}

fn as_json<'t>(tasks: impl Iterator<Item = &'t Task>) -> Result<String, CommandError> {
    let tasks: Vec<PublishedTask<'_>> = tasks.map(Task::published).collect();
    let json = serde_json::to_string_pretty(&tasks).map_err(|error| CommandError::Failed(error.to_string()))?;
    Ok(json + "\n")
}

fn as_table<'t>(tasks: impl Iterator<Item = &'t Task>) -> String {
    let header = ["TASK", "VERSION", "LEAGUE", "ANSWER", "HASH", "INSTRUCTION"].map(ToOwned::to_owned);
    let rows: Vec<_> = std::iter::once(header).chain(tasks.map(row)).collect();
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<_> = (0..5).map(width).collect();
    let mut text = String::new();
    for row in &rows {
        for (cell, width) in row.iter().zip(&widths) {
            let _ = write!(text, "{cell:width$}  ");
        }
        text.push_str(&row[5]);
        text.push('\n');
    }
    text
}

fn row(task: &Task) -> [String; 6] {
    let public = task.public();
    let mut instruction: String = public.instruction.split_whitespace().collect::<Vec<_>>().join(" ");
    if let Some((end, _)) = instruction.char_indices().nth(INSTRUCTION_SHOWN) {
        instruction.truncate(end);
        instruction.push('…');
    }
    [
        task.id().to_string(),
        task.version().to_string(),
        task.league().to_string(),
        public.answer_format.to_string(),
        task.hash().to_string()[..HASH_SHOWN].to_owned(),
        instruction,
    ]
}

/// What a check found.
struct Report {
    /// One line for each error, and one for each valid file.
    text: String,
    result: Result<(), CommandError>,
}

async fn check(files: &[PathBuf], programs: &Programs) -> Report {
    let (mut text, mut errors) = (String::new(), 0);
    let mut first_files: HashMap<String, &Path> = HashMap::new();
    for file in files {
        let lines = match read(file) {
            Ok(tasks) => {
                let run = programs.check(&tasks).await;
                let mut lines = repeated(&tasks, file, &mut first_files);
                lines.extend(run.iter().flatten().cloned());
                if lines.is_empty() {
                    let _ = writeln!(text, "{}: {}", file.display(), summary(&tasks, run.err()));
                }
                lines
            }
            Err(lines) => lines,
        };
        errors += lines.len();
        for line in &lines {
            let _ = writeln!(text, "{}: {line}", file.display());
        }
    }
    let result = match errors {
        0 => Ok(()),
        1 => Err(CommandError::Failed("1 error in the task files".to_owned())),
        errors => Err(CommandError::Failed(format!("{errors} errors in the task files"))),
    };
    Report { text, result }
}

/// The tasks of a file, or its errors.
fn read(path: &Path) -> Result<Vec<Task>, Vec<String>> {
    let mut bytes = Vec::new();
    // One byte more than allowed shows that a file is too large, without reading the rest.
    let file = File::open(path).and_then(|file| file.take(FILE_BYTES_MAX as u64 + 1).read_to_end(&mut bytes));
    file.map_err(|error| vec![error.to_string()])?;
    read_tasks(&bytes).map_err(|faults| faults.iter().map(ToString::to_string).collect())
}

/// Ids that an earlier file has too.
fn repeated<'f>(tasks: &[Task], file: &'f Path, first: &mut HashMap<String, &'f Path>) -> Vec<String> {
    let mut lines = Vec::new();
    for task in tasks {
        if let Some(earlier) = first.insert(task.id().to_string(), file) {
            lines.push(format!("task {}, another task of {} has the same id", task.id(), earlier.display()));
        }
    }
    lines
}

/// The number of tasks, and whether those in Python were run.
fn summary(tasks: &[Task], unavailable: Option<&Unavailable>) -> String {
    let programs = tasks.iter().filter(|task| task.python_tests().is_some()).count();
    let sandboxed = match (programs, unavailable) {
        (0, _) => String::new(),
        (programs, None) => format!(" ({programs} in Python, whose answers were run)"),
        (programs, Some(reason)) => format!(" ({programs} in Python, whose answers were not run: {reason})"),
    };
    match tasks.len() {
        1 => format!("1 valid task{sandboxed}"),
        count => format!("{count} valid tasks{sandboxed}"),
    }
}

#[cfg(test)]
mod tests {
    use buildtrack_sandbox::SandboxSettings;
    use serde_json::{Value, json};

    use super::*;

    /// A test has no launcher for the sandbox. The end-to-end tests run the command with one.
    fn no_programs() -> Programs {
        let python = PathBuf::from("no-python");
        Programs::with(SandboxSettings { python, ..SandboxSettings::default() })
    }

    /// Writes files and checks them: the lines, with the folder left out, and the exit code.
    async fn checked(files: &[(&str, String)]) -> (Vec<String>, u8) {
        let folder = tempfile::tempdir().unwrap();
        let paths: Vec<_> = files
            .iter()
            .map(|(name, text)| {
                let path = folder.path().join(name);
                std::fs::write(&path, text).unwrap();
                path
            })
            .collect();
        let report = check(&paths, &no_programs()).await;
        let prefix = format!("{}/", folder.path().display());
        let lines = report.text.lines().map(|line| line.replace(&prefix, "")).collect();
        (lines, report.result.map_or_else(|error| error.exit_code(), |()| 0))
    }

    fn file(id: &str, accepts: &str) -> String {
        json!({"tasks": [{
            "id": id, "version": 1, "league": "trivia",
            "public": {"instruction": "What?", "answer_format": "string"},
            "limits": {"seconds": 30, "tokens": 500, "answer_bytes": 100},
            "hidden": {"validator": {"kind": "exact", "answers": ["x"]}, "accepts": [accepts], "rejects": ["z"]},
        }]})
        .to_string()
    }

    #[tokio::test]
    async fn valid_files_are_counted() {
        let python =
            std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../arena/tasks/python.json")).unwrap();
        let (lines, code) = checked(&[("a.json", file("a", "x")), ("python.json", python)]).await;
        assert_eq!((&*lines[0], code), ("a.json: 1 valid task", 0));
        assert!(lines[1].ends_with("in Python, whose answers were not run: no-python is not installed)"), "{lines:?}");
    }

    #[tokio::test]
    async fn every_error_has_file_task_and_pointer() {
        let (lines, code) =
            checked(&[("a.json", file("a", "y")), ("b.json", "[]".to_owned()), ("c.json", file("c", "x"))]).await;
        let expected = [
            "a.json: task a, at /tasks/0/hidden/accepts/0: this answer must score 1, and it scores 0 of 1000 (wrong)",
            "b.json: expected an object",
            "c.json: 1 valid task",
        ];
        assert_eq!((lines, code), (expected.map(ToOwned::to_owned).to_vec(), 1));
    }

    #[tokio::test]
    async fn an_id_is_used_once_in_all_files() {
        let (lines, code) = checked(&[("a.json", file("a", "x")), ("b.json", file("a", "x"))]).await;
        assert_eq!((&*lines[1], code), ("b.json: task a, another task of a.json has the same id", 1));
    }

    #[tokio::test]
    async fn a_missing_or_endless_file_is_an_error() {
        let report = check(&[PathBuf::from("no/such/file.json"), PathBuf::from("/dev/zero")], &no_programs()).await;
        assert_eq!(report.text.lines().count(), 2, "{}", report.text);
        assert!(report.text.contains("file.json: ") && report.text.contains("larger than 1048576 bytes"));
        assert_eq!(report.result.unwrap_err().to_string(), "2 errors in the task files");
    }

    #[test]
    fn a_list_shows_the_public_part_alone() {
        let tasks = || Bank::bundled().in_league(League::Trivia);
        let table = as_table(tasks());
        assert_eq!(table.lines().count(), 1 + tasks().count());
        let json: Value = serde_json::from_str(&as_json(tasks()).unwrap()).unwrap();
        assert_eq!(json.as_array().unwrap().len(), tasks().count());
        assert!(json[0].get("hidden").is_none() && json[0]["hash"].as_str().unwrap().len() == 64);
    }
}
