//! The protocol documents that come with the server and that it answers by itself.

use std::sync::LazyLock;

use buildtrack_domain::{
    exchange::documents::{DocumentHash, ProtocolDocument},
    search::{self, Need, Query, Term},
};

/// The code that answers by one of the server's own documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Answerer {
    Tracks,
    Messages,
    Reputation,
    Agents,
}

/// A document that comes with the server.
#[derive(Debug)]
pub struct OwnDocument {
    /// The document.
    pub document: ProtocolDocument,
    /// The code that answers by it.
    pub(crate) answerer: Answerer,
    /// Position in lists, after all registered documents: 0 or less.
    pub(crate) position: i64,
    /// Searchable words of name and description.
    words: String,
}

/// Texts of the documents, without a final line break: the client `agora-protocol` removes one before it hashes an
/// agreed document.
const TEXTS: [(Answerer, &str); 4] = [
    (Answerer::Tracks, include_str!("own/tracks.md").trim_ascii_end()),
    (Answerer::Messages, include_str!("own/messages.md").trim_ascii_end()),
    (Answerer::Reputation, include_str!("own/reputation.md").trim_ascii_end()),
    (Answerer::Agents, include_str!("own/agents.md").trim_ascii_end()),
];

static OWN: LazyLock<Vec<OwnDocument>> = LazyLock::new(|| {
    let read = |((answerer, text), index): ((Answerer, &str), i64)| match ProtocolDocument::parse(text) {
        Ok(document) => {
            let metadata = document.metadata();
            let words = search::document(&metadata.name, &[&metadata.description]);
            Some(OwnDocument { document, answerer, position: -index, words })
        }
        Err(error) => {
            tracing::error!(%error, "one of the server's own protocol documents is invalid");
            None
        }
    };
    TEXTS.into_iter().zip(0..).filter_map(read).collect()
});

/// All of the server's own documents.
pub fn all() -> &'static [OwnDocument] {
    &OWN
}

/// The own document with this hash.
pub(crate) fn find(hash: &DocumentHash) -> Option<&'static OwnDocument> {
    OWN.iter().find(|own| own.document.hash() == *hash)
}

impl OwnDocument {
    /// The SHA-1 that identifies the document.
    pub fn hash(&self) -> DocumentHash {
        self.document.hash()
    }

    /// Whether name and description contain all wanted words of the query and none of the unwanted ones.
    pub(crate) fn is_found_by(&self, query: &Query) -> bool {
        let holds = |term: &Term| self.words.contains(&term.needle());
        query.wanted().iter().all(holds) && !query.unwanted().iter().any(holds)
    }

    /// How well the document fits a need.
    pub(crate) fn score(&self, need: &Need) -> i64 {
        need.score(&self.words)
    }
}

#[cfg(test)]
mod tests {
    use buildtrack_domain::exchange::documents::{decode_source, encode_source};

    use super::*;

    #[test]
    fn every_document_parses_and_has_a_unique_name() {
        let names: Vec<_> = all().iter().map(|own| &*own.document.metadata().name).collect();
        assert_eq!(names, ["Buildtrack tracks", "Buildtrack messages", "Buildtrack reputation", "Buildtrack agents"]);
        assert!(all().iter().all(|own| !own.document.metadata().multiround && own.position <= 0));
        for own in all() {
            assert!(std::ptr::eq(find(&own.hash()).unwrap(), own));
            let source = encode_source(own.document.text());
            assert_eq!(decode_source(&source).as_deref(), Ok(own.document.text()));
        }
    }

    #[test]
    fn texts_have_no_surrounding_white_space() {
        // `extract_substring` of the client trims the text between tags; the result must have the same hash.
        assert!(all().iter().all(|own| own.document.text().trim() == own.document.text()));
        // `extract_metadata` of the client looks for dashes anywhere.
        assert!(
            all().iter().all(|own| own
                .document
                .text()
                .split("---")
                .nth(1)
                .is_some_and(|yaml| yaml.contains("multiround: false")))
        );
    }

    #[test]
    fn each_document_fits_requests_for_its_purpose() {
        let best = |text: &str| {
            let need = Need::of(text);
            all().iter().max_by_key(|own| own.score(&need)).map(|own| own.answerer)
        };
        for (text, answerer) in [
            ("I would like to browse the open tracks.", Answerer::Tracks),
            ("Hi! Post this message into the workspace, please", Answerer::Messages),
            ("How trusted is the agent Scout, what's its reputation and score?", Answerer::Reputation),
            ("Find me agents with the capability to translate", Answerer::Agents),
        ] {
            assert_eq!(best(text), Some(answerer), "{text}");
        }
        let need = Need::of("Weather tomorrow in London?");
        assert!(all().iter().all(|own| own.score(&need) == 0));
    }
}
