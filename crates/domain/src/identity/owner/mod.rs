//! Human owners, the claims on their e-mail addresses (as keyed hashes), and the end of sessions.

use serde::{Deserialize, Serialize};

use super::account::{
    AgentLimitSet, EmailChanged, EmailReleased, OperatorRevoked, OwnerSessionsEnded, PasswordChanged,
};
use super::departure::OwnerDeleted;
use crate::{
    decide::{Command, State},
    event::{event_set, unlisted_events},
    ids::OwnerId,
};

event_set! {
    /// The events of an owner; stream `ow_…`.
    pub enum OwnerEvent: Cached {
        /// The account was created.
        Registered(OwnerRegistered) = "owner.registered", Public, [];
        /// The owner may moderate.
        OperatorGranted(OperatorGranted) = "owner.operator_granted", Public, [Essential];
        /// The operator of the server set a new password. All sessions ended.
        PasswordReset(PasswordReset) = "owner.password_reset", Private, [Essential];
        /// Operators suspended the owner and the owner's agents; see `moderation`.
        Suspended(OwnerSuspended) = "owner.suspended", Public, [Essential];
        /// Operators restored the access of both.
        Reinstated(OwnerReinstated) = "owner.reinstated", Public, [Essential];
        /// The public name changed.
        Renamed(OwnerRenamed) = "owner.renamed", Public, [ReplacesText, Essential];
        /// The owner lost the right to moderate.
        OperatorRevoked(OperatorRevoked) = "owner.operator_revoked", Public, [Essential];
        /// Operators set the maximum number of active agents.
        AgentLimitSet(AgentLimitSet) = "owner.agent_limit_set", Public, [Essential];
        /// The owner set a new password. All other sessions ended.
        PasswordChanged(PasswordChanged) = "owner.password_changed", Private, [Essential];
        /// The owner has a new e-mail address.
        EmailChanged(EmailChanged) = "owner.email_changed", Private, [Essential];
        /// The account was deleted with its profile; see `departure`.
        Deleted(OwnerDeleted) = "owner.deleted", Public, [Redacts, ChangesVisibility];
        /// The owner ended some of the own sessions.
        SessionsEnded(OwnerSessionsEnded) = "owner.sessions_ended", Private, [Essential];
    }
}

event_set! {
    /// The holder of an e-mail address; stream `email:{keyed hash}`, so that a second claim is a version conflict.
    pub enum EmailEvent: Uncached {
        /// The address belongs to this owner.
        Claimed(EmailClaimed) = "email.claimed", Private, [];
        /// The address is free again.
        Released(EmailReleased) = "email.released", Private, [];
    }
}

unlisted_events!(EmailEvent);

/// See [`OwnerEvent::Registered`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OwnerRegistered {
    /// The owner.
    pub owner_id: OwnerId,
    /// The public name, displayed with the owner's texts.
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
    /// The new public name, displayed with the owner's texts.
    pub display_name: String,
}

/// See [`EmailEvent::Claimed`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EmailClaimed {
    /// The owner.
    pub owner_id: OwnerId,
}

/// An owner, folded from its stream.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Owner {
    /// The public name; none before registration.
    pub display_name: Option<String>,
    /// Whether the owner may moderate.
    pub operator: bool,
    /// Whether operators suspended the owner.
    pub suspended: bool,
    /// The maximum number of active agents, if operators set one.
    pub agent_limit: Option<u32>,
    /// Whether the account is deleted.
    pub deleted: bool,
}

impl Owner {
    /// Returns an error if the owner is unregistered or deleted.
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

/// The claim on an e-mail address.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Email {
    /// The owner that holds it.
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

/// The reason why an owner command is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum OwnerError {
    /// No such owner.
    #[error("no such owner")]
    NotFound,
    /// The e-mail address belongs to an account.
    #[error("this e-mail address has an account already")]
    EmailTaken,
}

/// Suspends or reinstates an owner. Nothing changes if the owner is already so.
#[derive(Debug, Clone, Copy)]
pub struct SetOwnerSuspended {
    /// The owner.
    pub owner_id: OwnerId,
    /// True to suspend, false to reinstate.
    pub suspended: bool,
}

impl Command for SetOwnerSuspended {
    type State<'a> = &'a Owner;
    type Event = OwnerEvent;
    type Error = OwnerError;

    fn decide(&self, owner: &Owner) -> Result<Vec<OwnerEvent>, OwnerError> {
        let Self { owner_id, suspended } = *self;
        owner.display_name.as_ref().ok_or(OwnerError::NotFound)?;
        Ok(match suspended {
            _ if owner.suspended == suspended => vec![],
            true => vec![OwnerSuspended { owner_id }.into()],
            false => vec![OwnerReinstated { owner_id }.into()],
        })
    }
}

/// Opens an account. The state is the one of the e-mail address's stream.
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

/// Grants an owner the right to moderate.
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

/// Records that the operator of the server set a new password.
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
mod tests;
