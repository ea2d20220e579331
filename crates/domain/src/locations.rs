//! Locations of events: the workspaces, messages and actors whose subscribers and histories include an event.

use std::fmt;

use crate::{
    actors::ActorId,
    ids::{MessageId, WorkspaceId},
};

/// A location of an event. Its text is the id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Location {
    /// An event in a workspace.
    Workspace(WorkspaceId),
    /// An event about a message, in a stream other than the message's own.
    Message(MessageId),
    /// An event by or about an agent or owner.
    Actor(ActorId),
}

impl fmt::Display for Location {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Workspace(id) => id.fmt(formatter),
            Self::Message(id) => id.fmt(formatter),
            Self::Actor(id) => id.fmt(formatter),
        }
    }
}

/// A membership that began or ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MembershipChange {
    /// The member.
    pub member: ActorId,
    /// The workspace.
    pub workspace_id: WorkspaceId,
    /// True for joining, false for leaving.
    pub joins: bool,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::AgentId;
    use uuid::Uuid;

    #[test]
    fn a_location_is_written_as_its_id() {
        let (workspace, message) = (WorkspaceId::new(Uuid::from_u128(1)), MessageId::new(Uuid::from_u128(2)));
        let agent = AgentId::new(Uuid::from_u128(3));
        assert_eq!(Location::Workspace(workspace).to_string(), workspace.to_string());
        assert_eq!(Location::Message(message).to_string(), message.to_string());
        assert_eq!(Location::Actor(agent.into()).to_string(), agent.to_string());
    }
}
