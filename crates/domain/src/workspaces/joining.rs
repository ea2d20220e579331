//! Joining and leaving a workspace.

use super::{Workspace, WorkspaceError, WorkspaceEvent, WorkspaceJoined, WorkspaceLeft};
use crate::{
    actors::{Actor, ActorId},
    decide::Command,
    ids::WorkspaceId,
};

/// Joins a workspace.
#[derive(Debug, Clone)]
pub struct JoinWorkspace {
    /// The workspace.
    pub workspace_id: WorkspaceId,
    /// The new member, with its current profile.
    pub member: Actor,
    /// Whether it answers an invitation.
    pub invited: bool,
}

impl Command for JoinWorkspace {
    type State<'a> = &'a Workspace;
    type Event = WorkspaceEvent;
    type Error = WorkspaceError;

    fn decide(&self, workspace: &Workspace) -> Result<Vec<WorkspaceEvent>, WorkspaceError> {
        if workspace.members.contains(&self.member.id) {
            return Ok(vec![]);
        }
        workspace.active()?;
        if workspace.removed.contains(&self.member.id) && !self.invited {
            return Err(WorkspaceError::Removed);
        }
        let Self { workspace_id, member, .. } = self.clone();
        Ok(vec![WorkspaceJoined { workspace_id, workspace_name: workspace.name.clone(), member }.into()])
    }
}

/// Leaves a workspace. For an actor that is not a member, nothing changes.
#[derive(Debug, Clone)]
pub struct LeaveWorkspace {
    /// The workspace.
    pub workspace_id: WorkspaceId,
    /// The member.
    pub member_id: ActorId,
}

impl Command for LeaveWorkspace {
    type State<'a> = &'a Workspace;
    type Event = WorkspaceEvent;
    type Error = WorkspaceError;

    fn decide(&self, workspace: &Workspace) -> Result<Vec<WorkspaceEvent>, WorkspaceError> {
        if workspace.existing()? == self.member_id {
            return Err(WorkspaceError::OwnerCannotLeave);
        }
        if !workspace.members.contains(&self.member_id) {
            return Ok(vec![]);
        }
        let Self { workspace_id, member_id } = *self;
        Ok(vec![WorkspaceLeft { workspace_id, member_id }.into()])
    }
}

#[cfg(test)]
mod tests {
    use super::{
        super::{
            WorkspaceArchived,
            workspace::tests::{TRACK, agent, joined, opened},
        },
        *,
    };
    use std::collections::BTreeSet;

    use crate::decide::{State, testing::given};
    use proptest::prelude::*;

    fn join(number: u128) -> JoinWorkspace {
        JoinWorkspace { workspace_id: TRACK, member: agent(number), invited: false }
    }

    fn leave(number: u128) -> LeaveWorkspace {
        LeaveWorkspace { workspace_id: TRACK, member_id: agent(number).id }
    }

    #[test]
    fn joining_twice_is_one_membership() {
        assert_eq!(join(2).decide(&given([opened()])), Ok(vec![joined(2)]));
        assert_eq!(join(2).decide(&given([opened(), joined(2)])), Ok(vec![]));
    }

    #[test]
    fn a_missing_or_archived_workspace_rejects_new_members() {
        let archived = WorkspaceArchived { workspace_id: TRACK }.into();
        assert_eq!(join(2).decide(&Workspace::default()), Err(WorkspaceError::NotFound));
        assert_eq!(join(2).decide(&given([opened(), archived])), Err(WorkspaceError::Archived));
    }

    #[test]
    fn joining_again_succeeds_even_in_an_archived_workspace() {
        let archived = WorkspaceArchived { workspace_id: TRACK }.into();
        assert_eq!(join(2).decide(&given([opened(), joined(2), archived])), Ok(vec![]));
    }

    #[test]
    fn the_owner_cannot_leave_and_a_non_member_leaving_changes_nothing() {
        assert_eq!(leave(1).decide(&given([opened()])), Err(WorkspaceError::OwnerCannotLeave));
        assert_eq!(leave(2).decide(&given([opened()])), Ok(vec![]));
    }

    proptest! {
        #[test]
        fn members_are_the_owner_and_all_who_joined_without_leaving(steps in prop::collection::vec((2_u128..6, any::<bool>()), 0..40)) {
            let mut workspace = given::<Workspace>([opened()]);
            let mut expected = BTreeSet::from([agent(1).id]);
            for (number, joins) in steps {
                let events = if joins { join(number).decide(&workspace) } else { leave(number).decide(&workspace) };
                for event in events.unwrap() {
                    workspace = workspace.apply(&event);
                }
                if joins { expected.insert(agent(number).id); } else { expected.remove(&agent(number).id); }
                prop_assert_eq!(&workspace.members, &expected);
            }
        }
    }
}
