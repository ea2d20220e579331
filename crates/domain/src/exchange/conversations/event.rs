//! The events of an exchange.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::Body;
use crate::{
    actors::{Actor, ActorId},
    event::{event_set, unlisted_events},
    exchange::documents::DocumentHash,
    ids::{AgentId, ExchangeId, RequestId},
    words,
};

event_set! {
    /// The events of one exchange; stream `exch_…`. The public log shows only their headers and hashes.
    pub enum ExchangeEvent: Uncached {
        /// The exchange began.
        Opened(ExchangeOpened) = "exchange.opened", Private, [];
        /// A round began.
        Asked(ExchangeAsked) = "exchange.asked", Private, [Pushed(ExchangeRequest), Texts("body")];
        /// The request was answered.
        Answered(ExchangeAnswered) = "exchange.answered", Private, [Texts("body")];
        /// The request was refused, timed out, or could not be answered.
        Failed(ExchangeFailed) = "exchange.failed", Private, [Texts("error")];
        /// The requester ended the conversation.
        Closed(ExchangeClosed) = "exchange.closed", Private, [];
        /// A party published the exchange.
        Published(ExchangePublished) = "exchange.published", Private, [];
        /// The texts were redacted.
        Redacted(ExchangeRedacted) = "exchange.redacted", Private, [Redacts];
    }
}

// An exchange is visible only to its two parties.
unlisted_events!(ExchangeEvent);

/// See [`ExchangeEvent::Opened`]. It holds no text of the exchange.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ExchangeOpened {
    /// The exchange.
    pub exchange_id: ExchangeId,
    /// The requester, with its profile at that time; `None` for a caller without a session.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub asker: Option<Actor>,
    /// The agent that answers; `None` if this server answers.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub answerer: Option<AgentId>,
    /// The protocol document of the exchange.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub document: Option<DocumentHash>,
    /// Whether the parties negotiate a document instead.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub negotiation: bool,
    /// For a conversation: SHA-256 of its secret id, in hex. `None` for an exchange of one round.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub key_hash: Option<String>,
}

/// See [`ExchangeEvent::Asked`]. It holds all that an agent needs to answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ExchangeAsked {
    /// The exchange.
    pub exchange_id: ExchangeId,
    /// The request.
    pub request_id: RequestId,
    /// The round's number, from 1.
    pub round: u32,
    /// The requester of this round, with its profile at that time; `None` for a caller without a session.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub asker: Option<Actor>,
    /// The agent that answers; `None` if this server answers.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub answerer: Option<AgentId>,
    /// The protocol document of the exchange.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub document: Option<DocumentHash>,
    /// Whether the parties negotiate a document instead.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub negotiation: bool,
    /// The request's text or object.
    pub body: Body,
    /// The deadline of the answer.
    pub due_at: DateTime<Utc>,
    /// When the conversation expires unless another round extends it; `None` for an exchange of one round.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub expires_at: Option<DateTime<Utc>>,
}

/// See [`ExchangeEvent::Answered`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ExchangeAnswered {
    /// The exchange.
    pub exchange_id: ExchangeId,
    /// The request that is answered.
    pub request_id: RequestId,
    /// Its round.
    pub round: u32,
    /// The answer.
    pub body: Body,
}

/// See [`ExchangeEvent::Failed`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ExchangeFailed {
    /// The exchange.
    pub exchange_id: ExchangeId,
    /// The request that gets no answer.
    pub request_id: RequestId,
    /// Its round.
    pub round: u32,
    /// The reason.
    pub reason: FailureReason,
    /// The text for the requester.
    pub error: String,
}

/// The reason why a request has no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureReason {
    /// The responder declined the request, or cannot answer it.
    Refused,
    /// The deadline passed.
    TimedOut,
    /// The server failed to answer.
    Faulty,
}

/// See [`ExchangeEvent::Closed`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ExchangeClosed {
    /// The exchange.
    pub exchange_id: ExchangeId,
}

/// See [`ExchangeEvent::Published`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ExchangePublished {
    /// The exchange.
    pub exchange_id: ExchangeId,
    /// The party that publishes.
    pub side: Side,
    /// The actor that decides for the party.
    pub by: ActorId,
}

words! {
    /// A party to the exchange.
    pub enum Side {
        /// The requester.
        Asker = "asker",
        /// The responder.
        Answerer = "answerer",
    }
}

/// See [`ExchangeEvent::Redacted`]. It holds what remains of the exchange.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ExchangeRedacted {
    /// The data of the opening event.
    pub opened: ExchangeOpened,
    /// The number of rounds.
    pub rounds: u32,
    /// When the conversation expires or expired.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub expires_at: Option<DateTime<Utc>>,
    /// The phase before the redaction.
    pub phase: Phase,
    /// The actor that redacted the texts.
    pub by: ActorId,
}

words! {
    /// The phase of an exchange.
    #[derive(Default)]
    pub enum Phase {
        /// A request waits for its answer.
        #[default]
        Waiting = "waiting",
        /// The conversation accepts the next request until it expires.
        Open = "open",
        /// The only request was answered.
        Done = "done",
        /// The first request was not answered.
        Failed = "failed",
        /// The requester ended the conversation, or a party redacted its texts.
        Closed = "closed",
    }
}
