//! What has expired goes: sessions, stored answers, settled deliveries and old envelopes, a few rows at a time, in one process at a time.

use std::time::Duration;

use buildtrack_store::{Store, StoreError};
use tokio::{runtime::Handle, task::spawn_blocking};
use tokio_util::sync::CancellationToken;

use crate::pause::pause;

const LEASE: &str = "housekeeping";
const EVERY: Duration = Duration::from_mins(1);
/// Rows a table and step, so that nobody waits long for them.
const ROWS: i64 = 500;
/// Envelopes a step, whose data leave the log while its head is held.
const ENVELOPES: i64 = 100;
/// Between two steps, for everybody else.
const BREATH: Duration = Duration::from_millis(100);

/// How long what is kept.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Retentions {
    /// Deliveries, after they were settled.
    pub(crate) deliveries: Duration,
    /// Envelopes of the relay; for ever where it is none.
    pub(crate) envelopes: Option<Duration>,
}

pub(crate) async fn run(store: Store, retentions: Retentions, stop: CancellationToken) {
    let holder = store.clock().uuid().to_string();
    while !stop.is_cancelled() {
        // Where one of them fails, the other goes on.
        let tidied = tidy(&store, &holder, retentions.deliveries, &stop).await;
        let expired = expire(&store, &holder, retentions.envelopes, &stop).await;
        for error in [tidied, expired].into_iter().filter_map(Result::err) {
            tracing::warn!(%error, "housekeeping failed; it is tried again in a minute");
        }
        pause(EVERY, &stop).await;
    }
    if let Err(error) = store.release(LEASE, &holder).await {
        tracing::debug!(%error, "the lease for housekeeping was not given back; it ends by itself");
    }
}

async fn tidy(store: &Store, holder: &str, retention: Duration, stop: &CancellationToken) -> Result<(), StoreError> {
    // Longer than the pause: the holder keeps it, and another steps in a minute after the holder is gone.
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

/// Lets a few old envelopes leave; true where there may be more.
pub(crate) async fn expire_step(store: &Store, retention: Duration) -> Result<bool, StoreError> {
    let (store, runtime) = (store.clone(), Handle::current());
    // A decision over references cannot be moved between threads (rust-lang/rust#110338), and so not into a task.
    let expired = spawn_blocking(move || runtime.block_on(store.expire_envelopes(retention, ENVELOPES)));
    expired.await.map_err(|_| StoreError::Closed)?
}
