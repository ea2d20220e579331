//! New databases for tests. Most are copies of a template, because migrating each one would take longer than the test itself.
//! Tests of several crates include this file.

use std::{
    hash::{DefaultHasher, Hash, Hasher},
    path::Path,
};

use buildtrack_store::clock::random;
use sqlx::{
    ConnectOptions, Connection, PgConnection,
    migrate::Migrator,
    postgres::PgConnectOptions,
    sqlite::{SqliteConnectOptions, SqliteJournalMode},
};
use tempfile::TempDir;
use tokio::sync::OnceCell;

/// A PostgreSQL database on `TEST_DATABASE_URL`, by default on 127.0.0.1:5432. It is dropped with this value.
#[derive(Debug)]
pub struct PostgresDatabase {
    name: String,
}

impl PostgresDatabase {
    /// A database with the current schema. `label` is a part of its name, and tells which tests use it. The test fails if there is
    /// no server.
    pub async fn migrated(label: &str) -> Self {
        Self::copy_of(template().await, label).await
    }

    /// A database without tables.
    pub async fn empty(label: &str) -> Self {
        Self::copy_of("template0", label).await
    }

    async fn copy_of(template: &str, label: &str) -> Self {
        let name = format!("bt_test_{}_{label}_{:012x}", run(), u64::from_be_bytes(random()) >> 16);
        on_server(format!("CREATE DATABASE {name} TEMPLATE {template}")).await.expect("PostgreSQL is needed");
        Self { name }
    }

    /// Its name on the server.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// How to connect to it.
    pub fn options(&self) -> PgConnectOptions {
        server().database(&self.name)
    }

    /// Its address.
    pub fn url(&self) -> String {
        self.options().to_url_lossy().into()
    }
}

impl Drop for PostgresDatabase {
    fn drop(&mut self) {
        let dropped = on_server(format!("DROP DATABASE IF EXISTS {} WITH (FORCE)", self.name));
        if let Err(error) = run_on_thread(dropped) {
            eprintln!("the test database {} is left over: {error}", self.name);
        }
    }
}

/// The random id of a run of `scripts/test`, which drops the run's databases at the end.
fn run() -> String {
    std::env::var("BUILDTRACK_TEST_RUN").unwrap_or_else(|_| "dev".to_owned())
}

fn server() -> PgConnectOptions {
    let url = std::env::var("TEST_DATABASE_URL");
    let url = url.as_deref().unwrap_or("postgres://postgres@127.0.0.1:5432/postgres");
    url.parse().expect("TEST_DATABASE_URL is an address of PostgreSQL")
}

/// Executes a statement beside the databases of the tests.
pub async fn on_server(statement: String) -> Result<(), sqlx::Error> {
    let mut connection = PgConnection::connect_with(&server()).await?;
    sqlx::query(&statement).execute(&mut connection).await?;
    connection.close().await
}

/// The database that others are copies of. The first test that needs it creates it, and later processes of the same run use it,
/// too: its name tells which migrations it has.
async fn template() -> &'static str {
    static TEMPLATE: OnceCell<String> = OnceCell::const_new();
    TEMPLATE
        .get_or_init(async || {
            let migrations = migrations("postgres").await;
            let mut hasher = DefaultHasher::new();
            migrations.iter().for_each(|migration| migration.checksum.hash(&mut hasher));
            let name = format!("bt_test_{}_template_{:016x}", run(), hasher.finish());
            create_template(&name, &migrations).await.expect("PostgreSQL is needed");
            name
        })
        .await
}

async fn create_template(name: &str, migrations: &Migrator) -> Result<(), sqlx::Error> {
    let mut connection = PgConnection::connect_with(&server()).await?;
    // Held until the connection is closed: other processes wait here for a complete template.
    sqlx::query("SELECT pg_advisory_lock(hashtext($1))").bind(name).execute(&mut connection).await?;
    let known = "SELECT EXISTS (SELECT 1 FROM pg_database WHERE datname = $1)";
    if !sqlx::query_scalar::<_, bool>(known).bind(name).fetch_one(&mut connection).await? {
        let unfinished = format!("{name}_unfinished");
        on_server(format!("DROP DATABASE IF EXISTS {unfinished}")).await?;
        on_server(format!("CREATE DATABASE {unfinished} TEMPLATE template0")).await?;
        let mut migrated = PgConnection::connect_with(&server().database(&unfinished)).await?;
        migrations.run(&mut migrated).await?;
        migrated.close().await?;
        on_server(format!("ALTER DATABASE {unfinished} RENAME TO {name}")).await?;
    }
    connection.close().await
}

/// Writes an SQLite file with the current schema, which must not exist before.
pub async fn write_sqlite(path: &Path) {
    static TEMPLATE: OnceCell<Vec<u8>> = OnceCell::const_new();
    let template = TEMPLATE
        .get_or_init(async || {
            let folder = TempDir::new().unwrap();
            let file = folder.path().join("template.sqlite");
            let options = SqliteConnectOptions::new().filename(&file).create_if_missing(true);
            let mut connection = options.journal_mode(SqliteJournalMode::Wal).connect().await.unwrap();
            migrations("sqlite").await.run(&mut connection).await.unwrap();
            connection.close().await.unwrap();
            std::fs::read(&file).unwrap()
        })
        .await;
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, template).unwrap();
}

/// The migrations of the workspace, of which every crate that includes this file is a part.
async fn migrations(system: &str) -> Migrator {
    let folders = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
    let found = folders.map(|folder| folder.join("migrations").join(system)).find(|folder| folder.is_dir());
    Migrator::new(found.expect("the workspace has migrations")).await.unwrap()
}

/// Runs a future to completion on a new thread, because `drop` may run while the test's runtime unwinds.
pub fn run_on_thread<T: Send + 'static>(work: impl Future<Output = T> + Send + 'static) -> T {
    let thread = std::thread::spawn(move || {
        tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(work)
    });
    thread.join().expect("the thread ends")
}
