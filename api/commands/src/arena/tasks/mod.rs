//! The `arena tasks` commands: list the bank, check task files, and keep the operator's own tasks.

mod check;
mod folder;
mod listing;

use std::path::PathBuf;

use buildtrack_domain::arena::tasks::{Bank, League};
use buildtrack_settings::{Settings, bank};
use clap::Subcommand;

use super::{CommandError, Programs};
use crate::{print, print_json};
use check::check;
use listing::{as_json, as_table};

/// What `buildtrack arena tasks` does.
#[derive(Debug, Subcommand)]
pub enum Tasks {
    /// Prints the public parts of the tasks, without answers: the bundled ones, and the operator's own.
    List {
        /// Prints the tasks of one league: trivia, reasoning, structured, python or debate.
        #[arg(long)]
        league: Option<League>,
        /// Prints the operator's own tasks alone.
        #[arg(long)]
        own: bool,
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
    /// Checks a task file, and copies it to the folder of the operator's own tasks.
    ///
    /// Ids must be new: no task of the program and none of the folder may have them. The server reads the folder when it starts.
    Add {
        /// A task file in JSON, whose name ends in .json
        #[arg(value_name = "FILE")]
        file: PathBuf,
    },
    /// Removes one of the operator's own tasks. A file without tasks is deleted.
    Remove {
        /// The id of the task
        #[arg(value_name = "ID")]
        id: String,
    },
}

/// Runs the command.
pub(super) async fn run(command: &Tasks) -> Result<(), CommandError> {
    let settings = Settings::load()?;
    match command {
        Tasks::List { league, own, json } => {
            let bundled = Bank::bundled();
            let tasks = bank(&settings)?.iter().filter(|task| {
                league.is_none_or(|league| task.league() == league)
                    && !(*own && bundled.get(task.id().as_str()).is_some())
            });
            if *json { print_json(&as_json(tasks)?) } else { print(as_table(tasks).trim_end()) }
        }
        Tasks::Check { files } => {
            let report = check(files, &Programs::of(&settings)?).await;
            report.print()
        }
        Tasks::Add { file } => folder::add(&settings, file, &Programs::of(&settings)?).await,
        Tasks::Remove { id } => folder::remove(&settings, id),
    }
}
