//! The outcome of a workspace: accepting a solution, and shipping.

use serde::{Deserialize, Serialize};

use super::{BUILD_TAG, Message, MessageError, MessageKind, Status, Workspace, WorkspaceError, WorkspaceEvent};
use crate::{
    actors::{Actor, ActorId},
    decide::Command,
    ids::{MessageId, WorkspaceId},
};

/// The maximum number of characters in the note of a shipment.
pub const NOTE_MAX: u64 = 4000;
/// The maximum number of links in a shipment.
pub const LINKS_MAX: u64 = 10;
/// The maximum number of characters in a link of a shipment.
pub const LINK_MAX: u64 = 500;

/// See [`WorkspaceEvent::Resolved`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WorkspaceResolved {
    /// The workspace.
    pub workspace_id: WorkspaceId,
    /// The accepted message.
    pub solution_id: MessageId,
    /// The message's author.
    pub solution_author_id: ActorId,
    /// The actor that accepted it.
    pub accepted_by: ActorId,
}

/// See [`WorkspaceEvent::Unresolved`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WorkspaceUnresolved {
    /// The workspace.
    pub workspace_id: WorkspaceId,
    /// The message that is no longer accepted.
    pub solution_id: MessageId,
    /// The message's author.
    pub solution_author_id: ActorId,
}

/// See [`WorkspaceEvent::Shipped`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WorkspaceShipped {
    /// The workspace.
    pub workspace_id: WorkspaceId,
    /// The workspace's name at that time.
    pub workspace_name: String,
    /// The workspace's tags at that time.
    pub tags: Vec<String>,
    /// The accepted solution.
    pub solution_id: MessageId,
    /// A note about the outcome.
    pub note: String,
    /// Links to the outcome.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub links: Vec<String>,
    /// The actor that shipped it, with its profile at that time.
    pub shipped_by: Actor,
}

impl WorkspaceShipped {
    /// Whether it was a Build Track.
    pub fn is_track(&self) -> bool {
        self.tags.iter().any(|tag| tag == BUILD_TAG)
    }
}

/// The accepted message of a workspace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Solution {
    /// The message.
    pub id: MessageId,
    /// The message's author.
    pub author: ActorId,
}

/// The input of [`AcceptSolution`].
#[derive(Debug)]
pub struct Accepting<'a> {
    /// The workspace.
    pub workspace: &'a Workspace,
    /// The message to accept.
    pub message: &'a Message,
}

/// Accepts a message of the kind `solution`, replacing a previously accepted one. The workspace becomes resolved.
#[derive(Debug, Clone)]
pub struct AcceptSolution {
    /// The workspace.
    pub workspace_id: WorkspaceId,
    /// The message to accept.
    pub solution_id: MessageId,
    /// The caller.
    pub by: ActorId,
}

impl Command for AcceptSolution {
    type State<'a> = Accepting<'a>;
    type Event = WorkspaceEvent;
    type Error = MessageError;

    fn decide(&self, Accepting { workspace, message }: Accepting<'_>) -> Result<Vec<WorkspaceEvent>, MessageError> {
        workspace.maintained_by(self.by)?;
        workspace.unshipped()?;
        let metadata = message.posted_in(self.workspace_id).map_err(|_| MessageError::SolutionNotFound)?;
        if message.redacted {
            return Err(MessageError::Redacted);
        }
        if metadata.kind != MessageKind::Solution {
            return Err(MessageError::NotASolution);
        }
        let Self { workspace_id, solution_id, by: accepted_by } = *self;
        if workspace.solution.is_some_and(|solution| solution.id == solution_id) {
            return Ok(vec![]);
        }
        let solution_author_id = metadata.author.id;
        let mut events = workspace.unresolved(workspace_id);
        events.push(WorkspaceResolved { workspace_id, solution_id, solution_author_id, accepted_by }.into());
        Ok(events)
    }
}

/// Withdraws the acceptance. The workspace becomes open again. If no message is accepted, nothing changes.
#[derive(Debug, Clone)]
pub struct UndoSolution {
    /// The workspace.
    pub workspace_id: WorkspaceId,
    /// The caller.
    pub by: ActorId,
}

impl Command for UndoSolution {
    type State<'a> = &'a Workspace;
    type Event = WorkspaceEvent;
    type Error = WorkspaceError;

    fn decide(&self, workspace: &Workspace) -> Result<Vec<WorkspaceEvent>, WorkspaceError> {
        workspace.maintained_by(self.by)?;
        workspace.unshipped()?;
        Ok(workspace.unresolved(self.workspace_id))
    }
}

/// Ships the outcome of a workspace.
#[derive(Debug, Clone)]
pub struct ShipWorkspace {
    /// The workspace.
    pub workspace_id: WorkspaceId,
    /// A note about the outcome.
    pub note: String,
    /// Links to the outcome.
    pub links: Vec<String>,
    /// The caller, with its current profile.
    pub by: Actor,
}

impl Command for ShipWorkspace {
    type State<'a> = &'a Workspace;
    type Event = WorkspaceEvent;
    type Error = WorkspaceError;

    fn decide(&self, workspace: &Workspace) -> Result<Vec<WorkspaceEvent>, WorkspaceError> {
        workspace.maintained_by(self.by.id)?;
        workspace.unshipped()?;
        let solution = workspace.solution.ok_or(WorkspaceError::NotResolved)?;
        let Self { workspace_id, note, links, by: shipped_by } = self.clone();
        let (workspace_name, tags, solution_id) = (workspace.name.clone(), workspace.tags.clone(), solution.id);
        let shipped = WorkspaceShipped { workspace_id, workspace_name, tags, solution_id, note, links, shipped_by };
        Ok(vec![shipped.into()])
    }
}

impl Workspace {
    /// Returns an error if the workspace is archived or shipped.
    fn unshipped(&self) -> Result<(), WorkspaceError> {
        self.active()?;
        if self.status == Status::Shipped { Err(WorkspaceError::Shipped) } else { Ok(()) }
    }

    /// The event that withdraws the acceptance, if there is one.
    fn unresolved(&self, workspace_id: WorkspaceId) -> Vec<WorkspaceEvent> {
        let unresolved = |Solution { id: solution_id, author: solution_author_id }| {
            WorkspaceUnresolved { workspace_id, solution_id, solution_author_id }.into()
        };
        self.solution.map(unresolved).into_iter().collect()
    }

    /// The additional event when a message is redacted: a redacted message cannot be the solution. A resolved workspace
    /// becomes open again; a shipped one stays shipped, without a solution.
    pub fn without(&self, message: &Message) -> Vec<WorkspaceEvent> {
        let metadata = message
            .metadata
            .as_ref()
            .filter(|metadata| self.solution.is_some_and(|solution| solution.id == metadata.message_id));
        metadata.map(|metadata| self.unresolved(metadata.workspace_id)).unwrap_or_default()
    }

    /// The workspace with this message accepted.
    pub(super) fn resolved(self, data: &WorkspaceResolved) -> Self {
        let solution = Some(Solution { id: data.solution_id, author: data.solution_author_id });
        Self { solution, status: Status::Resolved, ..self }
    }

    /// The workspace without an accepted message.
    pub(super) fn without_solution(self) -> Self {
        let open = |status| if status == Status::Resolved { Status::Open } else { status };
        Self { solution: None, status: open(self.status), status_before: open(self.status_before), ..self }
    }
}

#[cfg(test)]
mod tests;
