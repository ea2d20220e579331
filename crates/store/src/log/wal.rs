//! Checkpoints SQLite's write-ahead log (WAL) in the background. Otherwise a committing writer would checkpoint now and then, and
//! all callers would wait. When the WAL reaches its size limit, the writer still checkpoints the rest and restarts the WAL.
//!
//! **Invariant:** after texts were removed from the database, this task checkpoints the whole WAL and truncates it, and retries
//! until that succeeds: its frames hold copies of the pages that contained the texts.

use std::{path::PathBuf, time::Duration};

use sqlx::{ConnectOptions, Connection, SqliteConnection, sqlite::SqliteConnectOptions};
use tokio::{task::JoinSet, time::sleep};

use super::Tail;
use crate::StoreError;

/// The pause between two checks.
const PAUSE: Duration = Duration::from_millis(100);
/// If more events than this arrive between two checks, the writer checkpoints instead: under full load a concurrent checkpoint
/// costs more than it saves.
const BUSY: i64 = 300;

/// Checkpoints new frames until the task is aborted.
pub(crate) fn checkpoint(options: &SqliteConnectOptions, tail: &Tail, watching: &mut JoinSet<()>) {
    let options = options.clone();
    let mut log = options.get_filename().as_os_str().to_owned();
    log.push("-wal");
    watching.spawn(run(options, tail.clone(), log.into()));
}

async fn run(options: SqliteConnectOptions, tail: Tail, log: PathBuf) {
    let (mut connection, mut checkpointed) = (None, None);
    let mut seen = tail.head();
    // A process that crashed before truncating may have left frames behind.
    let mut removals = None;
    loop {
        sleep(PAUSE).await;
        let wanted = tail.removals();
        if removals != Some(wanted) {
            match truncate_wal(&options).await {
                Ok(true) => removals = Some(wanted),
                Ok(false) => tracing::debug!("the write-ahead log is in use; it is truncated later"),
                Err(error) => {
                    tracing::warn!(%error, "truncating the write-ahead log failed: it may still hold redacted data");
                }
            }
        }
        let before = std::mem::replace(&mut seen, tail.head());
        if seen - before > BUSY {
            continue;
        }
        let written = tokio::fs::metadata(&log).await.and_then(|log| log.modified()).ok();
        if written == checkpointed {
            continue;
        }
        match checkpoint_wal(&options, connection.take()).await {
            Ok(reusable) => (connection, checkpointed) = (Some(reusable), written),
            // The writer checkpoints the WAL when it has grown.
            Err(error) => tracing::debug!(%error, "checkpointing the write-ahead log failed"),
        }
    }
}

/// Truncates the WAL. Returns whether it is empty now. Waits briefly for writers and readers.
async fn truncate_wal(options: &SqliteConnectOptions) -> Result<bool, StoreError> {
    let mut connection = options.clone().busy_timeout(PAUSE).connect().await?;
    let result =
        sqlx::query_as::<_, (i64, i64, i64)>("PRAGMA wal_checkpoint(TRUNCATE)").fetch_one(&mut connection).await;
    connection.close().await?;
    Ok(result?.0 == 0)
}

async fn checkpoint_wal(
    options: &SqliteConnectOptions,
    connection: Option<SqliteConnection>,
) -> Result<SqliteConnection, StoreError> {
    let mut connection = match connection {
        Some(connection) => connection,
        None => options.connect().await?,
    };
    sqlx::query("PRAGMA wal_checkpoint(PASSIVE)").execute(&mut connection).await?;
    Ok(connection)
}
