//! Makes what is posted findable: one process at a time follows the log, in small steps.
//!
//! **Invariant:** indexing never costs those who write more than a small share of the time: while much is written it rests
//! after each step many times as long as the step took, and catches up when there is less to do.

use std::time::Duration;

use buildtrack_store::{Store, StoreError, search::Indexed};
use tokio::time::{Instant, timeout};
use tokio_util::sync::CancellationToken;

use crate::pause::{BACK_OFF, pause};

/// The lease under which it is done.
const LEASE: &str = "indexer";
/// How long one process indexes before another may. It is renewed with each step, and a step is short.
const LENGTH: Duration = Duration::from_secs(10);
/// How soon a process that waits for its turn asks again.
const TURN: Duration = Duration::from_secs(2);
/// Events of a step, while whose documents are written nobody else writes on SQLite.
const EVENTS: u16 = 100;
/// How long is waited for news before the lease is renewed.
const IDLE: Duration = Duration::from_secs(4);
/// How long what comes is collected where little does: long enough that a server does not commit twice for each message,
/// and short enough that no step keeps a message waiting.
const BREATH: Duration = Duration::from_millis(100);
/// Events a second beyond which the writers are left alone.
const BUSY: f64 = 400.0;
/// How many times as long as a step it is rested then, and how long at most.
const REST: u32 = 24;
const REST_MAX: Duration = Duration::from_secs(2);

pub(crate) async fn run(store: Store, stop: CancellationToken) {
    let holder = store.clock().uuid().to_string();
    while !stop.is_cancelled() {
        match store.lease(LEASE, &holder, LENGTH).await {
            Ok(true) => {
                if let Err(error) = follow(&store, &holder, &stop).await {
                    tracing::warn!(%error, "what was written is not indexed; trying again");
                    pause(BACK_OFF, &stop).await;
                }
            }
            Ok(false) => pause(TURN, &stop).await,
            Err(error) => {
                tracing::warn!(%error, "whose turn it is to index is not known; trying again");
                pause(BACK_OFF, &stop).await;
            }
        }
    }
    if let Err(error) = store.release(LEASE, &holder).await {
        tracing::debug!(%error, "the lease for indexing was not given back; it ends by itself");
    }
}

/// Indexes as long as the lease is this process's own. Should it be another's for a moment, one of the two is refused.
async fn follow(store: &Store, holder: &str, stop: &CancellationToken) -> Result<(), StoreError> {
    let mut renewed = Instant::now();
    while !stop.is_cancelled() {
        if renewed.elapsed() >= LENGTH / 4 {
            if !store.lease(LEASE, holder, LENGTH).await? {
                return Ok(());
            }
            renewed = Instant::now();
        }
        let (begun, head) = (Instant::now(), store.tail().head());
        let indexed = match store.index(EVENTS).await {
            Err(StoreError::Conflict { .. }) => return Ok(()),
            indexed => indexed?,
        };
        metrics::gauge!("buildtrack_search_behind").set(behind(store, indexed));
        if indexed.moved && !indexed.full {
            pause(BREATH, stop).await;
        } else if indexed.moved {
            let took = begun.elapsed();
            // A step alone is too short to see how much is written.
            pause(took, stop).await;
            if precise(store.tail().head() - head) / begun.elapsed().as_secs_f64() >= BUSY {
                pause((took * REST).min(REST_MAX), stop).await;
            }
        } else {
            // Running out of time is as good as news.
            drop(timeout(IDLE, stop.run_until_cancelled(store.tail().beyond(indexed.position))).await);
        }
    }
    Ok(())
}

fn behind(store: &Store, indexed: Indexed) -> f64 {
    precise(store.tail().head() - indexed.position)
}

#[expect(clippy::cast_precision_loss, reason = "exact up to 2^53, which is more than will ever wait")]
fn precise(number: i64) -> f64 {
    number.max(0) as f64
}
