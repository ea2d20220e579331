//! Carries deliveries out: those the dispatcher hands over, and those that have become due in the database.

use std::{collections::HashMap, sync::Arc, time::Duration};

use buildtrack_domain::ids::{DeliveryId, WebhookId};
use buildtrack_store::{Store, StoreError};
use chrono::{DateTime, Utc};
use tokio::{
    sync::mpsc,
    task::{Id, JoinError, JoinSet},
    time::{Instant, sleep_until, timeout},
};
use tokio_util::sync::CancellationToken;

use super::{
    LEASE,
    courier::Courier,
    lanes::{Lanes, Leased},
};
use crate::pause::BACK_OFF;

/// Deliveries on their way from the dispatcher.
pub(crate) const HANDED: usize = 1024;
/// Attempts at a time, to all endpoints together.
const ATTEMPTS: usize = 64;
/// Deliveries taken up at once.
const CLAIM: usize = 128;
/// How often the database is asked for what is due, at least.
const LOOK: Duration = Duration::from_secs(1);
/// How soon it is asked again where somebody else was faster.
const LOOK_AGAIN: Duration = Duration::from_millis(100);
/// How long attempts under way may go on after the end.
const GRACE: Duration = Duration::from_secs(5);

/// Makes attempts, many at a time.
pub(crate) struct Sender {
    store: Store,
    courier: Arc<Courier>,
    handed: mpsc::Receiver<Leased>,
    lanes: Lanes,
    attempts: JoinSet<Option<DateTime<Utc>>>,
    under_way: HashMap<Id, (WebhookId, DeliveryId)>,
    look_at: Instant,
}

impl Sender {
    pub(crate) fn new(store: Store, courier: Arc<Courier>, handed: mpsc::Receiver<Leased>) -> Self {
        let (lanes, attempts, under_way) = (Lanes::default(), JoinSet::new(), HashMap::new());
        Self { store, courier, handed, lanes, attempts, under_way, look_at: Instant::now() }
    }

    /// Sends until `stop`; then what is under way may end.
    pub(crate) async fn run(mut self, stop: &CancellationToken) {
        while !stop.is_cancelled() {
            self.begin();
            let room = self.lanes.room() > 0;
            tokio::select! {
                () = stop.cancelled() => {}
                Some(ended) = self.attempts.join_next_with_id() => self.end(ended),
                Some(leased) = self.handed.recv(), if room => self.lanes.hold(leased),
                () = sleep_until(self.look_at), if room => self.look().await,
            }
        }
        let rest = async { while self.attempts.join_next().await.is_some() {} };
        if timeout(GRACE, rest).await.is_err() {
            tracing::info!(attempts = self.attempts.len(), "pushes were cut off; they are made again");
        }
        self.attempts.shutdown().await;
    }

    /// Begins as many attempts as there are places.
    fn begin(&mut self) {
        while self.attempts.len() < ATTEMPTS
            && let Some(delivery) = self.lanes.next(Instant::now(), self.courier.needed())
        {
            let courier = self.courier.clone();
            let place = (delivery.webhook_id, delivery.id);
            let attempt = self.attempts.spawn(async move { courier.deliver(&delivery).await });
            self.under_way.insert(attempt.id(), place);
        }
    }

    fn end(&mut self, ended: Result<(Id, Option<DateTime<Utc>>), JoinError>) {
        let (id, next_at) = ended.unwrap_or_else(|error| {
            tracing::error!(%error, "an attempt broke off; it is made again");
            (error.id(), None)
        });
        if let Some((webhook_id, delivery_id)) = self.under_way.remove(&id) {
            self.lanes.finish(webhook_id, delivery_id);
        }
        if let Some(next_at) = next_at {
            self.look_at = self.look_at.min(Instant::now() + self.until(next_at));
        }
    }

    /// Takes up what is due, and finds out when to look again.
    async fn look(&mut self) {
        let wait = self.claim().await.unwrap_or_else(|error| {
            tracing::warn!(%error, "due deliveries cannot be taken up; trying again");
            BACK_OFF
        });
        self.look_at = Instant::now() + wait;
    }

    async fn claim(&mut self) -> Result<Duration, StoreError> {
        let Some(due) = self.store.next_due().await? else { return Ok(LOOK) };
        let wait = self.until(due);
        if !wait.is_zero() {
            return Ok(wait.min(LOOK));
        }
        let until = Instant::now() + LEASE;
        let limit = i64::try_from(self.lanes.room().min(CLAIM)).unwrap_or(0);
        let deliveries = self.store.claim_due(LEASE, limit).await?;
        let wait = if deliveries.is_empty() { LOOK_AGAIN } else { Duration::ZERO };
        for delivery in deliveries {
            self.lanes.hold(Leased { delivery, until });
        }
        Ok(wait)
    }

    fn until(&self, time: DateTime<Utc>) -> Duration {
        (time - self.store.clock().now()).to_std().unwrap_or_default()
    }
}
