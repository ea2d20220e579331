//! Ends requests of the two-party exchange that nobody has answered in time, one process at a time. Whoever asked ends its own
//! request; this is for those whose asker, or its server, is gone.

use std::{mem, time::Duration};

use buildtrack_domain::{
    decide::Command,
    exchange::conversations::{Exchange, SettleRequest},
    ids::{ExchangeId, RequestId},
};
use buildtrack_store::{Due, DuePlace, Store, StoreError};
use tokio::{runtime::Handle, task::spawn_blocking};
use tokio_util::sync::CancellationToken;

use crate::{pause::pause, sweeps::Sweep};

const LEASE: &str = "requests";
/// How long one process looks before another may. It is renewed with each look.
const LENGTH: Duration = Duration::from_secs(10);
/// Between two looks.
const EVERY: Duration = Duration::from_secs(1);
/// Requests in one look.
const REQUESTS: i64 = 100;

pub(crate) async fn run(store: Store, stop: CancellationToken) {
    let (holder, mut sweep) = (store.clock().uuid().to_string(), Sweep::new(LEASE));
    while !stop.is_cancelled() {
        if let Err(error) = look(&store, &holder, &mut sweep, &stop).await {
            tracing::warn!(%error, "requests whose time is over are not ended; trying again");
        }
        pause(EVERY, &stop).await;
    }
    if let Err(error) = store.release(LEASE, &holder).await {
        tracing::debug!(%error, "the lease for requests was not given back; it ends by itself");
    }
}

async fn look(store: &Store, holder: &str, sweep: &mut Sweep, stop: &CancellationToken) -> Result<(), StoreError> {
    let mut place = None;
    while !stop.is_cancelled() && store.lease(LEASE, holder, LENGTH).await? {
        place = end_due(store, sweep, place).await?;
        if place.is_none() {
            break;
        }
    }
    Ok(())
}

/// Ends all that are due by now.
pub(crate) async fn end_all(store: &Store) -> Result<(), StoreError> {
    let (mut sweep, mut place) = (Sweep::new(LEASE), None);
    loop {
        place = end_due(store, &mut sweep, place).await?;
        if place.is_none() {
            return Ok(());
        }
    }
}

/// Ends those beyond a place that are due by now, up to a page of them; gives the next place where there may be more.
async fn end_due(store: &Store, sweep: &mut Sweep, after: Option<DuePlace>) -> Result<Option<DuePlace>, StoreError> {
    let mut due = store.requests_due(after, REQUESTS).await?;
    let is_full = i64::try_from(due.len()).unwrap_or(i64::MAX) == REQUESTS;
    let next = due.last().map(Due::place).filter(|_| is_full);
    due.retain(|due| !sweep.is_put_off(&due.key));
    if due.is_empty() {
        return Ok(next);
    }
    let runtime = Handle::current();
    let store = store.clone();
    let mut taken = mem::replace(sweep, Sweep::new(LEASE));
    // A decision over references cannot be moved between threads (rust-lang/rust#110338), and so not into a task.
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
