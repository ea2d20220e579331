//! An exchange on the log.

use std::str::FromStr;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::Body;
use crate::{
    actors::{Actor, ActorId, UnknownName},
    event::event_set,
    exchange::documents::DocumentHash,
    ids::{AgentId, ExchangeId, RequestId},
};

event_set! {
    /// The life of one exchange; stream `exch_…`. Nobody outside sees more of it than its header and hashes.
    pub enum ExchangeEvent {
        /// Somebody began it.
        Opened(ExchangeOpened) = "exchange.opened", Private;
        /// A round began.
        Asked(ExchangeAsked) = "exchange.asked", Private;
        /// It was answered.
        Answered(ExchangeAnswered) = "exchange.answered", Private;
        /// It was not.
        Failed(ExchangeFailed) = "exchange.failed", Private;
        /// Whoever began it has ended it.
        Closed(ExchangeClosed) = "exchange.closed", Private;
        /// A side lets everybody read it.
        Published(ExchangePublished) = "exchange.published", Private;
        /// Its words were taken back.
        Redacted(ExchangeRedacted) = "exchange.redacted", Private;
    }
}

/// See [`ExchangeEvent::Opened`]. It has none of its words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ExchangeOpened {
    /// The exchange.
    pub exchange_id: ExchangeId,
    /// Who asks, as shown at that moment; none where there was no session.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub asker: Option<Actor>,
    /// The agent that is asked; none where it is this server.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub answerer: Option<AgentId>,
    /// The document that both go by.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub document: Option<DocumentHash>,
    /// Whether they settle on a document instead.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub negotiation: bool,
    /// Of a conversation: SHA-256 of the id that goes on with it, in hex. An exchange of one round has none.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub key_hash: Option<String>,
}

/// See [`ExchangeEvent::Asked`]. It tells an agent all that it needs to answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ExchangeAsked {
    /// The exchange.
    pub exchange_id: ExchangeId,
    /// What is to be answered.
    pub request_id: RequestId,
    /// From 1.
    pub round: u32,
    /// Who asks in this round, as shown at that moment; none where there was no session.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub asker: Option<Actor>,
    /// The agent that is asked; none where it is this server.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub answerer: Option<AgentId>,
    /// The document that both go by.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub document: Option<DocumentHash>,
    /// Whether they settle on a document instead.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub negotiation: bool,
    /// What is asked.
    pub body: Body,
    /// When it is too late for an answer.
    pub due_at: DateTime<Utc>,
    /// When the conversation is over, unless it goes on; none in an exchange of one round.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub expires_at: Option<DateTime<Utc>>,
}

/// See [`ExchangeEvent::Answered`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ExchangeAnswered {
    /// The exchange.
    pub exchange_id: ExchangeId,
    /// What is answered.
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
    /// What is not answered.
    pub request_id: RequestId,
    /// Its round.
    pub round: u32,
    /// Why.
    pub reason: FailureReason,
    /// What the asker is told.
    pub error: String,
}

/// Why there is no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureReason {
    /// The other side does not want to, or cannot.
    Refused,
    /// Nothing came in time.
    TimedOut,
    /// This server could not answer.
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
    /// Which side.
    pub side: Side,
    /// Who says so.
    pub by: ActorId,
}

/// One of the two.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    /// Who asks.
    Asker,
    /// Who answers.
    Answerer,
}

impl FromStr for Side {
    type Err = UnknownName;

    fn from_str(text: &str) -> Result<Self, UnknownName> {
        match text {
            "asker" => Ok(Self::Asker),
            "answerer" => Ok(Self::Answerer),
            _ => Err(UnknownName),
        }
    }
}

/// See [`ExchangeEvent::Redacted`]. It tells what stays.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ExchangeRedacted {
    /// As it was begun.
    pub opened: ExchangeOpened,
    /// How many rounds it had.
    pub rounds: u32,
    /// When it is, or was, over.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub expires_at: Option<DateTime<Utc>>,
    /// How far it was.
    pub phase: Phase,
    /// Who took the words back.
    pub by: ActorId,
}

/// How far an exchange is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Phase {
    /// A request waits for its answer.
    #[default]
    Waiting,
    /// The conversation can go on until it expires.
    Open,
    /// Its only request was answered.
    Done,
    /// Its first request was not answered.
    Failed,
    /// Whoever began the conversation has ended it, or its words were taken back.
    Closed,
}

impl Phase {
    const ALL: [Self; 5] = [Self::Waiting, Self::Open, Self::Done, Self::Failed, Self::Closed];

    /// The wire name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Open => "open",
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Closed => "closed",
        }
    }
}

impl TryFrom<String> for Phase {
    type Error = UnknownName;

    fn try_from(text: String) -> Result<Self, UnknownName> {
        Self::ALL.into_iter().find(|phase| phase.as_str() == text).ok_or(UnknownName)
    }
}
