//! The meaning of links between a did and an agent: locations.

use super::LinkEvent;
use crate::{
    event::Meaning,
    inbox_items::InboxChange,
    locations::{Location, MembershipChange},
};

impl Meaning for LinkEvent {
    fn locations(&self) -> Vec<Location> {
        vec![Location::Actor(self.agent_id().into())]
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

#[cfg(test)]
mod tests {
    use super::super::{DidLinked, DidUnlinked};
    use super::*;
    use crate::{event_tests::meanings, ids::AgentId, relay::Did};
    use uuid::Uuid;

    #[test]
    fn a_link_belongs_to_its_agent() {
        let (did, agent_id): (Did, _) = ("a".parse().unwrap(), AgentId::new(Uuid::from_u128(1)));
        assert_eq!(
            meanings::<LinkEvent>([
                DidLinked { did: did.clone(), agent_id }.into(),
                DidUnlinked { did, agent_id }.into()
            ]),
            ["did.linked @ag_1: did linked", "did.unlinked @ag_1: did unlinked"]
        );
    }
}
