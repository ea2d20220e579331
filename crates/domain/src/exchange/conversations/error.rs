//! Errors of exchange commands.

use chrono::{DateTime, Utc};

use super::{BODY_BYTES_MAX, ROUNDS_MAX};
use crate::ids::RequestId;

/// The reason why an exchange command is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ExchangeError {
    /// The exchange does not exist, is not visible to the caller, or was ended.
    #[error("there is no such exchange")]
    NotFound,
    /// The request does not exist, or is not visible to the caller.
    #[error("there is no such request")]
    RequestNotFound,
    /// A follow-up names another protocol than the conversation began with.
    #[error("the protocol of a conversation cannot be changed")]
    ProtocolChanged,
    /// The conversation has expired.
    #[error("Conversation expired")]
    Expired,
    /// The conversation has the maximum number of rounds.
    #[error("A conversation has at most {ROUNDS_MAX} rounds")]
    TooManyRounds,
    /// The previous request has no answer yet.
    #[error("The previous request is not answered yet")]
    Busy {
        /// The previous request.
        request_id: RequestId,
        /// The deadline of its answer.
        due_at: DateTime<Utc>,
    },
    /// A body has more than [`BODY_BYTES_MAX`] bytes as JSON.
    #[error("The body has more than {BODY_BYTES_MAX} bytes as JSON")]
    BodyTooLarge,
    /// A body holds a secret that opens a session or continues a conversation.
    #[error("The body holds a key, a token or a conversation's id, which no transcript may hold")]
    SecretInBody,
    /// The request already has an answer.
    #[error("the request is already answered")]
    AlreadyAnswered,
    /// The request no longer accepts an answer.
    #[error("the request accepts no answer any more: its deadline passed, or the requester ended the conversation")]
    RequestOver,
    /// The caller is not a party to the exchange, and may neither publish nor redact it.
    #[error("only the two parties to an exchange, and their owners, may do that")]
    NotYours,
    /// The exchange can still receive requests or answers.
    #[error("the exchange is not finished yet")]
    StillOpen,
    /// The texts of the exchange are redacted.
    #[error("the texts of the exchange were redacted")]
    Redacted,
}
