//! What has expired goes: sessions, stored answers and settled deliveries, a few rows at a time, in one process at a time.

use std::time::Duration;

use buildtrack_store::{Store, StoreError};
use tokio_util::sync::CancellationToken;

use crate::pause::pause;

const LEASE: &str = "housekeeping";
const EVERY: Duration = Duration::from_mins(1);
/// Rows a table and step, so that nobody waits long for them.
const ROWS: i64 = 500;
/// Between two steps, for everybody else.
const BREATH: Duration = Duration::from_millis(100);

pub(crate) async fn run(store: Store, retention: Duration, stop: CancellationToken) {
    let holder = store.clock().uuid().to_string();
    while !stop.is_cancelled() {
        if let Err(error) = tidy(&store, &holder, retention, &stop).await {
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
