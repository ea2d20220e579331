//! Why an envelope is refused.

use chrono::TimeDelta;

use crate::{DidKeyError, JsonError, SignatureError, UnknownType};

/// Why an envelope is refused. Fields are named by their path, such as `sender.id`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EnvelopeError {
    /// The bytes are no JSON to be trusted, or too much of it.
    #[error("the envelope cannot be read: {0}")]
    Json(#[from] JsonError),
    /// It is JSON, but no object.
    #[error("an envelope is a JSON object")]
    NotAnObject,
    /// A field is not there that must be.
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
        /// What it must be, with its article.
        expected: &'static str,
    },
    /// Another version than the one there is.
    #[error("version is not \"1.0\"")]
    Version,
    /// A type that the protocol does not have.
    #[error(transparent)]
    Type(#[from] UnknownType),
    /// An identifier without a character.
    #[error("{field} is empty")]
    Empty {
        /// Its path.
        field: &'static str,
    },
    /// An identifier that is too long.
    #[error("{field} is longer than {max} characters")]
    TooLong {
        /// Its path.
        field: &'static str,
        /// How long it may be.
        max: usize,
    },
    /// An identifier with a control character.
    #[error("{field} has a control character")]
    ControlCharacter {
        /// Its path.
        field: &'static str,
    },
    /// A time that is none.
    #[error("ts is not a time of RFC 3339 with its offset, such as 2026-02-02T15:30:00Z")]
    Timestamp,
    /// A time too far from now.
    #[error("ts is {} s {} the receiver's clock; less than 300 s is allowed", ahead.num_seconds().abs(), side(*ahead))]
    TimeOutOfWindow {
        /// By how much `ts` is ahead of now; negative when it is behind.
        ahead: TimeDelta,
    },
    /// A DID that cannot be used.
    #[error("{field} is no did:key for Ed25519: {error}")]
    Did {
        /// Its path.
        field: &'static str,
        /// What is wrong with it.
        error: DidKeyError,
    },
    /// A signature that is none, or not the sender's.
    #[error(transparent)]
    Signature(#[from] SignatureError),
}

fn side(ahead: TimeDelta) -> &'static str {
    if ahead < TimeDelta::zero() { "behind" } else { "ahead of" }
}

impl EnvelopeError {
    /// A stable word for the reason, such as `signature_invalid`.
    pub fn reason(&self) -> &'static str {
        match self {
            Self::Json(error) => error.reason(),
            Self::NotAnObject => "not_an_object",
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

    /// The path of the field that is wrong, where it is one.
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
            Self::Json(_) | Self::NotAnObject => None,
        }
    }
}
