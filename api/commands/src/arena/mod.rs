//! The `arena` commands: tasks, replays, checks of agents, and playing. They need no database. Those that read the operator's own tasks, or run
//! Python, take the same settings as the server.

mod checking;
mod parts;
mod programs;
mod replay;
mod tasks;
mod votes;

use std::{
    fs::File,
    io::{self, Read},
    path::{Path, PathBuf},
};

use buildtrack_settings::{Settings, bank};
use clap::Subcommand;

use super::{CommandError, client, print};
use programs::Programs;
use tasks::Tasks;

/// What `buildtrack arena` does.
#[derive(Debug, Subcommand)]
pub enum Arena {
    /// Lists tasks, checks task files, and adds and removes the operator's own tasks.
    #[command(subcommand)]
    Tasks(Tasks),
    /// Checks an agent: an AAP endpoint, or with --socket an agent of EvalDuel's socket.
    ///
    /// Says what is wrong, field by field. Lines begin with ✓ (good), ! (a warning) or ✗ (a fault).
    ///
    /// Exit codes: 0 no fault; 1 a fault; 2 nothing could be checked.
    Check(checking::Check),
    /// Plays matches at a server with the agent that is logged in.
    ///
    /// A program of yours answers: it reads a turn as JSON from standard input and prints its answer. Without one, the command guesses.
    Play(buildtrack_cli::Play),
    /// Verifies a replay: its seal, the commitment to each answer, and each score, which it judges again.
    ///
    /// Exit codes: 0 everything agrees; 1 something differs, or the file is no replay; 2 a task is missing, so that answers to it were
    /// not judged again.
    Replay {
        /// The document at /replays/{id}; - for standard input
        #[arg(value_name = "FILE")]
        file: PathBuf,
        /// The folder of the operator's own tasks [default: `BUILDTRACK_ARENA_TASKS_DIR`]
        #[arg(long, value_name = "FOLDER")]
        tasks: Option<PathBuf>,
    },
}

/// The largest replay that is read: 50 turns of 100 agents with the longest answers.
const REPLAY_BYTES_MAX: u64 = 512 * 1024 * 1024;

/// Runs the command.
pub async fn run(command: &Arena) -> Result<(), CommandError> {
    match command {
        Arena::Tasks(command) => tasks::run(command).await,
        Arena::Check(check) => checking::run(check).await,
        Arena::Play(play) => client::play(play).await,
        Arena::Replay { file, tasks } => verify(file, tasks.as_deref()).await,
    }
}

/// Verifies a replay, and prints what was found.
async fn verify(file: &Path, tasks: Option<&Path>) -> Result<(), CommandError> {
    let failed = |reason: String| CommandError::Failed(format!("{}: {reason}", file.display()));
    let mut settings = Settings::load()?;
    if let Some(folder) = tasks {
        settings.arena_tasks_dir = Some(folder.to_owned());
    }
    let bank = bank(&settings)?;
    let mut text = String::new();
    let read = if file == Path::new("-") {
        io::stdin().take(REPLAY_BYTES_MAX).read_to_string(&mut text)
    } else {
        File::open(file).and_then(|file| file.take(REPLAY_BYTES_MAX).read_to_string(&mut text))
    };
    read.map_err(|error| failed(error.to_string()))?;
    let findings = replay::verify(&text, bank, &Programs::of(&settings)?).await.map_err(failed)?;
    // What was found decides on the exit code, even if the details cannot be printed.
    let printed = print(findings.text.trim_end());
    match (findings.differences, findings.missing) {
        (0, 0) => printed,
        (0, turns) => {
            let (file, folder) = (file.display(), settings.tasks_dir());
            let detail = format!(
                "{file}: the tasks of {turns} turns are neither in this program nor in {}; --tasks names another folder",
                folder.display()
            );
            Err(CommandError::Incomplete(detail))
        }
        (differences, _) => Err(failed(format!("{differences} differences"))),
    }
}
