//! Outcomes of attempts: a delivery is settled, retried at a given time, or given up.

use std::time::Duration;

use buildtrack_domain::webhooks::RetrySchedule;
use buildtrack_store::{
    Attempt, Delivery, DeliveryStatus, Outcome, Verdict,
    clock::{Clock, jitter},
};
use chrono::{DateTime, Utc};
use reqwest::StatusCode;

use super::client::Answer;
use crate::outbound::CallError;

/// Why an attempt failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Failure {
    /// The call has no response.
    #[error(transparent)]
    Call(#[from] CallError),
    /// The event or the secret cannot be read. An operator may repair it.
    #[error("the event or the secret of the push cannot be read")]
    Damaged,
}

/// A finished attempt.
#[derive(Debug)]
pub(crate) struct Attempted {
    pub(crate) started_at: DateTime<Utc>,
    pub(crate) took: Duration,
    pub(crate) answer: Result<Answer, Failure>,
    /// Whether the response body may be stored.
    pub(crate) keeps_body: bool,
    /// Whether the endpoint answered 410 Gone and still has the address that was called.
    pub(crate) gone: bool,
}

impl Attempted {
    fn arrived(&self) -> bool {
        self.answer.as_ref().is_ok_and(|answer| answer.status.is_success())
    }

    /// Whether the status is 410 Gone.
    pub(crate) fn says_gone(&self) -> bool {
        self.status() == Some(StatusCode::GONE)
    }

    /// The status of the response, if there is one.
    pub(crate) fn status(&self) -> Option<StatusCode> {
        self.answer.as_ref().ok().map(|answer| answer.status)
    }

    /// The effect of the attempt on the health of the endpoint.
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

/// Derives outcomes from attempts.
#[derive(Debug)]
pub(crate) struct Outcomes {
    clock: Clock,
    schedule: RetrySchedule,
}

impl Outcomes {
    pub(crate) fn new(clock: Clock, schedule: RetrySchedule) -> Self {
        Self { clock, schedule }
    }

    /// When the retries of a delivery end if it is attempted now. The retry schedule starts with the first attempt.
    pub(crate) fn expires_at(&self, delivery: &Delivery, now: DateTime<Utc>) -> DateTime<Utc> {
        delivery.expires_at.unwrap_or(now + self.schedule.whole())
    }

    /// The outcome of the attempt for one of its deliveries.
    pub(crate) fn of(&self, delivery: &Delivery, attempted: &Attempted) -> Outcome {
        let step = delivery.step + i64::from(!attempted.arrived());
        let wait = self.schedule.wait(u32::try_from(step).unwrap_or(u32::MAX), jitter()).filter(|_| !attempted.gone);
        let asked = attempted.answer.as_ref().ok().and_then(|answer| answer.retry_after).unwrap_or_default();
        let (status, next_at, label) = match wait {
            _ if attempted.arrived() => (DeliveryStatus::Delivered, None, "delivered"),
            Some(wait) => (DeliveryStatus::Pending, Some(self.clock.after(wait.max(asked))), "retry"),
            None => (DeliveryStatus::Failed, None, "failed"),
        };
        metrics::counter!("buildtrack_webhook_attempts_total", "outcome" => label).increment(1);
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

    /// The outcome of a delivery that is not sent any more.
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
