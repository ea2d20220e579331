//! A database for one test, dropped when the test ends.

use std::{path::PathBuf, time::Duration};

use buildtrack_store::{Database, Secret, Settings, Store, clock::Clock};
use chrono::{DateTime, Utc};
use sqlx::{
    Connection, PgConnection, Row, SqliteConnection,
    sqlite::{SqliteConnectOptions, SqliteJournalMode},
};
use tempfile::TempDir;
use tokio::sync::{Semaphore, SemaphorePermit};

use crate::new_database::{PostgresDatabase, write_sqlite};

/// The database system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Sqlite,
    Postgres,
}

/// A database with the settings for opening stores on it.
pub(crate) struct TestDatabase {
    pub(crate) kind: Kind,
    pub(crate) clock: Clock,
    pub(crate) secret: Secret,
    location: Location,
}

enum Location {
    Sqlite(TempDir),
    Postgres { database: PostgresDatabase, _permit: SemaphorePermit<'static> },
}

/// How many tests use the server at once. Each opens up to three stores of some twenty connections, and PostgreSQL allows a
/// hundred by default.
static PERMITS: Semaphore = Semaphore::const_new(2);

impl Location {
    async fn postgres(creating: impl Future<Output = PostgresDatabase>) -> Self {
        let permit = PERMITS.acquire().await.unwrap();
        Self::Postgres { database: creating.await, _permit: permit }
    }
}

/// The time at which every test begins.
pub(crate) fn noon() -> DateTime<Utc> {
    "2026-03-01T12:00:00.000001Z".parse().unwrap()
}

impl TestDatabase {
    /// Creates a database with the current schema.
    pub(crate) async fn new(kind: Kind) -> Self {
        let location = match kind {
            Kind::Sqlite => {
                let folder = TempDir::new().unwrap();
                write_sqlite(&sqlite_file(&folder)).await;
                Location::Sqlite(folder)
            }
            Kind::Postgres => Location::postgres(PostgresDatabase::migrated("store")).await,
        };
        Self::at(kind, location)
    }

    /// Creates a database without tables.
    pub(crate) async fn empty(kind: Kind) -> Self {
        let location = match kind {
            Kind::Sqlite => Location::Sqlite(TempDir::new().unwrap()),
            Kind::Postgres => Location::postgres(PostgresDatabase::empty("store")).await,
        };
        Self::at(kind, location)
    }

    fn at(kind: Kind, location: Location) -> Self {
        let secret = Secret::new(&Secret::generate()).unwrap();
        Self { kind, clock: Clock::fixed(noon()), secret, location }
    }

    /// Creates a database and opens a store on it.
    pub(crate) async fn with_store(kind: Kind) -> (Self, Store) {
        let database = Self::new(kind).await;
        let store = database.open().await;
        (database, store)
    }

    /// Opens a store, which the database sees as another process.
    pub(crate) async fn open(&self) -> Store {
        self.open_at(self.clock.clone()).await
    }

    /// Opens a store with its own clock.
    pub(crate) async fn open_at(&self, clock: Clock) -> Store {
        Store::open(Settings { database: self.database(), secret: self.secret.clone(), clock }).await.unwrap()
    }

    /// The database's address.
    pub(crate) fn database(&self) -> Database {
        match &self.location {
            Location::Sqlite(folder) => Database::Sqlite(sqlite_file(folder)),
            Location::Postgres { database, .. } => Database::Postgres(database.url()),
        }
    }

    /// Opens a connection that bypasses the stores.
    pub(crate) async fn connect(&self) -> Raw {
        match self.database() {
            Database::Postgres(url) => Raw::Postgres(PgConnection::connect(&url).await.unwrap()),
            Database::Sqlite(path) => {
                let options = SqliteConnectOptions::new()
                    .filename(path)
                    .journal_mode(SqliteJournalMode::Wal)
                    .busy_timeout(Duration::from_secs(10));
                Raw::Sqlite(SqliteConnection::connect_with(&options).await.unwrap())
            }
        }
    }

    /// Executes statements that bypass the stores.
    pub(crate) async fn execute(&self, statements: &str) {
        self.connect().await.execute(statements).await;
    }

    /// How many rows of a table PostgreSQL has read for all closed stores. Their connections report that when they end.
    pub(crate) async fn rows_read(&self, table: &str) -> i64 {
        let connected = "SELECT pid::text FROM pg_stat_activity \
                         WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()";
        eventually(async || self.texts(connected).await.is_empty()).await;
        let read =
            format!("SELECT (seq_tup_read + idx_tup_fetch)::text FROM pg_stat_user_tables WHERE relname = '{table}'");
        self.texts(&read).await[0].parse().unwrap()
    }

    /// The first column of a query's rows, as text.
    pub(crate) async fn texts(&self, query: &str) -> Vec<String> {
        self.connect().await.texts(query).await
    }

    /// Names of all tables.
    pub(crate) async fn tables(&self) -> Vec<String> {
        let query = match self.kind {
            Kind::Sqlite => {
                "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' \
                 AND name <> '_sqlx_migrations' ORDER BY name"
            }
            Kind::Postgres => {
                "SELECT table_name::text FROM information_schema.tables WHERE table_schema = 'public' \
                 AND table_name <> '_sqlx_migrations' ORDER BY table_name::text COLLATE \"C\""
            }
        };
        self.texts(query).await
    }

    /// Names of the tables that hold a text anywhere in a row. The text may hold no quote and no backslash.
    pub(crate) async fn tables_with(&self, needle: &str) -> Vec<String> {
        let tables = self.tables().await;
        let mut queries = Vec::with_capacity(tables.len());
        for table in tables {
            let row = match self.kind {
                Kind::Sqlite => {
                    let columns = self.columns(&table).await;
                    let texts: Vec<_> = columns.iter().map(|(name, _)| format!("quote({name})")).collect();
                    format!("instr({}, '{needle}')", texts.join(" || ' ' || "))
                }
                Kind::Postgres => format!("strpos(CAST({table} AS TEXT), '{needle}')"),
            };
            queries.push(format!("SELECT '{table}' WHERE EXISTS (SELECT 1 FROM {table} WHERE {row} > 0)"));
        }
        // One query, because each opens a connection; in parts, because SQLite accepts 500 at most.
        let mut found = Vec::new();
        for part in queries.chunks(100) {
            found.extend(self.texts(&part.join(" UNION ALL ")).await);
        }
        found
    }

    /// A table's columns in order, and whether each is nullable.
    pub(crate) async fn columns(&self, table: &str) -> Vec<(String, bool)> {
        let query = match self.kind {
            // The primary key of a STRICT table is not nullable either, unless it is an INTEGER.
            Kind::Sqlite => format!(
                "SELECT name || ' ' || CASE WHEN \"notnull\" = 1 OR pk > 0 THEN 'NO' ELSE 'YES' END \
                 FROM pragma_table_info('{table}') ORDER BY cid"
            ),
            Kind::Postgres => format!(
                "SELECT column_name || ' ' || is_nullable FROM information_schema.columns \
                 WHERE table_schema = 'public' AND table_name = '{table}' ORDER BY ordinal_position"
            ),
        };
        let column = |row: String| {
            let (name, nullable) = row.split_once(' ').unwrap();
            (name.to_owned(), nullable == "YES")
        };
        self.texts(&query).await.into_iter().map(column).collect()
    }
}

fn sqlite_file(folder: &TempDir) -> PathBuf {
    folder.path().join("data").join("buildtrack.db")
}

/// A connection that bypasses the stores.
pub(crate) enum Raw {
    Sqlite(SqliteConnection),
    Postgres(PgConnection),
}

impl Raw {
    pub(crate) async fn execute(&mut self, statements: &str) {
        self.attempt(statements).await.unwrap();
    }

    pub(crate) async fn attempt(&mut self, statements: &str) -> Result<(), sqlx::Error> {
        let statements = sqlx::raw_sql(statements);
        match self {
            Self::Sqlite(connection) => statements.execute(connection).await.map(drop),
            Self::Postgres(connection) => statements.execute(connection).await.map(drop),
        }
    }

    pub(crate) async fn texts(&mut self, query: &str) -> Vec<String> {
        match self {
            Self::Sqlite(connection) => {
                let rows = sqlx::query(query).fetch_all(connection).await.unwrap();
                rows.iter().map(|row| row.get(0)).collect()
            }
            Self::Postgres(connection) => {
                let rows = sqlx::query(query).fetch_all(connection).await.unwrap();
                rows.iter().map(|row| row.get(0)).collect()
            }
        }
    }
}

/// The append lock, held so that writes queue up behind it.
pub(crate) struct Held(Raw);

impl TestDatabase {
    /// Blocks all appends until the lock is released.
    pub(crate) async fn hold(&self) -> Held {
        let mut connection = self.connect().await;
        match self.kind {
            Kind::Sqlite => connection.execute("BEGIN IMMEDIATE").await,
            Kind::Postgres => connection.execute("BEGIN; SELECT position FROM log_head FOR UPDATE").await,
        }
        Held(connection)
    }
}

impl Held {
    pub(crate) async fn release(mut self) {
        self.0.execute("COMMIT").await;
    }
}

/// Waits for a condition that depends on another process's notification.
pub(crate) async fn eventually(condition: impl AsyncFn() -> bool) {
    let waiting = async {
        while !condition().await {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(10), waiting).await.expect("the condition became true");
}
