//! A temporary database for one test, removed when the test ends.

use std::{path::Path, time::Duration};

use buildtrack_store::clock::random;
use sqlx::{
    ConnectOptions, Connection, PgConnection, SqliteConnection,
    postgres::PgConnectOptions,
    sqlite::{SqliteConnectOptions, SqliteJournalMode},
};
use tokio::sync::{Semaphore, SemaphorePermit};

use super::waiting::until;

/// How many tests use PostgreSQL at once, independent of the number of cores: each starts servers that open up to 21
/// connections each, and PostgreSQL admits 100 by default.
static PLACES: Semaphore = Semaphore::const_new(2);

/// A PostgreSQL database that is dropped with this value.
pub(crate) struct PostgresDatabase {
    name: String,
    _place: SemaphorePermit<'static>,
}

/// A direct connection to a test's database, not through the server.
pub(crate) enum Connected {
    Sqlite(SqliteConnection),
    Postgres(PgConnection),
}

fn server() -> PgConnectOptions {
    let url = std::env::var("TEST_DATABASE_URL");
    url.as_deref()
        .unwrap_or("postgres://postgres@127.0.0.1:5432/postgres")
        .parse()
        .expect("TEST_DATABASE_URL is an address")
}

async fn on_server(statement: String) -> Result<(), sqlx::Error> {
    let mut connection = PgConnection::connect_with(&server()).await?;
    sqlx::query(&statement).execute(&mut connection).await?;
    connection.close().await
}

impl PostgresDatabase {
    /// An empty database. A missing PostgreSQL is a failure, never a skip.
    pub(crate) async fn create() -> Self {
        let place = PLACES.acquire().await.unwrap();
        let run = std::env::var("BUILDTRACK_TEST_RUN").unwrap_or_else(|_| "dev".to_owned());
        let name = format!("bt_test_{run}_proc_{}", hex::encode(random::<6>()));
        on_server(format!("CREATE DATABASE {name}")).await.expect("PostgreSQL is needed");
        Self { name, _place: place }
    }

    pub(crate) fn url(&self) -> String {
        server().database(&self.name).to_url_lossy().into()
    }

    /// Refuses new connections and ends every open one.
    pub(crate) async fn close(&self) {
        let Self { name, .. } = self;
        on_server(format!("ALTER DATABASE {name} WITH ALLOW_CONNECTIONS false")).await.unwrap();
        let connections = format!("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'");
        on_server(connections).await.unwrap();
    }

    /// Accepts connections again.
    pub(crate) async fn open(&self) {
        on_server(format!("ALTER DATABASE {} WITH ALLOW_CONNECTIONS true", self.name)).await.unwrap();
    }
}

impl Drop for PostgresDatabase {
    fn drop(&mut self) {
        let statement = format!("DROP DATABASE IF EXISTS {} WITH (FORCE)", self.name);
        // On a new thread, because this may run while the test's runtime unwinds.
        let thread = std::thread::spawn(move || {
            tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(on_server(statement))
        });
        if let Err(error) = thread.join().expect("the thread ends") {
            eprintln!("a test database is left over: {error}");
        }
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
