//! Deletion of expired rows: sessions, stored answers, settled deliveries and old envelopes, in small steps, in one process
//! at a time.

use std::time::Duration;

use buildtrack_store::{Store, StoreError};
use tokio::{runtime::Handle, task::spawn_blocking};
use tokio_util::sync::CancellationToken;

use crate::pause::pause;

const LEASE: &str = "housekeeping";
const EVERY: Duration = Duration::from_mins(1);
/// Rows deleted per table and step, so that other writers wait only briefly.
const ROWS: i64 = 500;
/// Envelopes per step. Their data leave the log while its head is locked.
const ENVELOPES: i64 = 100;
/// Pause between two steps, so that other writers get their turn.
const BREATH: Duration = Duration::from_millis(100);

/// Retention periods.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Retentions {
    /// Retention of deliveries, from the moment they are settled.
    pub(crate) deliveries: Duration,
    /// Retention of the relay's envelopes; `None` keeps them forever.
    pub(crate) envelopes: Option<Duration>,
}

pub(crate) async fn run(store: Store, retentions: Retentions, stop: CancellationToken) {
    let holder = store.clock().uuid().to_string();
    while !stop.is_cancelled() {
        // If one step fails, the other still runs.
        let tidied = tidy(&store, &holder, retentions.deliveries, &stop).await;
        let expired = expire(&store, &holder, retentions.envelopes, &stop).await;
        for error in [tidied, expired].into_iter().filter_map(Result::err) {
            tracing::warn!(%error, "housekeeping failed; the worker retries in a minute");
        }
        pause(EVERY, &stop).await;
    }
    if let Err(error) = store.release(LEASE, &holder).await {
        tracing::debug!(%error, "the lease for housekeeping could not be released; it expires");
    }
}

async fn tidy(store: &Store, holder: &str, retention: Duration, stop: &CancellationToken) -> Result<(), StoreError> {
    // The lease is longer than the pause, so the holder keeps it. Another process takes over a minute after the holder is
    // gone.
    while store.lease(LEASE, holder, 2 * EVERY).await? && store.prune(ROWS, retention).await? && !stop.is_cancelled() {
        pause(BREATH, stop).await;
    }
    Ok(())
}

async fn expire(
    store: &Store,
    holder: &str,
    retention: Option<Duration>,
    stop: &CancellationToken,
) -> Result<(), StoreError> {
    let Some(retention) = retention else { return Ok(()) };
    while store.lease(LEASE, holder, 2 * EVERY).await? && expire_step(store, retention).await? && !stop.is_cancelled() {
        pause(BREATH, stop).await;
    }
    Ok(())
}

/// Removes a few expired envelopes. True if there may be more.
pub(crate) async fn expire_step(store: &Store, retention: Duration) -> Result<bool, StoreError> {
    let (store, runtime) = (store.clone(), Handle::current());
    // The future of a decision over references is not `Send` (rust-lang/rust#110338), so it cannot run in a spawned task.
    let expired = spawn_blocking(move || runtime.block_on(store.expire_envelopes(retention, ENVELOPES)));
    expired.await.map_err(|_| StoreError::Closed)?
}
