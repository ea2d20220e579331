//! One delivery, tried once: what is sent, and what becomes of it.

use std::time::Duration;

use buildtrack_domain::webhooks::RetrySchedule;
use buildtrack_store::{Attempt, Delivery, DeliveryStatus, Kept, Outcome, Store, StoreError, clock::jitter};
use chrono::{DateTime, Utc};
use reqwest::StatusCode;
use tokio::time::Instant;

use super::{
    client::{Client, PostError, Signed},
    push_of,
};
use crate::{WorkerSettings, pause::BACK_OFF};

/// Makes attempts.
#[derive(Debug)]
pub(crate) struct Courier {
    store: Store,
    client: Client,
    public_url: String,
    retry_schedule: RetrySchedule,
    call_timeout: Duration,
}

/// What is sent, where to. The body is made anew for each attempt, so that a redaction reaches what is queued.
struct Letter {
    url: String,
    secret: String,
    body: String,
}

/// Why an attempt was no success.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
enum Failure {
    /// The call has no answer.
    #[error(transparent)]
    Post(#[from] PostError),
    /// The event or the secret cannot be read; an operator may mend that.
    #[error("what is to be sent cannot be read")]
    Damaged,
}

impl Courier {
    pub(crate) fn new(store: Store, client: Client, settings: WorkerSettings) -> Self {
        let WorkerSettings { public_url, retry_schedule, call_timeout, .. } = settings;
        Self { store, client, public_url, retry_schedule, call_timeout }
    }

    /// How long an attempt may take at most, with what the database takes before and after.
    pub(crate) fn needed(&self) -> Duration {
        self.call_timeout + Duration::from_secs(5)
    }

    /// Makes one attempt and comes back when its outcome is durable; gives the time of the next one. Where the database
    /// fails before anything is sent, nothing has happened: the delivery is taken up again when its lease is over.
    pub(crate) async fn deliver(&self, delivery: &Delivery) -> Option<DateTime<Utc>> {
        let outcome = match self.letter(delivery).await {
            Ok(Some(letter)) => self.attempt(delivery, &letter).await,
            Ok(None) => self.cancelled(delivery),
            Err(StoreError::Damaged(error)) => {
                tracing::error!(delivery = %delivery.id, error, "a delivery cannot be put into words");
                self.outcome(delivery, self.store.clock().now(), Duration::ZERO, Err(Failure::Damaged))
            }
            Err(error) => {
                tracing::warn!(delivery = %delivery.id, %error, "a delivery was not tried");
                return None;
            }
        };
        let next_at = (outcome.status == DeliveryStatus::Pending).then_some(outcome.next_at);
        self.record(outcome).await;
        next_at
    }

    /// What there is to send; nothing where the event was redacted or the endpoint is gone.
    async fn letter(&self, delivery: &Delivery) -> Result<Option<Letter>, StoreError> {
        let Some(webhook) = self.store.webhook(delivery.webhook_id).await? else { return Ok(None) };
        let Some(url) = webhook.url else { return Ok(None) };
        if !self.store.agent(delivery.agent_id).await?.is_some_and(|agent| agent.active) {
            return Ok(None);
        }
        let Some(recorded) = self.store.recorded_at(delivery.position).await? else { return Ok(None) };
        let Some(push) = recorded.event.as_ref().and_then(push_of) else { return Ok(None) };
        let body = push.body(delivery.agent_id, recorded.recorded_at, &self.public_url);
        Ok(Some(Letter { url, secret: self.store.secret().open(&webhook.secret_sealed)?, body }))
    }

    async fn attempt(&self, delivery: &Delivery, Letter { url, secret, body }: &Letter) -> Outcome {
        let (started_at, timer) = (self.store.clock().now(), Instant::now());
        let id = delivery.id.to_string();
        let (push_type, attempt) = (delivery.push_type, delivery.attempts + 1);
        let answer = self.client.post(url, Signed { secret, body, push_type, delivery: &id, attempt }).await;
        let took = timer.elapsed();
        metrics::histogram!("buildtrack_webhook_attempt_seconds").record(took);
        self.outcome(delivery, started_at, took, answer.map_err(Failure::from))
    }

    fn outcome(
        &self,
        delivery: &Delivery,
        started_at: DateTime<Utc>,
        took: Duration,
        answer: Result<StatusCode, Failure>,
    ) -> Outcome {
        let number = delivery.attempts + 1;
        let delivered = answer.as_ref().is_ok_and(StatusCode::is_success);
        let wait = self.retry_schedule.wait(u32::try_from(number).unwrap_or(u32::MAX), jitter());
        let (status, next_at, told) = match wait {
            _ if delivered => (DeliveryStatus::Delivered, None, "delivered"),
            Some(wait) => (DeliveryStatus::Pending, Some(self.store.clock().after(wait)), "retry"),
            None => (DeliveryStatus::Failed, None, "failed"),
        };
        metrics::counter!("buildtrack_webhook_attempts_total", "outcome" => told).increment(1);
        let now = self.store.clock().now();
        Outcome {
            delivery_id: delivery.id,
            attempt: Attempt {
                number,
                started_at,
                duration_ms: i64::try_from(took.as_millis()).unwrap_or(i64::MAX),
                status_code: answer.as_ref().ok().map(|status| i64::from(status.as_u16())),
                error: answer.err().map(|error| error.to_string()),
            },
            status,
            next_at: next_at.unwrap_or(now),
            settled_at: next_at.is_none().then_some(now),
        }
    }

    /// Nothing is sent: the number stays that of the last attempt, or 0.
    fn cancelled(&self, delivery: &Delivery) -> Outcome {
        metrics::counter!("buildtrack_webhook_attempts_total", "outcome" => "cancelled").increment(1);
        let now = self.store.clock().now();
        Outcome {
            delivery_id: delivery.id,
            attempt: Attempt {
                number: delivery.attempts,
                started_at: now,
                duration_ms: 0,
                status_code: None,
                error: Some("nothing to send any more".into()),
            },
            status: DeliveryStatus::Cancelled,
            next_at: now,
            settled_at: Some(now),
        }
    }

    /// Writes an outcome down, however long the database takes to come back. Those of attempts that end together share
    /// a commit, as all writes of the store do.
    async fn record(&self, outcome: Outcome) {
        loop {
            match self.store.keep(vec![Kept::Outcomes(vec![outcome.clone()])]).await {
                Ok(()) | Err(StoreError::Closed) => return,
                Err(error) => {
                    tracing::warn!(delivery = %outcome.delivery_id, %error, "an outcome is not recorded yet; trying again");
                    tokio::time::sleep(BACK_OFF).await;
                }
            }
        }
    }
}
