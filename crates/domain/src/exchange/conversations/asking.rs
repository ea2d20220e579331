//! Requests: the first round of an exchange, and the rounds that follow (seed: «Multi-Round Conversations»).

use chrono::{DateTime, TimeDelta, Utc};

use super::{Body, Exchange, ExchangeAsked, ExchangeError, ExchangeEvent, ExchangeOpened, ROUNDS_MAX};
use crate::{actors::Actor, decide::Command, exchange::documents::DocumentHash, ids::RequestId};

/// The time limits of an exchange.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timing {
    /// How long a request waits for its answer.
    pub deadline: TimeDelta,
    /// How long a conversation waits for the next request. Each request restarts this period.
    pub lifetime: TimeDelta,
}

/// The request of one round.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asking {
    /// A new id for the request.
    pub request_id: RequestId,
    /// The requester; `None` for a caller without a session.
    pub asker: Option<Actor>,
    /// The request's text or object.
    pub body: Body,
    /// The time of the request.
    pub now: DateTime<Utc>,
    /// The time limits.
    pub timing: Timing,
}

impl Asking {
    fn ask(&self, opened: &ExchangeOpened, round: u32) -> Result<ExchangeAsked, ExchangeError> {
        let Self { request_id, asker, body, now, timing } = self.clone();
        if body.is_too_large() {
            return Err(ExchangeError::BodyTooLarge);
        }
        if body.has_secret() {
            return Err(ExchangeError::SecretInBody);
        }
        let ExchangeOpened { exchange_id, answerer, document, negotiation, ref key_hash, .. } = *opened;
        let expires_at = key_hash.as_ref().map(|_| now + timing.lifetime);
        let due_at = now + timing.deadline;
        Ok(ExchangeAsked {
            exchange_id,
            request_id,
            round,
            asker,
            answerer,
            document,
            negotiation,
            body,
            due_at,
            expires_at,
        })
    }
}

/// Opens an exchange.
#[derive(Debug, Clone)]
pub struct OpenExchange {
    /// The data of the opening event.
    pub opened: ExchangeOpened,
    /// The first round.
    pub asking: Asking,
}

impl Command for OpenExchange {
    type State<'a> = ();
    type Event = ExchangeEvent;
    type Error = ExchangeError;

    fn decide(&self, (): ()) -> Result<Vec<ExchangeEvent>, ExchangeError> {
        let asked = self.asking.ask(&self.opened, 1)?;
        Ok(vec![self.opened.clone().into(), asked.into()])
    }
}

/// Adds a round to a conversation.
#[derive(Debug, Clone)]
pub struct ContinueExchange {
    /// The protocol that the request names, if any.
    pub protocol: Option<Named>,
    /// The new round.
    pub asking: Asking,
}

/// The protocol that a request names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Named {
    /// A protocol document.
    Document(DocumentHash),
    /// The word `negotiation`.
    Negotiation,
    /// A text that cannot be the hash of a document.
    Unknown,
}

impl Named {
    /// Parses `protocolHash`.
    pub fn read(text: &str) -> Self {
        match text.parse() {
            _ if text == "negotiation" => Self::Negotiation,
            Ok(hash) => Self::Document(hash),
            Err(_) => Self::Unknown,
        }
    }

    /// Whether this is the protocol that the conversation began with: the same document, or a negotiation.
    pub fn is(self, document: Option<DocumentHash>, negotiation: bool) -> bool {
        match self {
            Self::Document(hash) => document == Some(hash),
            Self::Negotiation => negotiation,
            Self::Unknown => false,
        }
    }
}

impl Command for ContinueExchange {
    type State<'a> = &'a Exchange;
    type Event = ExchangeEvent;
    type Error = ExchangeError;

    fn decide(&self, exchange: &Exchange) -> Result<Vec<ExchangeEvent>, ExchangeError> {
        let opened = exchange.conversation()?;
        if self.protocol.is_some_and(|named| !named.is(opened.document, opened.negotiation)) {
            return Err(ExchangeError::ProtocolChanged);
        }
        if exchange.has_expired(self.asking.now) {
            return Err(ExchangeError::Expired);
        }
        if let Some(waiting) = exchange.waiting {
            return Err(ExchangeError::Busy { request_id: waiting.request_id, due_at: waiting.due_at });
        }
        if exchange.rounds >= ROUNDS_MAX {
            return Err(ExchangeError::TooManyRounds);
        }
        Ok(vec![self.asking.ask(opened, exchange.rounds + 1)?.into()])
    }
}
