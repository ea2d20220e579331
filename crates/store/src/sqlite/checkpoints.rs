//! Folding the write-ahead log into the file, beside whoever writes: whoever commits would otherwise do it now and then,
//! and everybody would wait meanwhile. What is left when the log has grown to its bound a writer folds all the same, and it
//! begins anew.

use std::{path::PathBuf, time::Duration};

use sqlx::{ConnectOptions, SqliteConnection, sqlite::SqliteConnectOptions};
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
    loop {
        sleep(PAUSE).await;
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
