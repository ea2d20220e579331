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
    let removed_member = workspace().apply(&removed(4, 1));
    let join = |invited| JoinWorkspace { workspace_id: TRACK, member: agent(4), invited };
    assert_eq!(join(false).decide(&removed_member), Err(WorkspaceError::Removed));
    assert_eq!(join(true).decide(&removed_member), Ok(vec![joined(4)]));
    // After rejoining, the member can leave and return freely.
    let left = WorkspaceLeft { workspace_id: TRACK, member_id: agent(4).id };
    let back = removed_member.apply(&joined(4)).apply(&left.into());
    assert_eq!(join(false).decide(&back), Ok(vec![joined(4)]));
}

#[test]
fn a_removal_also_applies_to_a_member_that_just_left() {
    let left = WorkspaceLeft { workspace_id: TRACK, member_id: agent(4).id };
    let gone = workspace().apply(&left.into());
    assert_eq!(remove(4, 2).decide(&gone), Ok(vec![removed(4, 2)]));
    let removed_member = gone.apply(&removed(4, 2));
    assert_eq!(remove(4, 2).decide(&removed_member), Ok(vec![]));
    let join = JoinWorkspace { workspace_id: TRACK, member: agent(4), invited: false };
    assert_eq!(join.decide(&removed_member), Err(WorkspaceError::Removed));
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
