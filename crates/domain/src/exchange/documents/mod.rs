//! Protocol documents (seed: «Protocol Documents and Hashing»): what they are, who has registered them, and which agents
//! say that they answer by them.
//!
//! **Invariant:** a document is what its text says: its name is the SHA-1 of all of it, and nothing that was registered
//! changes any more. **Invariant:** a second text under a known SHA-1 is refused, because its SHA-256 is another.

mod document;
mod hash;
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

/// Bytes of a document's text.
pub const TEXT_MAX: usize = 32 * 1024;
/// Bytes of its metadata.
pub const METADATA_MAX: usize = 8 * 1024;
/// Characters in its name.
pub const NAME_MAX: usize = 100;
/// Characters in its description.
pub const DESCRIPTION_MAX: usize = 2000;
/// Documents that an agent says it answers by.
pub const SUPPORTS_MAX: usize = 50;
