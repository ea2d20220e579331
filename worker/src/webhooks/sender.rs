//! Sender: attempts deliveries that the dispatcher hands over, and those that have become due in the database.

use std::{collections::HashMap, sync::Arc, time::Duration};

use buildtrack_domain::ids::WebhookId;
use buildtrack_store::{ClaimedDeliveries, Delivery, Store, StoreError, StoredBreaker, Verdict, WaitsFor};
use chrono::{DateTime, Utc};
use tokio::{
    sync::mpsc,
    task::{Id, JoinError, JoinSet},
    time::{Instant, sleep_until, timeout},
};
use tokio_util::sync::CancellationToken;

use super::{
    breaker::Shared,
    capacity::SharedCapacity,
    claims::{Found, POLL, claim, read_policy},
    deferred_updates::DeferredUpdates,
    lanes::{Admission, Lanes, Leased, RunningAttempt},
    policy::DeliveryPolicy,
    push_result::PushResult,
    pusher::Pusher,
};
use crate::{pause::BACK_OFF, pulse::Pulse};

/// Capacity of the channel from the dispatcher.
pub(crate) const HANDED: usize = 1024;
/// Deliveries claimed in one query.
const CLAIM: usize = 512;
/// Concurrent reads of delivery policies.
const LOOKUPS: usize = 16;
/// Pause after a query that found due deliveries, so that a few more share the next one.
const REFILL: Duration = Duration::from_millis(20);
/// Pause after a query whose due deliveries another process claimed first, or whose endpoints have enough.
const POLL_AGAIN: Duration = Duration::from_millis(100);
/// Longest pause until a lane checks again for the earlier delivery that it waits for.
const BLOCKED: Duration = Duration::from_millis(500);
/// Longest wait for the budget of a target during which deliveries stay in their lane. After that, any process may have them.
const REFUSED: Duration = Duration::from_secs(2);
/// How long running attempts may take after the stop.
const GRACE: Duration = Duration::from_secs(5);
/// How long the last releases may take after that.
const LAST: Duration = Duration::from_secs(2);

/// Runs many attempts at a time.
pub(crate) struct Sender {
    store: Store,
    pusher: Arc<Pusher>,
    handed: mpsc::Receiver<Leased>,
    capacity: SharedCapacity,
    lanes: Lanes,
    attempts: JoinSet<PushResult>,
    under_way: HashMap<Id, RunningAttempt>,
    lookups: JoinSet<(WebhookId, Option<(DeliveryPolicy, StoredBreaker)>)>,
    deferred_updates: DeferredUpdates,
    /// Queries for due deliveries, one at a time.
    queries: JoinSet<Result<Found, StoreError>>,
    query_at: Instant,
    pulse: Pulse,
}

impl Sender {
    pub(crate) fn new(
        store: Store,
        pusher: Arc<Pusher>,
        handed: mpsc::Receiver<Leased>,
        capacity: SharedCapacity,
        pulse: Pulse,
    ) -> Self {
        let deferred_updates = DeferredUpdates::new(store.clone());
        let (lanes, attempts, under_way) = (Lanes::default(), JoinSet::new(), HashMap::new());
        let (lookups, queries, query_at) = (JoinSet::new(), JoinSet::new(), Instant::now());
        Self {
            store,
            pusher,
            handed,
            capacity,
            lanes,
            attempts,
            under_way,
            lookups,
            deferred_updates,
            queries,
            query_at,
            pulse,
        }
    }

    /// Sends until `stop`. Then running attempts have a few seconds to finish, and another process gets the rest at once.
    pub(crate) async fn run(mut self, stop: &CancellationToken) {
        while !stop.is_cancelled() {
            self.begin();
            self.deferred_updates.flush();
            let has_capacity = self.lanes.capacity() > 0;
            if !has_capacity {
                // Slow receivers hold all permits: the sender has no question for the database.
                self.pulse.beat();
            }
            let wakes_at = self.lanes.wakes_at();
            tokio::select! {
                () = stop.cancelled() => {}
                Some(ended) = self.attempts.join_next_with_id() => self.end(ended),
                Some(found) = self.lookups.join_next() => self.learn(found),
                () = self.deferred_updates.flushed() => {}
                Some(leased) = self.handed.recv(), if has_capacity => self.admit_handed(leased),
                Some(found) = self.queries.join_next() => self.add_claimed(found),
                () = sleep_until(self.query_at), if has_capacity && self.queries.is_empty() => self.query(),
                () = sleep_until(wakes_at.unwrap_or(self.query_at)), if wakes_at.is_some() => {}
            }
        }
        self.release_waiting();
        if timeout(GRACE, self.wind_up()).await.is_err() {
            tracing::info!(attempts = self.attempts.len(), "interrupted pushes are retried when their leases expire");
        }
        self.attempts.shutdown().await;
        self.release_waiting();
        // What is not written waits for the end of its lease.
        drop(timeout(LAST, self.deferred_updates.finish()).await);
    }

    /// Waits for the running attempts and for the dispatcher, and releases what it still hands over.
    async fn wind_up(&mut self) {
        loop {
            self.deferred_updates.flush();
            let is_writing = self.deferred_updates.is_writing();
            tokio::select! {
                Some(ended) = self.attempts.join_next_with_id() => self.end(ended),
                Some(Leased { delivery, until, .. }) = self.handed.recv() => self.deferred_updates.release(delivery.id, until),
                Some(found) = self.queries.join_next() => {
                    self.add_claimed(found);
                    self.release_waiting();
                }
                () = self.deferred_updates.flushed(), if is_writing => {}
                else => break,
            }
        }
    }

    /// Releases the deliveries that wait in the lanes, for other processes.
    fn release_waiting(&mut self) {
        for (id, until) in self.lanes.drop_all_waiting() {
            self.deferred_updates.release(id, until);
        }
    }

    /// Starts as many attempts as permits allow.
    fn begin(&mut self) {
        while self.lookups.len() < LOOKUPS
            && let Some(delivery) = self.lanes.next_unknown()
        {
            let pusher = self.pusher.clone();
            self.lookups.spawn(async move { (delivery.webhook_id, read_policy(&pusher, &delivery).await) });
        }
        while let Some(deliveries) = self.lanes.next(Instant::now(), self.pusher.needed()) {
            let Some(running) = RunningAttempt::of(&deliveries) else { continue };
            let pusher = self.pusher.clone();
            let attempt = self.attempts.spawn(async move { pusher.deliver(deliveries).await });
            self.under_way.insert(attempt.id(), running);
        }
        let dropped = self.lanes.take_dropped();
        if !dropped.is_empty() {
            self.query_at = self.query_at.min(Instant::now() + POLL_AGAIN);
        }
        for (id, until) in dropped {
            self.deferred_updates.release(id, until);
        }
        self.capacity.set_deliveries(self.lanes.handover_capacity());
        self.count();
    }

    fn learn(&mut self, found: Result<(WebhookId, Option<(DeliveryPolicy, StoredBreaker)>), JoinError>) {
        match found {
            Ok((webhook_id, found)) => {
                let (policy, breaker) = found.unzip();
                if let Some(breaker) = breaker {
                    self.lanes.learn_breaker(webhook_id, self.shared(breaker), Instant::now());
                }
                let unattempted = self.lanes.learn(webhook_id, policy, Instant::now());
                if policy.is_none() {
                    self.deferred_updates.retry_soon(unattempted);
                }
            }
            // Nothing in the lookup should panic. If it does, the lane is blocked until this process restarts.
            Err(error) => tracing::error!(%error, "reading an endpoint's delivery policy panicked"),
        }
    }

    fn end(&mut self, ended: Result<(Id, PushResult), JoinError>) {
        let (id, done) = ended.unwrap_or_else(|error| {
            tracing::error!(%error, "an attempt panicked; it is retried when its leases expire");
            (error.id(), PushResult::nothing())
        });
        let now = Instant::now();
        let PushResult { verdict, policy, next_at, mut left, blocked_until, failed, claimed, refused } = done;
        if let Some(running) = self.under_way.remove(&id) {
            if failed {
                self.deferred_updates.retry_soon([&*self.lanes.leases_of(&running), &claimed].concat());
            }
            if let Some(wait) = refused {
                self.refuse(running.webhook_id, wait, &mut left, now);
            }
            let blocked = blocked_until.map(|until| self.until(until).clamp(POLL_AGAIN, BLOCKED));
            let pause = blocked.or(refused.map(|wait| wait.min(REFUSED))).map(|pause| now + pause);
            let remaining = left.len();
            self.lanes.finish(&running, (left, &claimed), pause, now);
            if verdict != Verdict::Silent {
                self.lanes.measure(&running, remaining, now);
            }
            let wait = self.lanes.judge(running.webhook_id, (verdict, policy), now, self.pusher.breaker_wait());
            if let Some((wait, dropped)) = wait {
                let until = self.store.log().clock().after(wait);
                tracing::info!(webhook = %running.webhook_id, seconds = wait.as_secs(), "an endpoint's circuit breaker has opened");
                self.deferred_updates.postpone_endpoint(
                    running.webhook_id,
                    until,
                    self.lanes.resets(running.webhook_id),
                );
                // Their leases may expire earlier or later than that.
                for (id, _) in dropped {
                    self.deferred_updates.postpone((running.webhook_id, WaitsFor::Breaker), id, until);
                }
                self.query_at = self.query_at.min(now + POLL);
            }
        }
        if let Some(next_at) = next_at {
            self.query_at = self.query_at.min(now + self.until(next_at));
        }
    }

    /// The target of an endpoint has reached its limits for `wait`. If that is long, other processes may have all deliveries of the
    /// endpoint, those in `left` too.
    fn refuse(&mut self, webhook_id: WebhookId, wait: Duration, left: &mut Vec<Delivery>, now: Instant) {
        let is_long = wait > REFUSED;
        let dropped = self.lanes.narrow(webhook_id, is_long.then(|| now + wait));
        if is_long {
            let at = self.store.log().clock().after(wait);
            let left = left.drain(..).map(|delivery| delivery.id);
            for id in left.chain(dropped.into_iter().map(|(id, _)| id)) {
                self.deferred_updates.postpone((webhook_id, WaitsFor::Target), id, at);
            }
        } else {
            for (id, until) in dropped {
                self.deferred_updates.release(id, until);
            }
        }
    }

    fn admit_handed(&mut self, leased: Leased) {
        let (id, webhook_id, now) = (leased.delivery.id, leased.delivery.webhook_id, Instant::now());
        let until = leased.until;
        match self.lanes.admit(leased, now) {
            Admission::Queued => {}
            // If the breaker was closed meanwhile, the next claim of the delivery reads so from the database.
            Admission::Full | Admission::Broken(_) => {
                self.capacity.mark_full(webhook_id);
                self.deferred_updates.release(id, until);
            }
        }
    }

    /// Starts a query for due deliveries.
    fn query(&mut self) {
        self.queries.spawn(claim(self.store.clone(), self.lanes.limits(CLAIM, Instant::now())));
    }

    /// Adds the claimed deliveries to their lanes, and schedules the next query.
    fn add_claimed(&mut self, found: Result<Result<Found, StoreError>, JoinError>) {
        if let Ok(Ok(_)) = found {
            self.pulse.beat();
        }
        let wait = match found {
            Ok(Ok(Found::Due { claimed, until, limits })) => {
                self.lanes.learn_claim(&limits, &claimed);
                let ClaimedDeliveries { deliveries, is_partial } = claimed;
                let wait = match deliveries.is_empty() {
                    _ if is_partial => Duration::ZERO,
                    true => POLL_AGAIN,
                    false => REFILL,
                };
                for delivery in deliveries {
                    self.admit_claimed(delivery, until);
                }
                wait
            }
            Ok(Ok(Found::Nothing(wait))) => {
                self.lanes.learn_nothing_due(Instant::now());
                wait
            }
            Ok(Err(error)) => {
                tracing::warn!(%error, "due deliveries cannot be claimed; the worker retries");
                BACK_OFF
            }
            Err(error) => {
                tracing::error!(%error, "the query for due deliveries panicked; the worker retries");
                BACK_OFF
            }
        };
        let now = Instant::now();
        self.capacity.set_full(self.lanes.behind().chain(self.lanes.open(now)));
        self.query_at = now + wait;
    }

    fn admit_claimed(&mut self, delivery: Delivery, until: Instant) {
        let (id, webhook_id, now) = (delivery.id, delivery.webhook_id, Instant::now());
        let shared = delivery.breaker.map(|breaker| self.shared(breaker));
        match self.lanes.admit(Leased { delivery, until, shared }, now) {
            Admission::Queued => {}
            Admission::Full => self.deferred_updates.release(id, until),
            // The lease may end later than that, and more deliveries of the endpoint may be due.
            Admission::Broken(until) => {
                let until = self.store.log().clock().after(until - now);
                self.deferred_updates.postpone((webhook_id, WaitsFor::Breaker), id, until);
                self.deferred_updates.postpone_endpoint(webhook_id, until, self.lanes.resets(webhook_id));
            }
        }
    }

    fn shared(&self, StoredBreaker { resets, open_until }: StoredBreaker) -> Shared {
        // A breaker past its open time is half-open. This process knows that already, or does not need to.
        let open = open_until.map(|until| self.until(until)).filter(|open| !open.is_zero());
        Shared { resets, open_until: open.map(|open| Instant::now() + open) }
    }

    fn until(&self, time: DateTime<Utc>) -> Duration {
        (time - self.store.log().clock().now()).to_std().unwrap_or_default()
    }

    fn count(&self) {
        let number = |count: usize| f64::from(u32::try_from(count).unwrap_or(u32::MAX));
        let (open, half_open) = self.lanes.broken(Instant::now());
        metrics::gauge!("buildtrack_webhook_in_flight").set(number(self.lanes.under_way()));
        metrics::gauge!("buildtrack_webhook_breakers", "state" => "open").set(number(open));
        metrics::gauge!("buildtrack_webhook_breakers", "state" => "half-open").set(number(half_open));
    }
}
