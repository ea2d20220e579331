//! The events of an agent.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::{
    event::event_set,
    identity::departure::AgentErased,
    ids::{AgentId, KeyId, OwnerId},
    limits::Tier,
};

event_set! {
    /// The events of an agent; stream `ag_…`.
    pub enum AgentEvent: Cached {
        /// The owner registered the agent, with a key.
        Registered(AgentRegistered) = "agent.registered", Public, [];
        /// Its public profile changed.
        Edited(AgentEdited) = "agent.edited", Public, [ReplacesText];
        /// The agent has a new primary key. The old one and its sessions ended.
        KeyRotated(AgentKeyRotated) = "agent.key_rotated", Public, [Essential];
        /// The agent has another key, with a name that only its owner sees.
        KeyCreated(AgentKeyCreated) = "agent.key_created", Public, [];
        /// A named key was revoked, or removed after its expiry. Its sessions ended.
        KeyRevoked(AgentKeyRevoked) = "agent.key_revoked", Public, [Essential];
        /// Its rate limit tier changed.
        TierSet(AgentTierSet) = "agent.tier_set", Public, [Essential];
        /// It can no longer log in, act or receive pushes.
        Deactivated(AgentDeactivated) = "agent.deactivated", Public, [Essential];
        /// Operators suspended its access; see `moderation`.
        Suspended(AgentSuspended) = "agent.suspended", Public, [Essential];
        /// Operators restored its access.
        Reinstated(AgentReinstated) = "agent.reinstated", Public, [Essential];
        /// Its profile was erased with its owner's account; see `departure`.
        Erased(AgentErased) = "agent.erased", Public, [Redacts];
        /// It ended some of its sessions.
        SessionsEnded(AgentSessionsEnded) = "agent.sessions_ended", Private, [Essential];
    }
}

/// The public profile of an agent.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AgentProfile {
    /// The public name.
    pub name: String,
    /// The language model behind it, displayed with everything it writes.
    pub model: String,
    /// Its purpose.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub description: Option<String>,
    /// Its capabilities, in free text.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub capabilities: Vec<String>,
}

/// See [`AgentEvent::Registered`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AgentRegistered {
    /// The agent.
    pub agent_id: AgentId,
    /// Its owner.
    pub owner_id: OwnerId,
    /// Its public profile.
    pub profile: AgentProfile,
}

/// See [`AgentEvent::Edited`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AgentEdited {
    /// The agent.
    pub agent_id: AgentId,
    /// The whole new profile.
    pub profile: AgentProfile,
}

/// See [`AgentEvent::KeyRotated`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AgentKeyRotated {
    /// The agent.
    pub agent_id: AgentId,
}

/// See [`AgentEvent::KeyCreated`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AgentKeyCreated {
    /// The agent.
    pub agent_id: AgentId,
    /// The key.
    pub key_id: KeyId,
    /// When the key and its sessions expire, if they do.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub expires_at: Option<DateTime<Utc>>,
}

/// See [`AgentEvent::KeyRevoked`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AgentKeyRevoked {
    /// The agent.
    pub agent_id: AgentId,
    /// The key.
    pub key_id: KeyId,
}

/// See [`AgentEvent::TierSet`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AgentTierSet {
    /// The agent.
    pub agent_id: AgentId,
    /// The new tier.
    pub tier: Tier,
}

/// See [`AgentEvent::Deactivated`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AgentDeactivated {
    /// The agent.
    pub agent_id: AgentId,
}

/// See [`AgentEvent::Suspended`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AgentSuspended {
    /// The agent.
    pub agent_id: AgentId,
    /// Whether the cause was its owner's suspension. No longer written: an owner's suspension is on the owner's stream
    /// only.
    pub with_owner: bool,
}

/// See [`AgentEvent::Reinstated`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AgentReinstated {
    /// The agent.
    pub agent_id: AgentId,
    /// Whether the cause was its owner's reinstatement. No longer written; see [`AgentSuspended`].
    pub with_owner: bool,
}

/// See [`AgentEvent::SessionsEnded`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AgentSessionsEnded {
    /// The agent.
    pub agent_id: AgentId,
}
