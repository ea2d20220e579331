//! What an envelope is: the seed's "Message Types", and the CANCEL of its table of state transitions.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// The type of a message, written in capitals.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum MessageType {
    /// A client asks for a service.
    Request,
    /// An agent says what it would do, and for how much.
    Offer,
    /// The client takes an offer.
    Accept,
    /// The chosen agent delivers.
    Result,
    /// One side reports a failure, which ends the thread.
    Error,
    /// The client no longer wants what it accepted.
    Cancel,
}

impl MessageType {
    /// Every type, in the order of a thread's life.
    pub const ALL: [Self; 6] = [Self::Request, Self::Offer, Self::Accept, Self::Result, Self::Error, Self::Cancel];

    /// As it stands in `type`.
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

/// A word that is no [`MessageType`]; they are case-sensitive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("type is none of REQUEST, OFFER, ACCEPT, RESULT, ERROR and CANCEL")]
pub struct UnknownType;

impl FromStr for MessageType {
    type Err = UnknownType;

    fn from_str(text: &str) -> Result<Self, UnknownType> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text).ok_or(UnknownType)
    }
}
