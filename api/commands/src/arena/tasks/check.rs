//! Checks task files: every error with file, task and JSON pointer.

use std::{
    collections::HashMap,
    fmt::Write as _,
    path::{Path, PathBuf},
};

use buildtrack_domain::arena::tasks::Task;
use buildtrack_sandbox::Unavailable;
use buildtrack_settings::OwnTasks;
use buildtrack_terminal::visible_line;

use super::{CommandError, Programs};
use crate::print;

/// What a check found.
pub(super) struct Report {
    /// One line for each error, and one for each valid file.
    pub(super) text: String,
    pub(super) result: Result<(), CommandError>,
}

impl Report {
    /// Prints the lines. The result of the check comes first.
    pub(super) fn print(self) -> Result<(), CommandError> {
        let printed = print(self.text.trim_end());
        self.result.and(printed)
    }
}

/// Checks task files.
pub(super) async fn check(files: &[PathBuf], programs: &Programs) -> Report {
    let (mut text, mut errors) = (String::new(), 0);
    let mut first_files: HashMap<String, &Path> = HashMap::new();
    for file in files {
        let lines = match OwnTasks::read(file) {
            Ok(OwnTasks { tasks, .. }) => {
                let run = programs.check(&tasks).await;
                let mut lines = repeated(&tasks, file, &mut first_files);
                lines.extend(run.iter().flatten().cloned());
                if lines.is_empty() {
                    let _ = writeln!(text, "{}: {}", file.display(), summary(&tasks, run.err()));
                }
                lines
            }
            Err(faults) => faults.into_iter().map(|fault| fault.reason).collect(),
        };
        errors += lines.len();
        for line in &lines {
            let _ = writeln!(text, "{}: {}", file.display(), visible_line(line));
        }
    }
    let result = match errors {
        0 => Ok(()),
        1 => Err(CommandError::Failed("1 error in the task files".to_owned())),
        errors => Err(CommandError::Failed(format!("{errors} errors in the task files"))),
    };
    Report { text, result }
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
    use serde_json::json;

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
            std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../arena/tasks/python.json")).unwrap();
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
}
