//! Ends requests of the two-party exchange that nobody has answered in time, one process at a time. Whoever asked ends its own
//! request; this is for those whose asker, or its server, is gone.

use std::time::Duration;

use buildtrack_domain::{
    decide::Command,
    exchange::conversations::{Exchange, SettleRequest},
    ids::{ExchangeId, RequestId},
};
use buildtrack_store::{Store, StoreError};
use tokio::{runtime::Handle, task::spawn_blocking};
use tokio_util::sync::CancellationToken;

use crate::pause::pause;

const LEASE: &str = "requests";
/// How long one process looks before another may. It is renewed with each look.
const LENGTH: Duration = Duration::from_secs(10);
/// Between two looks.
const EVERY: Duration = Duration::from_secs(1);
/// Requests in one look.
const REQUESTS: i64 = 100;

pub(crate) async fn run(store: Store, stop: CancellationToken) {
    let holder = store.clock().uuid().to_string();
    while !stop.is_cancelled() {
        if let Err(error) = sweep(&store, &holder, &stop).await {
            tracing::warn!(%error, "requests whose time is over are not ended; trying again");
        }
        pause(EVERY, &stop).await;
    }
    if let Err(error) = store.release(LEASE, &holder).await {
        tracing::debug!(%error, "the lease for requests was not given back; it ends by itself");
    }
}

async fn sweep(store: &Store, holder: &str, stop: &CancellationToken) -> Result<(), StoreError> {
    while !stop.is_cancelled() && store.lease(LEASE, holder, LENGTH).await? && end_due(store).await? {}
    Ok(())
}

/// Ends those that are due by now; true where there may be more.
pub(crate) async fn end_due(store: &Store) -> Result<bool, StoreError> {
    let due = store.requests_due(REQUESTS).await?;
    let full = i64::try_from(due.len()).unwrap_or(i64::MAX) == REQUESTS;
    let (store, runtime) = (store.clone(), Handle::current());
    // A decision over references cannot be moved between threads (rust-lang/rust#110338), and so not into a task.
    let ended = spawn_blocking(move || {
        runtime.block_on(async {
            for (exchange_id, request_id) in due {
                end(&store, exchange_id, request_id).await?;
            }
            Ok(full)
        })
    });
    ended.await.map_err(|_| StoreError::Closed)?
}

async fn end(store: &Store, exchange_id: ExchangeId, request_id: RequestId) -> Result<(), StoreError> {
    let decided = store
        .transact::<(), StoreError>(None, async |unit| {
            let exchange = unit.load::<Exchange>(exchange_id).await?;
            // What is settled already is not settled again.
            let settled = SettleRequest { request_id, settlement: None }.decide(&exchange.state).unwrap_or_default();
            unit.append(exchange_id, &exchange, settled);
            Ok(())
        })
        .await;
    match decided {
        // Somebody was faster.
        Err(StoreError::Conflict { .. }) => Ok(()),
        decided => decided.map(drop),
    }
}
