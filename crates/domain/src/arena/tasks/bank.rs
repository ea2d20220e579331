//! The task bank: the tasks that are compiled into the program.

use std::{collections::BTreeMap, sync::LazyLock};

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

impl Bank {
    /// The bundled tasks, read once. A test holds that every bundled file is valid; an invalid one would be left out.
    pub fn bundled() -> &'static Self {
        static BANK: LazyLock<Bank> = LazyLock::new(|| {
            let tasks = BUNDLED.iter().flat_map(|(_, text)| read_tasks(text.as_bytes()).unwrap_or_default());
            Bank { tasks: tasks.map(|task| (task.id().clone(), task)).collect() }
        });
        &BANK
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
