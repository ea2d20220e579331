//! Folding the write-ahead log into the file, beside whoever writes: whoever commits would otherwise do it now and then,
//! and everybody would wait meanwhile. What is left when the log has grown to its bound a writer folds all the same, and it
//! begins anew.
//!
//! **Invariant:** after words have left the database, the write-ahead log is folded whole and cut off, and tried again until
//! it was: its frames are copies of the pages that held them.

use std::{path::PathBuf, time::Duration};

use sqlx::{ConnectOptions, Connection, SqliteConnection, sqlite::SqliteConnectOptions};
use tokio::{task::JoinSet, time::sleep};

use crate::{StoreError, log::Tail};

/// Between two looks.
const PAUSE: Duration = Duration::from_millis(100);
/// Events between two looks from which on it is left to the writer: where everybody writes as fast as they can, folding
/// beside it costs more than it spares.
const BUSY: i64 = 300;

/// Folds what has been written, until the task is aborted.
pub(crate) fn checkpoint(options: &SqliteConnectOptions, tail: &Tail, watching: &mut JoinSet<()>) {
    let options = options.clone();
    let mut log = options.get_filename().as_os_str().to_owned();
    log.push("-wal");
    watching.spawn(run(options, tail.clone(), log.into()));
}

async fn run(options: SqliteConnectOptions, tail: Tail, log: PathBuf) {
    let (mut connection, mut folded) = (None, None);
    let mut seen = tail.head();
    // A process that ended in between may have left frames behind.
    let mut removals = None;
    loop {
        sleep(PAUSE).await;
        let wanted = tail.removals();
        if removals != Some(wanted) {
            match cut(&options).await {
                Ok(true) => removals = Some(wanted),
                Ok(false) => tracing::debug!("the write-ahead log is in use, and cut off later"),
                Err(error) => {
                    tracing::warn!(%error, "the write-ahead log is not cut off: it may hold what was redacted");
                }
            }
        }
        let before = std::mem::replace(&mut seen, tail.head());
        if seen - before > BUSY {
            continue;
        }
        let written = tokio::fs::metadata(&log).await.and_then(|log| log.modified()).ok();
        if written == folded {
            continue;
        }
        match fold(&options, connection.take()).await {
            Ok(kept) => (connection, folded) = (Some(kept), written),
            // Whoever writes folds it, when it has grown.
            Err(error) => tracing::debug!(%error, "the write-ahead log is not folded"),
        }
    }
}

/// Tells whether the log is empty now. It waits a moment for writers and readers.
async fn cut(options: &SqliteConnectOptions) -> Result<bool, StoreError> {
    let mut connection = options.clone().busy_timeout(PAUSE).connect().await?;
    let result =
        sqlx::query_as::<_, (i64, i64, i64)>("PRAGMA wal_checkpoint(TRUNCATE)").fetch_one(&mut connection).await;
    connection.close().await?;
    Ok(result?.0 == 0)
}

async fn fold(
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
