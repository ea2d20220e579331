//! Why something does not happen in an exchange.

use chrono::{DateTime, Utc};

use super::{BODY_BYTES_MAX, ROUNDS_MAX};
use crate::ids::RequestId;

/// Why something is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ExchangeError {
    /// There is no such exchange, or not for the caller, or the conversation was ended.
    #[error("there is no such exchange")]
    NotFound,
    /// There is no such request for the caller.
    #[error("there is no such request")]
    RequestNotFound,
    /// A follow-up names another protocol than the conversation began with.
    #[error("the protocol of a conversation cannot be changed")]
    ProtocolChanged,
    /// The conversation's time is over.
    #[error("Conversation expired")]
    Expired,
    /// The conversation has as many rounds as it may have.
    #[error("A conversation has at most {ROUNDS_MAX} rounds")]
    TooManyRounds,
    /// The request before is not answered yet.
    #[error("The request before is not answered yet")]
    Busy {
        /// It.
        request_id: RequestId,
        /// When it is over in any case.
        due_at: DateTime<Utc>,
    },
    /// A body has more bytes as JSON than may be said in a round.
    #[error("The body has more than {BODY_BYTES_MAX} bytes as JSON")]
    BodyTooLarge,
    /// A body holds what opens a session, or goes on with a conversation.
    #[error("The body holds a key, a token or a conversation's id, which no transcript may hold")]
    SecretInBody,
    /// The request has its answer.
    #[error("the request was answered before")]
    AlreadyAnswered,
    /// It is too late for an answer.
    #[error("the request is over: its time was, or the asker ended the conversation")]
    RequestOver,
    /// Who is no side of it publishes nothing and takes nothing back.
    #[error("only the two sides of an exchange, and their owners, may do that")]
    NotYours,
    /// There may be more to come.
    #[error("the exchange is not over yet")]
    StillOpen,
    /// Its words are gone.
    #[error("the words of the exchange were taken back")]
    Redacted,
}
