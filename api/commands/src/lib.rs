//! The subcommands of `buildtrack`: administration, tasks of the arena, settings, maintenance and verification, and the client's.
//!
//! **Invariant:** each error names an exit code ([`CommandError::exit_code`]), so that scripts can tell the causes apart.

pub mod admin;
pub mod arena;
pub mod client;
pub mod config;
pub mod dead_letters;
pub mod exports;
pub mod limit_requests;
pub mod maintenance;
pub mod mcp;

use buildtrack_bus::BusError;
use buildtrack_settings::{LogFormat, Settings, SettingsError, exit, secret};
use buildtrack_store::{Store, StoreError, clock::Clock};
use buildtrack_terminal::{OUTPUT_FAILED, PrintError};
use tracing_subscriber::EnvFilter;

/// The error of a command, printed for the operator.
#[derive(Debug, thiserror::Error)]
pub enum CommandError {
    /// The settings are invalid.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// The database is not usable.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The broker is not usable.
    #[error("AMQP_URL: {0}")]
    Broker(#[from] BusError),
    /// The database was unreachable, so that the log was not checked.
    #[error("The log could NOT BE CHECKED: {0}. This is no finding about the log: repeat the command")]
    Unchecked(StoreError),
    /// An agent was not checked: it cannot be reached, or the command cannot listen.
    #[error("Nothing was checked: {0}")]
    NotChecked(String),
    /// Part of what was to be checked is missing.
    #[error("Not everything was checked: {0}")]
    Incomplete(String),
    /// The answer could not be printed, as to a full disk.
    #[error(transparent)]
    Output(#[from] PrintError),
    /// A command of the client failed. It has printed why, and names the exit code.
    #[error("exit code {0}")]
    Reported(u8),
    /// The command found an error, or its argument names something that does not exist.
    #[error("{0}")]
    Failed(String),
}

impl CommandError {
    /// Returns the exit code of the process.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Settings(_) | Self::Broker(BusError::Address(_)) => exit::CONFIGURATION,
            Self::Store(error) | Self::Unchecked(error) => exit::code_of(error),
            Self::Broker(BusError::AccessDenied { .. }) => exit::REFUSED,
            Self::Broker(_) => exit::UNAVAILABLE,
            Self::NotChecked(_) | Self::Incomplete(_) => exit::NOT_CHECKED,
            Self::Output(_) => OUTPUT_FAILED,
            Self::Reported(code) => *code,
            Self::Failed(_) => exit::FAILED,
        }
    }
}

/// Prints a text of one or more lines. Where the reader has left, as `head` does, the command goes on.
pub fn print(text: &str) -> Result<(), CommandError> {
    Ok(PrintError::unless_closed(buildtrack_terminal::print(text))?)
}

/// Prints a JSON document, like [`print`](fn@print).
pub fn print_json(document: &str) -> Result<(), CommandError> {
    Ok(PrintError::unless_closed(buildtrack_terminal::print_json(document))?)
}

/// Opens the store on the configured database.
pub async fn open_store(settings: &Settings) -> Result<Store, CommandError> {
    let secret = secret(settings)?;
    let database = settings.database();
    Ok(Store::open(buildtrack_store::Settings { database, secret, clock: Clock::System }).await?)
}

/// Installs the log subscriber, which writes to standard error.
pub fn start_logging(settings: &Settings) -> Result<(), CommandError> {
    let filter =
        EnvFilter::try_new(&settings.log).map_err(|error| CommandError::Failed(format!("BUILDTRACK_LOG: {error}")))?;
    // A log line that cannot be written is lost: to say so where it could not be written would panic.
    let lines = tracing_subscriber::fmt().with_env_filter(filter).log_internal_errors(false);
    let lines = lines.with_writer(buildtrack_terminal::log).with_ansi(buildtrack_terminal::notes_are_shown());
    match settings.log_format {
        LogFormat::Text => lines.init(),
        LogFormat::Json => lines.json().init(),
    }
    Ok(())
}
