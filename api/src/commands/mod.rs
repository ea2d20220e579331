//! The subcommands of `buildtrack`.

pub mod admin;
pub mod config;
pub mod exports;
pub mod maintenance;

use std::io::IsTerminal;

use buildtrack_bus::BusError;
use buildtrack_settings::{LogFormat, Settings, SettingsError, exit, secret};
use buildtrack_store::{Store, StoreError, clock::Clock};
use tracing_subscriber::EnvFilter;

/// Why a command failed, for the person at the terminal.
#[derive(Debug, thiserror::Error)]
pub enum CommandError {
    /// The settings cannot be used.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// The database cannot be used.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The server cannot run.
    #[error(transparent)]
    Server(#[from] crate::ServerError),
    /// The broker cannot be used.
    #[error("AMQP_URL: {0}")]
    Broker(#[from] BusError),
    /// The log could not be checked, which says nothing of the log.
    #[error("The log could NOT BE CHECKED: {0}. This says nothing of the log: try again")]
    Unchecked(StoreError),
    /// The command found something wrong, or was asked for something that is not there.
    #[error("{0}")]
    Failed(String),
}

impl CommandError {
    /// The code with which the process ends.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Settings(_) | Self::Broker(BusError::Address(_)) => exit::CONFIGURATION,
            Self::Store(error) | Self::Unchecked(error) => exit::code_of(error),
            Self::Broker(BusError::AccessDenied { .. }) => exit::REFUSED,
            Self::Broker(_) => exit::UNAVAILABLE,
            Self::Server(_) | Self::Failed(_) => exit::FAILED,
        }
    }
}

/// Opens the store that the settings name.
pub async fn open_store(settings: &Settings) -> Result<Store, CommandError> {
    let secret = secret(settings)?;
    let database = settings.database();
    Ok(Store::open(buildtrack_store::Settings { database, secret, clock: Clock::System }).await?)
}

/// Sends log lines to standard error.
pub fn start_logging(settings: &Settings) -> Result<(), CommandError> {
    let filter =
        EnvFilter::try_new(&settings.log).map_err(|error| CommandError::Failed(format!("BUILDTRACK_LOG: {error}")))?;
    let lines = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    let lines = lines.with_ansi(std::io::stderr().is_terminal());
    match settings.log_format {
        LogFormat::Text => lines.init(),
        LogFormat::Json => lines.json().init(),
    }
    Ok(())
}
