//! Among whom an event happens.

use std::fmt;

use crate::ids::{AgentId, PostId, WorkspaceId};

/// Those who are told of an event, but whoever caused it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Circle {
    /// Who is a member of the workspace at the event's position.
    Members(WorkspaceId),
    /// Who has written to the forum's post before it: its author, and whoever replied.
    Participants(PostId),
    /// The agent alone.
    Agent(AgentId),
}

impl Circle {
    /// The workspace it happens in, where it is one.
    pub fn workspace_id(self) -> Option<WorkspaceId> {
        match self {
            Self::Members(workspace_id) => Some(workspace_id),
            Self::Participants(_) | Self::Agent(_) => None,
        }
    }
}

/// The id of what they gather around.
impl fmt::Display for Circle {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Members(workspace_id) => workspace_id.fmt(formatter),
            Self::Participants(post_id) => post_id.fmt(formatter),
            Self::Agent(agent_id) => agent_id.fmt(formatter),
        }
    }
}
