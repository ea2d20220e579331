//! Search indexer: follows the log in small steps and indexes new texts, in one process at a time.
//!
//! **Invariant:** indexing takes only a small share of the writers' time. Under load it pauses after each step for many times
//! the step's duration, and catches up when fewer events arrive.

use std::time::Duration;

use buildtrack_store::{Store, StoreError, search::Indexed};
use tokio::time::{Instant, timeout};
use tokio_util::sync::CancellationToken;

use crate::pause::{BACK_OFF, pause};

/// Name of the lease that admits one indexer at a time.
const LEASE: &str = "indexer";
/// Length of the lease. Each step renews it, and a step is short.
const LENGTH: Duration = Duration::from_secs(10);
/// How often a process without the lease asks for it.
const LEASE_POLL: Duration = Duration::from_secs(2);
/// Events per step. On SQLite no other writer can write while a step is written.
const EVENTS: u16 = 100;
/// How long the indexer waits for new events before it renews the lease.
const IDLE: Duration = Duration::from_secs(4);
/// How long new events are collected under light load: long enough that a server does not commit twice for each message,
/// short enough that messages become searchable without noticeable delay.
const COLLECT: Duration = Duration::from_millis(100);
/// Events per second above which the indexer pauses for the writers.
const BUSY: f64 = 400.0;
/// The pause under load as a multiple of the step's duration, and its upper bound.
const REST: u32 = 24;
const REST_MAX: Duration = Duration::from_secs(2);

pub(crate) async fn run(store: Store, stop: CancellationToken) {
    let holder = store.clock().uuid().to_string();
    while !stop.is_cancelled() {
        match store.lease(LEASE, &holder, LENGTH).await {
            Ok(true) => {
                if let Err(error) = follow(&store, &holder, &stop).await {
                    tracing::warn!(%error, "new events are not indexed; the worker retries");
                    pause(BACK_OFF, &stop).await;
                }
            }
            Ok(false) => pause(LEASE_POLL, &stop).await,
            Err(error) => {
                tracing::warn!(%error, "the lease for indexing cannot be acquired; the worker retries");
                pause(BACK_OFF, &stop).await;
            }
        }
    }
    if let Err(error) = store.release(LEASE, &holder).await {
        tracing::debug!(%error, "the lease for indexing could not be released; it expires");
    }
}

/// Indexes while this process holds the lease. If two processes index at once, the database refuses one of them.
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
            pause(COLLECT, stop).await;
        } else if indexed.moved {
            let took = begun.elapsed();
            // A step alone is too short to measure the write rate.
            pause(took, stop).await;
            if precise(store.tail().head() - head) / begun.elapsed().as_secs_f64() >= BUSY {
                pause((took * REST).min(REST_MAX), stop).await;
            }
        } else {
            // A timeout is as good as a new event: the loop renews the lease.
            drop(timeout(IDLE, stop.run_until_cancelled(store.tail().beyond(indexed.position))).await);
        }
    }
    Ok(())
}

fn behind(store: &Store, indexed: Indexed) -> f64 {
    precise(store.tail().head() - indexed.position)
}

#[expect(clippy::cast_precision_loss, reason = "exact up to 2^53, more than any backlog")]
fn precise(number: i64) -> f64 {
    number.max(0) as f64
}
