//! The protocol documents that an agent supports, by its own declaration.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::{DocumentHash, SUPPORTS_MAX};
use crate::{
    decide::{Command, State},
    event::event_set,
    ids::AgentId,
};

event_set! {
    /// The supported documents of an agent; stream `supports:ag_…`.
    pub enum SupportEvent: Uncached {
        /// The agent declared support for a document.
        Declared(SupportDeclared) = "protocol.support_declared", Public, [];
        /// The agent withdrew its support.
        Withdrawn(SupportWithdrawn) = "protocol.support_withdrawn", Public, [];
    }
}

/// See [`SupportEvent::Declared`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SupportDeclared {
    /// The agent.
    pub agent_id: AgentId,
    /// The document.
    pub hash: DocumentHash,
}

/// See [`SupportEvent::Withdrawn`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SupportWithdrawn {
    /// The agent.
    pub agent_id: AgentId,
    /// The document.
    pub hash: DocumentHash,
}

impl SupportEvent {
    /// The agent.
    pub fn agent_id(&self) -> AgentId {
        match self {
            Self::Declared(data) => data.agent_id,
            Self::Withdrawn(data) => data.agent_id,
        }
    }
}

/// The documents that an agent supports.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Supports {
    /// Their hashes.
    pub hashes: BTreeSet<DocumentHash>,
}

impl Supports {
    /// The stream of an agent's supported documents.
    pub fn stream(agent_id: AgentId) -> String {
        format!("supports:{agent_id}")
    }
}

impl State for Supports {
    type Event = SupportEvent;

    fn apply(mut self, event: &SupportEvent) -> Self {
        match event {
            SupportEvent::Declared(data) => self.hashes.insert(data.hash),
            SupportEvent::Withdrawn(data) => self.hashes.remove(&data.hash),
        };
        self
    }
}

/// The reason why a declaration is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SupportError {
    /// The document is unknown or withdrawn.
    #[error("no such document is listed")]
    NotListed,
    /// The agent supports the maximum number of documents.
    #[error("the agent supports {SUPPORTS_MAX} documents already")]
    TooMany,
}

/// Declares that an agent supports a document.
#[derive(Debug, Clone, Copy)]
pub struct DeclareSupport {
    /// The agent.
    pub agent_id: AgentId,
    /// The document.
    pub hash: DocumentHash,
    /// Whether the document is listed: registered and not withdrawn, or one of the server's own.
    pub listed: bool,
}

impl Command for DeclareSupport {
    type State<'a> = &'a Supports;
    type Event = SupportEvent;
    type Error = SupportError;

    fn decide(&self, supports: &Supports) -> Result<Vec<SupportEvent>, SupportError> {
        let Self { agent_id, hash, listed } = *self;
        if !listed {
            return Err(SupportError::NotListed);
        }
        if supports.hashes.contains(&hash) {
            return Ok(vec![]);
        }
        if supports.hashes.len() >= SUPPORTS_MAX {
            return Err(SupportError::TooMany);
        }
        Ok(vec![SupportDeclared { agent_id, hash }.into()])
    }
}

/// Withdraws an agent's support for a document.
#[derive(Debug, Clone, Copy)]
pub struct WithdrawSupport {
    /// The agent.
    pub agent_id: AgentId,
    /// The document.
    pub hash: DocumentHash,
}

impl Command for WithdrawSupport {
    type State<'a> = &'a Supports;
    type Event = SupportEvent;
    type Error = SupportError;

    fn decide(&self, supports: &Supports) -> Result<Vec<SupportEvent>, SupportError> {
        let Self { agent_id, hash } = *self;
        let supported = supports.hashes.contains(&hash);
        Ok(supported.then(|| SupportWithdrawn { agent_id, hash }.into()).into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use uuid::Uuid;

    use super::*;
    use crate::decide::testing::given;

    const SCOUT: AgentId = AgentId::new(Uuid::from_u128(1));

    fn declare(number: u8) -> DeclareSupport {
        DeclareSupport { agent_id: SCOUT, hash: DocumentHash::of(&number.to_string()), listed: true }
    }

    fn withdraw(number: u8) -> WithdrawSupport {
        WithdrawSupport { agent_id: SCOUT, hash: declare(number).hash }
    }

    #[test]
    fn support_is_declared_and_withdrawn() {
        let declared = declare(1).decide(&Supports::default()).unwrap();
        let supports: Supports = given(declared.clone());
        assert_eq!(declare(1).decide(&supports), Ok(vec![]));
        assert_eq!(withdraw(2).decide(&supports), Ok(vec![]));
        let withdrawn = withdraw(1).decide(&supports).unwrap();
        let supports: Supports = given(declared.into_iter().chain(withdrawn));
        assert_eq!(supports, Supports::default());
    }

    #[test]
    fn only_listed_documents_can_be_supported() {
        let unlisted = DeclareSupport { listed: false, ..declare(1) };
        assert_eq!(unlisted.decide(&Supports::default()), Err(SupportError::NotListed));
    }

    #[test]
    fn its_stream_and_its_data_are_pinned() {
        assert_eq!(Supports::stream(SCOUT), format!("supports:{SCOUT}"));
        let declared = SupportEvent::from(SupportDeclared { agent_id: SCOUT, hash: DocumentHash::of("abc") });
        let expected = format!(r#"{{"agentId":"{SCOUT}","hash":"a9993e364706816aba3e25717850c26c9cd0d89d"}}"#);
        assert_eq!(declared.encode(), expected);
    }

    proptest! {
        #[test]
        fn the_number_of_supported_documents_is_limited(steps in prop::collection::vec((0_u8..80, 0_u8..4), 0..200)) {
            let mut supports = Supports::default();
            for (number, kind) in steps {
                let decided = if kind > 0 { declare(number).decide(&supports) } else { withdraw(number).decide(&supports) };
                for event in decided.unwrap_or_default() {
                    supports = supports.apply(&event);
                }
                prop_assert!(supports.hashes.len() <= SUPPORTS_MAX);
            }
        }
    }
}
