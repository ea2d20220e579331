//! The documents that come with the server, and that it answers by itself.

use std::sync::LazyLock;

use buildtrack_domain::{
    exchange::documents::{DocumentHash, ProtocolDocument},
    search::{self, Need, Query, Term},
};

/// What answers by a document of the server's own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Answerer {
    Tracks,
    Messages,
    Reputation,
    Agents,
}

/// A document that comes with the server.
#[derive(Debug)]
pub(crate) struct OwnDocument {
    /// The document.
    pub(crate) document: ProtocolDocument,
    /// What answers by it.
    pub(crate) answerer: Answerer,
    /// Where it stands in lists, behind all that was registered: 0 and less.
    pub(crate) position: i64,
    /// What it is found by.
    words: String,
}

/// None of them ends with a line break: the client `agora-protocol` takes one away before it hashes what was agreed on.
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
            tracing::error!(%error, "a document of the server's own cannot be read");
            None
        }
    };
    TEXTS.into_iter().zip(0..).filter_map(read).collect()
});

/// All of them.
pub(crate) fn all() -> &'static [OwnDocument] {
    &OWN
}

/// The one of that name.
pub(crate) fn find(hash: &DocumentHash) -> Option<&'static OwnDocument> {
    OWN.iter().find(|own| own.document.hash() == *hash)
}

impl OwnDocument {
    /// Its name.
    pub(crate) fn hash(&self) -> DocumentHash {
        self.document.hash()
    }

    /// Whether it has all the words that are wanted in name and description, and none of the others.
    pub(crate) fn is_found_by(&self, query: &Query) -> bool {
        let holds = |term: &Term| self.words.contains(&term.needle());
        query.wanted().iter().all(holds) && !query.unwanted().iter().any(holds)
    }

    /// How well it answers a need.
    pub(crate) fn score(&self, need: &Need) -> i64 {
        need.score(&self.words)
    }
}

#[cfg(test)]
mod tests {
    use buildtrack_domain::exchange::documents::{decode_source, encode_source};

    use super::*;

    #[test]
    fn every_document_can_be_read_and_has_a_name_of_its_own() {
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
    fn a_strip_of_the_text_is_the_text() {
        // What `extract_substring` of the client gives of a text between tags must have the same name.
        assert!(all().iter().all(|own| own.document.text().trim() == own.document.text()));
        // And its `extract_metadata` looks for dashes anywhere.
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
    fn each_is_found_by_what_it_is_for() {
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
        let need = Need::of("What is the weather tomorrow in London?");
        assert!(all().iter().all(|own| own.score(&need) == 0));
    }
}
