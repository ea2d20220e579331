//! Asking: the first round, and those that follow (seed: «Multi-Round Conversations»).

use chrono::{DateTime, TimeDelta, Utc};

use super::{Body, Exchange, ExchangeAsked, ExchangeError, ExchangeEvent, ExchangeOpened, ROUNDS_MAX};
use crate::{actors::Actor, decide::Command, exchange::documents::DocumentHash, ids::RequestId};

/// How long an exchange waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timing {
    /// For an answer.
    pub deadline: TimeDelta,
    /// For the next request; each begins it anew.
    pub lifetime: TimeDelta,
}

/// What is asked in one round.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asking {
    /// A new id for it.
    pub request_id: RequestId,
    /// Who asks; none where there is no session.
    pub asker: Option<Actor>,
    /// What.
    pub body: Body,
    /// When.
    pub now: DateTime<Utc>,
    /// How long it waits.
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

/// Begins an exchange.
#[derive(Debug, Clone)]
pub struct OpenExchange {
    /// As it begins.
    pub opened: ExchangeOpened,
    /// Its first round.
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

/// Goes on with a conversation.
#[derive(Debug, Clone)]
pub struct AskAgain {
    /// What the request names as its protocol, if anything.
    pub protocol: Option<Named>,
    /// The round.
    pub asking: Asking,
}

/// What a request names as its protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Named {
    /// A document.
    Document(DocumentHash),
    /// The word `negotiation`.
    Negotiation,
    /// Something that cannot be the name of a document.
    Unknown,
}

impl Named {
    /// Reads `protocolHash`.
    pub fn read(text: &str) -> Self {
        match text.parse() {
            _ if text == "negotiation" => Self::Negotiation,
            Ok(hash) => Self::Document(hash),
            Err(_) => Self::Unknown,
        }
    }

    /// Whether it is what a conversation began with: this document, or a negotiation.
    pub fn is(self, document: Option<DocumentHash>, negotiation: bool) -> bool {
        match self {
            Self::Document(hash) => document == Some(hash),
            Self::Negotiation => negotiation,
            Self::Unknown => false,
        }
    }
}

impl Command for AskAgain {
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
