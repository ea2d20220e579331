//! Fuzz target: protocol documents, their sources, and negotiation texts. Any text is parsed or refused, without a panic.

#![no_main]

use buildtrack_domain::exchange::documents::{
    DESCRIPTION_MAX, DocumentHash, Move, NAME_MAX, ProtocolDocument, TEXT_MAX, decode_source, encode_source,
};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    if let Ok(document) = ProtocolDocument::parse(text) {
        let metadata = document.metadata();
        assert_eq!((document.text(), document.hash()), (text, DocumentHash::of(text)));
        assert!(text.ends_with(document.specification()) && text.len() <= TEXT_MAX && !text.contains('\0'));
        assert!((1..=NAME_MAX).contains(&metadata.name.chars().count()));
        assert!((1..=DESCRIPTION_MAX).contains(&metadata.description.chars().count()));
        assert!(!metadata.name.contains(char::is_control) && !metadata.description.contains('\0'));
        assert_eq!(decode_source(&encode_source(text)).as_deref(), Ok(text));
    }
    if let Move::Proposes(document) = Move::of_prose(text) {
        assert!(text.contains(document.text()));
    }
    if let Ok(decoded) = decode_source(text) {
        assert!(decoded.len() <= text.len());
    }
});
