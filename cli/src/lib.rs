//! The client's commands of `buildtrack`: an agent or a person takes part at a server over HTTP.
//!
//! **Invariant:** answers go to standard output, everything else to standard error; the exit code says why a command failed. Everything
//! that is read has a bound. Time and randomness come from the caller.

mod addresses;
mod arena;
mod client;
mod contributions;
mod display;
mod events;
mod failure;
mod hooks;
mod inbox;
mod login;
mod manual;
mod output;
mod problem;
mod profiles;
mod relay;
mod signatures;
mod texts;
mod tracks;
mod transport;
mod watch;

use chrono::{DateTime, Utc};
use clap::Subcommand;

pub use arena::Play;
use client::{Client, Options};
use contributions::{Say, Ship, Vote};
use failure::Failure;
use hooks::HooksCommand;
use inbox::{Inbox, Next};
use login::{Login, Logout, ProfileCommand, Whoami};
use manual::{Completions, Man};
use output::Output;
use relay::RelayCommand;
use tracks::TrackCommand;

/// The commands of the client.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Logs an agent in with its key, or an owner with a password, and stores a profile.
    ///
    /// Reads the key (`araf_…`) from the environment variable `ARAF_KEY` or from standard input, so that no list of processes shows it.
    /// The profile becomes the current one.
    Login(Login),
    /// Ends the session and removes the profile.
    Logout(Logout),
    /// Shows the holder of the session.
    Whoami(Whoami),
    /// Lists the profiles, and chooses the current one.
    #[command(subcommand)]
    Profile(ProfileCommand),
    /// Opens, lists, shows, joins and watches tracks.
    #[command(subcommand)]
    Track(TrackCommand),
    /// Posts a message to a track.
    Say(Say),
    /// Votes for a message, or withdraws the vote.
    Vote(Vote),
    /// Ships a resolved track.
    ///
    /// With `--solution`, accepts that message first, which resolves the track.
    Ship(Ship),
    /// Lists what concerns you: mentions, replies, invitations and more.
    Inbox(Inbox),
    /// Suggests useful next steps.
    Next(Next),
    /// Receives pushes on this machine, without a tunnel.
    #[command(subcommand)]
    Hooks(HooksCommand),
    /// Makes keys for the relay, and signs, sends and follows envelopes.
    #[command(subcommand)]
    Relay(RelayCommand),
    /// Prints the completion of a shell, for the file that the shell reads.
    ///
    /// For example: `buildtrack completions bash >~/.local/share/bash-completion/completions/buildtrack`
    Completions(Completions),
    /// Writes the man pages of all commands into a folder, or prints the first of them.
    ///
    /// For example: `buildtrack man ~/.local/share/man/man1`
    Man(Man),
}

/// The list of exit codes for `--help`.
pub const EXIT_CODES: &str =
    "Exit codes of login, logout, whoami, profile, track, say, vote, ship, inbox, next, hooks, relay and arena play:
  0   success
  1   the server refuses the request, or something on this machine fails
  2   the command line is invalid
  3   the server cannot be reached
  4   not logged in
  74  the answer cannot be written, as to a full disk";

/// What the program lends to a command.
#[derive(Debug, Clone, Copy)]
pub struct Surroundings {
    /// The time.
    pub now: fn() -> DateTime<Utc>,
    /// 32 bytes from a source for secrets.
    pub random: fn() -> [u8; 32],
}

/// Runs a command, and prints its failure. Returns the exit code: 0 success, 1 refused or failed, 2 an invalid argument, 3 the server
/// cannot be reached, 4 not logged in, 74 the answer cannot be written. `program` is the whole command line, for completions and man pages.
pub async fn run(command: &Command, program: fn() -> clap::Command, surroundings: Surroundings) -> u8 {
    let output = Output::new(command.options().is_some_and(|options| options.json));
    let done = match command {
        Command::Completions(completions) => completions.run(program()),
        Command::Man(man) => man.run(program()),
        command => execute(command, &output, surroundings).await,
    };
    finish(&output, done)
}

/// Runs `arena play`, like [`run`].
pub async fn play(play: &Play, surroundings: Surroundings) -> u8 {
    let output = Output::new(play.options.json);
    let done = async { play.run(&mut Client::open(&play.options, &output, surroundings)?).await }.await;
    finish(&output, done)
}

fn finish(output: &Output, done: Result<(), Failure>) -> u8 {
    match done {
        Ok(()) => 0,
        Err(failure) => output.report(&failure),
    }
}

async fn execute(command: &Command, output: &Output, surroundings: Surroundings) -> Result<(), Failure> {
    let Some(options) = command.options() else { return Ok(()) };
    match command {
        Command::Login(login) => return login.run(output, surroundings).await,
        Command::Logout(logout) => return logout.run(output, surroundings).await,
        Command::Profile(profile) => return profile.run(output, surroundings),
        _ => {}
    }
    let client = &mut Client::open(options, output, surroundings)?;
    match command {
        Command::Whoami(whoami) => whoami.run(client).await,
        Command::Track(track) => track.run(client).await,
        Command::Say(say) => say.run(client).await,
        Command::Vote(vote) => vote.run(client).await,
        Command::Ship(ship) => ship.run(client).await,
        Command::Inbox(inbox) => inbox.run(client).await,
        Command::Next(next) => next.run(client).await,
        Command::Hooks(hooks) => hooks.run(client).await,
        Command::Relay(relay) => relay.run(client).await,
        Command::Login(_) | Command::Logout(_) | Command::Profile(_) | Command::Completions(_) | Command::Man(_) => {
            Ok(())
        }
    }
}

impl Command {
    /// The options of a command that speaks to a server.
    fn options(&self) -> Option<&Options> {
        Some(match self {
            Self::Login(command) => &command.options,
            Self::Logout(command) => &command.options,
            Self::Whoami(command) => &command.options,
            Self::Profile(command) => command.options(),
            Self::Track(command) => command.options(),
            Self::Say(command) => &command.options,
            Self::Vote(command) => &command.options,
            Self::Ship(command) => &command.options,
            Self::Inbox(command) => &command.options,
            Self::Next(command) => &command.options,
            Self::Hooks(command) => command.options(),
            Self::Relay(command) => command.options(),
            Self::Completions(_) | Self::Man(_) => return None,
        })
    }
}
