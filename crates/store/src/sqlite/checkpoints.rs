//! Folding the write-ahead log into the file, beside whoever writes: whoever commits would otherwise do it now and then,
//! and everybody would wait meanwhile. Where writing never rests, the log still grows to its bound: a writer then folds
//! what little is left, and it begins anew.

use std::{path::PathBuf, time::Duration};

use sqlx::{ConnectOptions, SqliteConnection, sqlite::SqliteConnectOptions};
use tokio::{task::JoinSet, time::sleep};

use crate::StoreError;

/// Between two looks.
const PAUSE: Duration = Duration::from_millis(500);

/// Folds what has been written, until the task is aborted.
pub(crate) fn checkpoint(options: &SqliteConnectOptions, watching: &mut JoinSet<()>) {
    let options = options.clone();
    let mut log = options.get_filename().as_os_str().to_owned();
    log.push("-wal");
    watching.spawn(run(options, log.into()));
}

async fn run(options: SqliteConnectOptions, log: PathBuf) {
    let (mut connection, mut folded) = (None, None);
    loop {
        sleep(PAUSE).await;
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
