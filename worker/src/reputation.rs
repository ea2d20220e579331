//! Reputation: counts agents' contributions on the log, in order, in one process at a time. When the holder of the lease is
//! gone, another process takes over within seconds.
//!
//! It follows the log and not the bus: a score depends on all earlier events, so their order matters. **Invariant:** the
//! counts commit together with the position that they cover, and only if that position is unchanged. If two processes count
//! at once, the second commit is refused.

use std::time::Duration;

use buildtrack_store::{Store, StoreError};
use tokio::{
    runtime::Handle,
    task::spawn_blocking,
    time::{Instant, sleep, timeout},
};
use tokio_util::sync::CancellationToken;

use crate::pause::{BACK_OFF, pause};

const LEASE: &str = "reputation";
/// Length of the lease.
const LENGTH: Duration = Duration::from_secs(10);
/// How often a process without the lease asks for it.
const LEASE_POLL: Duration = Duration::from_secs(1);
/// Pause after a step that found contributions. All contributions of an agent within the pause become one change of its
/// score. So few events follow even on a busy log, and other writers seldom wait for a long batch of them. The first event
/// after a quiet period is counted at once.
const STEP_PAUSE: Duration = Duration::from_secs(2);
/// The same pause while more events are left than one step reads.
const BEHIND: Duration = Duration::from_millis(500);
/// Events per step.
const EVENTS: i64 = 10_000;

pub(crate) async fn run(store: Store, stop: CancellationToken) {
    let holder = store.clock().uuid().to_string();
    while !stop.is_cancelled() {
        let turn = match store.lease(LEASE, &holder, LENGTH).await {
            Ok(true) => stop.run_until_cancelled(count(&store, &holder)).await.unwrap_or(Ok(())),
            Ok(false) => {
                pause(LEASE_POLL, &stop).await;
                Ok(())
            }
            Err(error) => Err(error),
        };
        if let Err(error) = turn {
            tracing::warn!(%error, "counting contributions failed; the worker retries");
            pause(BACK_OFF, &stop).await;
        }
    }
    if let Err(error) = store.release(LEASE, &holder).await {
        tracing::debug!(%error, "the lease for counting contributions could not be released; it expires");
    }
}

/// Counts while this process holds the lease.
async fn count(store: &Store, holder: &str) -> Result<(), StoreError> {
    let (mut renewed, mut found, mut reached) = (Instant::now(), Instant::now(), None);
    loop {
        let before = reached.replace(look(store).await?);
        if before != reached {
            found = Instant::now();
        }
        if let Some(reached) = reached.filter(|reached| store.tail().head() <= *reached) {
            // A timeout is as good as a new event: the loop renews the lease.
            drop(timeout(LENGTH / 4, store.tail().beyond(reached)).await);
        }
        if renewed.elapsed() >= LENGTH / 4 {
            if !store.lease(LEASE, holder, LENGTH).await? {
                tracing::info!("another process holds the lease for counting contributions");
                return Ok(());
            }
            renewed = Instant::now();
        }
        let is_behind = reached.is_some_and(|reached| store.tail().head() - reached >= EVENTS);
        sleep((if is_behind { BEHIND } else { STEP_PAUSE }).saturating_sub(found.elapsed())).await;
    }
}

/// Counts new events and returns the position reached.
async fn look(store: &Store) -> Result<i64, StoreError> {
    let (store, runtime) = (store.clone(), Handle::current());
    // The future of a decision over references is not `Send` (rust-lang/rust#110338), so it cannot run in a spawned task.
    let counted = spawn_blocking(move || runtime.block_on(store.count_contributions(EVENTS)));
    counted.await.map_err(|_| StoreError::Closed)?
}

/// Counts all events on the log.
pub(crate) async fn count_all(store: &Store) -> Result<(), StoreError> {
    let mut reached = None;
    loop {
        let now = look(store).await?;
        if reached.replace(now) == Some(now) {
            return Ok(());
        }
    }
}
