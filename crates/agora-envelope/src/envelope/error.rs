//! The error type for refused envelopes.

use chrono::TimeDelta;

use crate::{DidKeyError, JsonError, SignatureError, UnknownType};

/// The reason why an envelope is refused. Fields are named by their path, such as `sender.id`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EnvelopeError {
    /// The bytes are not valid strict JSON, or exceed the limits.
    #[error("the envelope cannot be read: {0}")]
    Json(#[from] JsonError),
    /// The value is JSON, but not an object.
    #[error("an envelope is a JSON object")]
    NotAnObject,
    /// The batch is empty, or has too many envelopes.
    #[error("the batch has {count} envelopes; 1 to {max} are allowed")]
    BatchSize {
        /// Its number of envelopes.
        count: usize,
        /// The maximum number.
        max: usize,
    },
    /// A required field is missing.
    #[error("{field} is missing")]
    Missing {
        /// Its path.
        field: &'static str,
    },
    /// A field has a value of another type.
    #[error("{field} is not {expected}")]
    WrongType {
        /// Its path.
        field: &'static str,
        /// The expected type, with an article.
        expected: &'static str,
    },
    /// The version is not supported.
    #[error("version is not \"1.0\"")]
    Version,
    /// The protocol has no such message type.
    #[error(transparent)]
    Type(#[from] UnknownType),
    /// An identifier is empty.
    #[error("{field} is empty")]
    Empty {
        /// Its path.
        field: &'static str,
    },
    /// An identifier is too long.
    #[error("{field} is longer than {max} characters")]
    TooLong {
        /// Its path.
        field: &'static str,
        /// The maximum length.
        max: usize,
    },
    /// An identifier contains a control character.
    #[error("{field} contains a control character")]
    ControlCharacter {
        /// Its path.
        field: &'static str,
    },
    /// The time is invalid.
    #[error("ts is not a time of RFC 3339 with its offset, such as 2026-02-02T15:30:00Z")]
    Timestamp,
    /// The time is too far from the receiver's clock.
    #[error("ts is {} s {} the receiver's clock; less than 300 s is allowed", ahead.num_seconds().abs(), side(*ahead))]
    TimeOutOfWindow {
        /// By how much `ts` is ahead of now; negative when it is behind.
        ahead: TimeDelta,
    },
    /// A DID is not usable.
    #[error("{field} is not a did:key for Ed25519: {error}")]
    Did {
        /// Its path.
        field: &'static str,
        /// The reason.
        error: DidKeyError,
    },
    /// The signature is malformed, or not the sender's.
    #[error(transparent)]
    Signature(#[from] SignatureError),
}

fn side(ahead: TimeDelta) -> &'static str {
    if ahead < TimeDelta::zero() { "behind" } else { "ahead of" }
}

impl EnvelopeError {
    /// A stable code for the reason, such as `signature_invalid`.
    pub fn reason(&self) -> &'static str {
        match self {
            Self::Json(error) => error.reason(),
            Self::NotAnObject => "not_an_object",
            Self::BatchSize { .. } => "batch_size",
            Self::Missing { .. } => "field_missing",
            Self::WrongType { .. } => "field_type",
            Self::Version => "version_unsupported",
            Self::Type(UnknownType) => "type_unknown",
            Self::Empty { .. } => "field_empty",
            Self::TooLong { .. } => "field_too_long",
            Self::ControlCharacter { .. } => "field_control_character",
            Self::Timestamp => "timestamp_invalid",
            Self::TimeOutOfWindow { .. } => "timestamp_out_of_window",
            Self::Did { error, .. } => error.reason(),
            Self::Signature(error) => error.reason(),
        }
    }

    /// The path of the faulty field, if the error concerns a field.
    pub fn field(&self) -> Option<&'static str> {
        match self {
            Self::Missing { field }
            | Self::WrongType { field, .. }
            | Self::Empty { field }
            | Self::TooLong { field, .. }
            | Self::ControlCharacter { field }
            | Self::Did { field, .. } => Some(field),
            Self::Version => Some("version"),
            Self::Type(_) => Some("type"),
            Self::Timestamp | Self::TimeOutOfWindow { .. } => Some("ts"),
            Self::Signature(SignatureError::NotAPoint | SignatureError::WeakKey) => Some("sender.id"),
            Self::Signature(_) => Some("sig"),
            Self::Json(_) | Self::NotAnObject | Self::BatchSize { .. } => None,
        }
    }
}
