//! Rebuilding the read tables from the log.

use std::collections::BTreeSet;

use sha2::{Digest, Sha256};

use super::{LoggedEvent, head};
use crate::{
    Recorded, Store, StoreError,
    db::{Db, Tx, Writing, execute, read, within},
    postgres,
    projections::{READ_TABLES, project},
    search, sqlite,
};

const UNFILLED: &str = "SELECT reason FROM unfilled LIMIT 1";
/// Events a step.
pub(super) const STEP: i64 = 2000;

/// How far a long piece of work is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Positions done.
    pub done: i64,
    /// Positions in all.
    pub total: i64,
}

/// What a read table holds, in short.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableDigest {
    /// The table.
    pub table: &'static str,
    /// Its rows.
    pub rows: u64,
    /// SHA-256 over its rows in order, in hex.
    pub sha256: String,
}

impl Store {
    /// Empties the read tables and fills them from the log, in one transaction: readers see the old tables until it
    /// is done, writers wait.
    pub async fn rebuild(&self, progress: impl FnMut(Progress)) -> Result<Vec<TableDigest>, StoreError> {
        self.rebuild_in_steps(STEP, progress).await
    }

    /// The same in steps of so many events, which make no difference to the tables.
    pub async fn rebuild_in_steps(
        &self,
        size: i64,
        mut progress: impl FnMut(Progress),
    ) -> Result<Vec<TableDigest>, StoreError> {
        let mut connection = Writing::open(&self.db).await?;
        let result = rebuild_in(&mut connection.tx(), size, &mut progress).await;
        connection.close().await;
        result
    }
}

/// Fills read tables that a migration made and left empty, before anybody reads them.
pub(crate) async fn fill(db: &Db) -> Result<(), StoreError> {
    let reason: Option<String> = read!(db, |pool| sqlx::query_scalar(UNFILLED).fetch_optional(pool).await?);
    if reason.is_none() {
        return Ok(());
    }
    let mut connection = Writing::open(db).await?;
    let result = fill_in(&mut connection.tx()).await;
    connection.close().await;
    result
}

/// Of several processes that start at once, one does it, and the others have waited for it by then.
async fn fill_in(tx: &mut Tx<'_>) -> Result<(), StoreError> {
    let head = hold(tx).await?;
    let reason: Option<String> =
        within!(tx, |connection| sqlx::query_scalar(UNFILLED).fetch_optional(connection).await?);
    if reason.is_none() {
        return tx.rollback().await;
    }
    tracing::info!("an upgrade brought new read tables: all of them are filled from the log");
    rebuild_to(tx, head, STEP, &mut |_| ()).await.map(drop)
}

/// Begins a transaction that nobody appends beside; gives the log's end.
async fn hold(tx: &mut Tx<'_>) -> Result<i64, StoreError> {
    let held = head::begin(tx, true, Some(&[]), &BTreeSet::new()).await?.head()?;
    Ok(held.map_or(0, |head| head.position))
}

async fn rebuild_in(
    tx: &mut Tx<'_>,
    size: i64,
    progress: &mut impl FnMut(Progress),
) -> Result<Vec<TableDigest>, StoreError> {
    let head = hold(tx).await?;
    rebuild_to(tx, head, size, progress).await
}

async fn rebuild_to(
    tx: &mut Tx<'_>,
    head: i64,
    size: i64,
    progress: &mut impl FnMut(Progress),
) -> Result<Vec<TableDigest>, StoreError> {
    for (table, _) in READ_TABLES {
        let statement = format!("DELETE FROM {table}");
        within!(tx, |connection| sqlx::query(&statement).execute(connection).await.map(drop)?);
    }
    replay(tx, head, size, progress).await?;
    execute!(tx, "DELETE FROM unfilled");
    let digests = digests(tx).await?;
    search::rebuild(tx, head).await?;
    tx.commit().await?;
    Ok(digests)
}

/// Projects the whole log into the read tables as this connection sees them, so many events at once.
pub(super) async fn replay(
    tx: &mut Tx<'_>,
    head: i64,
    size: i64,
    progress: &mut impl FnMut(Progress),
) -> Result<(), StoreError> {
    let mut done = 0;
    while done < head {
        let step = events(tx, done, size).await?;
        let Some(last) = step.last() else { break };
        done = last.position;
        let recorded = step.into_iter().map(LoggedEvent::into_recorded).collect::<Result<Vec<_>, _>>()?;
        project(tx, &recorded.iter().collect::<Vec<&Recorded>>()).await?;
        progress(Progress { done, total: head });
    }
    Ok(())
}

pub(super) async fn events(tx: &mut Tx<'_>, after: i64, limit: i64) -> Result<Vec<LoggedEvent>, StoreError> {
    Ok(within!(tx, |connection| {
        sqlx::query_as(
            "SELECT position, stream, version, type, data, salt, data_hash, metadata, recorded_at, hash, redacted_by, \
             sealed FROM events WHERE position > $1 ORDER BY position LIMIT $2",
        )
        .bind(after)
        .bind(limit)
        .fetch_all(connection)
        .await?
    }))
}

/// What the read tables hold, as this connection sees them.
pub(super) async fn digests(tx: &mut Tx<'_>) -> Result<Vec<TableDigest>, StoreError> {
    let mut digests = Vec::new();
    for (table, order) in READ_TABLES {
        let rows = match tx {
            Tx::Postgres(connection) => postgres::rows_as_text(connection, table, order).await?,
            Tx::Sqlite(script) => sqlite::rows_as_text(script.connection().await?, table, order).await?,
        };
        let mut digest = Sha256::new();
        for row in &rows {
            digest.update(row);
            digest.update("\n");
        }
        digests.push(TableDigest { table, rows: rows.len() as u64, sha256: hex::encode(digest.finalize()) });
    }
    Ok(digests)
}
