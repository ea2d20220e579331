//! Human owners, their e-mail addresses (only as claims on a keyed hash) and the end of sessions.

use serde::{Deserialize, Serialize};

use super::account::{
    AgentLimitSet, EmailChanged, EmailReleased, OperatorRevoked, OwnerSessionsEnded, PasswordChanged,
};
use super::departure::OwnerDeleted;
use crate::{
    decide::{Command, State},
    event::event_set,
    ids::{OwnerId, SessionId},
};

event_set! {
    /// The life of an owner; stream `ow_…`.
    pub enum OwnerEvent {
        /// The account exists from here on.
        Registered(OwnerRegistered) = "owner.registered", Public;
        /// The owner may moderate.
        OperatorGranted(OperatorGranted) = "owner.operator_granted", Public;
        /// An operator of the machine set a new password; all sessions ended.
        PasswordReset(PasswordReset) = "owner.password_reset", Private;
        /// Operators keep the owner out, and the owner's agents; see `moderation`.
        Suspended(OwnerSuspended) = "owner.suspended", Public;
        /// They let both in again.
        Reinstated(OwnerReinstated) = "owner.reinstated", Public;
        /// The public name is another one.
        Renamed(OwnerRenamed) = "owner.renamed", Public;
        /// The owner may no longer moderate.
        OperatorRevoked(OperatorRevoked) = "owner.operator_revoked", Public;
        /// Operators have set how many active agents the owner may have.
        AgentLimitSet(AgentLimitSet) = "owner.agent_limit_set", Public;
        /// The owner has a new password; all other sessions ended.
        PasswordChanged(PasswordChanged) = "owner.password_changed", Private;
        /// The owner has another e-mail address.
        EmailChanged(EmailChanged) = "owner.email_changed", Private;
        /// The account is deleted, with the profile; see `departure`.
        Deleted(OwnerDeleted) = "owner.deleted", Public;
        /// The owner has ended sessions of the own.
        SessionsEnded(OwnerSessionsEnded) = "owner.sessions_ended", Private;
    }
}

event_set! {
    /// Who holds an e-mail address; stream `email:{keyed hash}`, so that a second claim is a version conflict.
    pub enum EmailEvent {
        /// The address belongs to this owner.
        Claimed(EmailClaimed) = "email.claimed", Private;
        /// The address is free again.
        Released(EmailReleased) = "email.released", Private;
    }
}

event_set! {
    /// The end of a session; stream `ses_…`. It lets every replica forget the session.
    pub enum SessionEvent {
        /// The session's holder ended it.
        Ended(SessionEnded) = "session.ended", Private;
    }
}

/// See [`OwnerEvent::Registered`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OwnerRegistered {
    /// The owner.
    pub owner_id: OwnerId,
    /// Shown beside what the owner writes.
    pub display_name: String,
}

/// See [`OwnerEvent::OperatorGranted`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OperatorGranted {
    /// The owner.
    pub owner_id: OwnerId,
}

/// See [`OwnerEvent::PasswordReset`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PasswordReset {
    /// The owner.
    pub owner_id: OwnerId,
}

/// See [`OwnerEvent::Suspended`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OwnerSuspended {
    /// The owner.
    pub owner_id: OwnerId,
}

/// See [`OwnerEvent::Reinstated`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OwnerReinstated {
    /// The owner.
    pub owner_id: OwnerId,
}

/// See [`OwnerEvent::Renamed`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OwnerRenamed {
    /// The owner.
    pub owner_id: OwnerId,
    /// Shown beside what the owner writes from here on.
    pub display_name: String,
}

/// See [`EmailEvent::Claimed`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EmailClaimed {
    /// The owner.
    pub owner_id: OwnerId,
}

/// See [`SessionEvent::Ended`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SessionEnded {
    /// The session.
    pub session_id: SessionId,
}

/// An owner as the stream tells it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Owner {
    /// The public name; none before registration.
    pub display_name: Option<String>,
    /// Whether the owner may moderate.
    pub operator: bool,
    /// Whether operators keep the owner out.
    pub suspended: bool,
    /// How many active agents operators let the owner have, where they have said so.
    pub agent_limit: Option<u32>,
    /// Whether the account is deleted.
    pub deleted: bool,
}

impl Owner {
    /// Refuses an owner who is not, or no longer, there.
    pub(super) fn exists(&self) -> Result<(), OwnerError> {
        self.display_name.as_ref().map(drop).ok_or(OwnerError::NotFound)
    }
}

impl State for Owner {
    type Event = OwnerEvent;

    fn apply(self, event: &OwnerEvent) -> Self {
        match event {
            OwnerEvent::Registered(data) => Self { display_name: Some(data.display_name.clone()), ..self },
            OwnerEvent::OperatorGranted(_) => Self { operator: true, ..self },
            OwnerEvent::Deleted(_) => Self { deleted: true, ..Self::default() },
            OwnerEvent::OperatorRevoked(_) => Self { operator: false, ..self },
            OwnerEvent::AgentLimitSet(data) => Self { agent_limit: Some(data.limit), ..self },
            OwnerEvent::PasswordReset(_)
            | OwnerEvent::PasswordChanged(_)
            | OwnerEvent::EmailChanged(_)
            | OwnerEvent::SessionsEnded(_) => self,
            OwnerEvent::Suspended(_) => Self { suspended: true, ..self },
            OwnerEvent::Reinstated(_) => Self { suspended: false, ..self },
            OwnerEvent::Renamed(data) => Self { display_name: Some(data.display_name.clone()), ..self },
        }
    }
}

/// Whether an e-mail address is taken.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Email {
    /// Who holds it.
    pub holder: Option<OwnerId>,
}

impl State for Email {
    type Event = EmailEvent;

    fn apply(self, event: &EmailEvent) -> Self {
        match event {
            EmailEvent::Claimed(data) => Self { holder: Some(data.owner_id) },
            EmailEvent::Released(_) => Self { holder: None },
        }
    }
}

/// Whether a session has been ended by its holder.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Session {
    /// True from the end on.
    pub ended: bool,
}

impl State for Session {
    type Event = SessionEvent;

    fn apply(self, SessionEvent::Ended(_): &SessionEvent) -> Self {
        Self { ended: true }
    }
}

/// Why a command about an owner is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum OwnerError {
    /// No such owner.
    #[error("no such owner")]
    NotFound,
    /// The e-mail address belongs to an account.
    #[error("this e-mail address has an account already")]
    EmailTaken,
}

/// Keeps an owner out, or lets one in again. One for whom that is so already stays as it is.
#[derive(Debug, Clone, Copy)]
pub struct KeepOwnerOut {
    /// The owner.
    pub owner_id: OwnerId,
    /// Whether to stay out.
    pub out: bool,
}

impl Command for KeepOwnerOut {
    type State<'a> = &'a Owner;
    type Event = OwnerEvent;
    type Error = OwnerError;

    fn decide(&self, owner: &Owner) -> Result<Vec<OwnerEvent>, OwnerError> {
        let Self { owner_id, out } = *self;
        owner.display_name.as_ref().ok_or(OwnerError::NotFound)?;
        Ok(match out {
            _ if owner.suspended == out => vec![],
            true => vec![OwnerSuspended { owner_id }.into()],
            false => vec![OwnerReinstated { owner_id }.into()],
        })
    }
}

/// Opens an account. The state is that of the address's stream.
#[derive(Debug, Clone)]
pub struct RegisterOwner {
    /// The new owner.
    pub owner_id: OwnerId,
}

impl Command for RegisterOwner {
    type State<'a> = &'a Email;
    type Event = EmailEvent;
    type Error = OwnerError;

    fn decide(&self, email: &Email) -> Result<Vec<EmailEvent>, OwnerError> {
        match email.holder {
            Some(_) => Err(OwnerError::EmailTaken),
            None => Ok(vec![EmailClaimed { owner_id: self.owner_id }.into()]),
        }
    }
}

/// Lets an owner moderate.
#[derive(Debug, Clone)]
pub struct GrantOperator {
    /// The owner.
    pub owner_id: OwnerId,
}

impl Command for GrantOperator {
    type State<'a> = &'a Owner;
    type Event = OwnerEvent;
    type Error = OwnerError;

    fn decide(&self, owner: &Owner) -> Result<Vec<OwnerEvent>, OwnerError> {
        match owner {
            Owner { display_name: None, .. } => Err(OwnerError::NotFound),
            Owner { operator: true, .. } => Ok(vec![]),
            Owner { operator: false, .. } => Ok(vec![OperatorGranted { owner_id: self.owner_id }.into()]),
        }
    }
}

/// Records that the machine's operator set a new password.
#[derive(Debug, Clone)]
pub struct ResetPassword {
    /// The owner.
    pub owner_id: OwnerId,
}

impl Command for ResetPassword {
    type State<'a> = &'a Owner;
    type Event = OwnerEvent;
    type Error = OwnerError;

    fn decide(&self, owner: &Owner) -> Result<Vec<OwnerEvent>, OwnerError> {
        owner.display_name.as_ref().ok_or(OwnerError::NotFound)?;
        Ok(vec![PasswordReset { owner_id: self.owner_id }.into()])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decide::testing::given;
    use uuid::Uuid;

    const ADA: OwnerId = OwnerId::new(Uuid::from_u128(1));
    const BOB: OwnerId = OwnerId::new(Uuid::from_u128(2));

    #[test]
    fn an_address_is_claimed_once() {
        let free = Email::default();
        let taken = given::<Email>([EmailClaimed { owner_id: ADA }.into()]);
        assert_eq!(RegisterOwner { owner_id: BOB }.decide(&free), Ok(vec![EmailClaimed { owner_id: BOB }.into()]));
        assert_eq!(RegisterOwner { owner_id: BOB }.decide(&taken), Err(OwnerError::EmailTaken));
    }

    #[test]
    fn who_is_out_is_let_in_once() {
        let registered = OwnerEvent::from(OwnerRegistered { owner_id: ADA, display_name: "Ada".into() });
        let (out, back) = (OwnerSuspended { owner_id: ADA }.into(), OwnerReinstated { owner_id: ADA }.into());
        let keep = |out| KeepOwnerOut { owner_id: ADA, out };
        let inside: Owner = given([registered]);
        assert_eq!((keep(true).decide(&inside), keep(false).decide(&inside)), (Ok(vec![out]), Ok(vec![])));
        let outside = inside.apply(&OwnerSuspended { owner_id: ADA }.into());
        assert_eq!((keep(true).decide(&outside), keep(false).decide(&outside)), (Ok(vec![]), Ok(vec![back])));
        assert_eq!(keep(true).decide(&Owner::default()), Err(OwnerError::NotFound));
    }

    #[test]
    fn granting_twice_changes_nothing() {
        let registered = OwnerEvent::from(OwnerRegistered { owner_id: ADA, display_name: "Ada".into() });
        let granted = OwnerEvent::from(OperatorGranted { owner_id: ADA });
        let grant = GrantOperator { owner_id: ADA };
        assert_eq!(grant.decide(&Owner::default()), Err(OwnerError::NotFound));
        assert_eq!(grant.decide(&given([registered.clone()])), Ok(vec![granted.clone()]));
        assert_eq!(grant.decide(&given([registered, granted])), Ok(vec![]));
    }
}
