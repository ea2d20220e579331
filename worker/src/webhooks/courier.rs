//! One attempt at a push: selects the deliveries, calls the endpoint, and records the outcome.

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
    lanes::LeaseEnds,
    ordering::{NextStep, next_step},
    outcomes::{Attempted, Failure, Outcomes},
    payloads::{self, Payload, Sorted},
};
use crate::{WorkerSettings, outbound::Refused, pause::BACK_OFF};

/// When a delivery that waits for an earlier event to be dispatched is examined again.
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

/// The delivery policy of an endpoint: ordering, batching and verification.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct DeliveryPolicy {
    /// Deliveries are made one after the other, in log order.
    pub(crate) ordered: bool,
    /// Maximum number of events per push.
    pub(crate) batch: usize,
    /// Whether the endpoint has ever answered with 2xx at its current address.
    pub(crate) verified: bool,
}

impl DeliveryPolicy {
    pub(crate) const PLAIN: Self = Self { ordered: false, batch: 1, verified: true };

    fn of(endpoint: &Endpoint) -> Self {
        let Endpoint { webhook, .. } = endpoint;
        let batch = usize::try_from(webhook.batch).unwrap_or(1).max(1);
        Self { ordered: webhook.ordered, batch, verified: webhook.verified_at.is_some() }
    }
}

/// The result of an attempt for deliveries of one endpoint.
#[derive(Debug)]
pub(crate) struct Done {
    /// The effect of the attempt on the health of the endpoint.
    pub(crate) verdict: Verdict,
    /// The endpoint's delivery policy, if it was read.
    pub(crate) policy: Option<DeliveryPolicy>,
    /// When the first of the deliveries is retried.
    pub(crate) next_at: Option<DateTime<Utc>>,
    /// Deliveries that were not attempted. This process still holds their leases.
    pub(crate) left: Vec<Delivery>,
    /// The deliveries in `left` wait for an earlier one, which is attempted at this time at the latest.
    pub(crate) blocked_until: Option<DateTime<Utc>>,
    /// Whether the database failed before anything was sent: all deliveries are to be retried once it is back.
    pub(crate) failed: bool,
    /// The delivery that was claimed for this attempt and not attempted because the database failed, with the end of its
    /// lease.
    pub(crate) untried: LeaseEnds,
    /// Deliveries postponed until this time, because their target has reached its rate or concurrency limit.
    pub(crate) postponed: Option<(DateTime<Utc>, Vec<DeliveryId>)>,
}

impl Done {
    /// No attempt was made. Deliveries not in `left` become due when their leases expire.
    pub(crate) fn nothing() -> Self {
        Self {
            verdict: Verdict::Silent,
            policy: None,
            next_at: None,
            left: vec![],
            blocked_until: None,
            failed: false,
            untried: vec![],
            postponed: None,
        }
    }
}

impl Courier {
    pub(crate) fn new(store: Store, client: Client, settings: WorkerSettings) -> Self {
        let WorkerSettings { public_url, retry_schedule, call_timeout, breaker_wait, .. } = settings;
        let outcomes = Outcomes::new(store.clock().clone(), retry_schedule);
        Self { store, client, outcomes, gaps: Gaps::default(), public_url, call_timeout, breaker_wait }
    }

    /// Longest duration of an attempt, including its database access before and after the call.
    pub(crate) fn needed(&self) -> Duration {
        self.call_timeout + Duration::from_secs(7)
    }

    /// First open time of the circuit breaker.
    pub(crate) fn breaker_wait(&self) -> Duration {
        self.breaker_wait
    }

    /// The endpoint's delivery policy, and its breaker in the database.
    pub(crate) async fn policy(&self, delivery: &Delivery) -> Result<(DeliveryPolicy, StoredBreaker), StoreError> {
        let endpoint = self.store.endpoint(delivery.webhook_id).await?;
        let breaker = self.store.stored_breaker(delivery.webhook_id).await?;
        Ok((endpoint.map_or(DeliveryPolicy::PLAIN, |endpoint| DeliveryPolicy::of(&endpoint)), breaker))
    }

    /// Makes one push of the first of these deliveries, and returns when its outcome is committed.
    ///
    /// All deliveries must be of one endpoint and in log order. If the database fails before anything is sent, no attempt is
    /// made.
    pub(crate) async fn deliver(&self, deliveries: Vec<Delivery>) -> Done {
        let mut claimed = None;
        match self.try_to_deliver(deliveries, &mut claimed).await {
            Ok(done) => done,
            Err(error) => {
                tracing::warn!(%error, "deliveries were not attempted");
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
        let policy = DeliveryPolicy::of(endpoint);
        let (sendable, mut left, blocked_until) = if policy.ordered {
            self.split_ordered(deliveries, policy, claimed).await?
        } else {
            (deliveries, vec![], None)
        };
        if sendable.is_empty() {
            return Ok(Done { policy: Some(policy), left, blocked_until, ..Done::nothing() });
        }
        let permit = match self.client.admit(url, policy.verified).await {
            Ok(permit) => permit,
            Err(Refused { wait }) => {
                let ids = sendable.iter().chain(&left).map(|delivery| delivery.id).collect();
                let postponed = Some((self.store.clock().after(wait), ids));
                return Ok(Done { policy: Some(policy), postponed, ..Done::nothing() });
            }
        };
        let (payload, sorted) = payloads::build(&self.store, sendable, policy.batch, &self.public_url).await?;
        let Sorted { sent, gone, damaged, left: more } = sorted;
        left.splice(0..0, more);
        let mut outcomes: Vec<_> = gone.iter().map(|delivery| self.outcomes.cancelled(delivery)).collect();
        outcomes.extend(damaged.iter().map(|delivery| self.outcomes.of(delivery, &self.damaged())));
        let mut verdict = Verdict::Silent;
        let mut reason = None;
        if let Some(payload) = payload {
            let previous = self.previous(&sent).await?;
            let mut attempted = self.attempt(endpoint, url, &payload, (&sent, previous)).await;
            attempted.gone = attempted.says_gone() && self.has_address(endpoint.webhook.id, url).await;
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
            self.client.record_success(url);
            if !policy.verified {
                self.verify(webhook_id, url).await;
            }
        }
        if verdict == Verdict::Fails {
            let longest = if policy.verified { FAILING_MAX } else { UNVERIFIED_MAX };
            self.give_up(webhook_id, url, reason, longest).await;
        }
        Ok(Done { verdict, policy: Some(policy), next_at, left, blocked_until, ..Done::nothing() })
    }

    /// Splits the deliveries of an ordered endpoint into those without an earlier pending delivery in any process and without
    /// an earlier event that is not dispatched yet, and the rest. An earlier delivery that is due is claimed here, because the
    /// lane of waiting deliveries may have no capacity for it.
    async fn split_ordered(
        &self,
        deliveries: Vec<Delivery>,
        policy: DeliveryPolicy,
        claimed: &mut Option<(DeliveryId, Instant)>,
    ) -> Result<(Vec<Delivery>, Vec<Delivery>, Option<DateTime<Utc>>), StoreError> {
        let Some(webhook_id) = deliveries.first().map(|delivery| delivery.webhook_id) else {
            return Ok((vec![], vec![], None));
        };
        let limit = i64::try_from(policy.batch).unwrap_or(1);
        // Read before the pending deliveries, which then include every delivery that was written until now.
        let last = deliveries.iter().map(|delivery| delivery.position).max().unwrap_or(0);
        let gap = self.gaps.first_before(&self.store, last).await?;
        let (pending, now) = (self.store.first_pending(webhook_id, limit).await?, self.store.clock().now());
        let mut next = next_step(deliveries, &pending, now);
        if let NextStep::Claim(id, mut held) = next {
            let until = Instant::now() + LEASE;
            let Some(head) = self.store.claim_one(LEASE, id).await? else {
                // Another process has claimed it.
                return Ok((vec![], held, Some(now)));
            };
            *claimed = Some((id, until));
            held.insert(0, head);
            next = next_step(held, &pending, now);
        }
        Ok(match next {
            NextStep::Send { mut first, mut left } => {
                let mut waiting = first.split_off(first.partition_point(|it| gap.is_none_or(|gap| it.position < gap)));
                waiting.append(&mut left);
                let blocked_until = (first.is_empty() && !waiting.is_empty()).then_some(now + GAP_WAIT);
                (first, waiting, blocked_until)
            }
            NextStep::Wait(until, held) => (vec![], held, Some(until)),
            NextStep::Claim(_, held) => (vec![], held, Some(now)),
        })
    }

    /// Calls the endpoint with these deliveries. `previous` is the position of the delivery before them.
    async fn attempt(
        &self,
        endpoint: &Endpoint,
        url: &str,
        payload: &Payload,
        (sent, previous): (&[Delivery], Option<i64>),
    ) -> Attempted {
        let (started_at, timer) = (self.store.clock().now(), Instant::now());
        let answer = self.call(endpoint, url, payload, (sent, previous), started_at).await;
        let took = timer.elapsed();
        metrics::histogram!("buildtrack_webhook_attempt_seconds").record(took);
        // A response to several events could not be redacted together with one of them.
        Attempted { started_at, took, answer, keeps_body: sent.len() == 1, gone: false }
    }

    async fn call(
        &self,
        endpoint: &Endpoint,
        url: &str,
        payload: &Payload,
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
            body: &payload.body,
            event: payload.event,
            delivery: &payload.id,
            attempt: sent.iter().map(|delivery| delivery.attempts + 1).max().unwrap_or(1),
            sequence: sent.last().map(|delivery| delivery.position),
            previous,
            timestamp: now.timestamp(),
            expires: expires.map(|expires| expires.timestamp()),
            events: &payload.events,
        };
        Ok(self.client.post(url, signed).await?)
    }

    /// Reads the database only if the dispatcher handed the delivery over without this position.
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

    /// Whether the endpoint still has the address that was called. True if the database fails: `disable` checks it again.
    async fn has_address(&self, webhook_id: WebhookId, url: &str) -> bool {
        let webhook = self.store.webhook(webhook_id).await.ok().flatten();
        webhook.is_none_or(|webhook| webhook.url.as_deref() == Some(url))
    }

    /// Disables an endpoint for the given reason, or if it has been failing for too long, unless its address has changed.
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
        // The next failure retries this.
        if let Err(error) = disabled.await {
            tracing::warn!(webhook = %webhook_id, %error, "an endpoint could not be disabled");
        }
    }

    /// Records that the endpoint has answered with 2xx. If that fails, its next success is recorded.
    async fn verify(&self, webhook_id: WebhookId, url: &str) {
        if let Err(error) = self.store.verify_endpoint(webhook_id, url).await {
            tracing::warn!(webhook = %webhook_id, %error, "an endpoint's first success was not recorded; its next one is");
        }
    }

    /// Records outcomes, retrying until the database is available. Outcomes of attempts that end at the same time share a
    /// commit, as all writes of the store do.
    async fn record(&self, outcomes: Vec<Outcome>) {
        while !outcomes.is_empty() {
            match self.store.keep(vec![Kept::Outcomes(outcomes.clone())]).await {
                Ok(()) | Err(StoreError::Closed) => return,
                Err(error) => {
                    tracing::warn!(%error, "recording outcomes failed; the worker retries");
                    tokio::time::sleep(BACK_OFF).await;
                }
            }
        }
    }
}
