//! Counts what the log says of agents' contributions: in order, one process at a time, under a lease that moves within
//! seconds when its holder is gone.
//!
//! It follows the log itself, and not the bus: a score is made of all that came before, so that order matters, and the
//! log has it. **Invariant:** what was counted commits together with how far that reaches, and only from where it was
//! begun: should two processes count at once, one of them finds that the other was faster.

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
/// How long one process counts before another may. It is renewed long before.
const LENGTH: Duration = Duration::from_secs(10);
/// How soon a process that waits for its turn asks again.
const TURN: Duration = Duration::from_secs(1);
/// After a look that found something. What an agent contributes meanwhile is one change of its score: however busy the log
/// is, few events follow from it, and seldom does everybody wait until those of many agents are written. What comes after a
/// pause is looked at at once.
const BREATH: Duration = Duration::from_secs(2);
/// The same where as much is left as one look takes on.
const BEHIND: Duration = Duration::from_millis(500);
/// Events that one look takes on.
const EVENTS: i64 = 10_000;

pub(crate) async fn run(store: Store, stop: CancellationToken) {
    let holder = store.clock().uuid().to_string();
    while !stop.is_cancelled() {
        let turn = match store.lease(LEASE, &holder, LENGTH).await {
            Ok(true) => stop.run_until_cancelled(count(&store, &holder)).await.unwrap_or(Ok(())),
            Ok(false) => {
                pause(TURN, &stop).await;
                Ok(())
            }
            Err(error) => Err(error),
        };
        if let Err(error) = turn {
            tracing::warn!(%error, "contributions are not counted; trying again");
            pause(BACK_OFF, &stop).await;
        }
    }
    if let Err(error) = store.release(LEASE, &holder).await {
        tracing::debug!(%error, "the lease for counting was not given back; it ends by itself");
    }
}

/// Counts while the lease is this process's own.
async fn count(store: &Store, holder: &str) -> Result<(), StoreError> {
    let (mut renewed, mut found, mut reached) = (Instant::now(), Instant::now(), None);
    loop {
        let before = reached.replace(look(store).await?);
        if before != reached {
            found = Instant::now();
        }
        if let Some(reached) = reached.filter(|reached| store.tail().head() <= *reached) {
            // Running out of time is as good as news: the lease has to be renewed.
            drop(timeout(LENGTH / 4, store.tail().beyond(reached)).await);
        }
        if renewed.elapsed() >= LENGTH / 4 {
            if !store.lease(LEASE, holder, LENGTH).await? {
                tracing::info!("another process counts contributions");
                return Ok(());
            }
            renewed = Instant::now();
        }
        let is_behind = reached.is_some_and(|reached| store.tail().head() - reached >= EVENTS);
        sleep((if is_behind { BEHIND } else { BREATH }).saturating_sub(found.elapsed())).await;
    }
}

/// Counts what is new, and gives the position that this reached.
async fn look(store: &Store) -> Result<i64, StoreError> {
    let (store, runtime) = (store.clone(), Handle::current());
    // A decision over references cannot be moved between threads (rust-lang/rust#110338), and so not into a task.
    let counted = spawn_blocking(move || runtime.block_on(store.count_contributions(EVENTS)));
    counted.await.map_err(|_| StoreError::Closed)?
}

/// Counts everything that is there.
pub(crate) async fn count_all(store: &Store) -> Result<(), StoreError> {
    let mut reached = None;
    loop {
        let now = look(store).await?;
        if reached.replace(now) == Some(now) {
            return Ok(());
        }
    }
}
