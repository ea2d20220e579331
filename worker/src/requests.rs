//! Time limit of requests in the two-party exchange: ends requests without a timely answer, in one process at a time.
//!
//! The server that waits for an answer ends the request itself. This task covers requests whose requester or server is gone.

use std::{mem, time::Duration};

use buildtrack_domain::{
    decide::Command,
    exchange::conversations::{Exchange, SettleRequest},
    ids::{ExchangeId, RequestId},
};
use buildtrack_store::{Due, DueCursor, Store, StoreError};
use tokio::{runtime::Handle, task::spawn_blocking};
use tokio_util::sync::CancellationToken;

use crate::{pause::pause, sweeps::Sweep};

const LEASE: &str = "requests";
/// Length of the lease. Each poll renews it.
const LENGTH: Duration = Duration::from_secs(10);
/// Pause between two polls for due requests.
const EVERY: Duration = Duration::from_secs(1);
/// Requests per poll.
const REQUESTS: i64 = 100;

pub(crate) async fn run(store: Store, stop: CancellationToken) {
    let (holder, mut sweep) = (store.clock().uuid().to_string(), Sweep::new(LEASE));
    while !stop.is_cancelled() {
        if let Err(error) = look(&store, &holder, &mut sweep, &stop).await {
            tracing::warn!(%error, "ending expired requests failed; the worker retries");
        }
        pause(EVERY, &stop).await;
    }
    if let Err(error) = store.release(LEASE, &holder).await {
        tracing::debug!(%error, "the lease for requests could not be released; it expires");
    }
}

async fn look(store: &Store, holder: &str, sweep: &mut Sweep, stop: &CancellationToken) -> Result<(), StoreError> {
    let mut cursor = None;
    while !stop.is_cancelled() && store.lease(LEASE, holder, LENGTH).await? {
        cursor = end_due(store, sweep, cursor).await?;
        if cursor.is_none() {
            break;
        }
    }
    Ok(())
}

/// Ends all requests that are due.
pub(crate) async fn end_all(store: &Store) -> Result<(), StoreError> {
    let (mut sweep, mut cursor) = (Sweep::new(LEASE), None);
    loop {
        cursor = end_due(store, &mut sweep, cursor).await?;
        if cursor.is_none() {
            return Ok(());
        }
    }
}

/// Ends due requests after a cursor, up to one page. Returns the next cursor if there may be more.
async fn end_due(store: &Store, sweep: &mut Sweep, after: Option<DueCursor>) -> Result<Option<DueCursor>, StoreError> {
    let mut due = store.requests_due(after, REQUESTS).await?;
    let is_full = i64::try_from(due.len()).unwrap_or(i64::MAX) == REQUESTS;
    let next = due.last().map(Due::place).filter(|_| is_full);
    due.retain(|due| !sweep.is_postponed(&due.key));
    if due.is_empty() {
        return Ok(next);
    }
    let runtime = Handle::current();
    let store = store.clone();
    let mut taken = mem::replace(sweep, Sweep::new(LEASE));
    // The future of a decision over references is not `Send` (rust-lang/rust#110338), so it cannot run in a spawned task.
    let ended = spawn_blocking(move || {
        let ended: Result<(), StoreError> = runtime.block_on(async {
            for Due { key, item, .. } in due {
                let work = async {
                    let (exchange_id, request_id) = item?;
                    end(&store, exchange_id, request_id).await
                };
                taken.attempt(&store, &key, work).await?;
            }
            Ok(())
        });
        (taken, ended)
    });
    let (taken, ended) = ended.await.map_err(|_| StoreError::Closed)?;
    *sweep = taken;
    ended.map(|()| next)
}

async fn end(store: &Store, exchange_id: ExchangeId, request_id: RequestId) -> Result<(), StoreError> {
    let decided = store
        .transact::<(), StoreError>(None, async |unit| {
            let exchange = unit.load::<Exchange>(exchange_id).await?;
            // The decision refuses a request that is settled already.
            let settled = SettleRequest { request_id, settlement: None }.decide(&exchange.state).unwrap_or_default();
            unit.append(exchange_id, &exchange, settled);
            Ok(())
        })
        .await;
    match decided {
        // Another process changed the exchange first.
        Err(StoreError::Conflict { .. }) => Ok(()),
        decided => decided.map(drop),
    }
}
