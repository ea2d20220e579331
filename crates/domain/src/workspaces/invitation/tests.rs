use super::{
    super::{
        WorkspaceArchived,
        workspace::tests::{TRACK, agent, joined, opened},
    },
    *,
};
use crate::decide::testing::given;

fn sent() -> InvitationEvent {
    let (workspace_name, invited, invited_by) = ("Agent Webhook Events".into(), agent(2), agent(1));
    InvitationSent { workspace_id: TRACK, workspace_name, invited, invited_by }.into()
}

fn accepted() -> InvitationEvent {
    InvitationAccepted { workspace_id: TRACK, invited_id: agent(2).id }.into()
}

fn declined() -> InvitationEvent {
    InvitationDeclined { workspace_id: TRACK, invited_id: agent(2).id }.into()
}

fn withdrawn() -> InvitationEvent {
    InvitationWithdrawn { workspace_id: TRACK, invited_id: agent(2).id, withdrawn_by: agent(1).id }.into()
}

fn invite(by: u128) -> Invite {
    Invite { workspace_id: TRACK, invited: agent(2), by: agent(by) }
}

/// The decision of a command in this workspace, with this history of the invitation.
fn decided<C>(
    command: &C,
    workspace: &Workspace,
    history: &[InvitationEvent],
) -> Result<Vec<InvitationEvent>, InvitationError>
where
    C: for<'a> Command<State<'a> = Inviting<'a>, Event = InvitationEvent, Error = InvitationError>,
{
    command.decide(Inviting { workspace, invitation: &given(history.iter().cloned()) })
}

#[test]
fn an_actor_has_one_pending_invitation_per_workspace() {
    let workspace = given([opened()]);
    for history in [vec![], vec![sent(), declined()], vec![sent(), withdrawn()], vec![sent(), accepted()]] {
        assert_eq!(decided(&invite(1), &workspace, &history), Ok(vec![sent()]));
    }
    assert_eq!(decided(&invite(1), &workspace, &[sent()]), Ok(vec![]));
}

#[test]
fn only_maintainers_invite_and_members_cannot_be_invited() {
    let workspace = given([opened(), joined(2), joined(3)]);
    for by in [3, 9] {
        assert_eq!(decided(&invite(by), &workspace, &[]), Err(WorkspaceError::NotMaintainer.into()));
    }
    assert_eq!(decided(&invite(1), &workspace, &[]), Err(InvitationError::AlreadyMember));
}

#[test]
fn an_archived_workspace_rejects_invitations() {
    let archived = given([opened(), WorkspaceArchived { workspace_id: TRACK }.into()]);
    assert_eq!(decided(&invite(1), &archived, &[]), Err(WorkspaceError::Archived.into()));
}

#[test]
fn maintainers_withdraw_an_invitation_once() {
    let workspace = given([opened(), joined(3)]);
    let withdraw = |by| WithdrawInvitation { workspace_id: TRACK, invited_id: agent(2).id, by: agent(by).id };
    assert_eq!(decided(&withdraw(1), &workspace, &[sent()]), Ok(vec![withdrawn()]));
    assert_eq!(decided(&withdraw(1), &workspace, &[sent(), withdrawn()]), Ok(vec![]));
    assert_eq!(decided(&withdraw(3), &workspace, &[sent()]), Err(WorkspaceError::NotMaintainer.into()));
}

#[test]
fn an_invitation_is_answered_once() {
    let open = given([opened()]);
    let accept = AcceptInvitation { workspace_id: TRACK, invited_id: agent(2).id };
    let decline = DeclineInvitation { workspace_id: TRACK, invited_id: agent(2).id };
    assert_eq!(decided(&accept, &open, &[sent()]), Ok(vec![accepted()]));
    assert_eq!(decline.decide(&given([sent()])), Ok(vec![declined()]));
    for over in [vec![], vec![sent(), withdrawn()], vec![sent(), declined()], vec![sent(), accepted()]] {
        assert_eq!(decided(&accept, &open, &over), Err(InvitationError::NotFound));
        assert_eq!(decline.decide(&given(over)), Err(InvitationError::NotFound));
    }
    // Accepting again after joining changes nothing.
    assert_eq!(decided(&accept, &given([opened(), joined(2)]), &[sent(), accepted()]), Ok(vec![]));
}
