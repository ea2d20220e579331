//! An agent's webhook endpoint. Its address, description and secrets are in side tables, never on the log.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::{Filter, PushType};
use crate::{
    decide::State,
    event::{event_set, unlisted_events},
    ids::{AgentId, WebhookId},
    words,
};

event_set! {
    /// The events of an endpoint; stream `wh_…`.
    pub enum WebhookEvent: Cached {
        /// The agent's first endpoint was created at registration, with a secret.
        Registered(WebhookRegistered) = "webhook.registered", Private, [];
        /// A further endpoint was created, with a secret.
        Added(WebhookAdded) = "webhook.added", Private, [];
        /// Its address or its event types changed.
        Changed(WebhookChanged) = "webhook.changed", Private, [];
        /// Its address, description or settings changed.
        ChangedV2(WebhookChangedV2) = "webhook.changed.v2", Private, [];
        /// Pushes to it were disabled.
        Disabled(WebhookDisabled) = "webhook.disabled", Private, [Essential];
        /// Pushes to it were enabled.
        Enabled(WebhookEnabled) = "webhook.enabled", Private, [];
        /// It has a new secret. The old one stays valid during an overlap period.
        SecretRotated(WebhookSecretRotated) = "webhook.secret_rotated", Private, [];
        /// The old secret became invalid; only the new one is valid.
        SecretActivated(WebhookSecretActivated) = "webhook.secret_activated", Private, [];
        /// It was deleted.
        Deleted(WebhookDeleted) = "webhook.deleted", Private, [Essential];
    }
}

unlisted_events!(WebhookEvent);

/// The subscription of an endpoint: event types, filter and delivery settings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WebhookSettings {
    /// The event types.
    pub events: Vec<PushType>,
    /// Restricts the events of these types.
    pub filter: Filter,
    /// Whether deliveries are ordered: each push waits until the previous one succeeded.
    pub ordered: bool,
    /// The maximum number of events in one push.
    pub batch: i64,
}

impl WebhookSettings {
    /// Settings for all events of these types: unordered, one event per push.
    pub fn all_of(events: Vec<PushType>) -> Self {
        Self { events, filter: Filter::default(), ordered: false, batch: 1 }
    }
}

impl Default for WebhookSettings {
    fn default() -> Self {
        Self::all_of(vec![])
    }
}

words! {
    /// The reason why an endpoint is disabled.
    pub enum DisabledReason {
        /// The owner or the agent disabled it.
        Owner = "owner",
        /// It answered 410 (Gone).
        Gone = "gone",
        /// It failed for too long.
        Failing = "failing",
    }
}

/// See [`WebhookEvent::Registered`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WebhookRegistered {
    /// The endpoint.
    pub webhook_id: WebhookId,
    /// The agent.
    pub agent_id: AgentId,
    /// The event types.
    pub events: Vec<PushType>,
}

/// See [`WebhookEvent::Added`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WebhookAdded {
    /// The endpoint.
    pub webhook_id: WebhookId,
    /// The agent.
    pub agent_id: AgentId,
    /// The subscription.
    pub settings: WebhookSettings,
}

/// See [`WebhookEvent::Changed`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WebhookChanged {
    /// The endpoint.
    pub webhook_id: WebhookId,
    /// The agent.
    pub agent_id: AgentId,
    /// The new event types.
    pub events: Vec<PushType>,
    /// Whether the address changed too.
    pub address_changed: bool,
}

/// See [`WebhookEvent::ChangedV2`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WebhookChangedV2 {
    /// The endpoint.
    pub webhook_id: WebhookId,
    /// The agent.
    pub agent_id: AgentId,
    /// The new subscription.
    pub settings: WebhookSettings,
    /// Whether the address changed too.
    pub address_changed: bool,
    /// Whether the description changed too.
    pub description_changed: bool,
}

/// See [`WebhookEvent::Disabled`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WebhookDisabled {
    /// The endpoint.
    pub webhook_id: WebhookId,
    /// The agent.
    pub agent_id: AgentId,
    /// The reason.
    pub reason: DisabledReason,
}

/// See [`WebhookEvent::Enabled`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WebhookEnabled {
    /// The endpoint.
    pub webhook_id: WebhookId,
    /// The agent.
    pub agent_id: AgentId,
}

/// See [`WebhookEvent::SecretRotated`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WebhookSecretRotated {
    /// The endpoint.
    pub webhook_id: WebhookId,
    /// The agent.
    pub agent_id: AgentId,
    /// When the old secret becomes invalid.
    pub overlap_ends_at: DateTime<Utc>,
}

/// See [`WebhookEvent::SecretActivated`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WebhookSecretActivated {
    /// The endpoint.
    pub webhook_id: WebhookId,
    /// The agent.
    pub agent_id: AgentId,
}

/// See [`WebhookEvent::Deleted`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WebhookDeleted {
    /// The endpoint.
    pub webhook_id: WebhookId,
    /// The agent.
    pub agent_id: AgentId,
}

/// An endpoint, folded from its stream.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Webhook {
    /// The agent; `None` before registration and after deletion.
    pub agent: Option<AgentId>,
    /// Whether it is a further endpoint, not the agent's first one.
    pub further: bool,
    /// The subscription.
    pub settings: WebhookSettings,
    /// The reason why it is disabled, if it is.
    pub disabled: Option<DisabledReason>,
    /// When the previous secret becomes invalid, if it is still valid.
    pub overlap_ends_at: Option<DateTime<Utc>>,
}

impl State for Webhook {
    type Event = WebhookEvent;

    fn apply(self, event: &WebhookEvent) -> Self {
        match event {
            WebhookEvent::Registered(data) => Self {
                agent: Some(data.agent_id),
                settings: WebhookSettings::all_of(data.events.clone()),
                ..Self::default()
            },
            WebhookEvent::Added(data) => {
                Self { agent: Some(data.agent_id), further: true, settings: data.settings.clone(), ..Self::default() }
            }
            WebhookEvent::Changed(data) => {
                Self { settings: WebhookSettings { events: data.events.clone(), ..self.settings }, ..self }
            }
            WebhookEvent::ChangedV2(data) => Self { settings: data.settings.clone(), ..self },
            WebhookEvent::Disabled(data) => Self { disabled: Some(data.reason), ..self },
            WebhookEvent::Enabled(_) => Self { disabled: None, ..self },
            WebhookEvent::SecretRotated(data) => Self { overlap_ends_at: Some(data.overlap_ends_at), ..self },
            WebhookEvent::SecretActivated(_) => Self { overlap_ends_at: None, ..self },
            WebhookEvent::Deleted(_) => Self { agent: None, ..self },
        }
    }
}

impl Webhook {
    /// The agent, or an error if the endpoint does not exist.
    pub(super) fn holder(&self) -> Result<AgentId, WebhookError> {
        self.agent.ok_or(WebhookError::NotFound)
    }

    /// Checks that the endpoint belongs to this agent. The error does not reveal endpoints of other agents.
    pub(super) fn held_by(&self, agent_id: AgentId) -> Result<(), WebhookError> {
        if self.holder()? == agent_id { Ok(()) } else { Err(WebhookError::NotFound) }
    }
}

/// The maximum number of endpoints of an agent, including the first.
pub const ENDPOINTS_MAX: usize = 10;

/// The reason why an endpoint command is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum WebhookError {
    /// The agent has no endpoint with this id.
    #[error("no such endpoint")]
    NotFound,
    /// The agent has the maximum number of endpoints.
    #[error("the agent already has {ENDPOINTS_MAX} endpoints")]
    TooMany,
    /// The agent's first endpoint cannot be deleted.
    #[error("the agent's first endpoint cannot be deleted")]
    First,
    /// No rotation is in progress.
    #[error("there is no new secret to activate")]
    NoNextSecret,
}
