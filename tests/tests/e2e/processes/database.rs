//! A temporary database for one test, removed when the test ends.

use std::{path::Path, time::Duration};

use buildtrack_tests::new_database::{self, on_server};
use sqlx::{
    ConnectOptions, Connection, PgConnection, SqliteConnection,
    sqlite::{SqliteConnectOptions, SqliteJournalMode},
};
use tokio::sync::{Semaphore, SemaphorePermit};

use super::waiting::until;

/// How many tests use PostgreSQL at once, independent of the number of cores: each starts servers that open up to 21
/// connections each, and PostgreSQL admits 100 by default.
static PERMITS: Semaphore = Semaphore::const_new(2);

/// A PostgreSQL database that is dropped with this value.
pub(crate) struct PostgresDatabase {
    created: new_database::PostgresDatabase,
    _permit: SemaphorePermit<'static>,
}

/// A direct connection to a test's database, not through the server.
pub(crate) enum Connected {
    Sqlite(SqliteConnection),
    Postgres(PgConnection),
}

impl PostgresDatabase {
    /// A database without tables, as an operator creates it.
    pub(crate) async fn create() -> Self {
        let permit = PERMITS.acquire().await.unwrap();
        Self { created: new_database::PostgresDatabase::empty("proc").await, _permit: permit }
    }

    pub(crate) fn url(&self) -> String {
        self.created.url()
    }

    /// Refuses new connections and ends every open one.
    pub(crate) async fn close(&self) {
        let name = self.created.name();
        on_server(format!("ALTER DATABASE {name} WITH ALLOW_CONNECTIONS false")).await.unwrap();
        let connections = format!("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'");
        on_server(connections).await.unwrap();
    }

    /// Accepts connections again.
    pub(crate) async fn open(&self) {
        on_server(format!("ALTER DATABASE {} WITH ALLOW_CONNECTIONS true", self.created.name())).await.unwrap();
    }
}

/// `on!(self, |connection| body)`: the body, once for each database.
macro_rules! on {
    ($connected:expr, |$connection:ident| $body:expr) => {
        match $connected {
            Connected::Sqlite($connection) => $body,
            Connected::Postgres($connection) => $body,
        }
    };
}

impl Connected {
    pub(crate) async fn to_postgres(url: &str) -> Self {
        // Servers of other tests may hold all of PostgreSQL's connections for a moment.
        let connected = async || match PgConnection::connect(url).await {
            Err(sqlx::Error::Database(error)) if error.code().is_some_and(|code| code == "53300") => None,
            outcome => Some(outcome.unwrap()),
        };
        Self::Postgres(until("a free connection of PostgreSQL", connected).await)
    }

    pub(crate) async fn to_sqlite(path: &Path) -> Self {
        let options = SqliteConnectOptions::new().filename(path).journal_mode(SqliteJournalMode::Wal);
        Self::Sqlite(options.busy_timeout(Duration::from_secs(10)).connect().await.unwrap())
    }

    /// Runs one statement; returns the number of changed rows.
    pub(crate) async fn execute(&mut self, statement: &str) -> u64 {
        on!(self, |connection| sqlx::query(statement).execute(connection).await.unwrap().rows_affected())
    }

    /// The single number that a query returns.
    pub(crate) async fn number(&mut self, query: &str) -> i64 {
        on!(self, |connection| sqlx::query_scalar(query).fetch_one(connection).await.unwrap())
    }

    /// Of every delivery, in log order: its id, its status, and the number of its attempts.
    pub(crate) async fn deliveries(&mut self) -> Vec<(String, String, i64)> {
        let query = "SELECT id, status, attempts FROM deliveries ORDER BY position, id";
        on!(self, |connection| sqlx::query_as(query).fetch_all(connection).await.unwrap())
    }
}
