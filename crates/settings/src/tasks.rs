//! The operator's own tasks of the arena: the JSON files of a folder, read when a process starts.
//!
//! **Invariant:** a process has all tasks of the folder, or it does not start. **Invariant:** the number of files and tasks is bounded,
//! and so is what they hold.

use std::{
    fs::{self, File},
    io::{ErrorKind, Read},
    path::{Path, PathBuf},
};

use buildtrack_domain::arena::tasks::{Bank, FILE_BYTES_MAX, Task, TaskFile, TaskRepeated, read_tasks};

use crate::{Settings, SettingsError};

/// The maximum number of files in the folder.
const FILES_MAX: usize = 100;
/// The maximum number of tasks in all files together.
const TASKS_MAX: usize = 1000;
/// The maximum number of bytes of all files together.
const BYTES_MAX: usize = 8 * 1024 * 1024;

/// What is wrong with a file of the folder, or with the folder.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}: {reason}", path.display())]
pub struct TaskFolderFault {
    /// The file or the folder.
    pub path: PathBuf,
    /// The error, with its place in the file and the expected form.
    pub reason: String,
}

/// All faults, displayed one per line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskFolderFaults(pub Vec<TaskFolderFault>);

impl std::fmt::Display for TaskFolderFaults {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let lines: Vec<_> = self.0.iter().map(ToString::to_string).collect();
        formatter.write_str(&lines.join("\n  "))
    }
}

/// A file of own tasks.
#[derive(Debug)]
pub struct OwnTasks {
    /// The file.
    pub path: PathBuf,
    /// Its text.
    pub text: Vec<u8>,
    /// Its tasks, in the order of the text.
    pub tasks: Vec<Task>,
}

impl OwnTasks {
    /// Reads a task file of at most 1 MiB.
    pub fn read(path: &Path) -> Result<Self, Vec<TaskFolderFault>> {
        let fault = |reason: String| TaskFolderFault { path: path.to_owned(), reason };
        let mut text = Vec::new();
        // One byte more than allowed shows that a file is too large, without reading the rest.
        let file = File::open(path).and_then(|file| file.take(FILE_BYTES_MAX as u64 + 1).read_to_end(&mut text));
        file.map_err(|error| vec![fault(error.to_string())])?;
        match read_tasks(&text) {
            Ok(tasks) => Ok(Self { path: path.to_owned(), text, tasks }),
            Err(faults) => Err(faults.iter().map(|found| fault(found.to_string())).collect()),
        }
    }
}

/// The files of the folder, in the order of their names. A folder that no setting names may be missing.
pub fn own_tasks(settings: &Settings) -> Result<Vec<OwnTasks>, SettingsError> {
    let folder = settings.tasks_dir();
    let failed = |faults| SettingsError::Tasks(TaskFolderFaults(faults));
    let paths = match json_files(&folder) {
        Ok(paths) => paths,
        Err(error) if error.kind() == ErrorKind::NotFound && settings.arena_tasks_dir.is_none() => vec![],
        Err(error) => return Err(failed(vec![TaskFolderFault { path: folder, reason: error.to_string() }])),
    };
    if paths.len() > FILES_MAX {
        let reason = format!("{} task files; the maximum is {FILES_MAX}", paths.len());
        return Err(failed(vec![TaskFolderFault { path: folder, reason }]));
    }
    let (mut files, mut faults) = (Vec::new(), Vec::new());
    for path in paths {
        match OwnTasks::read(&path) {
            Ok(file) => files.push(file),
            Err(found) => faults.extend(found),
        }
    }
    if faults.is_empty() { Ok(files) } else { Err(failed(faults)) }
}

/// The bundled tasks and these. The error lists ids that are not unique, and bounds that are exceeded.
pub fn bank_with(folder: &Path, files: Vec<OwnTasks>) -> Result<Bank, TaskFolderFaults> {
    let tasks: usize = files.iter().map(|file| file.tasks.len()).sum();
    let bytes: usize = files.iter().map(|file| file.text.len()).sum();
    for (found, most, what) in
        [(files.len(), FILES_MAX, "task files"), (tasks, TASKS_MAX, "tasks"), (bytes, BYTES_MAX, "bytes of task files")]
    {
        if found > most {
            let reason = format!("{found} {what}; the maximum is {most}");
            return Err(TaskFolderFaults(vec![TaskFolderFault { path: folder.to_owned(), reason }]));
        }
    }
    let named = |file: OwnTasks| TaskFile { name: file.path.display().to_string(), tasks: file.tasks };
    Bank::with(files.into_iter().map(named).collect()).map_err(|repeated| {
        let fault = |fault: &TaskRepeated| TaskFolderFault { path: (&fault.file).into(), reason: fault.to_string() };
        TaskFolderFaults(repeated.iter().map(fault).collect())
    })
}

/// The bank of this process: the bundled tasks, and the operator's own. Reads the folder once.
pub fn bank(settings: &Settings) -> Result<&'static Bank, SettingsError> {
    let files = own_tasks(settings)?;
    if files.is_empty() {
        return Ok(Bank::bundled());
    }
    bank_with(&settings.tasks_dir(), files).map(Bank::keep).map_err(SettingsError::Tasks)
}

/// The files of a folder whose names end in `.json`. Folders in it are not read.
fn json_files(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "json") && path.is_file() {
            paths.push(path);
        }
    }
    paths.sort();
    Ok(paths)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(id: &str, accepts: &str) -> String {
        format!(
            r#"{{"tasks": [{{"id": "{id}", "version": 1, "league": "trivia",
                "public": {{"instruction": "What?", "answer_format": "string"}},
                "limits": {{"seconds": 30, "tokens": 500, "answer_bytes": 100}},
                "hidden": {{"validator": {{"kind": "exact", "answers": ["x"]}}, "accepts": ["{accepts}"], "rejects": ["z"]}}}}]}}"#
        )
    }

    fn settings(folder: &Path) -> Settings {
        Settings { data_dir: folder.to_owned(), ..Settings::default() }
    }

    /// The message of the error, with the folder left out.
    fn message(settings: &Settings) -> String {
        let error = bank(settings).unwrap_err().to_string();
        error.replace(&format!("{}/", settings.tasks_dir().display()), "")
    }

    #[test]
    fn own_tasks_are_read_beside_the_database() {
        let data = tempfile::tempdir().unwrap();
        assert!(bank(&settings(data.path())).unwrap().get("own-a").is_none());
        let folder = data.path().join("tasks");
        fs::create_dir_all(folder.join("old.json")).unwrap();
        fs::write(folder.join("a.json"), text("own-a", "x")).unwrap();
        fs::write(folder.join("README"), "not a task").unwrap();
        let bank = bank(&settings(data.path())).unwrap();
        assert!(bank.get("own-a").is_some());
        assert_eq!(bank.iter().count(), Bank::bundled().iter().count() + 1);
    }

    #[test]
    fn a_bad_file_is_named_with_the_pointer_and_what_is_expected() {
        let data = tempfile::tempdir().unwrap();
        let folder = data.path().join("tasks");
        fs::create_dir(&folder).unwrap();
        fs::write(folder.join("a.json"), text("own-a", "y")).unwrap();
        fs::write(folder.join("b.json"), "[]").unwrap();
        let expected = "the arena's own tasks: a.json: task own-a, at /tasks/0/hidden/accepts/0: this answer must score 1, \
                        and it scores 0 of 1000 (wrong)\n  b.json: expected an object";
        assert_eq!(message(&settings(data.path())), expected);
        fs::write(folder.join("a.json"), text("own-a", "x")).unwrap();
        fs::write(folder.join("b.json"), text("own-a", "x")).unwrap();
        assert!(message(&settings(data.path())).contains("b.json: task own-a, a.json has a task with the same id"));
    }

    #[test]
    fn a_folder_that_a_setting_names_must_be_there() {
        let data = tempfile::tempdir().unwrap();
        let named = Settings { arena_tasks_dir: Some(data.path().join("none")), ..settings(data.path()) };
        assert!(bank(&named).unwrap_err().to_string().contains("none: No such file or directory"));
    }

    #[test]
    fn files_and_tasks_are_bounded() {
        let data = tempfile::tempdir().unwrap();
        let folder = data.path().join("tasks");
        fs::create_dir(&folder).unwrap();
        for number in 0..=FILES_MAX {
            fs::write(folder.join(format!("{number}.json")), text(&format!("own-{number}"), "x")).unwrap();
        }
        assert!(message(&settings(data.path())).ends_with("101 task files; the maximum is 100"));
        fs::remove_file(folder.join("0.json")).unwrap();
        assert!(bank(&settings(data.path())).is_ok());
        fs::write(folder.join("1.json"), " ".repeat(FILE_BYTES_MAX + 1)).unwrap();
        assert!(message(&settings(data.path())).contains("1.json: the file is not valid: "));
        let many: Vec<_> = (0..902).map(|number| text(&format!("many-{number}"), "x")).collect();
        let tasks = many.iter().map(|text| text.trim_start_matches("{\"tasks\": [").trim_end_matches("]}"));
        let joined = format!("{{\"tasks\": [{}]}}", tasks.collect::<Vec<_>>().join(","));
        fs::write(folder.join("1.json"), joined).unwrap();
        assert!(message(&settings(data.path())).ends_with("1001 tasks; the maximum is 1000"));
    }
}
