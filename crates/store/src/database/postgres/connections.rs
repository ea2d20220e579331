//! Opens the connections of a pool, and tests those that were idle.

use std::{
    io::ErrorKind,
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use deadpool::managed::{self, Metrics, RecycleError, RecycleResult};
use sqlx::{ConnectOptions, Connection, Error, PgConnection, postgres::PgConnectOptions};
use tokio::time::{sleep, timeout};

/// The pause between two tries to connect doubles from the first to the longest.
const FIRST_PAUSE: Duration = Duration::from_millis(10);
const LONGEST_PAUSE: Duration = Duration::from_millis(500);
/// A connection that was not used for so long is asked whether it is still there, because the server may have restarted.
const IDLE: Duration = Duration::from_secs(1);
/// How long the answer to that may take.
const PING: Duration = Duration::from_secs(1);
/// The server itself ends a read that takes longer, so that a caller who gave up costs it nothing more.
const STATEMENT_TIMEOUT: (&str, &str) = ("statement_timeout", "10s");

/// Opens connections, and tests those that were idle.
pub(super) struct Manager {
    options: PgConnectOptions,
    /// Settings of the sessions in this pool alone.
    session: &'static [(&'static str, &'static str)],
    /// When a connection was last found silent.
    silent_at: Mutex<Option<Instant>>,
}

impl Manager {
    pub(super) fn new(options: PgConnectOptions, session: &'static [(&'static str, &'static str)]) -> Self {
        Self { options, session, silent_at: Mutex::default() }
    }

    pub(super) fn options(&self) -> &PgConnectOptions {
        &self.options
    }

    pub(super) fn found_silent(&self) {
        *self.silent_at.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
    }

    /// Connections that were last used before one was found silent are probably silent too: each would cost its caller the same wait.
    fn suspects(&self, metrics: &Metrics) -> bool {
        let silent_at = *self.silent_at.lock().unwrap_or_else(PoisonError::into_inner);
        silent_at.is_some_and(|silent_at| metrics.recycled.unwrap_or(metrics.created) < silent_at)
    }
}

impl managed::Manager for Manager {
    type Type = PgConnection;
    type Error = Error;

    async fn create(&self) -> Result<PgConnection, Error> {
        let options = self.options.clone().options([STATEMENT_TIMEOUT]).options(self.session.iter().copied());
        let mut pause = FIRST_PAUSE;
        loop {
            match options.connect().await {
                Err(error) if may_pass(&error) => {
                    sleep(pause).await;
                    pause = LONGEST_PAUSE.min(pause * 2);
                }
                outcome => return outcome,
            }
        }
    }

    async fn recycle(&self, connection: &mut PgConnection, metrics: &Metrics) -> RecycleResult<Error> {
        if self.suspects(metrics) {
            return Err(RecycleError::message("another connection was found silent"));
        }
        if metrics.last_used() > IDLE {
            timeout(PING, connection.ping()).await.map_err(|_| {
                self.found_silent();
                RecycleError::message("the connection is silent")
            })??;
        }
        Ok(())
    }
}

/// Whether a connection may succeed a moment later: the server restarts, or its connections are all in use.
fn may_pass(error: &Error) -> bool {
    // PostgreSQL's codes `too_many_connections` and `cannot_connect_now`.
    const TRANSIENT: [&str; 2] = ["53300", "57P03"];
    match error {
        Error::Io(error) => {
            matches!(
                error.kind(),
                ErrorKind::ConnectionRefused | ErrorKind::ConnectionReset | ErrorKind::ConnectionAborted
            )
        }
        Error::Database(error) => error.code().is_some_and(|code| TRANSIENT.contains(&&*code)),
        _ => false,
    }
}
