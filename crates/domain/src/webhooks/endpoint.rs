//! An agent's webhook endpoint. Its address, its description and its secrets are kept beside the log, never on it.

use std::str::FromStr;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::{Filter, PushType};
use crate::{
    actors::UnknownName,
    decide::State,
    event::event_set,
    ids::{AgentId, WebhookId},
};

event_set! {
    /// The life of an endpoint; stream `wh_…`.
    pub enum WebhookEvent {
        /// It exists from here on, with a secret: the one its agent was registered with.
        Registered(WebhookRegistered) = "webhook.registered", Private;
        /// It exists from here on, with a secret: one beside the first.
        Added(WebhookAdded) = "webhook.added", Private;
        /// Its address or its event types changed.
        Changed(WebhookChanged) = "webhook.changed", Private;
        /// Its address, its description or what it wants to hear of changed.
        ChangedV2(WebhookChangedV2) = "webhook.changed.v2", Private;
        /// Nothing is pushed to it from here on.
        Disabled(WebhookDisabled) = "webhook.disabled", Private;
        /// It is pushed to again.
        Enabled(WebhookEnabled) = "webhook.enabled", Private;
        /// It has a new secret, which counts beside the old one for a while.
        SecretRotated(WebhookSecretRotated) = "webhook.secret_rotated", Private;
        /// Its new secret counts alone.
        SecretActivated(WebhookSecretActivated) = "webhook.secret_activated", Private;
        /// It is no more.
        Deleted(WebhookDeleted) = "webhook.deleted", Private;
    }
}

/// What an endpoint wants to hear of, and how.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WebhookSettings {
    /// Of these types.
    pub events: Vec<PushType>,
    /// Of those, only what matches.
    pub filter: Filter,
    /// Whether each push waits until the one before it has arrived.
    pub ordered: bool,
    /// How many events one push may carry.
    pub batch: i64,
}

impl WebhookSettings {
    /// Everything of these types, one by one, as soon as it happens.
    pub fn all_of(events: Vec<PushType>) -> Self {
        Self { events, filter: Filter::default(), ordered: false, batch: 1 }
    }
}

impl Default for WebhookSettings {
    fn default() -> Self {
        Self::all_of(vec![])
    }
}

/// Why nothing is pushed to an endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DisabledReason {
    /// Its owner or its agent wants it so.
    Owner,
    /// It answered 410.
    Gone,
    /// It has failed for too long.
    Failing,
}

impl DisabledReason {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Owner, Self::Gone, Self::Failing];

    /// The wire name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Owner => "owner",
            Self::Gone => "gone",
            Self::Failing => "failing",
        }
    }
}

impl FromStr for DisabledReason {
    type Err = UnknownName;

    fn from_str(text: &str) -> Result<Self, UnknownName> {
        Self::ALL.into_iter().find(|reason| reason.as_str() == text).ok_or(UnknownName)
    }
}

/// See [`WebhookEvent::Registered`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WebhookRegistered {
    /// The endpoint.
    pub webhook_id: WebhookId,
    /// Whose it is.
    pub agent_id: AgentId,
    /// What it wants to hear of.
    pub events: Vec<PushType>,
}

/// See [`WebhookEvent::Added`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WebhookAdded {
    /// The endpoint.
    pub webhook_id: WebhookId,
    /// Whose it is.
    pub agent_id: AgentId,
    /// What it wants to hear of.
    pub settings: WebhookSettings,
}

/// See [`WebhookEvent::Changed`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WebhookChanged {
    /// The endpoint.
    pub webhook_id: WebhookId,
    /// Whose it is.
    pub agent_id: AgentId,
    /// What it wants to hear of from here on.
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
    /// Whose it is.
    pub agent_id: AgentId,
    /// What it wants to hear of from here on.
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
    /// Whose it is.
    pub agent_id: AgentId,
    /// Why.
    pub reason: DisabledReason,
}

/// See [`WebhookEvent::Enabled`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WebhookEnabled {
    /// The endpoint.
    pub webhook_id: WebhookId,
    /// Whose it is.
    pub agent_id: AgentId,
}

/// See [`WebhookEvent::SecretRotated`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WebhookSecretRotated {
    /// The endpoint.
    pub webhook_id: WebhookId,
    /// Whose it is.
    pub agent_id: AgentId,
    /// Until when the old one counts.
    pub overlap_ends_at: DateTime<Utc>,
}

/// See [`WebhookEvent::SecretActivated`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WebhookSecretActivated {
    /// The endpoint.
    pub webhook_id: WebhookId,
    /// Whose it is.
    pub agent_id: AgentId,
}

/// See [`WebhookEvent::Deleted`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WebhookDeleted {
    /// The endpoint.
    pub webhook_id: WebhookId,
    /// Whose it was.
    pub agent_id: AgentId,
}

/// An endpoint as its stream tells it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Webhook {
    /// Whose it is; none before registration and after deletion.
    pub agent: Option<AgentId>,
    /// Whether it was made beside the one that its agent was registered with.
    pub further: bool,
    /// What it wants to hear of.
    pub settings: WebhookSettings,
    /// Why nothing is pushed to it, where that is so.
    pub disabled: Option<DisabledReason>,
    /// Until when the secret before the newest counts.
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
    /// Whose it is, where it is there.
    pub(super) fn holder(&self) -> Result<AgentId, WebhookError> {
        self.agent.ok_or(WebhookError::NotFound)
    }

    /// Whether it is this agent's. Of another's it is not even said that it is there.
    pub(super) fn held_by(&self, agent_id: AgentId) -> Result<(), WebhookError> {
        if self.holder()? == agent_id { Ok(()) } else { Err(WebhookError::NotFound) }
    }
}

/// Endpoints an agent may have, the first included.
pub const ENDPOINTS_MAX: usize = 10;

/// Why a command about an endpoint is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum WebhookError {
    /// The agent has no such endpoint.
    #[error("no such endpoint")]
    NotFound,
    /// The agent has as many as it may have.
    #[error("the agent has {ENDPOINTS_MAX} endpoints already")]
    TooMany,
    /// It is the one that the agent was registered with.
    #[error("the agent's first endpoint stays as long as the agent")]
    First,
    /// No secret waits to take the place of another.
    #[error("no new secret waits to be activated")]
    NoNextSecret,
}
