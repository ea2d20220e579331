//! The meaning of links between a did and an agent: locations.

use super::LinkEvent;
use crate::{event::located_events, locations::Location};

located_events!(LinkEvent, |event| vec![Location::Actor(event.agent_id().into())]);

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
