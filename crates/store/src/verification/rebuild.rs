//! Rebuilds the read tables from the log.

use std::collections::BTreeSet;

use crate::{
    StoreError,
    database::{Db, TableDigest, Tx, Writing, digest, values},
    exchange,
    log::{Log, LoggedEvent, Recorded, context::Contexts, head},
    search,
};

const UNFILLED: &str = "SELECT reason FROM unfilled";
/// Events that one step reads and projects.
pub(super) const STEP: i64 = 2000;

/// Progress of a long operation on the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Positions processed so far.
    pub done: i64,
    /// Positions to process in total.
    pub total: i64,
}

/// Empties the read tables and fills them from the log, in one transaction. Readers see the old tables until it commits.
/// Writers wait.
pub async fn rebuild(log: &Log, progress: impl FnMut(Progress)) -> Result<Vec<TableDigest>, StoreError> {
    rebuild_in_steps(log, STEP, progress).await
}

/// Like [`rebuild`], in steps of `size` events. The step size does not affect the resulting tables.
pub async fn rebuild_in_steps(
    log: &Log,
    size: i64,
    mut progress: impl FnMut(Progress),
) -> Result<Vec<TableDigest>, StoreError> {
    let mut connection = Writing::open(&log.db).await?;
    let result = rebuild_in(&mut connection.tx(), log.contexts, size, &mut progress).await;
    connection.close().await;
    result
}

/// Fills read tables that a migration created empty, or whose words a version folds otherwise. Runs before the server serves requests.
pub(crate) async fn fill(db: &Db, contexts: Contexts) -> Result<(), StoreError> {
    let reasons: Vec<String> = db.all(UNFILLED, &[]).await?;
    if reasons.is_empty() {
        return Ok(());
    }
    let mut connection = Writing::open(db).await?;
    let result = fill_in(&mut connection.tx(), contexts).await;
    connection.close().await;
    result
}

/// If several processes start at once, one fills the tables while the others wait for the head's lock and then find the work done.
async fn fill_in(tx: &mut Tx<'_>, contexts: Contexts) -> Result<(), StoreError> {
    let head = lock_head(tx).await?;
    let reasons: Vec<String> = tx.all(UNFILLED, &[]).await?;
    if reasons.is_empty() {
        return tx.rollback().await;
    }
    if reasons == [exchange::DOCUMENT_WORDS] {
        exchange::fold_document_words(tx).await?;
        tx.execute("DELETE FROM unfilled", &[]).await?;
        return tx.commit().await;
    }
    tracing::info!("an upgrade added read tables: filling all read tables from the log");
    rebuild_to(tx, contexts, head, STEP, &mut |_| ()).await.map(drop)
}

/// Begins a transaction that holds the head's lock, so that no other process appends. Returns the head's position.
async fn lock_head(tx: &mut Tx<'_>) -> Result<i64, StoreError> {
    let head = head::begin(tx, true, Some(&[]), &BTreeSet::new()).await?.head()?;
    Ok(head.map_or(0, |head| head.position))
}

async fn rebuild_in(
    tx: &mut Tx<'_>,
    contexts: Contexts,
    size: i64,
    progress: &mut impl FnMut(Progress),
) -> Result<Vec<TableDigest>, StoreError> {
    let head = lock_head(tx).await?;
    rebuild_to(tx, contexts, head, size, progress).await
}

async fn rebuild_to(
    tx: &mut Tx<'_>,
    contexts: Contexts,
    head: i64,
    size: i64,
    progress: &mut impl FnMut(Progress),
) -> Result<Vec<TableDigest>, StoreError> {
    for table in contexts.read_tables() {
        let statement = format!("DELETE FROM {}", table.name);
        tx.execute(&statement, &[]).await?;
    }
    replay(tx, contexts, head, size, progress).await?;
    tx.execute("DELETE FROM unfilled", &[]).await?;
    let digests = digests(tx, contexts).await?;
    search::rebuild(tx, head).await?;
    tx.commit().await?;
    Ok(digests)
}

/// Projects the whole log into the read tables visible to this connection, `size` events a step.
pub(super) async fn replay(
    tx: &mut Tx<'_>,
    contexts: Contexts,
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
        contexts.project(tx, &recorded.iter().collect::<Vec<&Recorded>>()).await?;
        progress(Progress { done, total: head });
    }
    Ok(())
}

pub(super) async fn events(tx: &mut Tx<'_>, after: i64, limit: i64) -> Result<Vec<LoggedEvent>, StoreError> {
    tx.all(
        "SELECT position, stream, version, type, data, salt, data_hash, metadata, recorded_at, hash, redacted_by, \
             sealed FROM events WHERE position > $1 ORDER BY position LIMIT $2",
        values![after, limit],
    )
    .await
}

/// Digests of the read tables visible to this connection.
pub(super) async fn digests(tx: &mut Tx<'_>, contexts: Contexts) -> Result<Vec<TableDigest>, StoreError> {
    let mut digests = Vec::new();
    for table in contexts.read_tables() {
        digests.push(digest(tx, table.name, table.order).await?);
    }
    Ok(digests)
}
