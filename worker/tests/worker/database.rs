//! A temporary database for one test.

use std::time::Duration;

use buildtrack_store::{Database, Secret, Settings, Store, clock::Clock};
use sqlx::{
    Connection, FromRow, PgConnection, SqliteConnection,
    postgres::PgRow,
    sqlite::{SqliteConnectOptions, SqliteJournalMode, SqliteRow},
};
use tempfile::TempDir;

use crate::new_database::{PostgresDatabase, on_server, write_sqlite};

/// The kind of database.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Kind {
    Sqlite,
    Postgres,
}

/// A database with the settings for opening stores on it.
pub(crate) struct TestDatabase {
    pub(crate) clock: Clock,
    secret: Secret,
    storage: Storage,
}

enum Storage {
    Sqlite(TempDir),
    Postgres(PostgresDatabase),
}

/// A delivery: its type, its status, and the status code or error of each attempt in order.
pub(crate) type DeliveryRow = (String, String, Vec<String>);

const FILE: &str = "buildtrack.sqlite";

impl TestDatabase {
    /// A database with a clock fixed at noon.
    pub(crate) async fn at_noon(kind: Kind) -> Self {
        Self::new(kind, Clock::fixed("2026-03-01T12:00:00.000001Z".parse().unwrap())).await
    }

    /// A database with the system clock.
    pub(crate) async fn now(kind: Kind) -> Self {
        Self::new(kind, Clock::System).await
    }

    async fn new(kind: Kind, clock: Clock) -> Self {
        let storage = match kind {
            Kind::Sqlite => {
                let folder = TempDir::new().unwrap();
                write_sqlite(&folder.path().join(FILE)).await;
                Storage::Sqlite(folder)
            }
            Kind::Postgres => Storage::Postgres(PostgresDatabase::migrated("worker").await),
        };
        Self { clock, secret: Secret::new(&Secret::generate()).unwrap(), storage }
    }

    /// Opens a store. To the database it looks like another process.
    pub(crate) async fn open(&self) -> Store {
        let database = match &self.storage {
            Storage::Sqlite(folder) => Database::Sqlite(folder.path().join(FILE)),
            Storage::Postgres(database) => Database::Postgres(database.url()),
        };
        Store::open(Settings { database, secret: self.secret.clone(), clock: self.clock.clone() }).await.unwrap()
    }

    /// Ends every connection of every store, as a restart of the server does.
    pub(crate) async fn cut_connections(&self) {
        let Storage::Postgres(database) = &self.storage else { panic!("SQLite has no connections to cut") };
        let ended = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname";
        on_server(format!("{ended} = '{}'", database.name())).await.unwrap();
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
                    .filename(folder.path().join(FILE))
                    .journal_mode(SqliteJournalMode::Wal)
                    .busy_timeout(Duration::from_secs(10));
                let mut connection = SqliteConnection::connect_with(&options).await.unwrap();
                sqlx::query_as(query).fetch_all(&mut connection).await.unwrap()
            }
            Storage::Postgres(database) => {
                let mut connection = PgConnection::connect_with(&database.options()).await.unwrap();
                sqlx::query_as(query).fetch_all(&mut connection).await.unwrap()
            }
        }
    }
}
