//! Invitations into a workspace: one at a time for each whom somebody wants there.

use serde::{Deserialize, Serialize};

use super::{Workspace, WorkspaceError};
use crate::{
    actors::{Actor, ActorId},
    decide::{Command, State},
    event::event_set,
    ids::WorkspaceId,
};

event_set! {
    /// The life of an invitation; stream `invitation:{workspace}:{invited}`.
    pub enum InvitationEvent {
        /// It waits for an answer from here on.
        Sent(InvitationSent) = "invitation.sent", Public;
        /// Who was invited came.
        Accepted(InvitationAccepted) = "invitation.accepted", Public;
        /// Who was invited does not want to come.
        Declined(InvitationDeclined) = "invitation.declined", Public;
        /// It holds no more.
        Withdrawn(InvitationWithdrawn) = "invitation.withdrawn", Public;
    }
}

/// See [`InvitationEvent::Sent`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct InvitationSent {
    /// Where to.
    pub workspace_id: WorkspaceId,
    /// Its name at that moment.
    pub workspace_name: String,
    /// Who is invited, as shown at that moment.
    pub invited: Actor,
    /// Who invites, as shown at that moment.
    pub invited_by: Actor,
}

/// See [`InvitationEvent::Accepted`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct InvitationAccepted {
    /// Where to.
    pub workspace_id: WorkspaceId,
    /// Who came.
    pub invited_id: ActorId,
}

/// See [`InvitationEvent::Declined`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct InvitationDeclined {
    /// Where to.
    pub workspace_id: WorkspaceId,
    /// Who does not come.
    pub invited_id: ActorId,
}

/// See [`InvitationEvent::Withdrawn`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct InvitationWithdrawn {
    /// Where to.
    pub workspace_id: WorkspaceId,
    /// Who was invited.
    pub invited_id: ActorId,
    /// Who took it back.
    pub withdrawn_by: ActorId,
}

/// An invitation as its stream tells it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Invitation {
    /// Whether it waits for an answer.
    pub waits: bool,
}

impl State for Invitation {
    type Event = InvitationEvent;

    fn apply(self, event: &InvitationEvent) -> Self {
        Self { waits: matches!(event, InvitationEvent::Sent(_)) }
    }
}

impl Invitation {
    /// The stream of somebody's invitation into a workspace.
    pub fn stream(workspace_id: WorkspaceId, invited: ActorId) -> String {
        format!("invitation:{workspace_id}:{invited}")
    }

    /// What else happens when somebody comes, invited or not.
    pub fn answered(&self, workspace_id: WorkspaceId, invited_id: ActorId) -> Vec<InvitationEvent> {
        if self.waits { vec![InvitationAccepted { workspace_id, invited_id }.into()] } else { vec![] }
    }
}

/// Why a command about an invitation is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum InvitationError {
    /// None waits for an answer.
    #[error("there is no invitation that waits for an answer")]
    NotFound,
    /// Whoever is there need not be invited.
    #[error("who is to be invited is a member already")]
    AlreadyMember,
    /// The workspace refuses it.
    #[error(transparent)]
    Workspace(#[from] WorkspaceError),
}

/// What a command about an invitation looks at.
#[derive(Debug)]
pub struct Inviting<'a> {
    /// Where to.
    pub workspace: &'a Workspace,
    /// What there is of an invitation.
    pub invitation: &'a Invitation,
}

/// Invites somebody. Inviting again while the answer is awaited changes nothing.
#[derive(Debug, Clone)]
pub struct Invite {
    /// Where to.
    pub workspace_id: WorkspaceId,
    /// Who is to come, as shown now.
    pub invited: Actor,
    /// Who asks, as shown now.
    pub by: Actor,
}

impl Command for Invite {
    type State<'a> = Inviting<'a>;
    type Event = InvitationEvent;
    type Error = InvitationError;

    fn decide(
        &self,
        Inviting { workspace, invitation }: Inviting<'_>,
    ) -> Result<Vec<InvitationEvent>, InvitationError> {
        workspace.kept_by(self.by.id)?;
        workspace.active()?;
        let Self { workspace_id, invited, by: invited_by } = self.clone();
        if workspace.members.contains(&invited.id) {
            return Err(InvitationError::AlreadyMember);
        }
        let workspace_name = workspace.name.clone();
        let sent = InvitationSent { workspace_id, workspace_name, invited, invited_by };
        Ok(if invitation.waits { vec![] } else { vec![sent.into()] })
    }
}

/// Takes an invitation back. Where none waits nothing changes.
#[derive(Debug, Clone)]
pub struct WithdrawInvitation {
    /// Where to.
    pub workspace_id: WorkspaceId,
    /// Who was invited.
    pub invited_id: ActorId,
    /// Who asks.
    pub by: ActorId,
}

impl Command for WithdrawInvitation {
    type State<'a> = Inviting<'a>;
    type Event = InvitationEvent;
    type Error = InvitationError;

    fn decide(
        &self,
        Inviting { workspace, invitation }: Inviting<'_>,
    ) -> Result<Vec<InvitationEvent>, InvitationError> {
        workspace.kept_by(self.by)?;
        let Self { workspace_id, invited_id, by: withdrawn_by } = *self;
        let withdrawn = InvitationWithdrawn { workspace_id, invited_id, withdrawn_by };
        Ok(if invitation.waits { vec![withdrawn.into()] } else { vec![] })
    }
}

/// Says yes. That it leads to a membership is [`super::JoinWorkspace`]'s part; a member has said yes already.
#[derive(Debug, Clone)]
pub struct AcceptInvitation {
    /// Where to.
    pub workspace_id: WorkspaceId,
    /// Who was invited, and asks.
    pub invited_id: ActorId,
}

impl Command for AcceptInvitation {
    type State<'a> = Inviting<'a>;
    type Event = InvitationEvent;
    type Error = InvitationError;

    fn decide(
        &self,
        Inviting { workspace, invitation }: Inviting<'_>,
    ) -> Result<Vec<InvitationEvent>, InvitationError> {
        let answered = invitation.answered(self.workspace_id, self.invited_id);
        let member = workspace.members.contains(&self.invited_id);
        if answered.is_empty() && !member { Err(InvitationError::NotFound) } else { Ok(answered) }
    }
}

/// Says no.
#[derive(Debug, Clone)]
pub struct DeclineInvitation {
    /// Where to.
    pub workspace_id: WorkspaceId,
    /// Who was invited, and asks.
    pub invited_id: ActorId,
}

impl Command for DeclineInvitation {
    type State<'a> = &'a Invitation;
    type Event = InvitationEvent;
    type Error = InvitationError;

    fn decide(&self, invitation: &Invitation) -> Result<Vec<InvitationEvent>, InvitationError> {
        let Self { workspace_id, invited_id } = *self;
        let declined = InvitationDeclined { workspace_id, invited_id };
        if invitation.waits { Ok(vec![declined.into()]) } else { Err(InvitationError::NotFound) }
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

    /// What comes of the command in this workspace, with this history of the invitation.
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
    fn there_is_one_invitation_at_a_time() {
        let workspace = given([opened()]);
        for history in [vec![], vec![sent(), declined()], vec![sent(), withdrawn()], vec![sent(), accepted()]] {
            assert_eq!(decided(&invite(1), &workspace, &history), Ok(vec![sent()]));
        }
        assert_eq!(decided(&invite(1), &workspace, &[sent()]), Ok(vec![]));
    }

    #[test]
    fn members_and_strangers_do_not_invite_and_members_are_not_invited() {
        let workspace = given([opened(), joined(2), joined(3)]);
        for by in [3, 9] {
            assert_eq!(decided(&invite(by), &workspace, &[]), Err(WorkspaceError::NotMaintainer.into()));
        }
        assert_eq!(decided(&invite(1), &workspace, &[]), Err(InvitationError::AlreadyMember));
    }

    #[test]
    fn nobody_is_invited_into_what_is_archived() {
        let archived = given([opened(), WorkspaceArchived { workspace_id: TRACK }.into()]);
        assert_eq!(decided(&invite(1), &archived, &[]), Err(WorkspaceError::Archived.into()));
    }

    #[test]
    fn who_keeps_the_workspace_takes_an_invitation_back_once() {
        let workspace = given([opened(), joined(3)]);
        let withdraw = |by| WithdrawInvitation { workspace_id: TRACK, invited_id: agent(2).id, by: agent(by).id };
        assert_eq!(decided(&withdraw(1), &workspace, &[sent()]), Ok(vec![withdrawn()]));
        assert_eq!(decided(&withdraw(1), &workspace, &[sent(), withdrawn()]), Ok(vec![]));
        assert_eq!(decided(&withdraw(3), &workspace, &[sent()]), Err(WorkspaceError::NotMaintainer.into()));
    }

    #[test]
    fn it_is_answered_once() {
        let open = given([opened()]);
        let accept = AcceptInvitation { workspace_id: TRACK, invited_id: agent(2).id };
        let decline = DeclineInvitation { workspace_id: TRACK, invited_id: agent(2).id };
        assert_eq!(decided(&accept, &open, &[sent()]), Ok(vec![accepted()]));
        assert_eq!(decline.decide(&given([sent()])), Ok(vec![declined()]));
        for over in [vec![], vec![sent(), withdrawn()], vec![sent(), declined()], vec![sent(), accepted()]] {
            assert_eq!(decided(&accept, &open, &over), Err(InvitationError::NotFound));
            assert_eq!(decline.decide(&given(over)), Err(InvitationError::NotFound));
        }
        // Who has come has said yes, and may say so again.
        assert_eq!(decided(&accept, &given([opened(), joined(2)]), &[sent(), accepted()]), Ok(vec![]));
    }
}
