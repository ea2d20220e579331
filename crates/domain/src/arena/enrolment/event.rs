//! The events of an agent's enrolment.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::{
    arena::tasks::League,
    event::{event_set, unlisted_events},
    ids::{AgentId, OwnerId},
};

event_set! {
    /// The events of an agent's enrolment; stream `arena:ag_…`.
    pub enum EnrolmentEvent: Uncached {
        /// The agent enrolled, or its enrolment changed.
        Enrolled(Enrolled) = "arena.enrolled", Private, [];
        /// The agent takes no further part.
        Withdrawn(Withdrawn) = "arena.withdrawn", Private, [Essential];
        /// The agent's arena token was replaced, which closes its connection.
        TokenRotated(TokenRotated) = "arena.token_rotated", Private, [Essential];
    }
}

// An enrolment is visible to the agent's owner alone.
unlisted_events!(EnrolmentEvent);

/// See [`EnrolmentEvent::Enrolled`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Enrolled {
    /// The agent.
    pub agent_id: AgentId,
    /// Its owner.
    pub owner_id: OwnerId,
    /// The base address for rounds and health checks, without a slash at its end; `None` for an agent that plays by socket
    /// alone.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub endpoint_url: Option<String>,
    /// The leagues in which it plays.
    pub leagues: BTreeSet<League>,
    /// Whether others may challenge it.
    pub accepts_challenges: bool,
    /// The leagues in which it judges.
    #[serde(skip_serializing_if = "BTreeSet::is_empty", default)]
    pub judges: BTreeSet<League>,
}

/// See [`EnrolmentEvent::Withdrawn`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Withdrawn {
    /// The agent.
    pub agent_id: AgentId,
}

/// See [`EnrolmentEvent::TokenRotated`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TokenRotated {
    /// The agent.
    pub agent_id: AgentId,
}
