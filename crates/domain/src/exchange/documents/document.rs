//! The text of a protocol document, parsed into metadata and specification in both layouts in use.

use super::{DocumentHash, InvalidMetadata, Metadata, TEXT_MAX, TextDigest};
use crate::visible::has_visible;

/// The line that separates the metadata from the specification.
const SEPARATOR: &str = "---";

/// A parsed protocol document.
///
/// The metadata precedes the first line `---` (seed: «Protocol Document Format»). If only white space precedes that
/// line, the metadata is between it and the next such line, as the client `agora-protocol` writes it. The rest is the
/// specification, in any form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProtocolDocument {
    text: String,
    hash: DocumentHash,
    digest: TextDigest,
    metadata: Metadata,
    /// The byte offset of the specification.
    specification: usize,
}

/// The reason why a text is not a protocol document.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidDocument {
    /// The text is empty.
    #[error("the document is empty")]
    Empty,
    /// The text has more than [`TEXT_MAX`] bytes.
    #[error("the document has {0} bytes, and {TEXT_MAX} are allowed")]
    TooLong(usize),
    /// The text holds the character U+0000.
    #[error("the document holds the character U+0000")]
    Nul,
    /// The text has no line `---`.
    #[error("no line `---` separates metadata from specification")]
    NoSeparator,
    /// The metadata begins with a line `---`, and no other such line ends it.
    #[error("the metadata begins with a line `---`, and no other such line ends it")]
    NotClosed,
    /// The metadata is invalid.
    #[error(transparent)]
    Metadata(#[from] InvalidMetadata),
}

impl ProtocolDocument {
    /// Parses a text.
    pub fn parse(text: impl Into<String>) -> Result<Self, InvalidDocument> {
        let text = text.into();
        if !has_visible(&text) {
            return Err(InvalidDocument::Empty);
        }
        if text.len() > TEXT_MAX {
            return Err(InvalidDocument::TooLong(text.len()));
        }
        if text.contains('\0') {
            return Err(InvalidDocument::Nul);
        }
        let (yaml, specification) = parts(&text)?;
        let metadata = Metadata::read(yaml)?;
        Ok(Self { hash: DocumentHash::of(&text), digest: TextDigest::of(&text), metadata, specification, text })
    }

    /// The whole text, as hashed.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The document's hash, which is its identifier.
    pub fn hash(&self) -> DocumentHash {
        self.hash
    }

    /// The SHA-256, which distinguishes two texts with the same SHA-1.
    pub fn digest(&self) -> &TextDigest {
        &self.digest
    }

    /// The metadata.
    pub fn metadata(&self) -> &Metadata {
        &self.metadata
    }

    /// The specification: the text after the metadata.
    pub fn specification(&self) -> &str {
        &self.text[self.specification..]
    }
}

/// The metadata, and the byte offset of the specification.
fn parts(text: &str) -> Result<(&str, usize), InvalidDocument> {
    let mut separators = separators(text);
    let (first, behind) = separators.next().ok_or(InvalidDocument::NoSeparator)?;
    let before = text[..first].trim_start_matches('\u{feff}');
    if !before.trim().is_empty() {
        return Ok((before, behind));
    }
    let (second, end) = separators.next().ok_or(InvalidDocument::NotClosed)?;
    Ok((&text[behind..second], end))
}

/// For each line `---`: the byte offsets of its beginning and of the next line.
fn separators(text: &str) -> impl Iterator<Item = (usize, usize)> {
    let mut end = 0;
    text.split_inclusive('\n').filter_map(move |line| {
        let begin = end;
        end += line.len();
        (line.trim_start_matches('\u{feff}').trim() == SEPARATOR).then_some((begin, end))
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const SEED: &str =
        "name: Weather\ndescription: Says what comes.\nmultiround: false\n---\nSend {\"place\": text}.\n";
    const CLIENT: &str =
        "---\nname: Weather\ndescription: Says what comes.\nmultiround: false\n---\n\nSend a place.\n---\nx";

    #[test]
    fn both_layouts_are_read() {
        let seed = ProtocolDocument::parse(SEED).unwrap();
        assert_eq!(seed.specification(), "Send {\"place\": text}.\n");
        assert_eq!((seed.hash(), seed.text()), (DocumentHash::of(SEED), SEED));
        let client = ProtocolDocument::parse(CLIENT).unwrap();
        assert_eq!(client.specification(), "\nSend a place.\n---\nx");
        assert_eq!(client.metadata(), seed.metadata());
        for text in [format!("\n \n{CLIENT}"), CLIENT.replace('\n', "\r\n"), format!("\u{feff}{CLIENT}")] {
            let read = ProtocolDocument::parse(&*text).unwrap();
            assert_eq!((read.metadata(), read.hash()), (seed.metadata(), DocumentHash::of(&text)), "{text:?}");
        }
        let nothing = ProtocolDocument::parse("name: n\ndescription: d\nmultiround: true\n---").unwrap();
        assert_eq!(nothing.specification(), "");
    }

    #[test]
    fn an_invalid_document_names_its_fault() {
        let read = |text: &str| ProtocolDocument::parse(text).map(|document| document.metadata);
        assert_eq!(read(" \n"), Err(InvalidDocument::Empty));
        assert_eq!(read("name: n\n--- \0"), Err(InvalidDocument::Nul));
        assert_eq!(read(&SEED.replace("---", "----")), Err(InvalidDocument::NoSeparator));
        assert_eq!(read("name: n --- x"), Err(InvalidDocument::NoSeparator));
        assert_eq!(read("---\nname: n\n"), Err(InvalidDocument::NotClosed));
        assert_eq!(read("---\nname: n\n---\n"), Err(InvalidMetadata::Missing("description").into()));
        assert_eq!(read("Hello\n---\nx"), Err(InvalidMetadata::NoMapping.into()));
        let long = format!("{SEED}{}", "x".repeat(TEXT_MAX));
        assert_eq!(read(&long), Err(InvalidDocument::TooLong(long.len())));
        let full = format!("{SEED}{}", "x".repeat(TEXT_MAX - SEED.len()));
        assert!(read(&full).is_ok());
    }

    proptest! {
        #[test]
        fn parsing_any_text_does_not_panic(text in any::<String>()) {
            let _ = ProtocolDocument::parse(text);
        }

        #[test]
        fn parsing_fragments_neither_panics_nor_misreads(
            pieces in prop::collection::vec(prop_oneof![
                Just("---\n"), Just("name: n\n"), Just("description: d\n"), Just("multiround: no\n"), Just("\n"),
                Just("- x\n"), Just("  a: [b\n"), Just("\"q\n"), Just("&a *a\n"), Just("? |\n"), Just("%YAML 1.2\n"), Just("...\n"),
                Just("\t"), Just("\r"), Just("é: {\n"), Just("}\n"), Just("]\n"), Just("'"), Just("> "), Just("\u{feff}"),
            ], 0..24)
        ) {
            let text: String = pieces.concat();
            if let Ok(document) = ProtocolDocument::parse(&*text) {
                prop_assert_eq!(document.text(), &text);
                prop_assert!(text.ends_with(document.specification()));
                prop_assert_eq!(&document.metadata().name, "n");
                prop_assert!(!document.metadata().multiround);
            }
        }

        #[test]
        fn any_valid_metadata_round_trips(
            name in "[a-zA-Z][a-zA-Z0-9 é🦀'\"#:{}-]{0,40}[a-z]", description in "\\PC{1,80}", multiround: bool, specification in "[^\0]{0,200}",
            fenced: bool,
        ) {
            prop_assume!(!description.trim().is_empty());
            // JSON strings are valid YAML strings.
            let quoted = |text: &str| serde_json::to_string(text).unwrap();
            let yaml = format!("name: {}\ndescription: {}\nmultiround: {multiround}\n", quoted(&name), quoted(&description));
            let fence = if fenced { "---\n" } else { "" };
            let text = format!("{fence}{yaml}---\n{specification}");
            let document = ProtocolDocument::parse(&*text).unwrap();
            let (name, description) = (name.trim().to_owned(), description.trim().to_owned());
            prop_assert_eq!(document.metadata(), &Metadata { name, description, multiround });
            prop_assert_eq!(document.specification(), &specification);
            prop_assert_eq!(document.hash(), DocumentHash::of(&text));
        }
    }
}
