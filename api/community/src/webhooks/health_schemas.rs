//! The health of an endpoint: circuit breaker state and reason.

use buildtrack_domain::webhooks::{Condition, HealthState};
use buildtrack_store::{EndpointHealth, WebhookView};
use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;

/// The health of an endpoint: the state of its circuit breaker, which all workers share.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct WebhookHealth {
    /// `closed`: pushes are sent. `open`: 5 consecutive attempts failed, and no attempt is made before `nextAttemptAt`.
    /// `half_open`: the next attempt decides. `unverified`: the endpoint has not yet answered with 2xx at its current address,
    /// and receives one push at a time until it does. `disabled`: nothing is pushed. A ping that is answered with 2xx, a resend,
    /// a replay, enabling the endpoint, a new address and a new secret close an open breaker at once.
    #[schema(example = "open")]
    pub state: String,
    /// The reason for the state, for people; null if it is `closed`.
    #[schema(example = "5 consecutive attempts failed. The last answer had the status 503.")]
    pub reason: Option<String>,
    /// The number of consecutive failed attempts.
    #[schema(example = 5)]
    pub failures: i64,
    /// The time since which no attempt has succeeded; null if the last attempt succeeded.
    pub failing_since: Option<DateTime<Utc>>,
    /// The HTTP status of the last failed attempt; null without an answer.
    #[schema(example = 503)]
    pub last_status: Option<i64>,
    /// Why the last failed attempt got no answer; null if it got one.
    pub last_error: Option<String>,
    /// The time of the next attempt; null if no delivery is pending and no breaker is open.
    pub next_attempt_at: Option<DateTime<Utc>>,
    /// The time of the first 2xx answer at the current address; null before.
    pub verified_at: Option<DateTime<Utc>>,
}

/// The condition that decides about pushes to an endpoint.
pub fn condition(webhook: &WebhookView, health: &EndpointHealth) -> Condition {
    Condition {
        disabled: !webhook.is_on(),
        verified: webhook.verified_at.is_some(),
        ordered: webhook.ordered,
        open_until: health.open_until,
        first_position: health.first_position,
    }
}

impl WebhookHealth {
    /// Builds the health at the current time.
    pub fn new(webhook: &WebhookView, health: EndpointHealth, now: DateTime<Utc>) -> Self {
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
            (Some(status), _) => format!("answer had the status {status}"),
            (None, Some(error)) => format!("got no answer: {error}"),
            (None, None) => "failed".to_owned(),
        };
        format!("{failures} consecutive attempts failed. The last {last}.")
    };
    match state {
        HealthState::Closed => None,
        HealthState::Open | HealthState::HalfOpen => Some(failed()),
        HealthState::Disabled => Some(match webhook.disabled_reason {
            Some(reason) => format!("The endpoint is disabled: {}.", reason.as_str()),
            None => "The endpoint has no address.".to_owned(),
        }),
        HealthState::Unverified => {
            let unanswered =
                "The endpoint has not yet answered a push or a ping with 2xx, and receives one push at a time.";
            let failed = if health.failures > 0 { format!(" {}", failed()) } else { String::new() };
            Some(format!("{unanswered}{failed}"))
        }
    }
}
