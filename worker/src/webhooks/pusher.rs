//! Pusher: makes one attempt at a push. Selects the deliveries, calls the endpoint, and records the outcome.

use std::time::Duration;

use buildtrack_domain::{
    ids::{DeliveryId, WebhookId},
    webhooks::{DisabledReason, FAILING_MAX, UNVERIFIED_MAX},
};
use buildtrack_store::{
    Delivery, Endpoint, Outcome, Purpose, Store, StoreError, StoredBreaker, Verdict, WebhookChange,
};
use chrono::{DateTime, Utc};
use tokio::time::Instant;

use super::{
    client::{Answer, Client, Signed},
    disable,
    ordering::{OrderedDelivery, Split},
    outcomes::{Attempted, Failure, Outcomes},
    payloads::{self, Payload, Sorted},
    policy::DeliveryPolicy,
    push_result::PushResult,
};
use crate::{
    WorkerSettings,
    outbound::{Permit, Refused},
    pause::BACK_OFF,
};

/// Makes attempts.
#[derive(Debug)]
pub(crate) struct Pusher {
    store: Store,
    client: Client,
    outcomes: Outcomes,
    ordering: OrderedDelivery,
    public_url: String,
    call_timeout: Duration,
    breaker_wait: Duration,
}

/// An endpoint that can be called.
#[derive(Debug, Clone, Copy)]
struct Target<'a> {
    endpoint: &'a Endpoint,
    url: &'a str,
    policy: DeliveryPolicy,
}

impl Pusher {
    pub(crate) fn new(store: Store, client: Client, settings: WorkerSettings) -> Self {
        let WorkerSettings { public_url, retry_schedule, call_timeout, breaker_wait, .. } = settings;
        let outcomes = Outcomes::new(store.log().clock().clone(), retry_schedule);
        let ordering = OrderedDelivery::new(store.clone());
        Self { store, client, outcomes, ordering, public_url, call_timeout, breaker_wait }
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
        let endpoint = self.store.webhooks().endpoint(delivery.webhook_id).await?;
        let breaker = self.store.webhooks().stored_breaker(delivery.webhook_id).await?;
        Ok((endpoint.map_or(DeliveryPolicy::PLAIN, |endpoint| DeliveryPolicy::of(&endpoint)), breaker))
    }

    /// Makes one push of the first of these deliveries, and returns when its outcome is committed.
    ///
    /// All deliveries must be of one endpoint and in log order. If the database fails before anything is sent, no attempt is
    /// made.
    pub(crate) async fn deliver(&self, deliveries: Vec<Delivery>) -> PushResult {
        let mut claimed = None;
        let done = self.try_to_deliver(deliveries, &mut claimed).await.unwrap_or_else(|error| {
            tracing::warn!(%error, "deliveries were not attempted");
            PushResult { failed: true, ..PushResult::nothing() }
        });
        PushResult { claimed: claimed.into_iter().collect(), ..done }
    }

    async fn try_to_deliver(
        &self,
        deliveries: Vec<Delivery>,
        claimed: &mut Option<(DeliveryId, Instant)>,
    ) -> Result<PushResult, StoreError> {
        let Some(first) = deliveries.first() else { return Ok(PushResult::nothing()) };
        let endpoint = self.store.webhooks().endpoint(first.webhook_id).await?;
        let Some((endpoint, url)) = endpoint.as_ref().and_then(|endpoint| Some((endpoint, endpoint.target()?))) else {
            self.record(deliveries.iter().map(|delivery| self.outcomes.cancelled(delivery)).collect()).await;
            return Ok(PushResult::nothing());
        };
        let policy = DeliveryPolicy::of(endpoint);
        let Split { sendable, left, blocked_until } = self.ordering.split(deliveries, policy, claimed).await?;
        if sendable.is_empty() {
            return Ok(PushResult { policy: Some(policy), left, blocked_until, ..PushResult::nothing() });
        }
        let permit = match self.client.admit(url, policy.verified).await {
            Ok(permit) => permit,
            Err(Refused { wait }) => {
                let left = [sendable, left].concat();
                return Ok(PushResult { policy: Some(policy), left, refused: Some(wait), ..PushResult::nothing() });
            }
        };
        self.push(Target { endpoint, url, policy }, permit, sendable, left).await
    }

    /// Pushes the first of these deliveries and records the outcomes. Then applies the verdict to the endpoint.
    async fn push(
        &self,
        target: Target<'_>,
        permit: Permit,
        sendable: Vec<Delivery>,
        mut left: Vec<Delivery>,
    ) -> Result<PushResult, StoreError> {
        let Target { endpoint, url, policy } = target;
        let (payload, sorted) = payloads::build(&self.store, sendable, policy.batch, &self.public_url).await?;
        let Sorted { sent, gone, damaged, left: more } = sorted;
        left.splice(0..0, more);
        let mut outcomes: Vec<_> = gone.iter().map(|delivery| self.outcomes.cancelled(delivery)).collect();
        outcomes.extend(damaged.iter().map(|delivery| self.outcomes.of(delivery, &self.damaged())));
        let (mut verdict, mut reason) = (Verdict::Silent, None);
        if let Some(payload) = payload {
            let previous = self.previous(&sent).await?;
            let mut attempted = self.attempt((target, &permit), &payload, (&sent, previous)).await;
            attempted.gone = attempted.says_gone() && self.has_address(endpoint.webhook.id, url).await;
            verdict = attempted.verdict();
            reason = attempted.gone.then_some(DisabledReason::Gone);
            outcomes.extend(sent.iter().map(|delivery| self.outcomes.of(delivery, &attempted)));
        }
        let unsettled = outcomes.iter().filter(|outcome| outcome.settled_at.is_none());
        let next_at = unsettled.map(|outcome| outcome.next_at).min();
        drop(permit);
        self.record(outcomes).await;
        self.apply(target, verdict, reason).await;
        Ok(PushResult { verdict, policy: Some(policy), next_at, left, ..PushResult::nothing() })
    }

    /// Verifies an endpoint that has answered with 2xx, and disables one that has failed for the given reason or for too long.
    async fn apply(&self, target: Target<'_>, verdict: Verdict, reason: Option<DisabledReason>) {
        let Target { endpoint, url, policy } = target;
        let webhook_id = endpoint.webhook.id;
        match verdict {
            Verdict::Works => {
                if !policy.verified {
                    self.verify(webhook_id, url).await;
                }
            }
            Verdict::Fails => {
                let longest = if policy.verified { FAILING_MAX } else { UNVERIFIED_MAX };
                self.disable_failing(webhook_id, url, reason, longest).await;
            }
            Verdict::Silent => {}
        }
    }

    /// Calls the endpoint with these deliveries. `previous` is the position of the delivery before them.
    async fn attempt(
        &self,
        target: (Target<'_>, &Permit),
        payload: &Payload,
        (sent, previous): (&[Delivery], Option<i64>),
    ) -> Attempted {
        let (started_at, timer) = (self.store.log().clock().now(), Instant::now());
        let answer = self.call(target, payload, (sent, previous), started_at).await;
        let took = timer.elapsed();
        metrics::histogram!("buildtrack_webhook_attempt_seconds").record(took);
        // A response to several events could not be redacted together with one of them.
        Attempted { started_at, took, answer, keeps_body: sent.len() == 1, gone: false }
    }

    async fn call(
        &self,
        (target, permit): (Target<'_>, &Permit),
        payload: &Payload,
        (sent, previous): (&[Delivery], Option<i64>),
        now: DateTime<Utc>,
    ) -> Result<Answer, Failure> {
        let (secret, next_secret) = target.endpoint.webhook.secrets(now);
        let open =
            |sealed: &str| self.store.log().secret().open(Purpose::WebhookSecret, sealed).map_err(|_| Failure::Damaged);
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
        Ok(self.client.post(permit, target.url, signed).await?)
    }

    /// Reads the database only if the dispatcher handed the delivery over without this position.
    async fn previous(&self, sent: &[Delivery]) -> Result<Option<i64>, StoreError> {
        match sent.first().map(|first| (first.id, first.previous)) {
            Some((_, Some(previous))) => Ok(previous),
            Some((id, None)) => self.store.webhooks().previous(id).await,
            None => Ok(None),
        }
    }

    fn damaged(&self) -> Attempted {
        let started_at = self.store.log().clock().now();
        Attempted { started_at, took: Duration::ZERO, answer: Err(Failure::Damaged), keeps_body: false, gone: false }
    }

    /// Whether the endpoint still has the address that was called. True if the database fails: `disable` checks it again.
    async fn has_address(&self, webhook_id: WebhookId, url: &str) -> bool {
        let webhook = self.store.webhooks().webhook(webhook_id).await.ok().flatten();
        webhook.is_none_or(|webhook| webhook.url.as_deref() == Some(url))
    }

    /// Disables an endpoint for the given reason, or if it has been failing for too long, unless its address has changed.
    async fn disable_failing(
        &self,
        webhook_id: WebhookId,
        url: &str,
        reason: Option<DisabledReason>,
        longest: Duration,
    ) {
        let disabled = async {
            let failing_since = self.store.webhooks().failing_since(webhook_id).await?;
            let failing = failing_since.and_then(|since| (self.store.log().clock().now() - since).to_std().ok());
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
        if let Err(error) = self.store.webhooks().verify_endpoint(webhook_id, url).await {
            tracing::warn!(webhook = %webhook_id, %error, "an endpoint's first success was not recorded; its next one is");
        }
    }

    /// Records outcomes, retrying until the database is available. Outcomes of attempts that end at the same time share a
    /// commit, as all writes of the store do.
    async fn record(&self, outcomes: Vec<Outcome>) {
        while !outcomes.is_empty() {
            match self.store.log().write_side(vec![WebhookChange::Outcomes(outcomes.clone())]).await {
                Ok(()) | Err(StoreError::Closed) => return,
                Err(error) => {
                    tracing::warn!(%error, "recording outcomes failed; the worker retries");
                    tokio::time::sleep(BACK_OFF).await;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use buildtrack_settings::Settings;
    use buildtrack_store::{Database, Secret, clock::Clock};

    use super::*;

    #[tokio::test]
    async fn a_lease_must_outlast_the_call_and_the_work_around_it() {
        let folder = tempfile::TempDir::new().unwrap();
        let database = Database::Sqlite(folder.path().join("buildtrack.sqlite"));
        let secret = Secret::new(&Secret::generate()).unwrap();
        let store = Store::open(buildtrack_store::Settings { database, secret, clock: Clock::System }).await.unwrap();
        let settings = WorkerSettings::from(&Settings::default());
        let (call, client) = (settings.call_timeout, Client::new(true, settings.call_timeout).unwrap());
        let needed = Pusher::new(store, client, settings).needed();
        assert!(needed >= call + Duration::from_secs(5), "{needed:?}");
    }
}
