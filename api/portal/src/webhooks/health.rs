//! The state of an endpoint in words: whether pushes are sent, why not, and what the owner can do.

use buildtrack_community::webhooks::health_schemas::{WebhookHealth, condition};
use buildtrack_domain::webhooks::{DisabledReason, HealthState};
use buildtrack_store::{EndpointHealth, WebhookView};
use chrono::{DateTime, Utc};

/// The state of an endpoint.
#[derive(Debug)]
pub(super) struct HealthShown {
    /// The key of a few words.
    pub(super) state: &'static str,
    /// The key of what the state means and how it ends.
    pub(super) meaning: &'static str,
    /// The class of the words.
    pub(super) tone: &'static str,
    /// Figures and times.
    pub(super) facts: WebhookHealth,
}

impl HealthShown {
    pub(super) fn of(webhook: &WebhookView, health: EndpointHealth, now: DateTime<Utc>) -> Self {
        let state = condition(webhook, &health).state(now);
        let (state, meaning, tone) = match state {
            HealthState::Closed => ("portal-webhooks-closed", "portal-webhooks-closed-meaning", "good"),
            HealthState::Open => ("portal-webhooks-open", "portal-webhooks-open-meaning", "bad"),
            HealthState::HalfOpen => ("portal-webhooks-half-open", "portal-webhooks-half-open-meaning", "bad"),
            HealthState::Unverified => ("portal-webhooks-unverified", "portal-webhooks-unverified-meaning", ""),
            HealthState::Disabled => ("portal-webhooks-disabled", disabled(webhook), ""),
        };
        Self { state, meaning, tone, facts: WebhookHealth::new(webhook, health, now) }
    }
}

fn disabled(webhook: &WebhookView) -> &'static str {
    match webhook.disabled_reason {
        Some(DisabledReason::Owner) => "portal-webhooks-disabled-owner",
        Some(DisabledReason::Gone) => "portal-webhooks-disabled-gone",
        Some(DisabledReason::Failing) => "portal-webhooks-disabled-failing",
        None => "portal-webhooks-disabled-no-address",
    }
}
