//! What an attempt means for its deliveries: settled, to be tried again and when, or given up.

use std::time::Duration;

use buildtrack_domain::webhooks::RetrySchedule;
use buildtrack_store::{
    Attempt, Delivery, DeliveryStatus, Outcome, Verdict,
    clock::{Clock, jitter},
};
use chrono::{DateTime, Utc};
use reqwest::StatusCode;

use super::client::{Answer, PostError};

/// Why an attempt was no success.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Failure {
    /// The call has no answer.
    #[error(transparent)]
    Post(#[from] PostError),
    /// The event or the secret cannot be read; an operator may mend that.
    #[error("what is to be sent cannot be read")]
    Damaged,
}

/// An attempt that was made.
#[derive(Debug)]
pub(crate) struct Attempted {
    pub(crate) started_at: DateTime<Utc>,
    pub(crate) took: Duration,
    pub(crate) answer: Result<Answer, Failure>,
    /// Whether the answer's body may be kept.
    pub(crate) keeps_body: bool,
    /// Whether nobody is there any more, where the endpoint leads now.
    pub(crate) gone: bool,
}

impl Attempted {
    fn arrived(&self) -> bool {
        self.answer.as_ref().is_ok_and(|answer| answer.status.is_success())
    }

    /// Whether it was answered with 410.
    pub(crate) fn says_gone(&self) -> bool {
        self.status() == Some(StatusCode::GONE)
    }

    fn status(&self) -> Option<StatusCode> {
        self.answer.as_ref().ok().map(|answer| answer.status)
    }

    /// What it says of the endpoint.
    pub(crate) fn verdict(&self) -> Verdict {
        match &self.answer {
            Ok(answer) if answer.status.is_success() => Verdict::Works,
            Err(Failure::Damaged) => Verdict::Silent,
            _ => Verdict::Fails,
        }
    }

    fn record(&self, number: i64) -> Attempt {
        let answer = self.answer.as_ref();
        Attempt {
            number,
            started_at: self.started_at,
            duration_ms: i64::try_from(self.took.as_millis()).unwrap_or(i64::MAX),
            status_code: self.status().map(|status| i64::from(status.as_u16())),
            error: answer.err().map(ToString::to_string),
            response: answer.ok().and_then(|answer| answer.body.clone()).filter(|_| self.keeps_body),
        }
    }
}

/// Decides.
#[derive(Debug)]
pub(crate) struct Outcomes {
    clock: Clock,
    schedule: RetrySchedule,
}

impl Outcomes {
    pub(crate) fn new(clock: Clock, schedule: RetrySchedule) -> Self {
        Self { clock, schedule }
    }

    /// Until when a delivery is tried whose next attempt is made now: the schedule begins with its first one.
    pub(crate) fn expires_at(&self, delivery: &Delivery, now: DateTime<Utc>) -> DateTime<Utc> {
        delivery.expires_at.unwrap_or(now + self.schedule.whole())
    }

    /// What the attempt means for one of the deliveries it was made of.
    pub(crate) fn of(&self, delivery: &Delivery, attempted: &Attempted) -> Outcome {
        let step = delivery.step + i64::from(!attempted.arrived());
        let wait = self.schedule.wait(u32::try_from(step).unwrap_or(u32::MAX), jitter()).filter(|_| !attempted.gone);
        let asked = attempted.answer.as_ref().ok().and_then(|answer| answer.retry_after).unwrap_or_default();
        let (status, next_at, told) = match wait {
            _ if attempted.arrived() => (DeliveryStatus::Delivered, None, "delivered"),
            Some(wait) => (DeliveryStatus::Pending, Some(self.clock.after(wait.max(asked))), "retry"),
            None => (DeliveryStatus::Failed, None, "failed"),
        };
        metrics::counter!("buildtrack_webhook_attempts_total", "outcome" => told).increment(1);
        let now = self.clock.now();
        Outcome {
            delivery_id: delivery.id,
            webhook_id: delivery.webhook_id,
            attempt: Some(attempted.record(delivery.attempts + 1)),
            verdict: attempted.verdict(),
            step,
            status,
            next_at: next_at.unwrap_or(now),
            expires_at: next_at.map(|next_at| self.expires_at(delivery, attempted.started_at).max(next_at)),
            settled_at: next_at.is_none().then_some(now),
        }
    }

    /// Nothing is sent any more.
    pub(crate) fn cancelled(&self, delivery: &Delivery) -> Outcome {
        metrics::counter!("buildtrack_webhook_attempts_total", "outcome" => "cancelled").increment(1);
        let now = self.clock.now();
        Outcome {
            delivery_id: delivery.id,
            webhook_id: delivery.webhook_id,
            attempt: None,
            verdict: Verdict::Silent,
            step: delivery.step,
            status: DeliveryStatus::Cancelled,
            next_at: now,
            expires_at: None,
            settled_at: Some(now),
        }
    }
}
