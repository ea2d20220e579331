//! Signed envelopes of the Agora Protocol v1.0: parsing, verification and signing.
//!
//! An envelope is a JSON object whose `sig` is the Ed25519 signature of its other members in the canonical form of RFC
//! 8785, made with the key of `sender.id`, a `did:key`. The signature covers the JSON value as received, including
//! fields that this crate does not know. **Invariant:** no I/O, no clock and no randomness: the time and keys are
//! arguments. The caller checks whether an id was used before.
//!
//! ```
//! use agora_envelope::{Envelope, Limits, MessageType, Signer};
//! use serde_json::json;
//!
//! let signer = Signer::from_seed(&[7; 32]);
//! let signed = signer.sign(json!({
//!     "version": "1.0", "id": "msg_1", "ts": "2026-02-02T15:30:00Z", "type": "REQUEST",
//!     "sender": { "id": signer.did() }, "payload": { "intent": "translation.en_zh" },
//! }))?;
//!
//! let envelope = Envelope::parse(signed.to_string().as_bytes(), &Limits::default())?;
//! envelope.verify()?;
//! envelope.check_time("2026-02-02T15:31:00Z".parse()?)?;
//! assert_eq!(envelope.kind(), MessageType::Request);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod did;
mod envelope;
pub mod jcs;
pub mod json;
mod message_type;
mod signature;
mod signer;

pub use did::{DidKey, DidKeyError, VerificationKey};
pub use envelope::{Envelope, EnvelopeError, IDENTIFIER_MAX, TIME_WINDOW, VERSION};
pub use json::{JsonError, Limits};
pub use message_type::{MessageType, UnknownType};
pub use signature::{SignatureError, verify_object};
pub use signer::{NotAnObject, Signer};
