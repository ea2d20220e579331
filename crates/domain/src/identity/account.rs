//! Changes to an owner's account, by the owner or by operators: password, e-mail address, sessions, agent limit,
//! deletion.

use serde::{Deserialize, Serialize};

use super::owner::{Email, EmailClaimed, EmailEvent, Owner, OwnerError, OwnerEvent};
use crate::{decide::Command, ids::OwnerId};

/// See [`OwnerEvent::PasswordChanged`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PasswordChanged {
    /// The owner.
    pub owner_id: OwnerId,
    /// Whether a token from an e-mail replaced the old password.
    pub by_mail: bool,
}

/// See [`OwnerEvent::EmailChanged`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EmailChanged {
    /// The owner.
    pub owner_id: OwnerId,
}

/// See [`OwnerEvent::SessionsEnded`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OwnerSessionsEnded {
    /// The owner.
    pub owner_id: OwnerId,
}

/// See [`OwnerEvent::OperatorRevoked`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OperatorRevoked {
    /// The owner.
    pub owner_id: OwnerId,
}

/// See [`OwnerEvent::AgentLimitSet`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AgentLimitSet {
    /// The owner.
    pub owner_id: OwnerId,
    /// The maximum number of active agents of the owner.
    pub limit: u32,
}

/// See [`EmailEvent::Released`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EmailReleased {
    /// The owner that held the address.
    pub owner_id: OwnerId,
}

/// Records that the owner set a new password.
#[derive(Debug, Clone, Copy)]
pub struct ChangePassword {
    /// The owner.
    pub owner_id: OwnerId,
    /// Whether a token from an e-mail replaced the old password.
    pub by_mail: bool,
}

impl Command for ChangePassword {
    type State<'a> = &'a Owner;
    type Event = OwnerEvent;
    type Error = OwnerError;

    fn decide(&self, owner: &Owner) -> Result<Vec<OwnerEvent>, OwnerError> {
        owner.exists()?;
        Ok(vec![PasswordChanged { owner_id: self.owner_id, by_mail: self.by_mail }.into()])
    }
}

/// Records that the owner has a new e-mail address.
#[derive(Debug, Clone, Copy)]
pub struct ChangeEmail {
    /// The owner.
    pub owner_id: OwnerId,
}

/// The events of three streams: the owner's, the old address's and the new address's.
pub type Moved = (Vec<OwnerEvent>, Vec<EmailEvent>, Vec<EmailEvent>);

impl ChangeEmail {
    /// Releases the old address and claims the new one. If the owner already holds the new address, nothing changes.
    pub fn decide(&self, owner: &Owner, new: &Email) -> Result<Moved, OwnerError> {
        let owner_id = self.owner_id;
        owner.exists()?;
        match new.holder {
            Some(holder) if holder == owner_id => Ok((vec![], vec![], vec![])),
            Some(_) => Err(OwnerError::EmailTaken),
            None => Ok((
                vec![EmailChanged { owner_id }.into()],
                vec![EmailReleased { owner_id }.into()],
                vec![EmailClaimed { owner_id }.into()],
            )),
        }
    }
}

/// Ends sessions of the owner. The caller chooses them in the sessions' side table.
#[derive(Debug, Clone, Copy)]
pub struct EndOwnerSessions {
    /// The owner.
    pub owner_id: OwnerId,
}

impl Command for EndOwnerSessions {
    type State<'a> = &'a Owner;
    type Event = OwnerEvent;
    type Error = OwnerError;

    fn decide(&self, owner: &Owner) -> Result<Vec<OwnerEvent>, OwnerError> {
        owner.exists()?;
        Ok(vec![OwnerSessionsEnded { owner_id: self.owner_id }.into()])
    }
}

/// Revokes the right to moderate.
#[derive(Debug, Clone, Copy)]
pub struct RevokeOperator {
    /// The owner.
    pub owner_id: OwnerId,
}

impl Command for RevokeOperator {
    type State<'a> = &'a Owner;
    type Event = OwnerEvent;
    type Error = OwnerError;

    fn decide(&self, owner: &Owner) -> Result<Vec<OwnerEvent>, OwnerError> {
        owner.exists()?;
        Ok(if owner.operator { vec![OperatorRevoked { owner_id: self.owner_id }.into()] } else { vec![] })
    }
}

/// Sets the maximum number of active agents of an owner.
#[derive(Debug, Clone, Copy)]
pub struct SetAgentLimit {
    /// The owner.
    pub owner_id: OwnerId,
    /// The new limit.
    pub limit: u32,
}

impl Command for SetAgentLimit {
    type State<'a> = &'a Owner;
    type Event = OwnerEvent;
    type Error = OwnerError;

    fn decide(&self, owner: &Owner) -> Result<Vec<OwnerEvent>, OwnerError> {
        let Self { owner_id, limit } = *self;
        owner.exists()?;
        Ok(if owner.agent_limit == Some(limit) { vec![] } else { vec![AgentLimitSet { owner_id, limit }.into()] })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        decide::{State, testing::given},
        identity::{OperatorGranted, OwnerRegistered},
    };
    use uuid::Uuid;

    const ADA: OwnerId = OwnerId::new(Uuid::from_u128(1));
    const BOB: OwnerId = OwnerId::new(Uuid::from_u128(2));

    fn ada() -> Owner {
        given([OwnerRegistered { owner_id: ADA, display_name: "Ada".into() }.into()])
    }

    #[test]
    fn an_owner_moves_only_to_an_unclaimed_address() {
        let change = ChangeEmail { owner_id: ADA };
        let taken: Email = given([EmailClaimed { owner_id: BOB }.into()]);
        assert_eq!(change.decide(&ada(), &taken), Err(OwnerError::EmailTaken));
        let released = taken.apply(&EmailReleased { owner_id: BOB }.into());
        let (owner, old, new) = change.decide(&ada(), &released).unwrap();
        assert_eq!(owner, [EmailChanged { owner_id: ADA }.into()]);
        assert_eq!(old, [EmailReleased { owner_id: ADA }.into()]);
        assert_eq!(new, [EmailClaimed { owner_id: ADA }.into()]);
        let own: Email = given([EmailClaimed { owner_id: ADA }.into()]);
        assert_eq!(change.decide(&ada(), &own), Ok((vec![], vec![], vec![])));
        assert_eq!(change.decide(&Owner::default(), &Email::default()), Err(OwnerError::NotFound));
    }

    #[test]
    fn an_operator_is_revoked_once() {
        let revoke = RevokeOperator { owner_id: ADA };
        let operator = ada().apply(&OperatorGranted { owner_id: ADA }.into());
        let revoked = OwnerEvent::from(OperatorRevoked { owner_id: ADA });
        assert_eq!(revoke.decide(&operator), Ok(vec![revoked.clone()]));
        assert_eq!(revoke.decide(&operator.apply(&revoked)), Ok(vec![]));
        assert_eq!(revoke.decide(&Owner::default()), Err(OwnerError::NotFound));
    }

    #[test]
    fn an_agent_limit_is_set_once() {
        let set = SetAgentLimit { owner_id: ADA, limit: 500 };
        let event = OwnerEvent::from(AgentLimitSet { owner_id: ADA, limit: 500 });
        assert_eq!(set.decide(&ada()), Ok(vec![event.clone()]));
        assert_eq!(set.decide(&ada().apply(&event)), Ok(vec![]));
    }
}
