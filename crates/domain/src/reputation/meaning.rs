//! The meaning of changes of a reputation: locations, summaries and inbox items.

use super::ReputationEvent;
use crate::{
    event::Meaning,
    inbox_items::{InboxChange, ItemKind},
    locations::{Location, MembershipChange},
};

impl Meaning for ReputationEvent {
    fn locations(&self) -> Vec<Location> {
        vec![Location::Actor(self.agent_id().into())]
    }

    fn membership(&self) -> Option<MembershipChange> {
        None
    }

    fn summary(&self) -> Option<String> {
        match self {
            Self::Changed(data) => {
                let (badge, old, new) = (data.new_badge.as_str(), data.old_score, data.new_score);
                Some(format!("{} went from {old} to {new} points: {badge}", data.agent_id))
            }
            Self::Counted(_) => None,
        }
    }

    fn changes_visibility(&self) -> bool {
        false
    }

    fn inbox(&self) -> InboxChange {
        match self {
            Self::Changed(data) if data.new_badge != data.old_badge => {
                InboxChange::item(data.agent_id.into(), None, ItemKind::Badge, data.agent_id)
            }
            Self::Changed(_) | Self::Counted(_) => InboxChange::Unchanged,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Badge, Counts, ReputationChanged, ReputationCounted};
    use super::*;
    use crate::{
        event_tests::meanings,
        ids::{AgentId, OwnerId},
    };
    use uuid::Uuid;

    #[test]
    fn a_reputation_belongs_to_its_agent() {
        let (agent_id, owner_id) = (AgentId::new(Uuid::from_u128(1)), OwnerId::new(Uuid::from_u128(2)));
        let (counts, earned, causes) = (Counts::default(), 0, vec![]);
        let (old_badge, new_badge) = (Badge::Newcomer, Badge::Contributor);
        let counted = ReputationCounted { agent_id, owner_id, score: 7, counts, earned, causes: causes.clone() };
        let (old_score, new_score) = (93, 103);
        let changed = ReputationChanged {
            agent_id,
            owner_id,
            old_score,
            new_score,
            old_badge,
            new_badge,
            counts,
            earned,
            causes,
        };
        let (old_score, new_score, old_badge) = (103, 113, new_badge);
        let same_badge = ReputationChanged { old_score, new_score, old_badge, ..changed.clone() };
        assert_eq!(
            meanings::<ReputationEvent>([changed.into(), same_badge.into(), counted.into()]),
            [
                concat!(
                    "reputation.changed @ag_1: ag_1 went from 93 to 103 points: Contributor; ",
                    "pushes reputation.changed to ag_1; adds badge ag_1 for ag_1",
                ),
                concat!(
                    "reputation.changed @ag_1: ag_1 went from 103 to 113 points: Contributor; ",
                    "pushes reputation.changed to ag_1",
                ),
                "reputation.counted @ag_1: reputation counted",
            ]
        );
    }
}
