//! Search indexer: follows the log in small steps and indexes new texts, in one process at a time.
//!
//! **Invariant:** indexing takes only a small share of the writers' time. Under load it pauses after each step for many times
//! the step's duration, and catches up when fewer events arrive.

use std::time::Duration;

use buildtrack_store::{Store, StoreError, search::Indexed};
use tokio::time::{Instant, timeout};
use tokio_util::sync::CancellationToken;

use crate::{
    leased::{LeasedTask, Next, Schedule},
    pause::pause,
};

/// How often a process without the lease asks for it.
const LEASE_POLL: Duration = Duration::from_secs(2);
/// Events per step. On SQLite no other writer can write while a step is written.
const EVENTS: u16 = 100;
/// How long the indexer waits for new events before it reads the log again.
const IDLE: Duration = Duration::from_secs(4);
/// How long new events are collected under light load: long enough that a server does not commit twice for each message,
/// short enough that messages become searchable without noticeable delay.
const COLLECT: Duration = Duration::from_millis(100);
/// Events per second above which the indexer pauses for the writers.
const BUSY: f64 = 400.0;
/// The pause under load as a multiple of the step's duration, and its upper bound.
const REST: u32 = 24;
const REST_MAX: Duration = Duration::from_secs(2);

/// Indexes new texts. If two processes index at once, the database refuses one of them.
pub(crate) struct Indexer {
    pub(crate) store: Store,
}

impl LeasedTask for Indexer {
    type Error = StoreError;

    const SCHEDULE: Schedule = Schedule::following("indexer", Duration::from_secs(10), LEASE_POLL);

    async fn step(&mut self, stop: &CancellationToken) -> Result<Next, StoreError> {
        let store = &self.store;
        let (begun, head) = (Instant::now(), store.log().tail().head());
        let indexed = match store.search().index(EVENTS).await {
            // Another process has taken over.
            Err(StoreError::Conflict { .. }) => return Ok(Next::Idle),
            indexed => indexed?,
        };
        metrics::gauge!("buildtrack_search_behind").set(behind(store, indexed));
        if indexed.moved && !indexed.full {
            return Ok(Next::After(COLLECT));
        }
        if indexed.moved {
            let took = begun.elapsed();
            // A step alone is too short to measure the write rate.
            pause(took, stop).await;
            let is_busy = precise(store.log().tail().head() - head) / begun.elapsed().as_secs_f64() >= BUSY;
            return Ok(if is_busy { Next::After((took * REST).min(REST_MAX)) } else { Next::Now });
        }
        // A timeout is as good as a new event: the next step reads the log again.
        drop(timeout(IDLE, stop.run_until_cancelled(store.log().tail().wait_past(indexed.position))).await);
        Ok(Next::Now)
    }
}

fn behind(store: &Store, indexed: Indexed) -> f64 {
    precise(store.log().tail().head() - indexed.position)
}

#[expect(clippy::cast_precision_loss, reason = "exact up to 2^53, more than any backlog")]
fn precise(number: i64) -> f64 {
    number.max(0) as f64
}
