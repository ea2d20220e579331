//! An envelope: the seed's "Envelope Format".
//!
//! What this crate knows of it is looked at, what it does not know is left as it is, and all of it is signed.
//! **Invariant:** an [`Envelope`] has its form, and nothing is said of its signature and its time until
//! [`Envelope::verify`] and [`Envelope::check_time`] have answered.

mod error;
mod fields;

use std::ops::Range;

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::{Map, Value};

pub use error::EnvelopeError;
pub use fields::IDENTIFIER_MAX;

use crate::{DidKey, JsonError, Limits, MessageType, SignatureError, VerificationKey, jcs, json, signature};

/// The only version there is; it "must match exactly".
pub const VERSION: &str = "1.0";
/// How far `ts` may be from the receiver's clock: less than five minutes, either way.
pub const TIME_WINDOW: TimeDelta = TimeDelta::minutes(5);

/// A well-formed envelope.
#[derive(Debug, Clone)]
pub struct Envelope {
    value: Value,
    canonical: String,
    /// Where `sig` stands in `canonical`, with its comma.
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
    /// Reads an envelope as it is posted: a JSON object, strictly (see [`json`]).
    pub fn parse(bytes: &[u8], limits: &Limits) -> Result<Self, EnvelopeError> {
        Self::read(json::parse_strict(bytes, limits)?, limits)
    }

    /// Reads an envelope that is posted as it is or as `{"envelope": …}`: an object with `envelope` and without
    /// `version` is a wrapping, whose other members mean nothing. The limits hold for the envelope, and its size for the
    /// whole.
    pub fn parse_wrapped(bytes: &[u8], limits: &Limits) -> Result<Self, EnvelopeError> {
        let outer = Limits { depth: limits.depth.saturating_add(1), ..*limits };
        match json::parse_strict(bytes, &outer)? {
            Value::Object(mut wrapping) if !wrapping.contains_key("version") => match wrapping.remove("envelope") {
                // The wrapping took the depth that was added.
                Some(envelope) => Self::read(envelope, limits),
                None => Self::from_value(Value::Object(wrapping), limits),
            },
            bare => Self::from_value(bare, limits),
        }
    }

    /// Reads envelopes that are posted together, as `{"envelopes": [ … ]}`, whose other members mean nothing. Each is read
    /// by itself, within the limits; how large the whole may be is the caller's to know.
    pub fn parse_batch(bytes: &[u8], limits: &Limits) -> Result<Vec<Result<Self, EnvelopeError>>, EnvelopeError> {
        const FIELD: &str = "envelopes";
        let outer = Limits { bytes: usize::MAX, depth: limits.depth.saturating_add(2) };
        let Value::Object(mut batch) = json::parse_strict(bytes, &outer)? else {
            return Err(EnvelopeError::NotAnObject);
        };
        match batch.remove(FIELD) {
            Some(Value::Array(all)) => Ok(all.into_iter().map(|envelope| Self::read(envelope, limits)).collect()),
            Some(_) => Err(EnvelopeError::WrongType { field: FIELD, expected: "an array" }),
            None => Err(EnvelopeError::Missing { field: FIELD }),
        }
    }

    /// Reads an envelope from a value that was parsed elsewhere, whose doubled names nobody can see any more.
    pub fn from_value(value: Value, limits: &Limits) -> Result<Self, EnvelopeError> {
        Self::read(json::within(value, limits)?, limits)
    }

    fn read(mut value: Value, limits: &Limits) -> Result<Self, EnvelopeError> {
        let members = value.as_object_mut().ok_or(EnvelopeError::NotAnObject)?;
        fields::version(members)?;
        let signature = fields::signature(members)?;
        // One text for one signature, so that envelopes are equal whose padding alone differs. It is not signed itself.
        members.insert("sig".into(), signature::encode(&signature).into());
        fields::payload(members)?;
        let (id, ts, kind) = (fields::id(members)?, fields::ts(members)?, fields::kind(members)?);
        let (sender, recipient) = (fields::sender(members)?, fields::recipient(members)?);
        let (thread_id, ttl) = (fields::thread_id(members)?, fields::ttl(members)?);
        let (canonical, sig) = jcs::with_member(members, "sig");
        // Canonical numbers can be longer than they were.
        if canonical.len() > limits.bytes {
            return Err(JsonError::TooLarge { limit: limits.bytes }.into());
        }
        Ok(Self { value, canonical, sig, signature, id, ts, kind, sender, recipient, thread_id, ttl })
    }

    /// Whether `sender.id` signed it; strictly, see [`DidKey::verify`].
    pub fn verify(&self) -> Result<(), EnvelopeError> {
        Ok(self.sender.verify(&self.signed_bytes(), &self.signature)?)
    }

    /// The same as [`Self::verify`], with the sender's key as it is kept; another's has not signed it.
    pub fn verify_with(&self, key: &VerificationKey) -> Result<(), EnvelopeError> {
        if !key.is_of(&self.sender) {
            return Err(SignatureError::Invalid.into());
        }
        Ok(key.verify(&self.signed_bytes(), &self.signature)?)
    }

    /// Whether `ts` is less than [`TIME_WINDOW`] from now, as the seed's `validateTimestamp` has it.
    pub fn check_time(&self, now: DateTime<Utc>) -> Result<(), EnvelopeError> {
        let ahead = self.ts - now;
        if ahead.abs() < TIME_WINDOW { Ok(()) } else { Err(EnvelopeError::TimeOutOfWindow { ahead }) }
    }

    /// `id`: 1 to [`IDENTIFIER_MAX`] characters.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// `ts`, as precisely as it was given, to the nanosecond.
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

    /// `recipient.id`; none is for everybody.
    pub fn recipient(&self) -> Option<&DidKey> {
        self.recipient.as_ref()
    }

    /// `thread.id`: 1 to [`IDENTIFIER_MAX`] characters.
    pub fn thread_id(&self) -> Option<&str> {
        self.thread_id.as_deref()
    }

    /// `payload`, of which nothing is known but that it is an object.
    pub fn payload(&self) -> &Map<String, Value> {
        let Value::Object(payload) = &self.value["payload"] else {
            unreachable!("it was looked at when this was read")
        };
        payload
    }

    /// `meta.ttl`, in seconds, at most 2^53 - 1.
    pub fn ttl(&self) -> Option<u64> {
        self.ttl
    }

    /// The whole as received, `sig` included, with its numbers in their one form (see [`json`]) and `sig` without
    /// padding.
    pub fn value(&self) -> &Value {
        &self.value
    }

    /// The canonical form of the whole, `sig` included: what to keep, to compare and to pass on.
    pub fn canonical(&self) -> &str {
        &self.canonical
    }

    /// What is signed: the canonical form without `sig`.
    pub fn signed_bytes(&self) -> Vec<u8> {
        jcs::without(&self.canonical, &self.sig)
    }

    /// `sig`.
    pub fn signature(&self) -> &[u8; 64] {
        &self.signature
    }
}

/// Two envelopes are equal when all of it is, the signature included.
impl PartialEq for Envelope {
    fn eq(&self, other: &Self) -> bool {
        self.canonical == other.canonical
    }
}

impl Eq for Envelope {}
