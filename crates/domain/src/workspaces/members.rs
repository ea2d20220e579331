//! Members of a workspace, their roles, and the rights of each role.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::{Workspace, WorkspaceError, WorkspaceEvent};
use crate::{
    actors::{Actor, ActorId, UnknownName},
    decide::Command,
    ids::WorkspaceId,
};

/// The role of a member. A maintainer has all rights of a member, the owner all rights of a maintainer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// May post.
    Member,
    /// May edit, accept, ship, archive, invite, and remove members.
    Maintainer,
    /// May appoint and remove maintainers, and hand the workspace over. Each workspace has one owner.
    Owner,
}

impl Role {
    /// The wire name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Member => "member",
            Self::Maintainer => "maintainer",
            Self::Owner => "owner",
        }
    }
}

impl FromStr for Role {
    type Err = UnknownName;

    fn from_str(text: &str) -> Result<Self, UnknownName> {
        [Self::Member, Self::Maintainer, Self::Owner].into_iter().find(|role| role.as_str() == text).ok_or(UnknownName)
    }
}

impl TryFrom<String> for Role {
    type Error = UnknownName;

    fn try_from(text: String) -> Result<Self, UnknownName> {
        text.parse()
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
mod tests {
    use super::{
        super::{
            ArchiveWorkspace, EditWorkspace, JoinWorkspace, LeaveWorkspace, WorkspaceArchived, WorkspaceLeft,
            workspace::tests::{TRACK, agent, joined, opened},
        },
        *,
    };
    use crate::decide::{State, testing::given};
    use proptest::prelude::*;

    fn role(member: u128, role: Role) -> WorkspaceEvent {
        WorkspaceRoleChanged { workspace_id: TRACK, member_id: agent(member).id, role }.into()
    }

    fn removed(member: u128, by: u128) -> WorkspaceEvent {
        WorkspaceMemberRemoved { workspace_id: TRACK, member_id: agent(member).id, removed_by: agent(by).id }.into()
    }

    fn handed_over(from: u128, to: u128) -> WorkspaceEvent {
        WorkspaceHandedOver { workspace_id: TRACK, from_id: agent(from).id, owner: agent(to) }.into()
    }

    fn remove(member: u128, by: u128) -> RemoveMember {
        RemoveMember { workspace_id: TRACK, member_id: agent(member).id, by: agent(by).id }
    }

    fn appoint(member: u128, by: u128) -> ChangeRole {
        ChangeRole { workspace_id: TRACK, member_id: agent(member).id, maintains: true, by: agent(by).id }
    }

    fn dismiss(member: u128, by: u128) -> ChangeRole {
        ChangeRole { maintains: false, ..appoint(member, by) }
    }

    fn hand_over(to: u128, by: u128) -> HandOver {
        HandOver { workspace_id: TRACK, to: agent(to), by: agent(by).id }
    }

    /// The owner is 1, maintainers are 2 and 3, members 4 and 5.
    fn workspace() -> Workspace {
        let members = [joined(2), joined(3), joined(4), joined(5)];
        let maintainers = [role(2, Role::Maintainer), role(3, Role::Maintainer)];
        given([opened()].into_iter().chain(members).chain(maintainers))
    }

    #[test]
    fn maintainers_edit_and_archive_and_members_cannot() {
        let (name, description, goal, tags) = (Some("Events".to_owned()), None, None, None);
        for (number, allowed) in [(1, true), (2, true), (4, false), (9, false)] {
            let (workspace_id, by, name) = (TRACK, agent(number).id, name.clone());
            let (description, goal, tags) = (description.clone(), goal.clone(), tags.clone());
            let edited = EditWorkspace { workspace_id, by, name, description, goal, tags }.decide(&workspace());
            let archived = ArchiveWorkspace { workspace_id, by }.decide(&workspace());
            assert_eq!((edited.is_ok(), archived.is_ok()), (allowed, allowed), "{number}");
            let refusals = [edited.err(), archived.err()];
            assert!(refusals.iter().all(|refusal| refusal.is_none_or(|error| error == WorkspaceError::NotMaintainer)));
        }
    }

    #[test]
    fn maintainers_remove_members_and_only_the_owner_removes_maintainers() {
        assert_eq!(remove(4, 2).decide(&workspace()), Ok(vec![removed(4, 2)]));
        assert_eq!(remove(2, 1).decide(&workspace()), Ok(vec![removed(2, 1)]));
        assert_eq!(remove(3, 2).decide(&workspace()), Err(WorkspaceError::NotOwner));
        assert_eq!(remove(1, 2).decide(&workspace()), Err(WorkspaceError::OwnerCannotLeave));
        assert_eq!(remove(5, 4).decide(&workspace()), Err(WorkspaceError::NotMaintainer));
        assert_eq!(remove(9, 1).decide(&workspace()), Ok(vec![]));
        assert_eq!(remove(4, 1).decide(&Workspace::default()), Err(WorkspaceError::NotFound));
    }

    #[test]
    fn a_removed_member_returns_by_invitation_only() {
        let kept_out = workspace().apply(&removed(4, 1));
        let join = |invited| JoinWorkspace { workspace_id: TRACK, member: agent(4), invited };
        assert_eq!(join(false).decide(&kept_out), Err(WorkspaceError::Removed));
        assert_eq!(join(true).decide(&kept_out), Ok(vec![joined(4)]));
        // After rejoining, the member can leave and return freely.
        let left = WorkspaceLeft { workspace_id: TRACK, member_id: agent(4).id };
        let back = kept_out.apply(&joined(4)).apply(&left.into());
        assert_eq!(join(false).decide(&back), Ok(vec![joined(4)]));
    }

    #[test]
    fn a_removal_also_applies_to_a_member_that_just_left() {
        let left = WorkspaceLeft { workspace_id: TRACK, member_id: agent(4).id };
        let gone = workspace().apply(&left.into());
        assert_eq!(remove(4, 2).decide(&gone), Ok(vec![removed(4, 2)]));
        let kept_out = gone.apply(&removed(4, 2));
        assert_eq!(remove(4, 2).decide(&kept_out), Ok(vec![]));
        let join = JoinWorkspace { workspace_id: TRACK, member: agent(4), invited: false };
        assert_eq!(join.decide(&kept_out), Err(WorkspaceError::Removed));
    }

    #[test]
    fn the_owner_changes_roles_and_a_maintainer_may_give_up_its_own() {
        assert_eq!(appoint(4, 1).decide(&workspace()), Ok(vec![role(4, Role::Maintainer)]));
        assert_eq!(appoint(2, 1).decide(&workspace()), Ok(vec![]));
        assert_eq!(dismiss(2, 1).decide(&workspace()), Ok(vec![role(2, Role::Member)]));
        assert_eq!(dismiss(2, 2).decide(&workspace()), Ok(vec![role(2, Role::Member)]));
        assert_eq!(dismiss(4, 4).decide(&workspace()), Ok(vec![]));
        for (member, by) in [(4, 2), (4, 4), (9, 9)] {
            assert_eq!(appoint(member, by).decide(&workspace()), Err(WorkspaceError::NotOwner));
        }
        assert_eq!(dismiss(3, 2).decide(&workspace()), Err(WorkspaceError::NotOwner));
        assert_eq!(appoint(1, 1).decide(&workspace()), Err(WorkspaceError::OwnerStays));
        assert_eq!(appoint(9, 1).decide(&workspace()), Err(WorkspaceError::NoSuchMember));
        assert_eq!(dismiss(9, 9).decide(&Workspace::default()), Err(WorkspaceError::NotFound));
    }

    #[test]
    fn a_new_owner_must_be_a_member_and_the_old_one_becomes_a_maintainer() {
        assert_eq!(hand_over(4, 1).decide(&workspace()), Ok(vec![handed_over(1, 4)]));
        let workspace = workspace().apply(&handed_over(1, 4));
        assert_eq!(workspace.role_of(agent(4).id), Some(Role::Owner));
        assert_eq!(workspace.role_of(agent(1).id), Some(Role::Maintainer));
        assert_eq!(hand_over(4, 4).decide(&workspace), Ok(vec![]));
        assert_eq!(hand_over(1, 1).decide(&workspace), Err(WorkspaceError::NotOwner));
        assert_eq!(hand_over(9, 4).decide(&workspace), Err(WorkspaceError::NoSuchMember));
        let leave = LeaveWorkspace { workspace_id: TRACK, member_id: agent(1).id };
        assert!(leave.decide(&workspace).is_ok_and(|events| events.len() == 1));
    }

    #[test]
    fn leaving_ends_the_maintainer_role() {
        let left = WorkspaceLeft { workspace_id: TRACK, member_id: agent(2).id };
        let workspace = workspace().apply(&left.into()).apply(&joined(2));
        assert_eq!(workspace.role_of(agent(2).id), Some(Role::Member));
    }

    #[test]
    fn roles_can_be_changed_in_an_archived_workspace() {
        let archived = workspace().apply(&WorkspaceArchived { workspace_id: TRACK }.into());
        assert!(appoint(4, 1).decide(&archived).is_ok() && remove(4, 2).decide(&archived).is_ok());
        assert!(hand_over(4, 1).decide(&archived).is_ok());
    }

    proptest! {
        #[test]
        fn there_is_one_owner_and_all_maintainers_are_members(
            steps in prop::collection::vec((0_u8..6, 1_u128..5, 1_u128..5), 0..60)
        ) {
            let mut workspace = given::<Workspace>([opened()]);
            for (step, member, by) in steps {
                let decided = match step {
                    0 => JoinWorkspace { workspace_id: TRACK, member: agent(member), invited: by == 1 }.decide(&workspace),
                    1 => LeaveWorkspace { workspace_id: TRACK, member_id: agent(member).id }.decide(&workspace),
                    2 => remove(member, by).decide(&workspace),
                    3 => appoint(member, by).decide(&workspace),
                    4 => dismiss(member, by).decide(&workspace),
                    _ => hand_over(member, by).decide(&workspace),
                };
                for event in decided.unwrap_or_default() {
                    workspace = workspace.apply(&event);
                }
                let owner = workspace.owner.unwrap();
                prop_assert!(workspace.members.contains(&owner) && !workspace.maintainers.contains(&owner));
                prop_assert!(workspace.maintainers.is_subset(&workspace.members));
                prop_assert!(workspace.removed.is_disjoint(&workspace.members));
                prop_assert!(workspace.left.is_disjoint(&(&workspace.members | &workspace.removed)));
            }
        }
    }
}
