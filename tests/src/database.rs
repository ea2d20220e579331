//! A temporary database for one test, removed when the test ends.

use std::{
    hash::{DefaultHasher, Hash as _, Hasher as _},
    path::PathBuf,
    time::Duration,
};

use buildtrack_settings::Settings;
use buildtrack_store::Secret;
use sqlx::{ConnectOptions, Connection, PgConnection, Row, sqlite::SqliteConnectOptions};
use tempfile::TempDir;

use crate::new_database::{PostgresDatabase, write_sqlite};

/// The database that a test runs on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Backend {
    /// A new SQLite file.
    Sqlite,
    /// A new database on `TEST_DATABASE_URL`, by default on 127.0.0.1:5432. The test fails if there is no server.
    Postgres,
}

impl Backend {
    /// The database of a test that runs on one, by its path and `TEST_DRAW`: the name of a database, or any other text, such as
    /// that of a commit, which draws one for each test.
    #[must_use]
    #[expect(clippy::print_stdout, reason = "what a test prints is shown where it fails")]
    pub fn drawn(test: &str) -> Self {
        let draw = std::env::var("TEST_DRAW").unwrap_or_default();
        let mut hasher = DefaultHasher::new();
        (test, &draw).hash(&mut hasher);
        let drawn = match &*draw {
            "sqlite" => Self::Sqlite,
            "postgres" => Self::Postgres,
            _ if hasher.finish().is_multiple_of(2) => Self::Sqlite,
            _ => Self::Postgres,
        };
        println!("on {drawn:?}; TEST_DRAW={} repeats it", format!("{drawn:?}").to_lowercase());
        drawn
    }
}

/// The server's file in its data directory.
const FILE: &str = "buildtrack.sqlite";

/// A database with the current schema.
pub(crate) struct TestDatabase {
    folder: TempDir,
    postgres: Option<PostgresDatabase>,
    secret: String,
}

impl TestDatabase {
    pub(crate) async fn new(backend: Backend) -> Self {
        let folder = TempDir::new().unwrap();
        let postgres = match backend {
            Backend::Sqlite => {
                write_sqlite(&folder.path().join(FILE)).await;
                None
            }
            Backend::Postgres => Some(PostgresDatabase::migrated("e2e").await),
        };
        Self { folder, postgres, secret: Secret::generate() }
    }

    /// Configures a server to use this database.
    pub(crate) fn configure(&self, settings: &mut Settings) {
        self.folder.path().clone_into(&mut settings.data_dir);
        settings.database_url = self.url();
        settings.secret = Some(self.secret.clone());
    }

    fn url(&self) -> Option<String> {
        self.postgres.as_ref().map(PostgresDatabase::url)
    }

    fn file(&self) -> PathBuf {
        self.folder.path().join(FILE)
    }

    /// Every row of every table as text: one line per row, blobs in hexadecimal.
    pub(crate) async fn dump(&self) -> String {
        let (tables, row) = match self.postgres {
            Some(_) => (
                "SELECT table_name::text FROM information_schema.tables WHERE table_schema = 'public' ORDER BY 1",
                "row_to_json(shown)::text",
            ),
            None => ("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY 1", "*"),
        };
        let mut lines = Vec::new();
        for table in self.texts(tables).await {
            let row = if row == "*" { self.quoted_columns(&table).await } else { row.to_owned() };
            let rows = self.texts(&format!("SELECT {row} FROM {table} AS shown")).await;
            lines.extend(rows.into_iter().map(|row| format!("{table}: {row}\n")));
        }
        lines.concat()
    }

    async fn quoted_columns(&self, table: &str) -> String {
        let columns =
            self.texts(&format!("SELECT 'quote(\"' || name || '\")' FROM pragma_table_info('{table}')")).await;
        columns.join(" || ' ' || ")
    }

    /// Runs SQL statements directly on the database, not through the server.
    pub(crate) async fn execute(&self, statements: &str) {
        if let Some(url) = self.url() {
            let mut connection = PgConnection::connect(&url).await.unwrap();
            sqlx::raw_sql(statements).execute(&mut connection).await.unwrap();
            return;
        }
        let options = SqliteConnectOptions::new().filename(self.file()).busy_timeout(Duration::from_secs(10));
        let mut connection = options.connect().await.unwrap();
        sqlx::raw_sql(statements).execute(&mut connection).await.unwrap();
    }

    /// The first column of the rows of a query, which runs directly on the database.
    pub(crate) async fn texts(&self, query: &str) -> Vec<String> {
        if let Some(url) = self.url() {
            let mut connection = PgConnection::connect(&url).await.unwrap();
            let rows = sqlx::query(query).fetch_all(&mut connection).await.unwrap();
            return rows.iter().map(|row| row.get(0)).collect();
        }
        let options = SqliteConnectOptions::new().filename(self.file()).read_only(true);
        let mut connection = options.connect().await.unwrap();
        let rows = sqlx::query(query).fetch_all(&mut connection).await.unwrap();
        rows.iter().map(|row| row.get(0)).collect()
    }
}
