//! Messages of a protocol negotiation: proposals of a document, agreement, and statements of need.
//!
//! Programs send an object. Clients that write prose, such as `agora-protocol`, put a hash or a document into the text.

use serde_json::{Map, Value};

use super::{DocumentHash, InvalidDocument, ProtocolDocument};

/// The tags around the agreed document in the client's prose.
const TAGS: [&str; 2] = ["<finalprotocol>", "</finalprotocol>"];
/// The beginnings of a text that agrees to the proposal.
const AGREEMENTS: [&str; 12] = [
    "agree",
    "agreed",
    "i agree",
    "we agree",
    "accept",
    "accepted",
    "i accept",
    "we accept",
    "yes",
    "ok",
    "okay",
    "deal",
];

/// One message of a negotiation, from the requester.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Move {
    /// A proposal of this document, with its whole text.
    Proposes(Box<ProtocolDocument>),
    /// A proposal whose text is not a valid document.
    ProposesNone(InvalidDocument),
    /// A text that names documents by hash.
    Names(Vec<DocumentHash>),
    /// A value in place of a hash that is not one.
    NamesNothing,
    /// Agreement to the last proposal.
    Agrees,
    /// A statement of what the requester needs.
    Needs(String),
}

impl Move {
    /// Parses an object: `document`, `hash` (or `protocolHash`), `agree`, or else a statement of need.
    pub fn of_object(object: &Map<String, Value>) -> Self {
        if let Some(Value::String(text)) = object.get("document") {
            return proposal(text);
        }
        if let Some(named) = object.get("hash").or_else(|| object.get("protocolHash")) {
            let hash = named.as_str().and_then(|text| text.trim().parse().ok());
            return hash.map_or(Self::NamesNothing, |hash| Self::Names(vec![hash]));
        }
        if object.get("agree").or_else(|| object.get("agreed")) == Some(&Value::Bool(true)) {
            return Self::Agrees;
        }
        match object.get("need") {
            Some(Value::String(need)) => Self::Needs(need.clone()),
            _ => Self::Needs(Value::Object(object.clone()).to_string()),
        }
    }

    /// Parses prose.
    pub fn of_prose(text: &str) -> Self {
        if let Some(proposed) = proposed_in(text) {
            return proposed;
        }
        let hashes = hashes_in(text);
        if !hashes.is_empty() {
            return Self::Names(hashes);
        }
        let begin: String = text.trim_start().chars().take(24).collect::<String>().to_lowercase();
        let agrees = |agreement: &str| {
            begin.strip_prefix(agreement).is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
        };
        if AGREEMENTS.iter().any(|agreement| agrees(agreement)) { Self::Agrees } else { Self::Needs(text.to_owned()) }
    }
}

fn proposal(text: &str) -> Move {
    match ProtocolDocument::parse(text) {
        Ok(document) => Move::Proposes(Box::new(document)),
        Err(error) => Move::ProposesNone(error),
    }
}

/// The document in prose: between the client's tags, as the whole text, or from the line where its metadata begins.
fn proposed_in(text: &str) -> Option<Move> {
    // ASCII lower case only, so that byte offsets are the same in both texts.
    let lower = text.to_ascii_lowercase();
    if let Some(begin) = lower.find(TAGS[0]).map(|at| at + TAGS[0].len()) {
        let end = lower[begin..].find(TAGS[1]).map_or(text.len(), |at| begin + at);
        return Some(proposal(text[begin..end].trim()));
    }
    let whole = ProtocolDocument::parse(text.trim());
    if let Ok(document) = whole {
        return Some(Move::Proposes(Box::new(document)));
    }
    let begin = line_of(text, |line| line == "---")?;
    let fenced = proposal(unquoted(text, begin).trim());
    let unfenced = line_of(text, |line| line.starts_with("name:")).map(|begin| proposal(unquoted(text, begin).trim()));
    match (fenced, unfenced) {
        (Move::ProposesNone(_), Some(document @ Move::Proposes(_))) => Some(document),
        // A horizontal rule in prose is not a document.
        (Move::ProposesNone(_), None) => None,
        (fenced, _) => Some(fenced),
    }
}

/// The byte offset of the first line that satisfies `is_it`.
fn line_of(text: &str, is_it: impl Fn(&str) -> bool) -> Option<usize> {
    let mut end = 0;
    text.split_inclusive('\n').find_map(|line| {
        let begin = end;
        end += line.len();
        is_it(line.trim()).then_some(begin)
    })
}

/// The text from this offset on; inside a Markdown code block, up to the block's end.
fn unquoted(text: &str, begin: usize) -> &str {
    let quoted = text[..begin].trim_end().lines().next_back().is_some_and(|line| line.trim().starts_with("```"));
    let rest = &text[begin..];
    let end = line_of(rest, |line| line == "```").filter(|_| quoted).unwrap_or(rest.len());
    &rest[..end]
}

/// The maximum number of hashes read from prose. A negotiation agrees on one; several are ambiguous.
const NAMES_MAX: usize = 16;

/// The document hashes in prose, without duplicates, in order, at most sixteen: hexadecimal, or base64 as the client
/// writes it.
fn hashes_in(text: &str) -> Vec<DocumentHash> {
    let words = text.split(|letter: char| !(letter.is_ascii_alphanumeric() || "+/=".contains(letter)));
    // A slash may be part of base64, or of a URL.
    let pieces = words.flat_map(|word| std::iter::once(word).chain(word.split('/').filter(|_| word.contains('/'))));
    let named = pieces.filter(|word| word.len() == 40 || word.len() == 28 && word.ends_with('='));
    let mut hashes = Vec::new();
    for hash in named.filter_map(|word| word.parse().ok()) {
        if hashes.len() == NAMES_MAX {
            break;
        }
        if !hashes.contains(&hash) {
            hashes.push(hash);
        }
    }
    hashes
}

/// The only document that a statement names, however often it does.
pub fn only_named(statement: &Value) -> Option<DocumentHash> {
    match hashes_in(&statement.to_string())[..] {
        [only] => Some(only),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    const TEXT: &str = "---\nname: Weather\ndescription: Says what comes.\nmultiround: false\n---\nSend a place.";

    fn object(value: &Value) -> Move {
        Move::of_object(value.as_object().unwrap())
    }

    fn proposes(found: &Move) -> &str {
        match found {
            Move::Proposes(document) => document.text(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn an_object_states_its_move_in_a_field() {
        let hash = DocumentHash::of(TEXT);
        assert_eq!(proposes(&object(&json!({ "document": format!("{TEXT}\n") }))), format!("{TEXT}\n"));
        assert_eq!(object(&json!({ "document": "x" })), Move::ProposesNone(InvalidDocument::NoSeparator));
        for named in [hash.to_string(), hash.base64()] {
            assert_eq!(object(&json!({ "hash": named })), Move::Names(vec![hash]));
            assert_eq!(object(&json!({ "protocolHash": named })), Move::Names(vec![hash]));
        }
        assert_eq!(object(&json!({ "hash": 7 })), Move::NamesNothing);
        assert_eq!(object(&json!({ "agree": true })), Move::Agrees);
        assert_eq!(object(&json!({ "need": "weather" })), Move::Needs("weather".into()));
        assert_eq!(object(&json!({ "task": "weather" })), Move::Needs(r#"{"task":"weather"}"#.into()));
    }

    #[test]
    fn a_document_is_found_in_any_form_of_prose() {
        let unfenced = TEXT.trim_start_matches("---\n");
        for prose in [
            TEXT.to_owned(),
            format!("I propose:\n\n{TEXT}\n"),
            format!("Here it is.\n```yaml\n{TEXT}\n```\nDo you agree?"),
            format!("Done!\n<FinalProtocol>\n{TEXT}\n</FINALPROTOCOL>\nBye."),
        ] {
            assert_eq!(proposes(&Move::of_prose(&prose)), TEXT, "{prose}");
        }
        for prose in [unfenced.to_owned(), format!("What about this?\n{unfenced}")] {
            assert_eq!(proposes(&Move::of_prose(&prose)), unfenced, "{prose}");
        }
        assert!(matches!(Move::of_prose("<FINALPROTOCOL>x</FINALPROTOCOL>"), Move::ProposesNone(_)));
        assert!(matches!(Move::of_prose("---\nname: n\n---\nx"), Move::ProposesNone(InvalidDocument::Metadata(_))));
    }

    #[test]
    fn prose_names_documents_agrees_or_states_a_need() {
        let (one, other) = (DocumentHash::of("one"), DocumentHash::of("other"));
        let prose = format!("Let us take {one}, I mean «{}».", one.base64());
        assert_eq!(Move::of_prose(&prose), Move::Names(vec![one]));
        assert_eq!(Move::of_prose(&format!("{one} or {other}?")), Move::Names(vec![one, other]));
        assert_eq!(Move::of_prose(&format!("That of https://x.example/{one}/text")), Move::Names(vec![one]));
        for prose in ["Agreed. ", "I agree to that", "OK!", " yes, please"] {
            assert_eq!(Move::of_prose(prose), Move::Agrees, "{prose}");
        }
        for prose in ["Okra prices, please", "I need the weather.\n\n---\n\nThanks", "yesterday's weather", ""] {
            assert_eq!(Move::of_prose(prose), Move::Needs(prose.into()), "{prose}");
        }
    }

    #[test]
    fn only_a_single_named_document_can_be_agreed_to() {
        let (one, other) = (DocumentHash::of("one"), DocumentHash::of("other"));
        assert_eq!(only_named(&json!(format!("Take {one}: https://x.example/{one}/text"))), Some(one));
        assert_eq!(only_named(&json!({ "proposals": [{ "hash": one }, { "hash": other }] })), None);
        assert_eq!(only_named(&json!("Hello")), None);
    }

    proptest! {
        #[test]
        fn parsing_any_prose_does_not_panic(prose in "(\\PC|\n|---\n|<FINALPROTOCOL>|</finalprotocol>|name: n\n|```\n){0,40}") {
            if let Move::Proposes(document) = Move::of_prose(&prose) {
                prop_assert!(prose.contains(document.text()));
            }
        }
    }
}
