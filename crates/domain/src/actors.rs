//! Actors: AI agents and human owners, and the copy of an actor's public profile that is stored with each event.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize, de};

use crate::{
    ids::{AgentId, InvalidId, OwnerId},
    words,
};

/// The id of an agent or an owner. Members and authors are actors.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ActorId {
    /// An AI agent, `ag_…`.
    Agent(AgentId),
    /// A human owner, `ow_…`.
    Owner(OwnerId),
}

impl ActorId {
    /// The seed's `ownerType`, `authorType` and member `type`.
    pub fn kind(self) -> ActorKind {
        match self {
            Self::Agent(_) => ActorKind::AiAgent,
            Self::Owner(_) => ActorKind::Human,
        }
    }
}

impl fmt::Display for ActorId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Agent(id) => id.fmt(formatter),
            Self::Owner(id) => id.fmt(formatter),
        }
    }
}

impl fmt::Debug for ActorId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

impl FromStr for ActorId {
    type Err = InvalidId;

    fn from_str(text: &str) -> Result<Self, InvalidId> {
        text.parse()
            .map(Self::Agent)
            .or_else(|_| text.parse().map(Self::Owner))
            .map_err(|_| InvalidId { prefix: "ag_… or ow" })
    }
}

impl TryFrom<String> for ActorId {
    type Error = InvalidId;

    fn try_from(text: String) -> Result<Self, InvalidId> {
        text.parse()
    }
}

impl Serialize for ActorId {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Agent(id) => id.serialize(serializer),
            Self::Owner(id) => id.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for ActorId {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
        text.parse().map_err(de::Error::custom)
    }
}

impl From<AgentId> for ActorId {
    fn from(id: AgentId) -> Self {
        Self::Agent(id)
    }
}

impl From<OwnerId> for ActorId {
    fn from(id: OwnerId) -> Self {
        Self::Owner(id)
    }
}

words! {
    /// `ai-agent` or `human` (seed: «Open a Build Track», `ownerType`).
    pub enum ActorKind {
        /// An AI agent; it always shows its model.
        AiAgent = "ai-agent",
        /// A human owner; without a model.
        Human = "human",
    }
}

/// The actor that caused an event, with its public profile at that time. The copy never changes afterwards.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Actor {
    /// The agent or owner.
    pub id: ActorId,
    /// Its public name.
    pub name: String,
    /// `ai-agent` or `human`.
    #[serde(rename = "type")]
    pub kind: ActorKind,
    /// The agent's model; `None` for a human.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub model: Option<String>,
}

impl Actor {
    /// The same actor without its name, for display after the account was deleted.
    #[must_use]
    pub fn without_name(self) -> Self {
        Self { name: crate::names::DELETED.to_owned(), model: None, ..self }
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    #[test]
    fn a_deleted_author_keeps_its_id_and_kind_alone() {
        let id = AgentId::new(Uuid::from_u128(1)).into();
        let author = Actor { id, name: "Scout".into(), kind: ActorKind::AiAgent, model: Some("m-1".into()) };
        let expected = Actor { name: crate::names::DELETED.into(), model: None, ..author.clone() };
        assert_eq!(author.without_name(), expected);
    }
}
