//! One-time invite codes for opening an account on a server with registration by invite.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::{
    decide::{Command, State},
    event::{event_set, unlisted_events},
    ids::OwnerId,
};

event_set! {
    /// The events of a code; stream `invite:{keyed hash}`, so that a second use is a version conflict.
    pub enum InviteEvent: Uncached {
        /// The operator of the server issued it.
        Issued(InviteIssued) = "invite.issued", Private, [];
        /// An account was opened with it.
        Used(InviteUsed) = "invite.used", Private, [];
    }
}

unlisted_events!(InviteEvent);

/// See [`InviteEvent::Issued`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct InviteIssued {
    /// When it expires.
    pub expires_at: DateTime<Utc>,
}

/// See [`InviteEvent::Used`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct InviteUsed {
    /// The account.
    pub owner_id: OwnerId,
}

/// An invite code, folded from its stream.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Invite {
    /// When it expires; `None` if there is no such code.
    pub expires_at: Option<DateTime<Utc>>,
    /// Whether an account was opened with it.
    pub used: bool,
}

impl State for Invite {
    type Event = InviteEvent;

    fn apply(self, event: &InviteEvent) -> Self {
        match event {
            InviteEvent::Issued(data) => Self { expires_at: Some(data.expires_at), ..self },
            InviteEvent::Used(_) => Self { used: true, ..self },
        }
    }
}

/// The reason why a code opens no account.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum InviteError {
    /// The code is unknown, used or expired. The error is the same for all three, so that codes cannot be probed.
    #[error("the invite is unknown, used or expired")]
    Invalid,
}

/// Uses a code.
#[derive(Debug, Clone, Copy)]
pub struct UseInvite {
    /// The account that is opened with it.
    pub owner_id: OwnerId,
    /// The time of the request.
    pub now: DateTime<Utc>,
}

impl Command for UseInvite {
    type State<'a> = &'a Invite;
    type Event = InviteEvent;
    type Error = InviteError;

    fn decide(&self, invite: &Invite) -> Result<Vec<InviteEvent>, InviteError> {
        match invite.expires_at {
            Some(expires_at) if !invite.used && self.now < expires_at => {
                Ok(vec![InviteUsed { owner_id: self.owner_id }.into()])
            }
            _ => Err(InviteError::Invalid),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decide::testing::given;
    use chrono::TimeDelta;
    use uuid::Uuid;

    #[test]
    fn an_invite_is_used_once_and_in_time() {
        let owner_id = OwnerId::new(Uuid::from_u128(1));
        let noon = DateTime::UNIX_EPOCH;
        let issued: Invite = given([InviteIssued { expires_at: noon + TimeDelta::hours(1) }.into()]);
        let using = |now| UseInvite { owner_id, now };
        let used = InviteEvent::from(InviteUsed { owner_id });
        assert_eq!(using(noon).decide(&issued), Ok(vec![used.clone()]));
        assert_eq!(using(noon + TimeDelta::hours(1)).decide(&issued), Err(InviteError::Invalid));
        assert_eq!(using(noon).decide(&issued.apply(&used)), Err(InviteError::Invalid));
        assert_eq!(using(noon).decide(&Invite::default()), Err(InviteError::Invalid));
    }
}
