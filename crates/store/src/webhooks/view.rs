//! A webhook endpoint as it is stored, and the rotation of its secret.

use buildtrack_domain::{
    ids::{AgentId, WebhookId},
    webhooks::{DisabledReason, Filter, PushType},
};
use chrono::{DateTime, Utc};

/// A webhook endpoint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebhookView {
    /// The endpoint's id.
    pub id: WebhookId,
    /// The agent that owns it.
    pub agent_id: AgentId,
    /// Whether it was added to the endpoint that its agent was registered with.
    pub further: bool,
    /// The owner's description.
    pub description: Option<String>,
    /// The address for pushes, if there is one.
    pub url: Option<String>,
    /// The subscribed event types.
    pub events: Vec<PushType>,
    /// The filter that events of these types must match.
    pub filter: Filter,
    /// Whether delivery is ordered: each push waits until the previous one has succeeded.
    pub ordered: bool,
    /// The most events in one push.
    pub batch: i64,
    /// Why the endpoint is disabled, if it is.
    pub disabled_reason: Option<DisabledReason>,
    /// When the endpoint was disabled.
    pub disabled_at: Option<DateTime<Utc>>,
    /// The current secret, sealed; see [`crate::Secret::open`] and [`WebhookView::secrets`].
    pub secret_sealed: String,
    /// The secret that replaces the current one, sealed.
    pub next_secret_sealed: Option<String>,
    /// When the next secret replaces the current one.
    pub overlap_ends_at: Option<DateTime<Utc>>,
    /// When the endpoint first responded with 2xx at its present address. Only
    /// [`Change::Verified`](super::Change::Verified) and a new address change it.
    pub verified_at: Option<DateTime<Utc>>,
}

impl WebhookView {
    /// An agent's first endpoint, which subscribes to these types without a filter.
    pub fn new(
        id: WebhookId,
        agent_id: AgentId,
        url: Option<String>,
        events: Vec<PushType>,
        secret_sealed: String,
    ) -> Self {
        Self {
            id,
            agent_id,
            further: false,
            description: None,
            url,
            events,
            filter: Filter::default(),
            ordered: false,
            batch: 1,
            disabled_reason: None,
            disabled_at: None,
            secret_sealed,
            next_secret_sealed: None,
            overlap_ends_at: None,
            verified_at: None,
        }
    }

    /// Whether the endpoint receives pushes.
    pub fn is_on(&self) -> bool {
        self.url.is_some() && self.disabled_reason.is_none()
    }

    /// The current sealed secret and, during a rotation, the next one.
    pub fn secrets(&self, now: DateTime<Utc>) -> (&str, Option<&str>) {
        match (&self.next_secret_sealed, self.overlap_ends_at) {
            (Some(next), Some(ends_at)) if now < ends_at => (&self.secret_sealed, Some(next)),
            (Some(next), _) => (next, None),
            (None, _) => (&self.secret_sealed, None),
        }
    }

    /// Rotates the secret (sealed). Both secrets are valid until the overlap ends, then only the new one.
    pub fn rotated(self, secret_sealed: String, now: DateTime<Utc>, overlap_ends_at: DateTime<Utc>) -> Self {
        if overlap_ends_at <= now {
            return Self { secret_sealed, next_secret_sealed: None, overlap_ends_at: None, ..self };
        }
        let current = self.secrets(now).0.to_owned();
        let (next_secret_sealed, overlap_ends_at) = (Some(secret_sealed), Some(overlap_ends_at));
        Self { secret_sealed: current, next_secret_sealed, overlap_ends_at, ..self }
    }

    /// Ends a rotation: only the newest secret remains valid.
    pub fn activated(self) -> Self {
        let secret_sealed = self.next_secret_sealed.unwrap_or(self.secret_sealed);
        Self { secret_sealed, next_secret_sealed: None, overlap_ends_at: None, ..self }
    }

    /// Disables the endpoint.
    pub fn disabled(self, reason: DisabledReason, now: DateTime<Utc>) -> Self {
        Self { disabled_reason: Some(reason), disabled_at: Some(now), ..self }
    }

    /// Enables the endpoint.
    pub fn enabled(self) -> Self {
        Self { disabled_reason: None, disabled_at: None, ..self }
    }
}
