//! Reputation: counts agents' contributions on the log, in order, in one process at a time. When the holder of the lease is
//! gone, another process takes over within seconds.
//!
//! It follows the log and not the bus: a score depends on all earlier events, so their order matters. **Invariant:** the
//! counts commit together with the position that they cover, and only if that position is unchanged. If two processes count
//! at once, the second commit is refused.

use std::time::Duration;

use buildtrack_store::{Store, StoreError};
use tokio::time::{Instant, timeout};
use tokio_util::sync::CancellationToken;

use crate::{
    decisions::on_thread,
    leased::{LeasedTask, Next, Schedule},
};

/// How often a process without the lease asks for it.
const LEASE_POLL: Duration = Duration::from_secs(1);
/// Pause after a step that found contributions. All contributions of an agent within the pause become one change of its
/// score. So few events follow even on a busy log, and other writers seldom wait for a long batch of them. The first event
/// after a quiet period is counted at once.
const STEP_PAUSE: Duration = Duration::from_secs(2);
/// The same pause while more events are left than one step reads.
const BEHIND: Duration = Duration::from_millis(500);
/// How long it waits for new events before it reads the log again.
const IDLE: Duration = Duration::from_millis(2500);
/// Events per step.
const EVENTS: i64 = 10_000;

/// Counts contributions.
pub(crate) struct Reputation {
    store: Store,
    reached: Option<i64>,
    /// When the position last moved.
    moved_at: Instant,
}

impl Reputation {
    pub(crate) fn new(store: Store) -> Self {
        Self { store, reached: None, moved_at: Instant::now() }
    }

    async fn count(&mut self) -> Result<Next, StoreError> {
        let reached = count_new(&self.store).await?;
        if self.reached.replace(reached) != Some(reached) {
            self.moved_at = Instant::now();
        }
        let tail = self.store.log().tail();
        if tail.head() <= reached {
            // A timeout is as good as a new event: the next step reads the log again.
            drop(timeout(IDLE, tail.wait_past(reached)).await);
        }
        let wait = if tail.head() - reached >= EVENTS { BEHIND } else { STEP_PAUSE };
        Ok(Next::After(wait.saturating_sub(self.moved_at.elapsed())))
    }
}

impl LeasedTask for Reputation {
    type Error = StoreError;

    const SCHEDULE: Schedule = Schedule::following("reputation", Duration::from_secs(10), LEASE_POLL);

    async fn step(&mut self, stop: &CancellationToken) -> Result<Next, StoreError> {
        stop.run_until_cancelled(self.count()).await.unwrap_or(Ok(Next::Idle))
    }
}

/// Counts new events and returns the position reached.
async fn count_new(store: &Store) -> Result<i64, StoreError> {
    let store = store.clone();
    on_thread(move || async move { store.reputation().count_contributions(EVENTS).await }).await?
}

/// Counts all events on the log.
pub(crate) async fn count_all(store: &Store) -> Result<(), StoreError> {
    let mut reached = None;
    loop {
        let now = count_new(store).await?;
        if reached.replace(now) == Some(now) {
            return Ok(());
        }
    }
}
