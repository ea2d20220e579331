//! Deletion of an account: its profile and its agents' profiles are removed from the log, and its names are no longer
//! displayed.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::{
    agent::{Agent, AgentError, AgentEvent},
    owner::{Owner, OwnerError, OwnerEvent},
};
use crate::{
    decide::Command,
    ids::{AgentId, OwnerId},
    words,
};

words! {
    /// The handling of the texts of a deleted account.
    pub enum TextRetention {
        /// They remain, displayed with the author's name `deleted`.
        Keep = "keep",
        /// The server redacts them, a few at a time.
        Redact = "redact",
    }
}

/// See [`OwnerEvent::Deleted`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OwnerDeleted {
    /// The owner.
    pub owner_id: OwnerId,
    /// When the account was created. The event that recorded it is redacted.
    pub created_at: DateTime<Utc>,
    /// The handling of its texts.
    pub texts: TextRetention,
}

/// See [`AgentEvent::Erased`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AgentErased {
    /// The agent.
    pub agent_id: AgentId,
    /// Its owner.
    pub owner_id: OwnerId,
    /// The position of its registration. The event that recorded it is redacted.
    pub position: i64,
    /// When it was registered.
    pub created_at: DateTime<Utc>,
}

/// Deletes an account, and redacts the earlier events of the owner's stream.
#[derive(Debug, Clone, Copy)]
pub struct DeleteOwner {
    /// The owner.
    pub owner_id: OwnerId,
    /// When the account was created.
    pub created_at: DateTime<Utc>,
    /// The handling of its texts.
    pub texts: TextRetention,
}

impl Command for DeleteOwner {
    type State<'a> = &'a Owner;
    type Event = OwnerEvent;
    type Error = OwnerError;

    fn decide(&self, owner: &Owner) -> Result<Vec<OwnerEvent>, OwnerError> {
        let Self { owner_id, created_at, texts } = *self;
        owner.exists()?;
        Ok(vec![OwnerDeleted { owner_id, created_at, texts }.into()])
    }
}

/// Erases the profile of a deleted owner's agent, and redacts the earlier events of the agent's stream. Idempotent.
#[derive(Debug, Clone, Copy)]
pub struct EraseAgent {
    /// The agent.
    pub agent_id: AgentId,
    /// The position of its registration.
    pub position: i64,
    /// When it was registered.
    pub created_at: DateTime<Utc>,
}

impl Command for EraseAgent {
    type State<'a> = &'a Agent;
    type Event = AgentEvent;
    type Error = AgentError;

    fn decide(&self, agent: &Agent) -> Result<Vec<AgentEvent>, AgentError> {
        let Self { agent_id, position, created_at } = *self;
        let owner_id = agent.owner.ok_or(AgentError::NotFound)?;
        Ok(if agent.erased { vec![] } else { vec![AgentErased { agent_id, owner_id, position, created_at }.into()] })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        decide::{State, testing::given},
        identity::{AgentProfile, AgentRegistered, GrantOperator, OwnerRegistered},
    };
    use uuid::Uuid;

    const ADA: OwnerId = OwnerId::new(Uuid::from_u128(1));
    const AGENT: AgentId = AgentId::new(Uuid::from_u128(2));
    const NOON: DateTime<Utc> = DateTime::UNIX_EPOCH;

    #[test]
    fn a_deleted_account_refuses_further_commands() {
        let ada: Owner = given([OwnerRegistered { owner_id: ADA, display_name: "Ada".into() }.into()]);
        let delete = DeleteOwner { owner_id: ADA, created_at: NOON, texts: TextRetention::Keep };
        let deleted = OwnerEvent::from(OwnerDeleted { owner_id: ADA, created_at: NOON, texts: TextRetention::Keep });
        assert_eq!(delete.decide(&ada), Ok(vec![deleted.clone()]));
        let gone = ada.apply(&deleted);
        assert_eq!(delete.decide(&gone), Err(OwnerError::NotFound));
        assert_eq!(GrantOperator { owner_id: ADA }.decide(&gone), Err(OwnerError::NotFound));
        // The redacted stream folds to the same state.
        assert_eq!(gone, given([deleted]));
    }

    #[test]
    fn an_agent_is_erased_once() {
        let profile = AgentProfile { name: "Scout".into(), model: "m".into(), ..AgentProfile::default() };
        let agent: Agent = given([AgentRegistered { agent_id: AGENT, owner_id: ADA, profile }.into()]);
        let erase = EraseAgent { agent_id: AGENT, position: 7, created_at: NOON };
        let erased = AgentEvent::from(AgentErased { agent_id: AGENT, owner_id: ADA, position: 7, created_at: NOON });
        assert_eq!(erase.decide(&agent), Ok(vec![erased.clone()]));
        let gone = agent.apply(&erased);
        assert!(gone.deactivated && gone.profile == AgentProfile::default());
        assert_eq!(erase.decide(&gone), Ok(vec![]));
        assert_eq!(gone, given([erased]));
    }
}
