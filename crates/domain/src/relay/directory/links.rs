//! Links between agents of the relay (dids) and agents of the platform.
//!
//! **Invariant:** a did is linked to at most one agent, and an agent to at most one did. The did's stream ensures the
//! first, the agent's slot stream the second; both change in one commit.

use serde::{Deserialize, Serialize};

use crate::{
    decide::{Command, State},
    event::{event_set, unlisted_events},
    ids::AgentId,
    relay::Did,
};

event_set! {
    /// The agent that a did is linked to; stream `link:{did}`.
    pub enum LinkEvent: Uncached {
        /// The did was linked to an agent, with a statement signed by the did's key.
        Linked(DidLinked) = "did.linked", Public, [];
        /// The did is no longer linked.
        Unlinked(DidUnlinked) = "did.unlinked", Public, [Essential];
    }
}

event_set! {
    /// The did that an agent is linked to; stream `did_slot:{agentId}`.
    pub enum DidSlotEvent: Uncached {
        /// The agent was linked to a did.
        Taken(DidSlotTaken) = "did.slot_taken", Private, [];
        /// The agent is no longer linked to a did.
        Freed(DidSlotFreed) = "did.slot_freed", Private, [];
    }
}

unlisted_events!(DidSlotEvent);

/// See [`LinkEvent::Linked`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DidLinked {
    /// The did.
    pub did: Did,
    /// The agent it belongs to.
    pub agent_id: AgentId,
}

/// See [`LinkEvent::Unlinked`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DidUnlinked {
    /// The did.
    pub did: Did,
    /// The agent it belonged to.
    pub agent_id: AgentId,
}

/// See [`DidSlotEvent::Taken`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DidSlotTaken {
    /// The did.
    pub did: Did,
}

/// See [`DidSlotEvent::Freed`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DidSlotFreed {
    /// The did.
    pub did: Did,
}

/// The link of a did, folded from its stream.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Link {
    /// The agent; `None` if the did is not linked.
    pub agent_id: Option<AgentId>,
}

impl State for Link {
    type Event = LinkEvent;

    fn apply(self, event: &LinkEvent) -> Self {
        match event {
            LinkEvent::Linked(data) => Self { agent_id: Some(data.agent_id) },
            LinkEvent::Unlinked(_) => Self::default(),
        }
    }
}

/// The link of an agent, folded from its slot stream.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Linking {
    /// The did, if any.
    pub did: Option<Did>,
}

impl Linking {
    /// The stream of an agent's slot.
    pub fn stream(agent_id: AgentId) -> String {
        format!("did_slot:{agent_id}")
    }
}

impl State for Linking {
    type Event = DidSlotEvent;

    fn apply(self, event: &DidSlotEvent) -> Self {
        match event {
            DidSlotEvent::Taken(data) => Self { did: Some(data.did.clone()) },
            DidSlotEvent::Freed(_) => Self::default(),
        }
    }
}

/// The reason why a did is not linked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum LinkError {
    /// The did is linked to another agent.
    #[error("the did belongs to another agent")]
    Taken,
    /// The agent is linked to another did.
    #[error("the agent already has a did")]
    HasAnother,
}

/// Links a did to an agent. The did's key has signed the statement.
#[derive(Debug, Clone)]
pub struct LinkDid {
    /// The did.
    pub did: Did,
    /// The agent.
    pub agent_id: AgentId,
}

impl Command for LinkDid {
    type State<'a> = (&'a Link, &'a Linking);
    type Event = LinkEvent;
    type Error = LinkError;

    fn decide(&self, (link, slot): (&Link, &Linking)) -> Result<Vec<LinkEvent>, LinkError> {
        match (link.agent_id, &slot.did) {
            (Some(agent_id), _) if agent_id == self.agent_id => Ok(vec![]),
            (Some(_), _) => Err(LinkError::Taken),
            (None, Some(_)) => Err(LinkError::HasAnother),
            (None, None) => Ok(vec![DidLinked { did: self.did.clone(), agent_id: self.agent_id }.into()]),
        }
    }
}

/// Removes an agent's link.
#[derive(Debug, Clone, Copy)]
pub struct UnlinkDid {
    /// The agent.
    pub agent_id: AgentId,
}

impl Command for UnlinkDid {
    type State<'a> = &'a Linking;
    type Event = LinkEvent;
    type Error = LinkError;

    fn decide(&self, slot: &Linking) -> Result<Vec<LinkEvent>, LinkError> {
        let agent_id = self.agent_id;
        Ok(slot.did.iter().map(|did| DidUnlinked { did: did.clone(), agent_id }.into()).collect())
    }
}

impl LinkEvent {
    /// The corresponding event for the agent's slot.
    pub fn other_side(&self) -> DidSlotEvent {
        match self {
            Self::Linked(data) => DidSlotTaken { did: data.did.clone() }.into(),
            Self::Unlinked(data) => DidSlotFreed { did: data.did.clone() }.into(),
        }
    }

    /// The agent that the did is or was linked to.
    pub fn agent_id(&self) -> AgentId {
        match self {
            Self::Linked(data) => data.agent_id,
            Self::Unlinked(data) => data.agent_id,
        }
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;
    use crate::decide::testing::given;

    const ADA: AgentId = AgentId::new(Uuid::from_u128(1));
    const BOB: AgentId = AgentId::new(Uuid::from_u128(2));

    fn did(name: &str) -> Did {
        name.parse().unwrap()
    }

    #[test]
    fn a_did_and_an_agent_are_linked_one_to_one() {
        let link = LinkDid { did: did("a"), agent_id: ADA };
        let events = link.decide((&Link::default(), &Linking::default())).unwrap();
        let slot: Linking = given(events.iter().map(LinkEvent::other_side));
        let taken: Link = given(events);
        assert_eq!(link.decide((&taken, &slot)), Ok(vec![]));
        let other = LinkDid { agent_id: BOB, ..link.clone() };
        assert_eq!(other.decide((&taken, &Linking::default())), Err(LinkError::Taken));
        let second = LinkDid { did: did("b"), ..link.clone() };
        assert_eq!(second.decide((&Link::default(), &slot)), Err(LinkError::HasAnother));

        let unlinked = UnlinkDid { agent_id: ADA }.decide(&slot).unwrap();
        let free: Link = given(unlinked.clone());
        let slot: Linking = given(unlinked.iter().map(LinkEvent::other_side));
        assert_eq!(UnlinkDid { agent_id: ADA }.decide(&slot), Ok(vec![]));
        assert!(other.decide((&free, &Linking::default())).is_ok());
    }
}
