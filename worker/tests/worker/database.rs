//! A temporary database for one test.

use std::time::Duration;

use buildtrack_store::{
    Database, Secret, Settings, Store,
    clock::{Clock, random},
};
use sqlx::{
    ConnectOptions, Connection, FromRow, PgConnection, SqliteConnection,
    postgres::{PgConnectOptions, PgRow},
    sqlite::{SqliteConnectOptions, SqliteJournalMode, SqliteRow},
};
use tempfile::TempDir;

/// The kind of database.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Kind {
    Sqlite,
    Postgres,
}

/// An empty database with the settings for opening stores on it.
pub(crate) struct TestDatabase {
    pub(crate) clock: Clock,
    secret: Secret,
    storage: Storage,
}

enum Storage {
    Sqlite(TempDir),
    Postgres(String),
}

/// A delivery: its type, its status, and the status code or error of each attempt in order.
pub(crate) type DeliveryRow = (String, String, Vec<String>);

fn server() -> String {
    std::env::var("TEST_DATABASE_URL").unwrap_or_else(|_| "postgres://postgres@127.0.0.1:5432/postgres".to_owned())
}

impl TestDatabase {
    /// An empty database with a clock fixed at noon.
    pub(crate) async fn at_noon(kind: Kind) -> Self {
        Self::new(kind, Clock::fixed("2026-03-01T12:00:00.000001Z".parse().unwrap())).await
    }

    /// An empty database with the system clock.
    pub(crate) async fn now(kind: Kind) -> Self {
        Self::new(kind, Clock::System).await
    }

    async fn new(kind: Kind, clock: Clock) -> Self {
        let storage = match kind {
            Kind::Sqlite => Storage::Sqlite(TempDir::new().unwrap()),
            Kind::Postgres => {
                let run = std::env::var("BUILDTRACK_TEST_RUN").unwrap_or_else(|_| "dev".to_owned());
                let name = format!("bt_test_{run}_worker_{:012x}", u64::from_be_bytes(random()) >> 16);
                let mut connection = PgConnection::connect(&server()).await.expect("PostgreSQL is needed");
                let statement = format!("CREATE DATABASE {name}");
                sqlx::query(&statement).execute(&mut connection).await.unwrap();
                Storage::Postgres(name)
            }
        };
        Self { clock, secret: Secret::new(&Secret::generate()).unwrap(), storage }
    }

    /// Opens a store. To the database it looks like another process.
    pub(crate) async fn open(&self) -> Store {
        let database = match &self.storage {
            Storage::Sqlite(folder) => Database::Sqlite(folder.path().join("buildtrack.sqlite")),
            Storage::Postgres(name) => Database::Postgres(options(name).to_url_lossy().into()),
        };
        Store::open(Settings { database, secret: self.secret.clone(), clock: self.clock.clone() }).await.unwrap()
    }

    /// Ends every connection of every store, as a restart of the server does.
    pub(crate) async fn cut_connections(&self) {
        let mut connection = PgConnection::connect(&server()).await.unwrap();
        let Storage::Postgres(name) = &self.storage else { panic!("SQLite has no connections to cut") };
        sqlx::query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1")
            .bind(name)
            .execute(&mut connection)
            .await
            .unwrap();
    }

    /// Every delivery, in log order.
    pub(crate) async fn deliveries(&self) -> Vec<DeliveryRow> {
        const QUERY: &str = "SELECT deliveries.id, deliveries.type, status, \
            coalesce(CAST(status_code AS TEXT), error) AS answer \
            FROM deliveries LEFT JOIN attempts ON delivery_id = deliveries.id \
            ORDER BY position, deliveries.id, number";
        let rows: Vec<(String, String, String, Option<String>)> = self.rows(QUERY).await;
        let same = rows.chunk_by(|one, next| one.0 == next.0);
        same.map(|rows| {
            let answers = rows.iter().filter_map(|row| row.3.clone()).collect();
            (rows[0].1.clone(), rows[0].2.clone(), answers)
        })
        .collect()
    }

    /// The first column of a query's rows.
    pub(crate) async fn texts(&self, query: &'static str) -> Vec<Option<String>> {
        let rows: Vec<(Option<String>,)> = self.rows(query).await;
        rows.into_iter().map(|(text,)| text).collect()
    }

    async fn rows<R>(&self, query: &'static str) -> Vec<R>
    where
        R: for<'r> FromRow<'r, SqliteRow> + for<'r> FromRow<'r, PgRow> + Send + Unpin,
    {
        match &self.storage {
            Storage::Sqlite(folder) => {
                let options = SqliteConnectOptions::new()
                    .filename(folder.path().join("buildtrack.sqlite"))
                    .journal_mode(SqliteJournalMode::Wal)
                    .busy_timeout(Duration::from_secs(10));
                let mut connection = SqliteConnection::connect_with(&options).await.unwrap();
                sqlx::query_as(query).fetch_all(&mut connection).await.unwrap()
            }
            Storage::Postgres(name) => {
                let mut connection = PgConnection::connect_with(&options(name)).await.unwrap();
                sqlx::query_as(query).fetch_all(&mut connection).await.unwrap()
            }
        }
    }
}

fn options(name: &str) -> PgConnectOptions {
    server().parse::<PgConnectOptions>().unwrap().database(name)
}

impl Drop for TestDatabase {
    fn drop(&mut self) {
        let Storage::Postgres(name) = &self.storage else { return };
        let statement = format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)");
        let dropping = async move {
            let mut connection = PgConnection::connect(&server()).await?;
            sqlx::query(&statement).execute(&mut connection).await
        };
        // A separate thread, because this may run while the test's runtime unwinds.
        let thread = std::thread::spawn(move || {
            tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(dropping)
        });
        if let Err(error) = thread.join().expect("the thread ends") {
            eprintln!("a test database is left over: {error}");
        }
    }
}
