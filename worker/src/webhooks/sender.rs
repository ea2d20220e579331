//! Carries deliveries out: those the dispatcher hands over, and those that have become due in the database.

use std::{collections::HashMap, sync::Arc, time::Duration};

use buildtrack_domain::ids::WebhookId;
use buildtrack_store::{Delivery, Store, StoreError, StoredBreaker, WaitsFor};
use chrono::{DateTime, Utc};
use tokio::{
    sync::mpsc,
    task::{Id, JoinError, JoinSet},
    time::{Instant, sleep_until, timeout},
};
use tokio_util::sync::CancellationToken;

use super::{
    LEASE,
    breaker::Shared,
    courier::{Courier, Done, Manner},
    errands::Errands,
    lanes::{Held, Lanes, Leased, LetGo, Place},
    openings::Openings,
};
use crate::pause::BACK_OFF;

/// Deliveries on their way from the dispatcher.
pub(crate) const HANDED: usize = 1024;
/// Deliveries taken up at once.
const CLAIM: usize = 512;
/// Endpoints whose settings are looked at, at a time.
const LOOKUPS: usize = 16;
/// How often the database is asked for what is due, at least.
const LOOK: Duration = Duration::from_secs(1);
/// How soon it is asked again where somebody else was faster.
const LOOK_AGAIN: Duration = Duration::from_millis(100);
/// How soon it is asked again whether the delivery that others wait for has arrived.
const BLOCKED: Duration = Duration::from_millis(500);
/// How long attempts under way may go on after the end.
const GRACE: Duration = Duration::from_secs(5);

/// Makes attempts, many at a time.
pub(crate) struct Sender {
    store: Store,
    courier: Arc<Courier>,
    handed: mpsc::Receiver<Leased>,
    openings: Openings,
    lanes: Lanes,
    attempts: JoinSet<Done>,
    under_way: HashMap<Id, Place>,
    lookups: JoinSet<(WebhookId, Option<(Manner, StoredBreaker)>)>,
    errands: Errands,
    /// One at a time.
    looks: JoinSet<Result<Found, StoreError>>,
    look_at: Instant,
    /// When the database failed last.
    failed_at: Option<Instant>,
}

/// What a look at the database finds.
enum Found {
    /// These, which are this process's own until then.
    Due(Vec<Delivery>, Instant),
    /// Nothing, for so long.
    Nothing(Duration),
}

impl Sender {
    pub(crate) fn new(store: Store, courier: Arc<Courier>, handed: mpsc::Receiver<Leased>, openings: Openings) -> Self {
        let errands = Errands::new(store.clone());
        let (lanes, attempts, under_way) = (Lanes::default(), JoinSet::new(), HashMap::new());
        let (lookups, looks, look_at) = (JoinSet::new(), JoinSet::new(), Instant::now());
        Self {
            store,
            courier,
            handed,
            openings,
            lanes,
            attempts,
            under_way,
            lookups,
            errands,
            looks,
            look_at,
            failed_at: None,
        }
    }

    /// Sends until `stop`; then what is under way may end.
    pub(crate) async fn run(mut self, stop: &CancellationToken) {
        while !stop.is_cancelled() {
            self.begin();
            self.errands.go();
            let room = self.lanes.room() > 0;
            let wakes_at = self.lanes.wakes_at();
            tokio::select! {
                () = stop.cancelled() => {}
                Some(ended) = self.attempts.join_next_with_id() => self.end(ended),
                Some(found) = self.lookups.join_next() => self.learn(found),
                () = self.errands.done() => {}
                Some(leased) = self.handed.recv(), if room => self.hold(leased),
                Some(found) = self.looks.join_next() => self.take_up(found),
                () = sleep_until(self.look_at), if room && self.looks.is_empty() => self.look(),
                () = sleep_until(wakes_at.unwrap_or(self.look_at)), if wakes_at.is_some() => {}
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
        while self.lookups.len() < LOOKUPS
            && let Some(delivery) = self.lanes.next_unknown()
        {
            let courier = self.courier.clone();
            self.lookups.spawn(async move { (delivery.webhook_id, known(&courier, &delivery).await) });
        }
        while let Some(deliveries) = self.lanes.next(Instant::now(), self.courier.needed()) {
            let Some(place) = Place::of(&deliveries) else { continue };
            let courier = self.courier.clone();
            let attempt = self.attempts.spawn(async move { courier.deliver(deliveries).await });
            self.under_way.insert(attempt.id(), place);
        }
        let late = self.lanes.take_late();
        // An endpoint that is slow is no haste. But what the database has held up need not wait for its lease's end too.
        if self.failed_at.is_some_and(|failed_at| failed_at.elapsed() < LEASE) {
            self.errands.try_soon(late);
        }
        // The deliveries that those wait for may be due.
        for (id, until) in self.lanes.take_stalled() {
            self.errands.give_back(id, until);
        }
        self.openings.places(self.lanes.places());
        self.count();
    }

    /// The database has failed, so that these were not tried.
    fn fail(&mut self, untried: LetGo) {
        self.failed_at = Some(Instant::now());
        self.errands.try_soon(untried);
    }

    fn learn(&mut self, found: Result<(WebhookId, Option<(Manner, StoredBreaker)>), JoinError>) {
        match found {
            Ok((webhook_id, found)) => {
                let (manner, breaker) = found.unzip();
                if let Some(breaker) = breaker {
                    self.lanes.learn_breaker(webhook_id, self.shared(breaker), Instant::now());
                }
                let untried = self.lanes.learn(webhook_id, manner, Instant::now());
                if manner.is_none() {
                    self.fail(untried);
                }
            }
            // Nothing in there panics; if it does, the lane stands still until this process ends.
            Err(error) => tracing::error!(%error, "a look at an endpoint broke off"),
        }
    }

    fn end(&mut self, ended: Result<(Id, Done), JoinError>) {
        let (id, done) = ended.unwrap_or_else(|error| {
            tracing::error!(%error, "an attempt broke off; it is made again");
            (error.id(), Done::nothing())
        });
        let now = Instant::now();
        let Done { verdict, manner, next_at, left, blocked_until, failed, untried, put_off } = done;
        if let Some(place) = self.under_way.remove(&id) {
            if failed {
                self.fail([self.lanes.leases_of(&place), untried].concat());
            }
            if let Some((at, deliveries)) = put_off {
                for id in deliveries {
                    self.errands.put_off((place.webhook_id, WaitsFor::Target), id, at);
                }
            }
            let pause = blocked_until.map(|until| now + self.until(until).clamp(LOOK_AGAIN, BLOCKED));
            self.lanes.finish(&place, left, pause, now);
            let wait = self.lanes.judge(place.webhook_id, (verdict, manner), now, self.courier.breaker_wait());
            if let Some((wait, let_go)) = wait {
                let until = self.store.clock().after(wait);
                tracing::info!(webhook = %place.webhook_id, seconds = wait.as_secs(), "an endpoint is left alone");
                self.errands.postpone(place.webhook_id, until, self.lanes.resets(place.webhook_id));
                // Their leases may be over earlier or later than that.
                for (id, _) in let_go {
                    self.errands.put_off((place.webhook_id, WaitsFor::Breaker), id, until);
                }
                self.look_at = self.look_at.min(now + LOOK);
            }
        }
        if let Some(next_at) = next_at {
            self.look_at = self.look_at.min(now + self.until(next_at));
        }
    }

    fn hold(&mut self, leased: Leased) {
        let (id, webhook_id, now) = (leased.delivery.id, leased.delivery.webhook_id, Instant::now());
        let until = leased.until;
        match self.lanes.hold(leased, now) {
            Held::Waits => {}
            // Whether the breaker was closed meanwhile, the database tells when it is asked for the delivery.
            Held::Full | Held::Broken(_) => {
                self.openings.close(webhook_id);
                self.errands.give_back(id, until);
            }
        }
    }

    /// Looks for what is due.
    fn look(&mut self) {
        let full = self.lanes.full();
        let limit = self.lanes.wanted(CLAIM);
        self.openings.full(full.iter().copied().chain(self.lanes.open(Instant::now())));
        self.looks.spawn(claim(self.store.clone(), limit, full));
    }

    /// Takes up what was found, and knows when to look again.
    fn take_up(&mut self, found: Result<Result<Found, StoreError>, JoinError>) {
        let wait = match found {
            Ok(Ok(Found::Due(deliveries, until))) => {
                let wait = if deliveries.is_empty() { LOOK_AGAIN } else { Duration::ZERO };
                for delivery in deliveries {
                    self.claimed(delivery, until);
                }
                wait
            }
            Ok(Ok(Found::Nothing(wait))) => wait,
            Ok(Err(error)) => {
                tracing::warn!(%error, "due deliveries cannot be taken up; trying again");
                BACK_OFF
            }
            Err(error) => {
                tracing::error!(%error, "a look for due deliveries broke off; trying again");
                BACK_OFF
            }
        };
        self.look_at = Instant::now() + wait;
    }

    fn claimed(&mut self, delivery: Delivery, until: Instant) {
        let (id, webhook_id, now) = (delivery.id, delivery.webhook_id, Instant::now());
        let shared = delivery.breaker.map(|breaker| self.shared(breaker));
        match self.lanes.hold(Leased { delivery, until, shared }, now) {
            Held::Waits => {}
            Held::Full => self.errands.give_back(id, until),
            // Its lease may be over later than that; more of the endpoint's may be due.
            Held::Broken(until) => {
                let until = self.store.clock().after(until - now);
                self.errands.put_off((webhook_id, WaitsFor::Breaker), id, until);
                self.errands.postpone(webhook_id, until, self.lanes.resets(webhook_id));
            }
        }
    }

    fn shared(&self, StoredBreaker { resets, open_until }: StoredBreaker) -> Shared {
        // One whose time is over is half open, which this process knows by itself or need not know.
        let open = open_until.map(|until| self.until(until)).filter(|open| !open.is_zero());
        Shared { resets, open_until: open.map(|open| Instant::now() + open) }
    }

    fn until(&self, time: DateTime<Utc>) -> Duration {
        (time - self.store.clock().now()).to_std().unwrap_or_default()
    }

    fn count(&self) {
        let number = |count: usize| f64::from(u32::try_from(count).unwrap_or(u32::MAX));
        let (open, half_open) = self.lanes.broken(Instant::now());
        metrics::gauge!("buildtrack_webhook_in_flight").set(number(self.lanes.under_way()));
        metrics::gauge!("buildtrack_webhook_breakers", "state" => "open").set(number(open));
        metrics::gauge!("buildtrack_webhook_breakers", "state" => "half-open").set(number(half_open));
    }
}

/// How the endpoint wants its pushes, unless the database fails.
async fn known(courier: &Courier, delivery: &Delivery) -> Option<(Manner, StoredBreaker)> {
    let manner = courier.manner(delivery).await;
    manner.inspect_err(|error| tracing::warn!(%error, "an endpoint's settings cannot be read")).ok()
}

/// Takes up to `limit` of what is due for this process, but nothing for the endpoints that are full.
async fn claim(store: Store, limit: usize, full: Vec<WebhookId>) -> Result<Found, StoreError> {
    let Some(due) = store.next_due().await? else { return Ok(Found::Nothing(LOOK)) };
    let wait = (due - store.clock().now()).to_std().unwrap_or_default();
    if !wait.is_zero() {
        return Ok(Found::Nothing(wait.min(LOOK)));
    }
    let until = Instant::now() + LEASE;
    let limit = i64::try_from(limit).unwrap_or(0);
    Ok(Found::Due(store.claim_due_except(LEASE, limit, &full).await?, until))
}
