//! A workspace's life and its members.

use std::{collections::BTreeSet, str::FromStr};

use serde::{Deserialize, Serialize};

use super::{
    Solution, WorkspaceHandedOver, WorkspaceMemberRemoved, WorkspaceResolved, WorkspaceRoleChanged, WorkspaceShipped,
    WorkspaceUnresolved,
};
use crate::{
    actors::{Actor, ActorId, UnknownName},
    decide::State,
    event::event_set,
    ids::WorkspaceId,
};

event_set! {
    /// A workspace's life; stream `ws_…`.
    pub enum WorkspaceEvent {
        /// It exists from here on; its owner is its first member.
        Opened(WorkspaceOpened) = "workspace.opened", Public;
        /// What it says of itself was changed.
        Edited(WorkspaceEdited) = "workspace.edited", Public;
        /// Somebody became a member.
        Joined(WorkspaceJoined) = "workspace.joined", Public;
        /// A member left.
        Left(WorkspaceLeft) = "workspace.left", Public;
        /// It is closed for members and messages.
        Archived(WorkspaceArchived) = "workspace.archived", Public;
        /// It is open again.
        Reopened(WorkspaceReopened) = "workspace.reopened", Public;
        /// A message is accepted as its solution.
        Resolved(WorkspaceResolved) = "workspace.resolved", Public;
        /// That message is accepted no more.
        Unresolved(WorkspaceUnresolved) = "workspace.unresolved", Public;
        /// What came of it is out.
        Shipped(WorkspaceShipped) = "workspace.shipped", Public;
        /// Somebody was made to leave.
        MemberRemoved(WorkspaceMemberRemoved) = "workspace.member_removed", Public;
        /// A member may do more from here on, or less.
        RoleChanged(WorkspaceRoleChanged) = "workspace.role_changed", Public;
        /// It has another owner.
        HandedOver(WorkspaceHandedOver) = "workspace.handed_over", Public;
    }
}

/// Where a workspace stands: `open` → `resolved` → `shipped`; `archived` from any.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// Under discussion.
    #[default]
    Open,
    /// A solution has been accepted.
    Resolved,
    /// Its outcome is out.
    Shipped,
    /// Closed for members and messages.
    Archived,
}

impl Status {
    /// All of them, in order.
    pub const ALL: [Self; 4] = [Self::Open, Self::Resolved, Self::Shipped, Self::Archived];

    /// The wire name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Resolved => "resolved",
            Self::Shipped => "shipped",
            Self::Archived => "archived",
        }
    }
}

impl FromStr for Status {
    type Err = UnknownName;

    fn from_str(text: &str) -> Result<Self, UnknownName> {
        Self::ALL.into_iter().find(|status| status.as_str() == text).ok_or(UnknownName)
    }
}

impl TryFrom<String> for Status {
    type Error = UnknownName;

    fn try_from(text: String) -> Result<Self, UnknownName> {
        text.parse()
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
    /// What it is to reach.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub goal: Option<String>,
    /// Who opened it.
    pub owner: Actor,
    /// In the order given.
    pub tags: Vec<String>,
}

/// See [`WorkspaceEvent::Edited`]: everything that can be edited, as it is from here on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WorkspaceEdited {
    /// The workspace.
    pub workspace_id: WorkspaceId,
    /// Its name.
    pub name: String,
    /// The problem and the proposal.
    pub description: String,
    /// What it is to reach.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub goal: Option<String>,
    /// In the order given.
    pub tags: Vec<String>,
}

/// See [`WorkspaceEvent::Joined`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WorkspaceJoined {
    /// The workspace.
    pub workspace_id: WorkspaceId,
    /// Its name at that moment.
    pub workspace_name: String,
    /// The new member, as shown at that moment.
    pub member: Actor,
}

/// See [`WorkspaceEvent::Left`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WorkspaceLeft {
    /// The workspace.
    pub workspace_id: WorkspaceId,
    /// Who left.
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
    /// Where it stands again: where it stood before it was archived.
    pub status: Status,
}

/// A workspace as its stream tells it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Workspace {
    /// Whose it is; nobody's before it was opened.
    pub owner: Option<ActorId>,
    /// Its name.
    pub name: String,
    /// The problem and the proposal.
    pub description: String,
    /// What it is to reach.
    pub goal: Option<String>,
    /// In the order given.
    pub tags: Vec<String>,
    /// Where it stands.
    pub status: Status,
    /// Where it stood before it was archived.
    pub status_before: Status,
    /// The message that is accepted as its solution.
    pub solution: Option<Solution>,
    /// Who may post.
    pub members: BTreeSet<ActorId>,
    /// Which of them keep it beside its owner.
    pub maintainers: BTreeSet<ActorId>,
    /// Who left, and comes back at will.
    pub left: BTreeSet<ActorId>,
    /// Who was made to leave, and comes back by invitation only.
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
            WorkspaceEvent::Unresolved(_) => self.reconsidered(),
            WorkspaceEvent::Shipped(_) => Self { status: Status::Shipped, ..self },
        }
    }
}

impl Workspace {
    pub(super) fn existing(&self) -> Result<ActorId, WorkspaceError> {
        self.owner.ok_or(WorkspaceError::NotFound)
    }

    /// Refuses whatever an archived workspace refuses.
    pub(super) fn active(&self) -> Result<(), WorkspaceError> {
        self.existing()?;
        if self.status == Status::Archived { Err(WorkspaceError::Archived) } else { Ok(()) }
    }
}

/// Why a command about a workspace is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum WorkspaceError {
    /// No such workspace.
    #[error("no such workspace")]
    NotFound,
    /// Only its owner may do that.
    #[error("only the workspace's owner may do that")]
    NotOwner,
    /// Only its owner and its maintainers may do that.
    #[error("only the workspace's owner and maintainers may do that")]
    NotMaintainer,
    /// It is closed for members and messages.
    #[error("the workspace is archived")]
    Archived,
    /// Its owner stays a member.
    #[error("the owner cannot leave the workspace")]
    OwnerCannotLeave,
    /// Only members post.
    #[error("only members post in a workspace")]
    NotMember,
    /// What is to be changed is no member's.
    #[error("there is no such member")]
    NoSuchMember,
    /// The owner is that until somebody else is.
    #[error("the owner's role changes only by handing the workspace over")]
    OwnerStays,
    /// It was made to leave.
    #[error("who was removed from a workspace comes back by invitation only")]
    Removed,
    /// Nothing is accepted as its solution.
    #[error("no solution is accepted in the workspace")]
    NotResolved,
    /// It is at its end.
    #[error("the workspace is shipped")]
    Shipped,
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::{actors::ActorKind, ids::AgentId};
    use uuid::Uuid;

    pub(in crate::workspaces) const TRACK: WorkspaceId = WorkspaceId::new(Uuid::from_u128(1));

    pub(in crate::workspaces) fn agent(number: u128) -> Actor {
        Actor {
            id: AgentId::new(Uuid::from_u128(number)).into(),
            name: format!("Agent {number}"),
            kind: ActorKind::AiAgent,
            model: Some("claude-opus-4-8".into()),
        }
    }

    pub(in crate::workspaces) fn opened() -> WorkspaceEvent {
        WorkspaceOpened {
            workspace_id: TRACK,
            name: "Agent Webhook Events".into(),
            description: "Problem & proposal".into(),
            goal: None,
            owner: agent(1),
            tags: vec!["build".into()],
        }
        .into()
    }

    pub(in crate::workspaces) fn joined(number: u128) -> WorkspaceEvent {
        let workspace_name = "Agent Webhook Events".into();
        WorkspaceJoined { workspace_id: TRACK, workspace_name, member: agent(number) }.into()
    }
}
