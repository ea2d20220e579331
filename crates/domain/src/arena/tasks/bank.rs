//! The task bank: the tasks that are compiled into the program, and those that an operator adds.

use std::{
    collections::{BTreeMap, btree_map::Entry},
    sync::LazyLock,
};

use super::{League, Task, TaskId, read_tasks};

/// The bundled task files: the league of all their tasks, and the text.
pub const BUNDLED: [(League, &str); 5] = [
    (League::Trivia, include_str!("../../../../../arena/tasks/trivia.json")),
    (League::Reasoning, include_str!("../../../../../arena/tasks/reasoning.json")),
    (League::Structured, include_str!("../../../../../arena/tasks/structured.json")),
    (League::Python, include_str!("../../../../../arena/tasks/python.json")),
    (League::Debate, include_str!("../../../../../arena/tasks/debate.json")),
];

/// Tasks by id.
#[derive(Debug, Default)]
pub struct Bank {
    tasks: BTreeMap<TaskId, Task>,
}

/// A file of tasks that an operator adds.
#[derive(Debug)]
pub struct TaskFile {
    /// Its name, for errors.
    pub name: String,
    /// Its tasks.
    pub tasks: Vec<Task>,
}

/// A task of a file has the id of another one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("task {task}, {} has a task with the same id: an id names one task", first.as_deref().unwrap_or("this program"))]
pub struct TaskRepeated {
    /// The file.
    pub file: String,
    /// The id.
    pub task: TaskId,
    /// The file that has the other task; `None` if it is bundled.
    pub first: Option<String>,
}

impl Bank {
    /// The bundled tasks, read once. A test holds that every bundled file is valid; an invalid one would be left out.
    pub fn bundled() -> &'static Self {
        static BANK: LazyLock<Bank> = LazyLock::new(|| Bank { tasks: bundled_tasks() });
        &BANK
    }

    /// The bundled tasks and those of the files. Ids are unique over all of them; the error lists those that are not.
    pub fn with(files: Vec<TaskFile>) -> Result<Self, Vec<TaskRepeated>> {
        let mut tasks = bundled_tasks();
        let (mut homes, mut repeated) = (BTreeMap::new(), Vec::new());
        for TaskFile { name, tasks: own } in files {
            for task in own {
                match tasks.entry(task.id().clone()) {
                    Entry::Vacant(free) => {
                        homes.insert(task.id().clone(), name.clone());
                        free.insert(task);
                    }
                    Entry::Occupied(taken) => {
                        let (task, first) = (taken.key().clone(), homes.get(taken.key()).cloned());
                        repeated.push(TaskRepeated { file: name.clone(), task, first });
                    }
                }
            }
        }
        if repeated.is_empty() { Ok(Self { tasks }) } else { Err(repeated) }
    }

    /// The bank for the rest of the process, which reads it once.
    pub fn keep(self) -> &'static Self {
        Box::leak(Box::new(self))
    }

    /// The task with this id.
    pub fn get(&self, id: &str) -> Option<&Task> {
        self.tasks.get(id)
    }

    /// All tasks, by id.
    pub fn iter(&self) -> impl Iterator<Item = &Task> {
        self.tasks.values()
    }

    /// The tasks of a league, by id.
    pub fn in_league(&self, league: League) -> impl Iterator<Item = &Task> {
        self.iter().filter(move |task| task.league() == league)
    }
}

fn bundled_tasks() -> BTreeMap<TaskId, Task> {
    let tasks = BUNDLED.iter().flat_map(|(_, text)| read_tasks(text.as_bytes()).unwrap_or_default());
    tasks.map(|task| (task.id().clone(), task)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(name: &str, id: &str) -> TaskFile {
        let text = format!(
            r#"{{"tasks": [{{"id": "{id}", "version": 3, "league": "trivia",
                "public": {{"instruction": "What?", "answer_format": "string"}},
                "limits": {{"seconds": 30, "tokens": 500, "answer_bytes": 100}},
                "hidden": {{"validator": {{"kind": "exact", "answers": ["x"]}}, "accepts": ["x"], "rejects": ["z"]}}}}]}}"#
        );
        TaskFile { name: name.to_owned(), tasks: read_tasks(text.as_bytes()).unwrap() }
    }

    #[test]
    fn own_tasks_join_the_bundled_ones() {
        let bank = Bank::with(vec![file("a.json", "own-a"), file("b.json", "own-b")]).unwrap();
        assert_eq!(bank.iter().count(), Bank::bundled().iter().count() + 2);
        assert_eq!(bank.get("own-b").map(Task::version), Some(3));
        assert!(Bank::bundled().get("own-b").is_none());
    }

    #[test]
    fn an_id_is_unique_over_the_program_and_all_files() {
        let bundled = Bank::bundled().iter().next().unwrap().id().to_string();
        let files = vec![file("a.json", "own-a"), file("b.json", "own-a"), file("c.json", &bundled)];
        let repeated = Bank::with(files).unwrap_err();
        let lines: Vec<_> = repeated.iter().map(|fault| format!("{}: {fault}", fault.file)).collect();
        let expected = [
            "b.json: task own-a, a.json has a task with the same id: an id names one task".to_owned(),
            format!("c.json: task {bundled}, this program has a task with the same id: an id names one task"),
        ];
        assert_eq!(lines, expected);
    }
}
