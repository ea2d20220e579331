//! Whether an endpoint works, in words.

use buildtrack_domain::webhooks::{Condition, HealthState};
use buildtrack_store::{EndpointHealth, WebhookView};
use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;

/// Whether an endpoint works: its circuit breaker, as all workers share it.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct WebhookHealth {
    /// `closed`: it is pushed to. `open`: it failed 5 times in a row, and nothing is tried before `nextAttemptAt`.
    /// `half_open`: the next attempt decides. `unverified`: it has never answered with 2xx at its present address, and gets
    /// one push at a time until it does. `disabled`: nothing is pushed to it. A ping that is answered with 2xx, a resend, a
    /// replay, enabling it, a new address and a new secret close an open breaker at once.
    #[schema(example = "open")]
    pub state: String,
    /// Why, in words; null where it is closed.
    #[schema(example = "5 attempts in a row failed; the last one was answered with 503.")]
    pub reason: Option<String>,
    /// Attempts that failed in a row.
    #[schema(example = 5)]
    pub failures: i64,
    /// Since when there has been no success; null where the last attempt succeeded.
    pub failing_since: Option<DateTime<Utc>>,
    /// What the last attempt that failed was answered; null where it has no answer.
    #[schema(example = 503)]
    pub last_status: Option<i64>,
    /// Why the last attempt that failed has no answer; null where it has one.
    pub last_error: Option<String>,
    /// When something is tried next; null where nothing waits and no breaker is open.
    pub next_attempt_at: Option<DateTime<Utc>>,
    /// When it first answered with 2xx at its present address; null before.
    pub verified_at: Option<DateTime<Utc>>,
}

/// What decides about an endpoint's pushes.
pub(crate) fn condition(webhook: &WebhookView, health: &EndpointHealth) -> Condition {
    Condition {
        disabled: !webhook.is_on(),
        verified: webhook.verified_at.is_some(),
        ordered: webhook.ordered,
        open_until: health.open_until,
        first_position: health.first_position,
    }
}

impl WebhookHealth {
    /// As it is now.
    pub(crate) fn new(webhook: &WebhookView, health: EndpointHealth, now: DateTime<Utc>) -> Self {
        let state = condition(webhook, &health).state(now);
        let next_attempt_at = match state {
            HealthState::Disabled => None,
            HealthState::Open => health.open_until,
            _ => health.next_at,
        };
        Self {
            state: state.as_str().to_owned(),
            reason: reason(state, webhook, &health),
            failures: health.failures,
            failing_since: health.failing_since,
            last_status: health.last_status.filter(|_| health.failures > 0),
            last_error: health.last_error.filter(|_| health.failures > 0),
            next_attempt_at,
            verified_at: webhook.verified_at,
        }
    }
}

fn reason(state: HealthState, webhook: &WebhookView, health: &EndpointHealth) -> Option<String> {
    let failed = || {
        let EndpointHealth { failures, last_status, last_error, .. } = health;
        let last = match (last_status, last_error) {
            (Some(status), _) => format!("was answered with {status}"),
            (None, Some(error)) => format!("has no answer: {error}"),
            (None, None) => "failed".to_owned(),
        };
        format!("{failures} attempts in a row failed; the last one {last}.")
    };
    match state {
        HealthState::Closed => None,
        HealthState::Open | HealthState::HalfOpen => Some(failed()),
        HealthState::Disabled => Some(match webhook.disabled_reason {
            Some(reason) => format!("It is disabled: {}.", reason.as_str()),
            None => "It has no address.".to_owned(),
        }),
        HealthState::Unverified => {
            let unanswered = "It has not answered a push or a ping with 2xx yet, and gets one push at a time.";
            let failed = if health.failures > 0 { format!(" {}", failed()) } else { String::new() };
            Some(format!("{unanswered}{failed}"))
        }
    }
}
