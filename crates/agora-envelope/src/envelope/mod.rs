//! Envelopes: parsing and verification (the seed's "Envelope Format").
//!
//! The crate validates the fields that it knows and leaves all others unchanged. The signature covers all of them.
//! **Invariant:** an [`Envelope`] has a valid form. Its signature and its time are unchecked until [`Envelope::verify`]
//! and [`Envelope::check_time`] succeed.

mod error;
mod fields;

use std::ops::Range;

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::{Map, Value};

pub use error::EnvelopeError;
pub use fields::IDENTIFIER_MAX;

use crate::{DidKey, JsonError, Limits, MessageType, SignatureError, VerificationKey, jcs, json, signature};

/// The only supported version; it "must match exactly".
pub const VERSION: &str = "1.0";
/// The maximum distance of `ts` from the receiver's clock: less than five minutes in either direction.
pub const TIME_WINDOW: TimeDelta = TimeDelta::minutes(5);

/// A well-formed envelope.
#[derive(Debug, Clone)]
pub struct Envelope {
    value: Value,
    canonical: String,
    /// The byte range of `sig` in `canonical`, including its comma.
    sig: Range<usize>,
    signature: [u8; 64],
    id: String,
    ts: DateTime<Utc>,
    kind: MessageType,
    sender: DidKey,
    recipient: Option<DidKey>,
    thread_id: Option<String>,
    ttl: Option<u64>,
}

impl Envelope {
    /// Parses an envelope as posted: a JSON object in strict JSON (see [`json`]).
    pub fn parse(bytes: &[u8], limits: &Limits) -> Result<Self, EnvelopeError> {
        Self::read(json::parse_strict(bytes, limits)?, limits)
    }

    /// Parses an envelope that is posted either directly or as `{"envelope": …}`. An object with `envelope` and without
    /// `version` is a wrapper, whose other members are ignored. The limits apply to the envelope; the size limit
    /// applies to the whole text.
    pub fn parse_wrapped(bytes: &[u8], limits: &Limits) -> Result<Self, EnvelopeError> {
        let outer = Limits { depth: limits.depth.saturating_add(1), ..*limits };
        match json::parse_strict(bytes, &outer)? {
            Value::Object(mut wrapping) if !wrapping.contains_key("version") => match wrapping.remove("envelope") {
                // The wrapper used the additional depth.
                Some(envelope) => Self::read(envelope, limits),
                None => Self::from_value(Value::Object(wrapping), limits),
            },
            bare => Self::from_value(bare, limits),
        }
    }

    /// Parses envelopes that are posted together, as `{"envelopes": [ … ]}`. Other members are ignored. Each envelope
    /// is parsed separately, within the limits. The caller limits the size of the whole text. A batch has 1 to `max` elements; the
    /// elements of a longer one are not read.
    pub fn parse_batch(
        bytes: &[u8],
        limits: &Limits,
        max: usize,
    ) -> Result<Vec<Result<Self, EnvelopeError>>, EnvelopeError> {
        const FIELD: &str = "envelopes";
        let outer = Limits { bytes: usize::MAX, depth: limits.depth.saturating_add(2) };
        let Value::Object(mut batch) = json::parse_strict(bytes, &outer)? else {
            return Err(EnvelopeError::NotAnObject);
        };
        match batch.remove(FIELD) {
            Some(Value::Array(all)) if all.is_empty() || all.len() > max => {
                Err(EnvelopeError::BatchSize { count: all.len(), max })
            }
            Some(Value::Array(all)) => Ok(all.into_iter().map(|envelope| Self::read(envelope, limits)).collect()),
            Some(_) => Err(EnvelopeError::WrongType { field: FIELD, expected: "an array" }),
            None => Err(EnvelopeError::Missing { field: FIELD }),
        }
    }

    /// Reads an envelope from a value that was parsed elsewhere. Duplicate keys can no longer be detected.
    pub fn from_value(value: Value, limits: &Limits) -> Result<Self, EnvelopeError> {
        Self::read(json::within(value, limits)?, limits)
    }

    fn read(mut value: Value, limits: &Limits) -> Result<Self, EnvelopeError> {
        let members = value.as_object_mut().ok_or(EnvelopeError::NotAnObject)?;
        fields::version(members)?;
        let signature = fields::signature(members)?;
        // One text per signature, so that envelopes with different padding are equal. `sig` itself is not signed.
        members.insert("sig".into(), signature::encode(&signature).into());
        fields::payload(members)?;
        let (id, ts, kind) = (fields::id(members)?, fields::ts(members)?, fields::kind(members)?);
        let (sender, recipient) = (fields::sender(members)?, fields::recipient(members)?);
        let (thread_id, ttl) = (fields::thread_id(members)?, fields::ttl(members)?);
        let (canonical, sig) = jcs::with_member(members, "sig");
        // Canonical numbers can be longer than the original ones.
        if canonical.len() > limits.bytes {
            return Err(JsonError::TooLarge { limit: limits.bytes }.into());
        }
        Ok(Self { value, canonical, sig, signature, id, ts, kind, sender, recipient, thread_id, ttl })
    }

    /// Whether `sender.id` signed the envelope. Strict, see [`DidKey::verify`].
    pub fn verify(&self) -> Result<(), EnvelopeError> {
        Ok(self.sender.verify(&self.signed_bytes(), &self.signature)?)
    }

    /// Like [`Self::verify`], with the sender's cached key. Fails for another agent's key.
    pub fn verify_with(&self, key: &VerificationKey) -> Result<(), EnvelopeError> {
        if !key.is_of(&self.sender) {
            return Err(SignatureError::Invalid.into());
        }
        Ok(key.verify(&self.signed_bytes(), &self.signature)?)
    }

    /// Whether `ts` is less than [`TIME_WINDOW`] from now, as in the seed's `validateTimestamp`.
    pub fn check_time(&self, now: DateTime<Utc>) -> Result<(), EnvelopeError> {
        let ahead = self.ts - now;
        if ahead.abs() < TIME_WINDOW { Ok(()) } else { Err(EnvelopeError::TimeOutOfWindow { ahead }) }
    }

    /// `id`: 1 to [`IDENTIFIER_MAX`] characters.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// `ts`, in its original precision, up to nanoseconds.
    pub fn ts(&self) -> DateTime<Utc> {
        self.ts
    }

    /// `type`.
    pub fn kind(&self) -> MessageType {
        self.kind
    }

    /// `sender.id`.
    pub fn sender(&self) -> &DidKey {
        &self.sender
    }

    /// `recipient.id`; `None` addresses all agents.
    pub fn recipient(&self) -> Option<&DidKey> {
        self.recipient.as_ref()
    }

    /// `thread.id`: 1 to [`IDENTIFIER_MAX`] characters.
    pub fn thread_id(&self) -> Option<&str> {
        self.thread_id.as_deref()
    }

    /// `payload`. Only known to be an object.
    pub fn payload(&self) -> &Map<String, Value> {
        let Value::Object(payload) = &self.value["payload"] else {
            unreachable!("the parser has checked that it is an object")
        };
        payload
    }

    /// `meta.ttl`, in seconds, at most 2^53 - 1.
    pub fn ttl(&self) -> Option<u64> {
        self.ttl
    }

    /// The whole envelope as received, including `sig`, with normalized numbers (see [`json`]) and an unpadded `sig`.
    pub fn value(&self) -> &Value {
        &self.value
    }

    /// The canonical form of the whole envelope, including `sig`: the text to store, compare and forward.
    pub fn canonical(&self) -> &str {
        &self.canonical
    }

    /// The signed bytes: the canonical form without `sig`.
    pub fn signed_bytes(&self) -> Vec<u8> {
        jcs::without(&self.canonical, &self.sig)
    }

    /// `sig`.
    pub fn signature(&self) -> &[u8; 64] {
        &self.signature
    }
}

/// Two envelopes are equal if all their fields are, including the signature.
impl PartialEq for Envelope {
    fn eq(&self, other: &Self) -> bool {
        self.canonical == other.canonical
    }
}

impl Eq for Envelope {}
