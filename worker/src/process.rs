//! `buildtrack-worker`: the worker as a separate process, beside `buildtrack` servers with `BUILDTRACK_WORKER=off`.
//!
//! It is part of the library, not of the program, so that the code of the worker's asynchronous functions is generated once.

use std::{process::ExitCode, time::Duration};

use buildtrack_bus::BusError;
use buildtrack_settings::{LogFormat, Settings, SettingsError, bank, exit, python, secret};
use buildtrack_store::{Store, StoreError, clock::Clock};
use buildtrack_terminal::{arguments, note, notes_are_shown};
use clap::Parser;
use metrics_exporter_prometheus::{BuildError, PrometheusBuilder};
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;
use tracing_subscriber::EnvFilter;

use crate::{
    MailError, Mailer, TracesError, Worker, WorkerSettings, bus, check_bus, export_traces, flush_traces,
    webhooks::ClientError,
};

/// Interval between two measurements of this process.
const MEASURED_EVERY: Duration = Duration::from_secs(5);

/// Publishes events, pushes them to webhooks, and deletes expired data. Takes the same settings as `buildtrack`;
/// `DATABASE_URL` and `BUILDTRACK_SECRET` are required.
#[derive(Debug, Parser)]
#[command(version, after_help = format!("{}\n\n{}", buildtrack_settings::help(), exit::HELP))]
struct Arguments {}

#[derive(Debug, thiserror::Error)]
enum MainError {
    #[error(transparent)]
    Settings(#[from] SettingsError),
    #[error("DATABASE_URL is not set. With SQLite, `buildtrack` does the worker's work itself; run only `buildtrack`")]
    Sqlite,
    #[error("BUILDTRACK_LOG: {0}")]
    Filter(#[from] tracing_subscriber::filter::ParseError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("BUILDTRACK_METRICS_BIND: {0}")]
    Metrics(#[from] BuildError),
    #[error("AMQP_URL: {0}")]
    Bus(#[from] BusError),
    #[error(transparent)]
    Client(#[from] ClientError),
    #[error(transparent)]
    Mail(#[from] MailError),
    #[error(transparent)]
    Traces(#[from] TracesError),
    #[error("signal handlers cannot be installed: {0}")]
    Signals(std::io::Error),
}

/// Runs the worker until a signal. Returns the exit code.
///
/// # Panics
///
/// If the system refuses the threads of the runtime.
#[tokio::main]
pub async fn start() -> ExitCode {
    if let Err(code) = arguments::<Arguments>() {
        return ExitCode::from(code);
    }
    match work().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            note(&format!("buildtrack-worker: {error}"));
            ExitCode::from(error.exit_code())
        }
    }
}

impl MainError {
    fn exit_code(&self) -> u8 {
        match self {
            Self::Settings(_) | Self::Sqlite | Self::Filter(_) | Self::Bus(BusError::Address(_)) => exit::CONFIGURATION,
            Self::Bus(BusError::AccessDenied { .. }) => exit::REFUSED,
            Self::Store(error) => exit::code_of(error),
            _ => exit::FAILED,
        }
    }
}

async fn work() -> Result<(), MainError> {
    let settings = Settings::load()?;
    if settings.database_url.is_none() {
        return Err(MainError::Sqlite);
    }
    log(&settings)?;
    let (database, secret, tasks) = (settings.database(), secret(&settings)?, bank(&settings)?);
    python(&settings)?;
    let traces = export_traces("buildtrack-worker", &settings)?;
    let stop = stop_at_signal().map_err(MainError::Signals)?;
    let bus = bus(&settings)?;
    check_bus(&bus).await?;
    let store = Store::open(buildtrack_store::Settings { database, secret, clock: Clock::System }).await?;
    store.log().limit_storage(settings.storage_limits());
    store.arena().use_bank(tasks);
    if let Some(address) = settings.metrics_bind {
        PrometheusBuilder::new().with_http_listener(address).install()?;
        buildtrack_traces::describe_metrics(env!("CARGO_PKG_VERSION"));
        tokio::spawn(measure_process());
    }
    let worker = Worker::new(store.clone(), bus, WorkerSettings::from(&settings))?.mailing(Mailer::of(&settings)?);
    tracing::info!(version = env!("CARGO_PKG_VERSION"), "working");
    worker.run(stop).await;
    store.close().await;
    flush_traces(traces).await;
    tracing::info!("stopped");
    Ok(())
}

/// Measures this process at regular intervals: processor time, memory, open files, start time.
async fn measure_process() {
    let mut ticks = tokio::time::interval(MEASURED_EVERY);
    loop {
        ticks.tick().await;
        buildtrack_traces::measure_process();
    }
}

/// Writes log lines to standard error.
fn log(settings: &Settings) -> Result<(), MainError> {
    // A log line that cannot be written is lost: to say so where it could not be written would panic.
    let logger = tracing_subscriber::fmt().with_env_filter(EnvFilter::try_new(&settings.log)?);
    let logger = logger.log_internal_errors(false).with_writer(buildtrack_terminal::log).with_ansi(notes_are_shown());
    match settings.log_format {
        LogFormat::Text => logger.init(),
        LogFormat::Json => logger.json().init(),
    }
    Ok(())
}

/// Returns a token that the first SIGTERM or SIGINT cancels.
fn stop_at_signal() -> std::io::Result<CancellationToken> {
    let (mut terminate, mut interrupt) = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
    let stop = CancellationToken::new();
    let signalled = stop.clone();
    tokio::spawn(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
        signalled.cancel();
    });
    Ok(stop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exit_code_tells_what_an_operator_can_do() {
        let (address, user, reason) = ("127.0.0.1:5672".to_owned(), "ada".to_owned(), "wrong password".to_owned());
        for (error, code) in [
            (MainError::Sqlite, exit::CONFIGURATION),
            (MainError::Bus(BusError::Address("ftp://".to_owned())), exit::CONFIGURATION),
            (MainError::Bus(BusError::AccessDenied { address, user, reason }), exit::REFUSED),
            (MainError::Bus(BusError::Lost), exit::FAILED),
            (MainError::Store(StoreError::Closed), exit::UNAVAILABLE),
            (MainError::Signals(std::io::Error::other("no handler")), exit::FAILED),
        ] {
            assert_eq!(error.exit_code(), code, "{error}");
        }
    }
}
