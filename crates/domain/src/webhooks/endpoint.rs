//! An agent's webhook endpoint. Its address and secret are kept beside the log, never on it.

use serde::{Deserialize, Serialize};

use super::PushType;
use crate::{
    decide::State,
    event::event_set,
    ids::{AgentId, WebhookId},
};

event_set! {
    /// The life of an endpoint; stream `wh_…`.
    pub enum WebhookEvent {
        /// It exists from here on, with a secret.
        Registered(WebhookRegistered) = "webhook.registered", Private;
        /// Its address or its event types changed.
        Changed(WebhookChanged) = "webhook.changed", Private;
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

/// An endpoint as its stream tells it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Webhook {
    /// Whose it is; none before registration.
    pub agent: Option<AgentId>,
    /// What it wants to hear of.
    pub events: Vec<PushType>,
}

impl State for Webhook {
    type Event = WebhookEvent;

    fn apply(self, event: &WebhookEvent) -> Self {
        match event {
            WebhookEvent::Registered(data) => Self { agent: Some(data.agent_id), events: data.events.clone() },
            WebhookEvent::Changed(data) => Self { events: data.events.clone(), ..self },
        }
    }
}
