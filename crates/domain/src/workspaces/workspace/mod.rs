//! A workspace's status and members.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::{
    Solution, WorkspaceHandedOver, WorkspaceMemberRemoved, WorkspaceResolved, WorkspaceRoleChanged, WorkspaceShipped,
    WorkspaceUnresolved,
};
use crate::{
    actors::{Actor, ActorId},
    decide::State,
    event::event_set,
    ids::WorkspaceId,
    markdown::Excess,
    words,
};

event_set! {
    /// The events of a workspace; stream `ws_…`.
    pub enum WorkspaceEvent: Cached {
        /// The owner opened it, and is its first member.
        Opened(WorkspaceOpened) = "workspace.opened", Public, [Indexed];
        /// Its name, description, goal or tags changed.
        Edited(WorkspaceEdited) = "workspace.edited", Public, [Indexed, ReplacesText];
        /// An actor joined.
        Joined(WorkspaceJoined) = "workspace.joined", Public, [Pushed(WorkspaceJoin)];
        /// A member left.
        Left(WorkspaceLeft) = "workspace.left", Public, [];
        /// It was archived: it accepts no new members and messages.
        Archived(WorkspaceArchived) = "workspace.archived", Public, [];
        /// It was reopened.
        Reopened(WorkspaceReopened) = "workspace.reopened", Public, [];
        /// A message was accepted as its solution.
        Resolved(WorkspaceResolved) = "workspace.resolved", Public, [];
        /// The acceptance was withdrawn.
        Unresolved(WorkspaceUnresolved) = "workspace.unresolved", Public, [];
        /// Its outcome was shipped.
        Shipped(WorkspaceShipped) = "workspace.shipped", Public, [Pushed(TrackShipped), Texts("note", "links")];
        /// A member was removed.
        MemberRemoved(WorkspaceMemberRemoved) = "workspace.member_removed", Public, [];
        /// A member's role changed.
        RoleChanged(WorkspaceRoleChanged) = "workspace.role_changed", Public, [];
        /// It was handed over to another owner.
        HandedOver(WorkspaceHandedOver) = "workspace.handed_over", Public, [Indexed];
    }
}

words! {
    /// The status of a workspace: `open` → `resolved` → `shipped`; `archived` from any of them.
    #[derive(Default)]
    pub enum Status {
        /// Under discussion.
        #[default]
        Open = "open",
        /// A solution has been accepted.
        Resolved = "resolved",
        /// The outcome is shipped.
        Shipped = "shipped",
        /// Closed for members and messages.
        Archived = "archived",
    }
}

/// See [`WorkspaceEvent::Opened`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WorkspaceOpened {
    /// The workspace.
    pub workspace_id: WorkspaceId,
    /// Its name.
    pub name: String,
    /// The problem and the proposal.
    pub description: String,
    /// The goal.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub goal: Option<String>,
    /// The owner, with its profile at that time.
    pub owner: Actor,
    /// The tags, in the order given.
    pub tags: Vec<String>,
}

/// See [`WorkspaceEvent::Edited`]: the editable fields after the edit, all of them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WorkspaceEdited {
    /// The workspace.
    pub workspace_id: WorkspaceId,
    /// Its name.
    pub name: String,
    /// The problem and the proposal.
    pub description: String,
    /// The goal.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub goal: Option<String>,
    /// The tags, in the order given.
    pub tags: Vec<String>,
}

/// See [`WorkspaceEvent::Joined`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WorkspaceJoined {
    /// The workspace.
    pub workspace_id: WorkspaceId,
    /// The workspace's name at that time.
    pub workspace_name: String,
    /// The new member, with its profile at that time.
    pub member: Actor,
}

/// See [`WorkspaceEvent::Left`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WorkspaceLeft {
    /// The workspace.
    pub workspace_id: WorkspaceId,
    /// The member.
    pub member_id: ActorId,
}

/// See [`WorkspaceEvent::Archived`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WorkspaceArchived {
    /// The workspace.
    pub workspace_id: WorkspaceId,
}

/// See [`WorkspaceEvent::Reopened`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WorkspaceReopened {
    /// The workspace.
    pub workspace_id: WorkspaceId,
    /// The status before it was archived, which applies again.
    pub status: Status,
}

/// A workspace, folded from its stream.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Workspace {
    /// The owner; `None` before it was opened.
    pub owner: Option<ActorId>,
    /// Its name.
    pub name: String,
    /// The problem and the proposal.
    pub description: String,
    /// The goal.
    pub goal: Option<String>,
    /// The tags, in the order given.
    pub tags: Vec<String>,
    /// The status.
    pub status: Status,
    /// The status before it was archived.
    pub status_before: Status,
    /// The accepted solution.
    pub solution: Option<Solution>,
    /// The members.
    pub members: BTreeSet<ActorId>,
    /// The members that are maintainers.
    pub maintainers: BTreeSet<ActorId>,
    /// Actors that left by themselves and may rejoin freely.
    pub left: BTreeSet<ActorId>,
    /// Actors that were removed and can return only by invitation.
    pub removed: BTreeSet<ActorId>,
}

impl State for Workspace {
    type Event = WorkspaceEvent;

    fn apply(mut self, event: &WorkspaceEvent) -> Self {
        match event {
            WorkspaceEvent::Opened(data) => Self {
                owner: Some(data.owner.id),
                name: data.name.clone(),
                description: data.description.clone(),
                goal: data.goal.clone(),
                tags: data.tags.clone(),
                members: BTreeSet::from([data.owner.id]),
                ..Self::default()
            },
            WorkspaceEvent::Edited(data) => Self {
                name: data.name.clone(),
                description: data.description.clone(),
                goal: data.goal.clone(),
                tags: data.tags.clone(),
                ..self
            },
            WorkspaceEvent::Joined(data) => {
                self.members.insert(data.member.id);
                self.left.remove(&data.member.id);
                self.removed.remove(&data.member.id);
                self
            }
            WorkspaceEvent::Left(data) => {
                self.left.insert(data.member_id);
                self.without_member(data.member_id)
            }
            WorkspaceEvent::MemberRemoved(data) => {
                self.left.remove(&data.member_id);
                self.removed.insert(data.member_id);
                self.without_member(data.member_id)
            }
            WorkspaceEvent::RoleChanged(data) => self.with_role(data),
            WorkspaceEvent::HandedOver(data) => self.handed_over(data),
            WorkspaceEvent::Archived(_) => Self { status: Status::Archived, status_before: self.status, ..self },
            WorkspaceEvent::Reopened(data) => Self { status: data.status, ..self },
            WorkspaceEvent::Resolved(data) => self.resolved(data),
            WorkspaceEvent::Unresolved(_) => self.without_solution(),
            WorkspaceEvent::Shipped(_) => Self { status: Status::Shipped, ..self },
        }
    }
}

impl Workspace {
    pub(super) fn existing(&self) -> Result<ActorId, WorkspaceError> {
        self.owner.ok_or(WorkspaceError::NotFound)
    }

    /// Returns an error if the workspace does not exist or is archived.
    pub(super) fn active(&self) -> Result<(), WorkspaceError> {
        self.existing()?;
        if self.status == Status::Archived { Err(WorkspaceError::Archived) } else { Ok(()) }
    }
}

/// The reason why a workspace command is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum WorkspaceError {
    /// The description costs too much to render.
    #[error(transparent)]
    Description(Excess),
    /// The goal costs too much to render.
    #[error(transparent)]
    Goal(Excess),
    /// The workspace does not exist.
    #[error("no such workspace")]
    NotFound,
    /// Only the owner may do that.
    #[error("only the workspace's owner may do that")]
    NotOwner,
    /// Only the owner and maintainers may do that.
    #[error("only the workspace's owner and maintainers may do that")]
    NotMaintainer,
    /// The workspace is archived.
    #[error("the workspace is archived")]
    Archived,
    /// The owner cannot leave.
    #[error("the owner cannot leave the workspace")]
    OwnerCannotLeave,
    /// Only members may post.
    #[error("only members post in a workspace")]
    NotMember,
    /// The actor is not a member.
    #[error("no such member")]
    NoSuchMember,
    /// The owner's role changes only by a handover.
    #[error("the owner's role changes only by handing the workspace over")]
    OwnerStays,
    /// The actor was removed.
    #[error("a removed member can return by invitation only")]
    Removed,
    /// No message is accepted as the solution.
    #[error("no solution is accepted in the workspace")]
    NotResolved,
    /// The workspace is shipped.
    #[error("the workspace is shipped")]
    Shipped,
}

#[cfg(test)]
pub(super) mod tests;
