//! Adds and removes the operator's own tasks: files of a folder, which the server reads when it starts.

use std::{
    fs::{self, File},
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use buildtrack_domain::arena::tasks::{Bank, Task, read_tasks};
use buildtrack_settings::{OwnTasks, Settings, SettingsError, TaskFolderFaults, bank_with, own_tasks};
use buildtrack_store::make_private_folder;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::{CommandError, Programs, check::check};
use crate::print;

/// When a change is in use.
const IN_USE: &str =
    "It is in use after the next start of buildtrack and of every buildtrack-worker; all need the same tasks.";

/// A task file with the texts of its tasks as they are.
#[derive(Deserialize)]
struct Texts<'t> {
    #[serde(borrow)]
    tasks: Vec<&'t RawValue>,
}

/// Checks a file, and copies it to the folder.
pub(super) async fn add(settings: &Settings, file: &Path, programs: &Programs) -> Result<(), CommandError> {
    let failed = |reason: String| CommandError::Failed(format!("{}: {reason}", file.display()));
    let report = check(&[file.to_owned()], programs).await;
    report.print()?;
    let is_json = file.extension().is_some_and(|extension| extension == "json");
    let name = file.file_name().filter(|_| is_json).ok_or_else(|| failed("the name must end in .json".to_owned()))?;
    let folder = settings.tasks_dir();
    // The command makes a folder that does not exist, also one that a setting names.
    make_private_folder(&folder).map_err(|error| CommandError::Failed(format!("{}: {error}", folder.display())))?;
    let path = folder.join(name);
    if path.exists() {
        let reason = format!("{} exists: give the file another name, or remove the tasks of that one", path.display());
        return Err(failed(reason));
    }
    let own = OwnTasks::read(file).map_err(|faults| SettingsError::Tasks(TaskFolderFaults(faults)))?;
    let (text, count) = (own.text.clone(), own.tasks.len());
    let mut files = own_tasks(settings)?;
    files.push(own);
    bank_with(&folder, files).map_err(|faults| CommandError::Failed(faults.to_string()))?;
    replace(&path, &text)?;
    print(&format!("Added {count} tasks: {}. {IN_USE}", path.display()))
}

/// Removes a task from its file.
pub(super) fn remove(settings: &Settings, id: &str) -> Result<(), CommandError> {
    let files = own_tasks(settings)?;
    let found = files.iter().find_map(|file| {
        let index = file.tasks.iter().position(|task| task.id().as_str() == id)?;
        Some((file, index))
    });
    let Some((file, index)) = found else { return Err(CommandError::Failed(unknown(settings, id))) };
    let path = &file.path;
    if file.tasks.len() == 1 {
        fs::remove_file(path).map_err(|error| CommandError::Failed(format!("{}: {error}", path.display())))?;
        return print(&format!("Removed the task {id} with its file {}. {IN_USE}", path.display()));
    }
    let text = without(file, index).ok_or_else(|| {
        CommandError::Failed(format!("{}: the task {id} cannot be cut out; edit the file", path.display()))
    })?;
    replace(path, text.as_bytes())?;
    print(&format!("Removed the task {id} from {}. {IN_USE}", path.display()))
}

fn unknown(settings: &Settings, id: &str) -> String {
    if Bank::bundled().get(id).is_some() {
        return format!("{id} is a task of this program, which cannot be removed");
    }
    format!("no file in {} has a task {id}; arena tasks list --own prints them", settings.tasks_dir().display())
}

/// The text of a file without one of its tasks. The others keep their text, and so their hashes.
fn without(file: &OwnTasks, index: usize) -> Option<String> {
    let mut texts: Texts<'_> = serde_json::from_slice(&file.text).ok()?;
    if texts.tasks.len() != file.tasks.len() {
        return None;
    }
    texts.tasks.remove(index);
    let tasks: Vec<_> = texts.tasks.iter().map(|task| task.get()).collect();
    let text = format!("{{\n  \"tasks\": [\n    {}\n  ]\n}}\n", tasks.join(",\n    "));
    let remaining = (0..).zip(&file.tasks).filter(|(number, _)| *number != index).map(|(_, task)| task.hash());
    let read = read_tasks(text.as_bytes()).ok()?;
    remaining.eq(read.iter().map(Task::hash)).then_some(text)
}

/// Writes a file beside its place, and moves it there, so that no server reads a part of it.
fn replace(path: &Path, text: &[u8]) -> Result<(), CommandError> {
    let written = || -> io::Result<()> {
        let mut name = path.file_name().unwrap_or_default().to_owned();
        name.push(".tmp");
        let draft: PathBuf = path.with_file_name(name);
        let mut file = File::create(&draft)?;
        file.write_all(text)?;
        file.sync_all()?;
        fs::rename(&draft, path)
    };
    written().map_err(|error| CommandError::Failed(format!("{}: {error}", path.display())))
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use buildtrack_sandbox::SandboxSettings;

    use super::*;

    /// One of the task's numbers has more digits than a double.
    fn task(id: &str) -> String {
        format!(
            r#"{{"id": "{id}", "version": 1, "league": "trivia",
              "public": {{"instruction": "How many?", "answer_format": "number"}},
              "limits": {{"seconds": 30, "tokens": 500, "answer_bytes": 100}},
              "hidden": {{"validator": {{"kind": "number", "value": "12345678901234567890"}},
                "accepts": ["12345678901234567890"], "rejects": ["1"]}}}}"#
        )
    }

    struct Machine {
        folder: tempfile::TempDir,
        settings: Settings,
    }

    impl Machine {
        fn new() -> Self {
            let folder = tempfile::tempdir().unwrap();
            let settings = Settings { data_dir: folder.path().join("data"), ..Settings::default() };
            Self { folder, settings }
        }

        fn file(&self, name: &str, ids: &[&str]) -> PathBuf {
            let path = self.folder.path().join(name);
            let tasks: Vec<_> = ids.iter().map(|id| task(id)).collect();
            fs::write(&path, format!(r#"{{"tasks": [{}]}}"#, tasks.join(", "))).unwrap();
            path
        }

        async fn add(&self, name: &str, ids: &[&str]) -> Result<(), String> {
            let programs = Programs::with(SandboxSettings::default());
            add(&self.settings, &self.file(name, ids), &programs).await.map_err(|error| error.to_string())
        }

        fn remove(&self, id: &str) -> Result<(), String> {
            remove(&self.settings, id).map_err(|error| error.to_string())
        }

        fn own(&self) -> Vec<String> {
            let files = own_tasks(&self.settings).unwrap();
            files.iter().flat_map(|file| &file.tasks).map(|task| task.id().to_string()).collect()
        }
    }

    #[tokio::test]
    async fn tasks_are_added_as_files_and_removed_one_by_one() {
        let machine = Machine::new();
        machine.add("quiz.json", &["own-a", "own-b", "own-c"]).await.unwrap();
        machine.add("more.json", &["own-d"]).await.unwrap();
        assert_eq!(machine.own(), ["own-d", "own-a", "own-b", "own-c"]);
        machine.remove("own-b").unwrap();
        assert_eq!(machine.own(), ["own-d", "own-a", "own-c"]);
        machine.remove("own-d").unwrap();
        assert!(!machine.settings.tasks_dir().join("more.json").exists());
        let missing = machine.remove("own-d").unwrap_err();
        assert!(missing.ends_with("has a task own-d; arena tasks list --own prints them"), "{missing}");
    }

    #[tokio::test]
    async fn a_file_that_the_server_would_refuse_is_not_added() {
        let machine = Machine::new();
        let bundled = Bank::bundled().iter().next().unwrap().id().to_string();
        assert!(machine.add("quiz.txt", &["own-a"]).await.unwrap_err().ends_with("the name must end in .json"));
        let refused = machine.add("quiz.json", &[&bundled]).await.unwrap_err();
        assert!(refused.contains("this program has a task with the same id"), "{refused}");
        machine.add("quiz.json", &["own-a"]).await.unwrap();
        assert!(machine.add("quiz.json", &["own-b"]).await.unwrap_err().contains("quiz.json exists"));
        assert!(
            machine.add("other.json", &["own-a"]).await.unwrap_err().contains("quiz.json has a task with the same id")
        );
        assert_eq!(machine.own(), ["own-a"]);
        let refused = machine.remove(&bundled).unwrap_err();
        assert!(refused.ends_with("is a task of this program, which cannot be removed"), "{refused}");
    }
}
