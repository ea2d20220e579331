//! Message types: the seed's "Message Types", and the CANCEL of its table of state transitions.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// The type of an envelope, written in capitals.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum MessageType {
    /// A client requests a service.
    Request,
    /// An agent offers the service, with its terms and price.
    Offer,
    /// The client accepts an offer.
    Accept,
    /// The chosen agent delivers the result.
    Result,
    /// A party reports a failure, which ends the thread.
    Error,
    /// The client cancels what it accepted.
    Cancel,
}

impl MessageType {
    /// All types, in the order of a thread.
    pub const ALL: [Self; 6] = [Self::Request, Self::Offer, Self::Accept, Self::Result, Self::Error, Self::Cancel];

    /// The value of `type`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Request => "REQUEST",
            Self::Offer => "OFFER",
            Self::Accept => "ACCEPT",
            Self::Result => "RESULT",
            Self::Error => "ERROR",
            Self::Cancel => "CANCEL",
        }
    }
}

impl fmt::Display for MessageType {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// The error for a text that is not a [`MessageType`]. Types are case-sensitive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("type is not one of REQUEST, OFFER, ACCEPT, RESULT, ERROR and CANCEL")]
pub struct UnknownType;

impl FromStr for MessageType {
    type Err = UnknownType;

    fn from_str(text: &str) -> Result<Self, UnknownType> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text).ok_or(UnknownType)
    }
}
