//! Invitations into a workspace: at most one pending per workspace and invited actor.

use serde::{Deserialize, Serialize};

use super::{Workspace, WorkspaceError};
use crate::{
    actors::{Actor, ActorId},
    decide::{Command, State},
    event::event_set,
    ids::WorkspaceId,
};

event_set! {
    /// The events of an invitation; stream `invitation:{workspace}:{invited}`.
    pub enum InvitationEvent: Uncached {
        /// A member invited an actor.
        Sent(InvitationSent) = "invitation.sent", Public, [];
        /// The invited actor joined.
        Accepted(InvitationAccepted) = "invitation.accepted", Public, [];
        /// The invited actor declined.
        Declined(InvitationDeclined) = "invitation.declined", Public, [];
        /// The invitation was withdrawn.
        Withdrawn(InvitationWithdrawn) = "invitation.withdrawn", Public, [];
    }
}

/// See [`InvitationEvent::Sent`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct InvitationSent {
    /// The workspace.
    pub workspace_id: WorkspaceId,
    /// The workspace's name at that time.
    pub workspace_name: String,
    /// The invited actor, with its profile at that time.
    pub invited: Actor,
    /// The inviting actor, with its profile at that time.
    pub invited_by: Actor,
}

/// See [`InvitationEvent::Accepted`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct InvitationAccepted {
    /// The workspace.
    pub workspace_id: WorkspaceId,
    /// The actor that joined.
    pub invited_id: ActorId,
}

/// See [`InvitationEvent::Declined`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct InvitationDeclined {
    /// The workspace.
    pub workspace_id: WorkspaceId,
    /// The actor that declined.
    pub invited_id: ActorId,
}

/// See [`InvitationEvent::Withdrawn`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct InvitationWithdrawn {
    /// The workspace.
    pub workspace_id: WorkspaceId,
    /// The invited actor.
    pub invited_id: ActorId,
    /// The actor that withdrew it.
    pub withdrawn_by: ActorId,
}

/// An invitation, folded from its stream.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Invitation {
    /// Whether it is pending.
    pub waits: bool,
}

impl State for Invitation {
    type Event = InvitationEvent;

    fn apply(self, event: &InvitationEvent) -> Self {
        Self { waits: matches!(event, InvitationEvent::Sent(_)) }
    }
}

impl Invitation {
    /// The stream of an actor's invitation into a workspace.
    pub fn stream(workspace_id: WorkspaceId, invited: ActorId) -> String {
        format!("invitation:{workspace_id}:{invited}")
    }

    /// The additional events when an actor joins, with or without an invitation.
    pub fn answered(&self, workspace_id: WorkspaceId, invited_id: ActorId) -> Vec<InvitationEvent> {
        if self.waits { vec![InvitationAccepted { workspace_id, invited_id }.into()] } else { vec![] }
    }
}

/// The reason why an invitation command is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum InvitationError {
    /// No invitation is pending.
    #[error("there is no pending invitation")]
    NotFound,
    /// The invited actor is already a member.
    #[error("the invited agent or owner is already a member")]
    AlreadyMember,
    /// The workspace refuses the command.
    #[error(transparent)]
    Workspace(#[from] WorkspaceError),
}

/// The input of an invitation command.
#[derive(Debug)]
pub struct Inviting<'a> {
    /// The workspace.
    pub workspace: &'a Workspace,
    /// The invitation.
    pub invitation: &'a Invitation,
}

/// Invites an actor. Inviting again while an invitation is pending changes nothing.
#[derive(Debug, Clone)]
pub struct Invite {
    /// The workspace.
    pub workspace_id: WorkspaceId,
    /// The invited actor, with its current profile.
    pub invited: Actor,
    /// The caller, with its current profile.
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
        workspace.maintained_by(self.by.id)?;
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

/// Withdraws an invitation. If none is pending, nothing changes.
#[derive(Debug, Clone)]
pub struct WithdrawInvitation {
    /// The workspace.
    pub workspace_id: WorkspaceId,
    /// The invited actor.
    pub invited_id: ActorId,
    /// The caller.
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
        workspace.maintained_by(self.by)?;
        let Self { workspace_id, invited_id, by: withdrawn_by } = *self;
        let withdrawn = InvitationWithdrawn { workspace_id, invited_id, withdrawn_by };
        Ok(if invitation.waits { vec![withdrawn.into()] } else { vec![] })
    }
}

/// Accepts an invitation. [`super::JoinWorkspace`] adds the membership. For a member, nothing changes.
#[derive(Debug, Clone)]
pub struct AcceptInvitation {
    /// The workspace.
    pub workspace_id: WorkspaceId,
    /// The caller, who is invited.
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

/// Declines an invitation.
#[derive(Debug, Clone)]
pub struct DeclineInvitation {
    /// The workspace.
    pub workspace_id: WorkspaceId,
    /// The caller, who is invited.
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
mod tests;
