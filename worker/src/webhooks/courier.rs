//! One push, tried once: what is sent, and what becomes of its deliveries.

use std::time::Duration;

use buildtrack_domain::{
    ids::{DeliveryId, WebhookId},
    webhooks::{DisabledReason, FAILING_MAX, UNVERIFIED_MAX},
};
use buildtrack_store::{Delivery, Endpoint, Kept, Outcome, Store, StoreError, StoredBreaker, Verdict};
use chrono::{DateTime, TimeDelta, Utc};
use tokio::time::Instant;

use super::{
    LEASE,
    client::{Answer, Client, Signed},
    disable,
    gaps::Gaps,
    lanes::LetGo,
    letters::{self, Letter, Sorted},
    outcomes::{Attempted, Failure, Outcomes},
    targets::Refused,
    turns::{Turn, turn},
};
use crate::{WorkerSettings, pause::BACK_OFF};

/// When a delivery is looked at again that waits for an event to be dispatched.
const GAP_WAIT: TimeDelta = TimeDelta::milliseconds(100);

/// Makes attempts.
#[derive(Debug)]
pub(crate) struct Courier {
    store: Store,
    client: Client,
    outcomes: Outcomes,
    gaps: Gaps,
    public_url: String,
    call_timeout: Duration,
    breaker_wait: Duration,
}

/// How an endpoint wants its pushes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Manner {
    /// Each waits until the one before it has arrived.
    pub(crate) ordered: bool,
    /// So many events at a time, at most.
    pub(crate) batch: usize,
    /// Whether it has ever answered with 2xx at its present address.
    pub(crate) verified: bool,
}

impl Manner {
    pub(crate) const PLAIN: Self = Self { ordered: false, batch: 1, verified: true };

    fn of(endpoint: &Endpoint) -> Self {
        let Endpoint { webhook, .. } = endpoint;
        let batch = usize::try_from(webhook.batch).unwrap_or(1).max(1);
        Self { ordered: webhook.ordered, batch, verified: webhook.verified_at.is_some() }
    }
}

/// What came of some deliveries of one endpoint.
#[derive(Debug)]
pub(crate) struct Done {
    /// What the attempt says of the endpoint.
    pub(crate) verdict: Verdict,
    /// How it wants its pushes, where that was looked at.
    pub(crate) manner: Option<Manner>,
    /// When the first of them is tried again.
    pub(crate) next_at: Option<DateTime<Utc>>,
    /// Those that were not tried. They are this process's still.
    pub(crate) left: Vec<Delivery>,
    /// Those left wait for another delivery, which is tried then at the latest.
    pub(crate) blocked_until: Option<DateTime<Utc>>,
    /// Whether the database failed before anything was sent: all of them are to be tried once it is back.
    pub(crate) failed: bool,
    /// What was claimed for this attempt and, because the database failed, not tried; with the end of its lease.
    pub(crate) untried: LetGo,
    /// Their target has had as many pushes as it may have for now: they are put off until then.
    pub(crate) put_off: Option<(DateTime<Utc>, Vec<DeliveryId>)>,
}

impl Done {
    /// Nothing was done. Deliveries that are not left are taken up again when their lease is over.
    pub(crate) fn nothing() -> Self {
        Self {
            verdict: Verdict::Silent,
            manner: None,
            next_at: None,
            left: vec![],
            blocked_until: None,
            failed: false,
            untried: vec![],
            put_off: None,
        }
    }
}

impl Courier {
    pub(crate) fn new(store: Store, client: Client, settings: WorkerSettings) -> Self {
        let WorkerSettings { public_url, retry_schedule, call_timeout, breaker_wait, .. } = settings;
        let outcomes = Outcomes::new(store.clock().clone(), retry_schedule);
        Self { store, client, outcomes, gaps: Gaps::default(), public_url, call_timeout, breaker_wait }
    }

    /// How long an attempt may take at most, with what the database takes before and after.
    pub(crate) fn needed(&self) -> Duration {
        self.call_timeout + Duration::from_secs(7)
    }

    /// How long an endpoint that keeps failing is left alone at first.
    pub(crate) fn breaker_wait(&self) -> Duration {
        self.breaker_wait
    }

    /// How the endpoint wants its pushes, and its breaker in the database.
    pub(crate) async fn manner(&self, delivery: &Delivery) -> Result<(Manner, StoredBreaker), StoreError> {
        let endpoint = self.store.endpoint(delivery.webhook_id).await?;
        let breaker = self.store.stored_breaker(delivery.webhook_id).await?;
        Ok((endpoint.map_or(Manner::PLAIN, |endpoint| Manner::of(&endpoint)), breaker))
    }

    /// Makes one push of the first of these deliveries, all of one endpoint and in the order of the log, and comes back
    /// when the outcome is committed. Where the database fails before anything is sent, nothing has happened.
    pub(crate) async fn deliver(&self, deliveries: Vec<Delivery>) -> Done {
        let mut claimed = None;
        match self.try_to_deliver(deliveries, &mut claimed).await {
            Ok(done) => done,
            Err(error) => {
                tracing::warn!(%error, "deliveries were not tried");
                Done { failed: true, untried: claimed.into_iter().collect(), ..Done::nothing() }
            }
        }
    }

    async fn try_to_deliver(
        &self,
        deliveries: Vec<Delivery>,
        claimed: &mut Option<(DeliveryId, Instant)>,
    ) -> Result<Done, StoreError> {
        let Some(first) = deliveries.first() else { return Ok(Done::nothing()) };
        let endpoint = self.store.endpoint(first.webhook_id).await?;
        let Some((endpoint, url)) = endpoint.as_ref().and_then(|endpoint| Some((endpoint, endpoint.target()?))) else {
            self.record(deliveries.iter().map(|delivery| self.outcomes.cancelled(delivery)).collect()).await;
            return Ok(Done::nothing());
        };
        let manner = Manner::of(endpoint);
        let (in_turn, mut left, blocked_until) =
            if manner.ordered { self.in_turn(deliveries, manner, claimed).await? } else { (deliveries, vec![], None) };
        if in_turn.is_empty() {
            return Ok(Done { manner: Some(manner), left, blocked_until, ..Done::nothing() });
        }
        let permit = match self.client.admit(url, manner.verified).await {
            Ok(permit) => permit,
            Err(Refused { wait }) => {
                let ids = in_turn.iter().chain(&left).map(|delivery| delivery.id).collect();
                let put_off = Some((self.store.clock().after(wait), ids));
                return Ok(Done { manner: Some(manner), put_off, ..Done::nothing() });
            }
        };
        let (letter, sorted) = letters::write(&self.store, in_turn, manner.batch, &self.public_url).await?;
        let Sorted { sent, gone, damaged, left: more } = sorted;
        left.splice(0..0, more);
        let mut outcomes: Vec<_> = gone.iter().map(|delivery| self.outcomes.cancelled(delivery)).collect();
        outcomes.extend(damaged.iter().map(|delivery| self.outcomes.of(delivery, &self.damaged())));
        let mut verdict = Verdict::Silent;
        let mut reason = None;
        if let Some(letter) = letter {
            let previous = self.previous(&sent).await?;
            let mut attempted = self.attempt(endpoint, url, &letter, (&sent, previous)).await;
            attempted.gone = attempted.says_gone() && self.still_leads(endpoint.webhook.id, url).await;
            verdict = attempted.verdict();
            reason = attempted.gone.then_some(DisabledReason::Gone);
            outcomes.extend(sent.iter().map(|delivery| self.outcomes.of(delivery, &attempted)));
        }
        let next_at =
            outcomes.iter().filter(|outcome| outcome.settled_at.is_none()).map(|outcome| outcome.next_at).min();
        drop(permit);
        let webhook_id = endpoint.webhook.id;
        self.record(outcomes).await;
        if verdict == Verdict::Works {
            self.client.works(url);
            if !manner.verified {
                self.verify(webhook_id, url).await;
            }
        }
        if verdict == Verdict::Fails {
            let longest = if manner.verified { FAILING_MAX } else { UNVERIFIED_MAX };
            self.give_up(webhook_id, url, reason, longest).await;
        }
        Ok(Done { verdict, manner: Some(manner), next_at, left, blocked_until, ..Done::nothing() })
    }

    /// Of an ordered endpoint's deliveries, those that nothing earlier is waiting before, in whatever process, nor is yet to
    /// be enqueued. An earlier one that is due is claimed here: it would find no room among those that wait for it.
    async fn in_turn(
        &self,
        deliveries: Vec<Delivery>,
        manner: Manner,
        claimed: &mut Option<(DeliveryId, Instant)>,
    ) -> Result<(Vec<Delivery>, Vec<Delivery>, Option<DateTime<Utc>>), StoreError> {
        let Some(webhook_id) = deliveries.first().map(|delivery| delivery.webhook_id) else {
            return Ok((vec![], vec![], None));
        };
        let limit = i64::try_from(manner.batch).unwrap_or(1);
        // Asked before what is pending is read: what was enqueued until then is seen there.
        let last = deliveries.iter().map(|delivery| delivery.position).max().unwrap_or(0);
        let gap = self.gaps.first_before(&self.store, last).await?;
        let (pending, now) = (self.store.first_pending(webhook_id, limit).await?, self.store.clock().now());
        let mut next = turn(deliveries, &pending, now);
        if let Turn::Claim(id, mut held) = next {
            let until = Instant::now() + LEASE;
            let Some(head) = self.store.claim_one(LEASE, id).await? else {
                // Another process was faster.
                return Ok((vec![], held, Some(now)));
            };
            *claimed = Some((id, until));
            held.insert(0, head);
            next = turn(held, &pending, now);
        }
        Ok(match next {
            Turn::Send { mut first, mut left } => {
                let mut waiting = first.split_off(first.partition_point(|it| gap.is_none_or(|gap| it.position < gap)));
                waiting.append(&mut left);
                let blocked_until = (first.is_empty() && !waiting.is_empty()).then_some(now + GAP_WAIT);
                (first, waiting, blocked_until)
            }
            Turn::Wait(until, held) => (vec![], held, Some(until)),
            Turn::Claim(_, held) => (vec![], held, Some(now)),
        })
    }

    /// Calls for these deliveries, behind the one that was enqueued before them.
    async fn attempt(
        &self,
        endpoint: &Endpoint,
        url: &str,
        letter: &Letter,
        (sent, previous): (&[Delivery], Option<i64>),
    ) -> Attempted {
        let (started_at, timer) = (self.store.clock().now(), Instant::now());
        let answer = self.call(endpoint, url, letter, (sent, previous), started_at).await;
        let took = timer.elapsed();
        metrics::histogram!("buildtrack_webhook_attempt_seconds").record(took);
        // What answers several events could not be taken back together with one of them.
        Attempted { started_at, took, answer, keeps_body: sent.len() == 1, gone: false }
    }

    async fn call(
        &self,
        endpoint: &Endpoint,
        url: &str,
        letter: &Letter,
        (sent, previous): (&[Delivery], Option<i64>),
        now: DateTime<Utc>,
    ) -> Result<Answer, Failure> {
        let (secret, next_secret) = endpoint.webhook.secrets(now);
        let open = |sealed: &str| self.store.secret().open(sealed).map_err(|_| Failure::Damaged);
        let (secret, next_secret) = (open(secret)?, next_secret.map(open).transpose()?);
        let expires = sent.iter().map(|delivery| self.outcomes.expires_at(delivery, now)).min();
        let signed = Signed {
            secret: &secret,
            next_secret: next_secret.as_deref(),
            body: &letter.body,
            event: letter.event,
            delivery: &letter.id,
            attempt: sent.iter().map(|delivery| delivery.attempts + 1).max().unwrap_or(1),
            sequence: sent.last().map(|delivery| delivery.position),
            previous,
            timestamp: now.timestamp(),
            expires: expires.map(|expires| expires.timestamp()),
            events: &letter.events,
        };
        Ok(self.client.post(url, signed).await?)
    }

    /// The database is asked only where the delivery was handed over without it.
    async fn previous(&self, sent: &[Delivery]) -> Result<Option<i64>, StoreError> {
        match sent.first().map(|first| (first.id, first.previous)) {
            Some((_, Some(previous))) => Ok(previous),
            Some((id, None)) => self.store.previous(id).await,
            None => Ok(None),
        }
    }

    fn damaged(&self) -> Attempted {
        let started_at = self.store.clock().now();
        Attempted { started_at, took: Duration::ZERO, answer: Err(Failure::Damaged), keeps_body: false, gone: false }
    }

    /// Whether the endpoint has the address still that was called. Where the database cannot tell, so it is taken to be:
    /// who disables it looks again.
    async fn still_leads(&self, webhook_id: WebhookId, url: &str) -> bool {
        let webhook = self.store.webhook(webhook_id).await.ok().flatten();
        webhook.is_none_or(|webhook| webhook.url.as_deref() == Some(url))
    }

    /// Disables an endpoint for the reason, or where it has been failing for too long, unless it leads elsewhere by now.
    async fn give_up(&self, webhook_id: WebhookId, url: &str, reason: Option<DisabledReason>, longest: Duration) {
        let disabled = async {
            let failing_since = self.store.failing_since(webhook_id).await?;
            let failing = failing_since.and_then(|since| (self.store.clock().now() - since).to_std().ok());
            let too_long = failing.filter(|failing| *failing >= longest).map(|_| DisabledReason::Failing);
            match reason.or(too_long) {
                Some(reason) => disable(&self.store, webhook_id, reason, Some(url)).await,
                None => Ok(()),
            }
        };
        // The next failure tries it again.
        if let Err(error) = disabled.await {
            tracing::warn!(webhook = %webhook_id, %error, "an endpoint could not be disabled");
        }
    }

    /// Notes that the endpoint wants pushes. Where that cannot be written, its next success is noted.
    async fn verify(&self, webhook_id: WebhookId, url: &str) {
        if let Err(error) = self.store.verify_endpoint(webhook_id, url).await {
            tracing::warn!(webhook = %webhook_id, %error, "an endpoint's first answer is not noted yet");
        }
    }

    /// Writes outcomes down, however long the database takes to come back. Those of attempts that end together share a
    /// commit, as all writes of the store do.
    async fn record(&self, outcomes: Vec<Outcome>) {
        while !outcomes.is_empty() {
            match self.store.keep(vec![Kept::Outcomes(outcomes.clone())]).await {
                Ok(()) | Err(StoreError::Closed) => return,
                Err(error) => {
                    tracing::warn!(%error, "outcomes are not recorded yet; trying again");
                    tokio::time::sleep(BACK_OFF).await;
                }
            }
        }
    }
}
