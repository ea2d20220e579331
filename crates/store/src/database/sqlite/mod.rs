//! Statements and connections specific to SQLite: opening and pooling. Mirrors [`crate::database::postgres`] function by function.

use std::{
    fs::File,
    path::{Path, PathBuf},
    time::Duration,
};

use buildtrack_macros::embedded;
use sqlx::{
    ConnectOptions, Connection, SqliteConnection, SqlitePool,
    sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous},
};

use super::{Db, migrations::Migrations, server_lock::make_private_folder};
use crate::StoreError;

mod rows;
mod script;

pub(crate) use rows::{Row, chunks, push_rows};
pub(crate) use script::Script;

static MIGRATIONS: Migrations = Migrations(embedded!("../../migrations/sqlite"));

pub(crate) async fn open(path: &Path) -> Result<Db, StoreError> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let unusable = |error: std::io::Error| StoreError::folder(folder, error);
    make_private_folder(folder).map_err(unusable)?;
    let options = SqliteConnectOptions::new()
        .filename(path)
        .create_if_missing(true)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Full)
        .busy_timeout(Duration::from_secs(10))
        // A background task checkpoints the write-ahead log. A writer does so only when the log reaches 16 MB.
        .pragma("wal_autocheckpoint", "4000")
        // Statements of many rows take up to a megabyte each.
        .statement_cache_capacity(64)
        .foreign_keys(false)
        // Deleted and redacted data are overwritten in the file.
        .pragma("secure_delete", "ON");
    // Several processes may start at once. The system releases the lock when the file is closed, or when the process ends.
    let lock = lock(folder.join("migrate.lock")).await.map_err(unusable)?;
    let mut connection = options.connect().await?;
    MIGRATIONS.migrator().await?.run(&mut connection).await?;
    connection.close().await?;
    drop(lock);
    let readers = SqlitePoolOptions::new().max_connections(4).test_before_acquire(false);
    let readers = readers.idle_timeout(None).max_lifetime(None);
    let reading = options.clone().read_only(true).pragma("query_only", "ON").statement_cache_capacity(256);
    let readers = readers.connect_lazy_with(reading);
    // Statement logging would print many rows' placeholders. The writer logs slow batches itself.
    let options = options.disable_statement_logging();
    Ok(Db::Sqlite { options: Box::new(options), readers })
}

/// An empty in-memory database with one persistent connection.
pub(crate) async fn open_in_memory() -> Result<(SqlitePool, Db), StoreError> {
    let options = "sqlite::memory:".parse::<SqliteConnectOptions>()?.foreign_keys(false).statement_cache_capacity(256);
    let pool = SqlitePoolOptions::new().max_connections(1).min_connections(1).test_before_acquire(false);
    let pool = pool.idle_timeout(None).max_lifetime(None).connect_with(options.clone()).await?;
    // Without the migrator, which opens a transaction and keeps a record for each migration.
    for (_, text) in MIGRATIONS.0 {
        sqlx::raw_sql(text).execute(&pool).await?;
    }
    Ok((pool.clone(), Db::Sqlite { options: Box::new(options), readers: pool }))
}

/// Waits on a blocking thread, because the lock's holder may need the runtime's threads to continue.
async fn lock(path: PathBuf) -> std::io::Result<File> {
    let locked = || {
        let file = File::create(path)?;
        file.lock()?;
        Ok(file)
    };
    tokio::task::spawn_blocking(locked).await.map_err(std::io::Error::other)?
}

/// Creates an empty temporary copy of a read table, which shadows the table on this connection.
pub(crate) async fn shadow(connection: &mut SqliteConnection, table: &str) -> Result<(), StoreError> {
    let statements: Vec<(String,)> =
        sqlx::query_as("SELECT sql FROM main.sqlite_master WHERE tbl_name = $1 AND sql IS NOT NULL ORDER BY type DESC")
            .bind(table)
            .fetch_all(&mut *connection)
            .await?;
    for (statement,) in statements {
        let statement = statement
            .replacen("CREATE TABLE ", "CREATE TEMP TABLE ", 1)
            .replacen("CREATE INDEX ", "CREATE INDEX temp.", 1)
            .replacen("CREATE UNIQUE INDEX ", "CREATE UNIQUE INDEX temp.", 1);
        sqlx::query(&statement).execute(&mut *connection).await?;
    }
    Ok(())
}

/// A table's rows as JSON texts, ordered by the key columns.
pub(crate) async fn rows_as_text(
    connection: &mut SqliteConnection,
    table: &str,
    order: &str,
) -> Result<Vec<String>, StoreError> {
    let columns: Vec<(String,)> =
        sqlx::query_as("SELECT name FROM pragma_table_info($1)").bind(table).fetch_all(&mut *connection).await?;
    let columns: Vec<_> = columns.into_iter().map(|(name,)| name).collect();
    let statement = format!("SELECT json_array({}) FROM {table} ORDER BY {order}", columns.join(", "));
    Ok(sqlx::query_scalar(&statement).fetch_all(connection).await?)
}
