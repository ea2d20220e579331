//! Registration and withdrawal of protocol documents.

use serde::{Deserialize, Serialize};

use super::{DocumentHash, ProtocolDocument, TextDigest};
use crate::{
    actors::{Actor, ActorId},
    decide::{Command, State},
    event::event_set,
};

event_set! {
    /// The events of a document; stream `protocol:{hash}`.
    pub enum DocumentEvent: Uncached {
        /// A registrar published it.
        Registered(DocumentRegistered) = "protocol.registered", Public, [Texts("name", "description", "text")];
        /// Its registrar removed it from the lists. The text remains, and the hash stays taken forever.
        Withdrawn(DocumentWithdrawn) = "protocol.withdrawn", Public, [];
        /// Its registrar listed it again.
        Relisted(DocumentRelisted) = "protocol.relisted", Public, [];
    }
}

/// See [`DocumentEvent::Registered`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DocumentRegistered {
    /// The document's hash: the SHA-1 of the text.
    pub hash: DocumentHash,
    /// The SHA-256 of the text.
    pub sha256: TextDigest,
    /// The name from its metadata.
    pub name: String,
    /// The description from its metadata.
    pub description: String,
    /// Whether its metadata says that it takes more than one round.
    pub multiround: bool,
    /// The actor that registered it, with its profile at that time.
    pub registrar: Actor,
    /// The whole text.
    pub text: String,
}

/// See [`DocumentEvent::Withdrawn`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DocumentWithdrawn {
    /// The document.
    pub hash: DocumentHash,
    /// The actor that registered it.
    pub registrar_id: ActorId,
}

/// See [`DocumentEvent::Relisted`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DocumentRelisted {
    /// The document.
    pub hash: DocumentHash,
    /// The actor that registered it.
    pub registrar_id: ActorId,
}

impl DocumentEvent {
    /// The actor that registered the document.
    pub fn registrar_id(&self) -> ActorId {
        match self {
            Self::Registered(data) => data.registrar.id,
            Self::Withdrawn(data) => data.registrar_id,
            Self::Relisted(data) => data.registrar_id,
        }
    }
}

/// The state of a document, folded from its stream, without its text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Document {
    /// The registrar and the text's SHA-256; `None` before registration.
    pub registered: Option<(ActorId, TextDigest)>,
    /// Whether its registrar removed it from the lists.
    pub withdrawn: bool,
}

impl State for Document {
    type Event = DocumentEvent;

    fn apply(self, event: &DocumentEvent) -> Self {
        match event {
            DocumentEvent::Registered(data) => {
                Self { registered: Some((data.registrar.id, data.sha256.clone())), withdrawn: false }
            }
            DocumentEvent::Withdrawn(_) => Self { withdrawn: true, ..self },
            DocumentEvent::Relisted(_) => Self { withdrawn: false, ..self },
        }
    }
}

impl Document {
    /// Whether it is registered and not withdrawn.
    pub fn is_listed(&self) -> bool {
        self.registered.is_some() && !self.withdrawn
    }
}

/// The reason why registration or withdrawal is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum DocumentError {
    /// No document with this hash is registered.
    #[error("no such document is registered")]
    NotFound,
    /// Another text with the same SHA-1 is registered.
    #[error("another text with the same SHA-1 is registered")]
    Collision,
    /// The registrar has withdrawn the document.
    #[error("the document was withdrawn by its registrar")]
    Withdrawn,
    /// Another actor registered the document.
    #[error("the document was registered by another actor")]
    NotRegistrar,
}

/// Registers a document. Registering it again changes nothing, unless its registrar had withdrawn it: then it is listed
/// again.
#[derive(Debug, Clone)]
pub struct RegisterDocument {
    /// The document.
    pub document: ProtocolDocument,
    /// The actor that registers it.
    pub registrar: Actor,
}

impl Command for RegisterDocument {
    type State<'a> = &'a Document;
    type Event = DocumentEvent;
    type Error = DocumentError;

    fn decide(&self, state: &Document) -> Result<Vec<DocumentEvent>, DocumentError> {
        let (document, hash) = (&self.document, self.document.hash());
        let Some((registrar_id, digest)) = &state.registered else { return Ok(vec![self.registered().into()]) };
        if digest != document.digest() {
            return Err(DocumentError::Collision);
        }
        if !state.withdrawn {
            return Ok(vec![]);
        }
        if *registrar_id != self.registrar.id {
            return Err(DocumentError::Withdrawn);
        }
        Ok(vec![DocumentRelisted { hash, registrar_id: *registrar_id }.into()])
    }
}

impl RegisterDocument {
    fn registered(&self) -> DocumentRegistered {
        let metadata = self.document.metadata().clone();
        DocumentRegistered {
            hash: self.document.hash(),
            sha256: self.document.digest().clone(),
            name: metadata.name,
            description: metadata.description,
            multiround: metadata.multiround,
            registrar: self.registrar.clone(),
            text: self.document.text().to_owned(),
        }
    }
}

/// Removes a document from the lists.
#[derive(Debug, Clone, Copy)]
pub struct WithdrawDocument {
    /// The document.
    pub hash: DocumentHash,
    /// The caller.
    pub by: ActorId,
}

impl Command for WithdrawDocument {
    type State<'a> = &'a Document;
    type Event = DocumentEvent;
    type Error = DocumentError;

    fn decide(&self, state: &Document) -> Result<Vec<DocumentEvent>, DocumentError> {
        let hash = self.hash;
        match &state.registered {
            None => Err(DocumentError::NotFound),
            Some((registrar_id, _)) if *registrar_id != self.by => Err(DocumentError::NotRegistrar),
            Some(_) if state.withdrawn => Ok(vec![]),
            Some((registrar_id, _)) => Ok(vec![DocumentWithdrawn { hash, registrar_id: *registrar_id }.into()]),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use uuid::Uuid;

    use super::*;
    use crate::{actors::ActorKind, decide::testing::given, ids::AgentId};

    const TEXT: &str = "name: Weather\ndescription: Says what comes.\nmultiround: false\n---\nSend a place.";

    fn agent(number: u128) -> Actor {
        let id = AgentId::new(Uuid::from_u128(number)).into();
        Actor { id, name: format!("Agent {number}"), kind: ActorKind::AiAgent, model: None }
    }

    fn register(registrar: u128) -> RegisterDocument {
        RegisterDocument { document: ProtocolDocument::parse(TEXT).unwrap(), registrar: agent(registrar) }
    }

    fn withdraw(by: u128) -> WithdrawDocument {
        WithdrawDocument { hash: DocumentHash::of(TEXT), by: agent(by).id }
    }

    #[test]
    fn registering_a_document_again_changes_nothing() {
        let events = register(1).decide(&Document::default()).unwrap();
        let document: Document = given(events);
        assert_eq!(register(1).decide(&document), Ok(vec![]));
        assert_eq!(register(2).decide(&document), Ok(vec![]));
        assert!(document.is_listed());
    }

    #[test]
    fn a_second_text_with_a_known_hash_is_refused() {
        let mut first = register(1).registered();
        // A test cannot compute a SHA-1 collision, so it changes the stored digest instead.
        first.sha256 = TextDigest::of("another text");
        let document: Document = given([first.into()]);
        assert_eq!(register(1).decide(&document), Err(DocumentError::Collision));
        assert_eq!(register(2).decide(&document), Err(DocumentError::Collision));
    }

    #[test]
    fn a_registrar_withdraws_a_document_and_lists_it_again() {
        let registered = register(1).decide(&Document::default()).unwrap();
        let document: Document = given(registered.clone());
        assert_eq!(withdraw(2).decide(&document), Err(DocumentError::NotRegistrar));
        assert_eq!(withdraw(1).decide(&Document::default()), Err(DocumentError::NotFound));
        let withdrawn = withdraw(1).decide(&document).unwrap();
        let document: Document = given(registered.iter().chain(&withdrawn).cloned());
        assert!(!document.is_listed());
        assert_eq!(withdraw(1).decide(&document), Ok(vec![]));
        assert_eq!(register(2).decide(&document), Err(DocumentError::Withdrawn));
        let again = register(1).decide(&document).unwrap();
        assert_eq!(again.first().map(DocumentEvent::event_type), Some("protocol.relisted"));
        assert!(again.iter().fold(document, State::apply).is_listed());
    }

    #[test]
    fn its_stream_and_its_data_are_pinned() {
        let (event, id) = (DocumentEvent::from(register(1).registered()), agent(1).id);
        let (hash, sha256) = (DocumentHash::of(TEXT), TextDigest::of(TEXT));
        assert_eq!(hash.stream(), format!("protocol:{hash}"));
        let expected = format!(
            r#"{{"hash":"{hash}","sha256":"{}","name":"Weather","description":"Says what comes.","multiround":false,"registrar":{{"id":"{id}","name":"Agent 1","type":"ai-agent"}},"text":"name: Weather\ndescription: Says what comes.\nmultiround: false\n---\nSend a place."}}"#,
            sha256.as_str()
        );
        assert_eq!(event.encode(), expected);
        let withdrawn = DocumentEvent::from(DocumentWithdrawn { hash, registrar_id: id });
        assert_eq!(withdrawn.encode(), format!(r#"{{"hash":"{hash}","registrarId":"{id}"}}"#));
    }

    proptest! {
        #[test]
        fn a_documents_text_and_registrar_never_change(steps in prop::collection::vec((0_u128..3, any::<bool>()), 0..30)) {
            let (mut document, mut first) = (Document::default(), None);
            for (who, registers) in steps {
                let decided = if registers { register(who).decide(&document) } else { withdraw(who).decide(&document) };
                for event in decided.unwrap_or_default() {
                    document = document.apply(&event);
                }
                first = first.or_else(|| document.registered.clone());
                prop_assert_eq!(&document.registered, &first);
            }
        }
    }
}
