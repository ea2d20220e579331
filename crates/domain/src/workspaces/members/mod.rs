//! Members of a workspace, their roles, and the rights of each role.

use serde::{Deserialize, Serialize};

use super::{Workspace, WorkspaceError, WorkspaceEvent};
use crate::{
    actors::{Actor, ActorId},
    decide::Command,
    ids::WorkspaceId,
    words,
};

words! {
    /// The role of a member. A maintainer has all rights of a member, the owner all rights of a maintainer.
    pub enum Role {
        /// May post.
        Member = "member",
        /// May edit, accept, ship, archive, invite, and remove members.
        Maintainer = "maintainer",
        /// May appoint and remove maintainers, and hand the workspace over. Each workspace has one owner.
        Owner = "owner",
    }
}

/// See [`WorkspaceEvent::MemberRemoved`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WorkspaceMemberRemoved {
    /// The workspace.
    pub workspace_id: WorkspaceId,
    /// The removed member.
    pub member_id: ActorId,
    /// The actor that removed it.
    pub removed_by: ActorId,
}

/// See [`WorkspaceEvent::RoleChanged`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WorkspaceRoleChanged {
    /// The workspace.
    pub workspace_id: WorkspaceId,
    /// The member.
    pub member_id: ActorId,
    /// `maintainer` or `member`.
    pub role: Role,
}

/// See [`WorkspaceEvent::HandedOver`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WorkspaceHandedOver {
    /// The workspace.
    pub workspace_id: WorkspaceId,
    /// The previous owner, now a maintainer.
    pub from_id: ActorId,
    /// The new owner, with its profile at that time.
    pub owner: Actor,
}

impl Workspace {
    /// The role of an actor; `None` if it is not a member.
    pub fn role_of(&self, actor: ActorId) -> Option<Role> {
        if self.owner == Some(actor) {
            return Some(Role::Owner);
        }
        let role = if self.maintainers.contains(&actor) { Role::Maintainer } else { Role::Member };
        self.members.contains(&actor).then_some(role)
    }

    pub(super) fn owned_by(&self, actor: ActorId) -> Result<(), WorkspaceError> {
        if self.existing()? == actor { Ok(()) } else { Err(WorkspaceError::NotOwner) }
    }

    /// Checks that the actor is the owner or a maintainer.
    pub(super) fn maintained_by(&self, actor: ActorId) -> Result<(), WorkspaceError> {
        self.existing()?;
        let keeps = self.role_of(actor) >= Some(Role::Maintainer);
        if keeps { Ok(()) } else { Err(WorkspaceError::NotMaintainer) }
    }

    pub(super) fn without_member(mut self, member: ActorId) -> Self {
        self.members.remove(&member);
        self.maintainers.remove(&member);
        self
    }

    pub(super) fn with_role(mut self, data: &WorkspaceRoleChanged) -> Self {
        match data.role {
            Role::Maintainer => self.maintainers.insert(data.member_id),
            Role::Member | Role::Owner => self.maintainers.remove(&data.member_id),
        };
        self
    }

    pub(super) fn handed_over(mut self, data: &WorkspaceHandedOver) -> Self {
        self.owner = Some(data.owner.id);
        self.maintainers.remove(&data.owner.id);
        self.maintainers.insert(data.from_id);
        self
    }
}

/// Ends another actor's membership. A removed actor can return only by invitation, even if it left just before the
/// removal. If it was never a member, nothing changes.
#[derive(Debug, Clone)]
pub struct RemoveMember {
    /// The workspace.
    pub workspace_id: WorkspaceId,
    /// The member to remove.
    pub member_id: ActorId,
    /// The caller.
    pub by: ActorId,
}

impl Command for RemoveMember {
    type State<'a> = &'a Workspace;
    type Event = WorkspaceEvent;
    type Error = WorkspaceError;

    fn decide(&self, workspace: &Workspace) -> Result<Vec<WorkspaceEvent>, WorkspaceError> {
        workspace.maintained_by(self.by)?;
        let Self { workspace_id, member_id, by: removed_by } = *self;
        match workspace.role_of(member_id) {
            None if !workspace.left.contains(&member_id) => return Ok(vec![]),
            Some(Role::Owner) => return Err(WorkspaceError::OwnerCannotLeave),
            Some(Role::Maintainer) => workspace.owned_by(self.by)?,
            Some(Role::Member) | None => {}
        }
        Ok(vec![WorkspaceMemberRemoved { workspace_id, member_id, removed_by }.into()])
    }
}

/// Makes a member a maintainer, or a maintainer a member. A maintainer may give up its own role.
#[derive(Debug, Clone)]
pub struct ChangeRole {
    /// The workspace.
    pub workspace_id: WorkspaceId,
    /// The member.
    pub member_id: ActorId,
    /// True for maintainer, false for member.
    pub maintains: bool,
    /// The caller.
    pub by: ActorId,
}

impl Command for ChangeRole {
    type State<'a> = &'a Workspace;
    type Event = WorkspaceEvent;
    type Error = WorkspaceError;

    fn decide(&self, workspace: &Workspace) -> Result<Vec<WorkspaceEvent>, WorkspaceError> {
        let Self { workspace_id, member_id, maintains, by } = *self;
        if by != member_id || maintains {
            workspace.owned_by(by)?;
        }
        let role = if maintains { Role::Maintainer } else { Role::Member };
        match workspace.role_of(member_id) {
            None if workspace.owner.is_none() => Err(WorkspaceError::NotFound),
            None => Err(WorkspaceError::NoSuchMember),
            Some(Role::Owner) => Err(WorkspaceError::OwnerStays),
            Some(current) if current == role => Ok(vec![]),
            Some(_) => Ok(vec![WorkspaceRoleChanged { workspace_id, member_id, role }.into()]),
        }
    }
}

/// Makes a member the owner. The previous owner becomes a maintainer.
#[derive(Debug, Clone)]
pub struct HandOver {
    /// The workspace.
    pub workspace_id: WorkspaceId,
    /// The new owner, with its current profile.
    pub to: Actor,
    /// The caller.
    pub by: ActorId,
}

impl Command for HandOver {
    type State<'a> = &'a Workspace;
    type Event = WorkspaceEvent;
    type Error = WorkspaceError;

    fn decide(&self, workspace: &Workspace) -> Result<Vec<WorkspaceEvent>, WorkspaceError> {
        workspace.owned_by(self.by)?;
        let Self { workspace_id, to: owner, by: from_id } = self.clone();
        match workspace.role_of(owner.id) {
            None => Err(WorkspaceError::NoSuchMember),
            Some(Role::Owner) => Ok(vec![]),
            Some(_) => Ok(vec![WorkspaceHandedOver { workspace_id, from_id, owner }.into()]),
        }
    }
}

#[cfg(test)]
mod tests;
