//! Deletion of expired rows: sessions, stored answers, settled deliveries and old envelopes; and after an upgrade, sealing of stored
//! values with the keys of their purposes. In small steps, in one process at a time.

use std::time::Duration;

use buildtrack_store::{Store, StoreError};
use tokio_util::sync::CancellationToken;

use crate::{
    decisions::on_thread,
    leased::{LeasedTask, Next, Schedule},
    pause::pause,
};

const EVERY: Duration = Duration::from_mins(1);
/// Rows deleted per table and step, so that other writers wait only briefly.
const ROWS: i64 = 500;
/// Values sealed anew per column and step.
const RESEALED: i64 = 100;
/// Envelopes per step. Their data leave the log while its head is locked.
const ENVELOPES: i64 = 100;
/// Pause between two steps, so that other writers get their turn.
const BREATH: Duration = Duration::from_millis(100);

/// Retention periods.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Retentions {
    /// Retention of deliveries, from the moment they are settled.
    pub(crate) deliveries: Duration,
    /// Retention of the relay's envelopes; `None` keeps them forever.
    pub(crate) envelopes: Option<Duration>,
}

/// Deletes expired rows.
pub(crate) struct Housekeeping {
    pub(crate) store: Store,
    pub(crate) retentions: Retentions,
}

impl LeasedTask for Housekeeping {
    type Error = StoreError;

    const SCHEDULE: Schedule = Schedule::every(EVERY, "housekeeping", Duration::from_mins(2));

    async fn step(&mut self, stop: &CancellationToken) -> Result<Next, StoreError> {
        // If one fails, the others still run.
        let pruned = self.prune(stop).await;
        let expired = self.expire(stop).await;
        let resealed = self.reseal(stop).await;
        pruned.and(expired).and(resealed).map(|()| Next::Idle)
    }
}

impl Housekeeping {
    async fn prune(&self, stop: &CancellationToken) -> Result<(), StoreError> {
        loop {
            let more_rows = self.store.log().prune(ROWS, self.retentions.deliveries).await?;
            let more_limits = self.store.limits().prune(ROWS).await?;
            if !(more_rows || more_limits) || stop.is_cancelled() {
                return Ok(());
            }
            pause(BREATH, stop).await;
        }
    }

    /// Seals the values of earlier versions anew, after an upgrade.
    async fn reseal(&self, stop: &CancellationToken) -> Result<(), StoreError> {
        while self.store.log().reseal(RESEALED).await? && !stop.is_cancelled() {
            pause(BREATH, stop).await;
        }
        Ok(())
    }

    async fn expire(&self, stop: &CancellationToken) -> Result<(), StoreError> {
        let Some(retention) = self.retentions.envelopes else { return Ok(()) };
        while expire_step(&self.store, retention).await? && !stop.is_cancelled() {
            pause(BREATH, stop).await;
        }
        Ok(())
    }
}

/// Removes a few expired envelopes. True if there may be more.
pub(crate) async fn expire_step(store: &Store, retention: Duration) -> Result<bool, StoreError> {
    let store = store.clone();
    on_thread(move || async move { store.relay().expire_envelopes(retention, ENVELOPES).await }).await?
}
