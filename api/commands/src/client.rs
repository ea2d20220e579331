//! The client's commands (`cli/`), with this program's clock and randomness.

use buildtrack_cli::{Command, Play, Surroundings};
use buildtrack_store::clock::{Clock, random};

use super::CommandError;

/// Runs a command of the client. `program` is the whole command line, for completions and man pages.
pub async fn run(command: &Command, program: fn() -> clap::Command) -> Result<(), CommandError> {
    reported(buildtrack_cli::run(command, program, surroundings()).await)
}

/// Plays matches of the arena.
pub async fn play(play: &Play) -> Result<(), CommandError> {
    reported(buildtrack_cli::play(play, surroundings()).await)
}

fn surroundings() -> Surroundings {
    Surroundings { now: || Clock::System.now(), random: random::<32> }
}

fn reported(code: u8) -> Result<(), CommandError> {
    if code == 0 { Ok(()) } else { Err(CommandError::Reported(code)) }
}
