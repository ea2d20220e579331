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

use crate::{
    leased::{LeasedTask, Next, Schedule},
    sweeps::Sweep,
};

const LEASE: &str = "requests";
/// Pause between two polls for due requests.
const EVERY: Duration = Duration::from_secs(1);
/// Requests per poll.
const REQUESTS: i64 = 100;

/// Ends requests without a timely answer.
pub(crate) struct ExpiredRequests {
    store: Store,
    sweep: Sweep,
    /// Where the next step continues.
    cursor: Option<DueCursor>,
}

impl ExpiredRequests {
    pub(crate) fn new(store: Store) -> Self {
        Self { store, sweep: Sweep::new(LEASE), cursor: None }
    }
}

impl LeasedTask for ExpiredRequests {
    type Error = StoreError;

    const SCHEDULE: Schedule = Schedule::every(EVERY, LEASE, Duration::from_secs(10));

    async fn step(&mut self, _stop: &CancellationToken) -> Result<Next, StoreError> {
        let after = self.cursor.take();
        self.cursor = end_due(&self.store, &mut self.sweep, after).await?;
        Ok(Next::now_if(self.cursor.is_some()))
    }
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
    let next = due.last().map(Due::cursor).filter(|_| is_full);
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
