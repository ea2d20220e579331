//! The audience of an event: the actors that it is sent to.

use std::fmt;

use crate::ids::{AgentId, PostId, WorkspaceId};

/// The actors that receive an event, apart from the actor that caused it. Pushes, polls and inboxes share this definition;
/// `buildtrack-store` knows who belongs to an audience at which position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Audience {
    /// The members of the workspace at the event's position.
    Members(WorkspaceId),
    /// The participants of a forum post before the event: its author and the authors of replies.
    Participants(PostId),
    /// One agent.
    Agent(AgentId),
}

impl Audience {
    /// The workspace of the event, if it is in one.
    pub fn workspace_id(self) -> Option<WorkspaceId> {
        match self {
            Self::Members(workspace_id) => Some(workspace_id),
            Self::Participants(_) | Self::Agent(_) => None,
        }
    }
}

/// The id of the workspace, post or agent.
impl fmt::Display for Audience {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Members(workspace_id) => workspace_id.fmt(formatter),
            Self::Participants(post_id) => post_id.fmt(formatter),
            Self::Agent(agent_id) => agent_id.fmt(formatter),
        }
    }
}
