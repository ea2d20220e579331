//! The meaning of events of agents and owners: locations, and whether an event removes a name.

use super::{AgentEvent, OwnerEvent};
use crate::{
    event::Meaning,
    ids::{AgentId, OwnerId},
    inbox_items::InboxChange,
    locations::{Location, MembershipChange},
};

impl Meaning for OwnerEvent {
    fn locations(&self) -> Vec<Location> {
        self.public_id().map(|id| Location::Actor(id.into())).into_iter().collect()
    }

    fn membership(&self) -> Option<MembershipChange> {
        None
    }

    fn summary(&self) -> Option<String> {
        None
    }

    fn changes_visibility(&self) -> bool {
        match self {
            // The name of a deleted account occurs in events of many streams.
            Self::Deleted(_) => true,
            Self::Registered(_)
            | Self::OperatorGranted(_)
            | Self::PasswordReset(_)
            | Self::Suspended(_)
            | Self::Reinstated(_)
            | Self::Renamed(_)
            | Self::OperatorRevoked(_)
            | Self::AgentLimitSet(_)
            | Self::PasswordChanged(_)
            | Self::EmailChanged(_)
            | Self::SessionsEnded(_) => false,
        }
    }

    fn inbox(&self) -> InboxChange {
        InboxChange::Unchanged
    }
}

impl OwnerEvent {
    /// The owner; `None` for a private event.
    fn public_id(&self) -> Option<OwnerId> {
        match self {
            Self::Registered(data) => Some(data.owner_id),
            Self::OperatorGranted(data) => Some(data.owner_id),
            Self::Suspended(data) => Some(data.owner_id),
            Self::Reinstated(data) => Some(data.owner_id),
            Self::Renamed(data) => Some(data.owner_id),
            Self::OperatorRevoked(data) => Some(data.owner_id),
            Self::AgentLimitSet(data) => Some(data.owner_id),
            Self::Deleted(data) => Some(data.owner_id),
            Self::PasswordReset(_) | Self::PasswordChanged(_) | Self::EmailChanged(_) | Self::SessionsEnded(_) => None,
        }
    }
}

impl Meaning for AgentEvent {
    fn locations(&self) -> Vec<Location> {
        self.public_id().map(|id| Location::Actor(id.into())).into_iter().collect()
    }

    fn membership(&self) -> Option<MembershipChange> {
        None
    }

    fn summary(&self) -> Option<String> {
        None
    }

    fn changes_visibility(&self) -> bool {
        false
    }

    fn inbox(&self) -> InboxChange {
        InboxChange::Unchanged
    }
}

impl AgentEvent {
    /// The agent; `None` for a private event.
    fn public_id(&self) -> Option<AgentId> {
        match self {
            Self::Registered(data) => Some(data.agent_id),
            Self::Edited(data) => Some(data.agent_id),
            Self::KeyRotated(data) => Some(data.agent_id),
            Self::KeyCreated(data) => Some(data.agent_id),
            Self::KeyRevoked(data) => Some(data.agent_id),
            Self::TierSet(data) => Some(data.agent_id),
            Self::Deactivated(data) => Some(data.agent_id),
            Self::Suspended(data) => Some(data.agent_id),
            Self::Reinstated(data) => Some(data.agent_id),
            Self::Erased(data) => Some(data.agent_id),
            Self::SessionsEnded(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use chrono::DateTime;
    use uuid::Uuid;

    use super::super::{
        AgentDeactivated, AgentEdited, AgentErased, AgentKeyCreated, AgentKeyRevoked, AgentKeyRotated, AgentLimitSet,
        AgentProfile, AgentRegistered, AgentReinstated, AgentSessionsEnded, AgentSuspended, AgentTierSet, EmailChanged,
        OperatorGranted, OperatorRevoked, OwnerDeleted, OwnerRegistered, OwnerReinstated, OwnerRenamed,
        OwnerSessionsEnded, OwnerSuspended, PasswordChanged, PasswordReset, TextRetention,
    };
    use super::*;
    use crate::{event_tests::meanings, ids::KeyId, limits::Tier};

    #[test]
    fn public_events_of_an_owner_belong_to_it() {
        let owner_id = OwnerId::new(Uuid::from_u128(1));
        let (display_name, created_at) = ("Ada".to_owned(), DateTime::UNIX_EPOCH);
        assert_eq!(
            meanings::<OwnerEvent>([
                OwnerRegistered { owner_id, display_name: display_name.clone() }.into(),
                OperatorGranted { owner_id }.into(),
                PasswordReset { owner_id }.into(),
                OwnerSuspended { owner_id }.into(),
                OwnerReinstated { owner_id }.into(),
                OwnerRenamed { owner_id, display_name }.into(),
                OperatorRevoked { owner_id }.into(),
                AgentLimitSet { owner_id, limit: 3 }.into(),
                PasswordChanged { owner_id, by_mail: false }.into(),
                EmailChanged { owner_id }.into(),
                OwnerDeleted { owner_id, created_at, texts: TextRetention::Keep }.into(),
                OwnerSessionsEnded { owner_id }.into(),
            ]),
            [
                "owner.registered @ow_1: owner registered",
                "owner.operator_granted @ow_1: owner operator granted",
                "owner.password_reset: owner password reset",
                "owner.suspended @ow_1: owner suspended",
                "owner.reinstated @ow_1: owner reinstated",
                "owner.renamed @ow_1: owner renamed",
                "owner.operator_revoked @ow_1: owner operator revoked",
                "owner.agent_limit_set @ow_1: owner agent limit set",
                "owner.password_changed: owner password changed",
                "owner.email_changed: owner email changed",
                "owner.deleted @ow_1, changes visibility: owner deleted",
                "owner.sessions_ended: owner sessions ended",
            ]
        );
    }

    #[test]
    fn public_events_of_an_agent_belong_to_it() {
        let (agent_id, owner_id) = (AgentId::new(Uuid::from_u128(2)), OwnerId::new(Uuid::from_u128(1)));
        let (profile, with_owner) = (AgentProfile::default(), false);
        let (position, created_at) = (7, DateTime::UNIX_EPOCH);
        let (key_id, expires_at) = (KeyId::new(Uuid::from_u128(3)), Some(created_at));
        assert_eq!(
            meanings::<AgentEvent>([
                AgentRegistered { agent_id, owner_id, profile: profile.clone() }.into(),
                AgentEdited { agent_id, profile }.into(),
                AgentKeyRotated { agent_id }.into(),
                AgentKeyCreated { agent_id, key_id, expires_at }.into(),
                AgentKeyRevoked { agent_id, key_id }.into(),
                AgentTierSet { agent_id, tier: Tier::Pro }.into(),
                AgentDeactivated { agent_id }.into(),
                AgentSuspended { agent_id, with_owner }.into(),
                AgentReinstated { agent_id, with_owner }.into(),
                AgentErased { agent_id, owner_id, position, created_at }.into(),
                AgentSessionsEnded { agent_id }.into(),
            ]),
            [
                "agent.registered @ag_2: agent registered",
                "agent.edited @ag_2: agent edited",
                "agent.key_rotated @ag_2: agent key rotated",
                "agent.key_created @ag_2: agent key created",
                "agent.key_revoked @ag_2: agent key revoked",
                "agent.tier_set @ag_2: agent tier set",
                "agent.deactivated @ag_2: agent deactivated",
                "agent.suspended @ag_2: agent suspended",
                "agent.reinstated @ag_2: agent reinstated",
                "agent.erased @ag_2: agent erased",
                "agent.sessions_ended: agent sessions ended",
            ]
        );
    }
}
