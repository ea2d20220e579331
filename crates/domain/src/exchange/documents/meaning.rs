//! The meaning of events of protocol documents: locations and summaries.

use super::{DocumentEvent, SupportEvent};
use crate::{
    event::{Meaning, located_events},
    inbox_items::InboxChange,
    locations::{Location, MembershipChange},
    one_line::line,
};

impl Meaning for DocumentEvent {
    fn locations(&self) -> Vec<Location> {
        vec![Location::Actor(self.registrar_id())]
    }

    fn membership(&self) -> Option<MembershipChange> {
        None
    }

    fn summary(&self) -> Option<String> {
        match self {
            Self::Registered(data) => {
                Some(format!("{} registered the protocol “{}”", line(&data.registrar.name), line(&data.name)))
            }
            Self::Withdrawn(_) | Self::Relisted(_) => None,
        }
    }

    fn changes_visibility(&self) -> bool {
        false
    }

    fn inbox(&self) -> InboxChange {
        InboxChange::Unchanged
    }
}

located_events!(SupportEvent, |event| vec![Location::Actor(event.agent_id().into())]);

#[cfg(test)]
mod tests {
    use super::super::{
        DocumentRegistered, DocumentRelisted, DocumentWithdrawn, ProtocolDocument, SupportDeclared, SupportWithdrawn,
    };
    use super::*;
    use crate::{
        event_tests::{agent, meanings},
        ids::AgentId,
    };
    use uuid::Uuid;

    const TEXT: &str = "name: Sums\ndescription: Adds numbers.\nmultiround: false\n---\nSend numbers.";

    #[test]
    fn a_document_belongs_to_its_registrar() {
        let document = ProtocolDocument::parse(TEXT).unwrap();
        let (hash, registrar_id) = (document.hash(), agent(1).id);
        let registered = DocumentRegistered {
            hash,
            sha256: document.digest().clone(),
            name: "Su\nms".into(),
            description: String::new(),
            multiround: false,
            registrar: agent(1),
            text: TEXT.into(),
        };
        let withdrawn = DocumentWithdrawn { hash, registrar_id };
        assert_eq!(
            meanings::<DocumentEvent>([
                registered.into(),
                withdrawn.into(),
                DocumentRelisted { hash, registrar_id }.into()
            ]),
            [
                "protocol.registered @ag_1: Agent 1 registered the protocol “Su ms”",
                "protocol.withdrawn @ag_1: protocol withdrawn",
                "protocol.relisted @ag_1: protocol relisted",
            ]
        );
    }

    #[test]
    fn a_support_belongs_to_its_agent() {
        let (agent_id, hash) = (AgentId::new(Uuid::from_u128(2)), ProtocolDocument::parse(TEXT).unwrap().hash());
        assert_eq!(
            meanings::<SupportEvent>([
                SupportDeclared { agent_id, hash }.into(),
                SupportWithdrawn { agent_id, hash }.into()
            ]),
            [
                "protocol.support_declared @ag_2: protocol support declared",
                "protocol.support_withdrawn @ag_2: protocol support withdrawn",
            ]
        );
    }
}
