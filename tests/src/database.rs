//! A temporary database for one test, removed when the test ends.

use std::{path::PathBuf, time::Duration};

use buildtrack_settings::Settings;
use buildtrack_store::{Secret, clock::random};
use sqlx::{ConnectOptions, Connection, PgConnection, Row, postgres::PgConnectOptions, sqlite::SqliteConnectOptions};
use tempfile::TempDir;

/// The database that a test runs on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Backend {
    /// A new SQLite file.
    Sqlite,
    /// A new database on `TEST_DATABASE_URL`, by default on 127.0.0.1:5432. The test fails if there is no server.
    Postgres,
}

/// An empty database.
pub(crate) struct TestDatabase {
    folder: TempDir,
    /// The database's name, on PostgreSQL.
    name: Option<String>,
    secret: String,
}

fn server() -> String {
    std::env::var("TEST_DATABASE_URL").unwrap_or_else(|_| "postgres://postgres@127.0.0.1:5432/postgres".to_owned())
}

impl TestDatabase {
    pub(crate) async fn new(backend: Backend) -> Self {
        let name = match backend {
            Backend::Sqlite => None,
            Backend::Postgres => {
                let run = std::env::var("BUILDTRACK_TEST_RUN").unwrap_or_else(|_| "dev".to_owned());
                let name = format!("bt_test_{run}_e2e_{}", hex::encode(random::<6>()));
                on_server(format!("CREATE DATABASE {name} TEMPLATE template0")).await.expect("PostgreSQL is needed");
                Some(name)
            }
        };
        Self { folder: TempDir::new().unwrap(), name, secret: Secret::generate() }
    }

    /// Configures a server to use this database.
    pub(crate) fn configure(&self, settings: &mut Settings) {
        self.folder.path().clone_into(&mut settings.data_dir);
        settings.database_url = self.url();
        settings.secret = Some(self.secret.clone());
    }

    fn url(&self) -> Option<String> {
        let name = self.name.as_ref()?;
        Some(server().parse::<PgConnectOptions>().unwrap().database(name).to_url_lossy().into())
    }

    fn file(&self) -> PathBuf {
        self.folder.path().join("buildtrack.sqlite")
    }

    /// Every row of every table as text: one line per row, blobs in hexadecimal.
    pub(crate) async fn dump(&self) -> String {
        let (tables, row) = match self.name {
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

async fn on_server(statement: String) -> Result<(), sqlx::Error> {
    let mut connection = PgConnection::connect(&server()).await?;
    sqlx::query(&statement).execute(&mut connection).await?;
    connection.close().await
}

impl Drop for TestDatabase {
    fn drop(&mut self) {
        if let Some(name) = self.name.take()
            && let Err(error) = run_on_thread(on_server(format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)")))
        {
            eprintln!("the test database {name} is left over: {error}");
        }
    }
}

/// Runs a future to completion on a new thread, because `drop` may run while the test's runtime unwinds.
pub(crate) fn run_on_thread<T: Send + 'static>(work: impl Future<Output = T> + Send + 'static) -> T {
    let thread = std::thread::spawn(move || {
        tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(work)
    });
    thread.join().expect("the thread ends")
}
