//! Protocol documents (seed: «Protocol Documents and Hashing»): their text, their registration, and the agents that
//! support them.
//!
//! **Invariant:** a document's identifier is the SHA-1 of its whole text, and a registered text never changes.
//! **Invariant:** a second text with a known SHA-1 is refused, because its SHA-256 differs.

mod document;
mod hash;
mod meaning;
mod metadata;
mod negotiating;
mod registering;
mod source;
mod supports;

pub use document::{InvalidDocument, ProtocolDocument};
pub use hash::{DocumentHash, InvalidHash, TextDigest};
pub use metadata::{InvalidMetadata, Metadata};
pub use negotiating::{Move, only_named};
pub use registering::{
    Document, DocumentError, DocumentEvent, DocumentRegistered, DocumentRelisted, DocumentWithdrawn, RegisterDocument,
    WithdrawDocument,
};
pub use source::{InvalidSource, decode_source, encode_source};
pub use supports::{
    DeclareSupport, SupportDeclared, SupportError, SupportEvent, SupportWithdrawn, Supports, WithdrawSupport,
};

/// The maximum number of bytes in a document's text.
pub const TEXT_MAX: usize = 32 * 1024;
/// The maximum number of bytes in its metadata.
pub const METADATA_MAX: usize = 8 * 1024;
/// The maximum number of characters in its name.
pub const NAME_MAX: usize = 100;
/// The maximum number of characters in its description.
pub const DESCRIPTION_MAX: usize = 2000;
/// The maximum number of documents that one agent supports.
pub const SUPPORTS_MAX: usize = 50;
