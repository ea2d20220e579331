//! The end of an exchange: closing, publishing and redacting it.

use chrono::{DateTime, Utc};

use super::{Exchange, ExchangeClosed, ExchangeError, ExchangeEvent, ExchangePublished, ExchangeRedacted, Phase, Side};
use crate::{actors::ActorId, decide::Command};

/// Ends a conversation. The caller proves the right to do so with the conversation's id.
#[derive(Debug, Clone, Copy)]
pub struct CloseExchange {
    /// The time of the request.
    pub now: DateTime<Utc>,
}

impl Command for CloseExchange {
    type State<'a> = &'a Exchange;
    type Event = ExchangeEvent;
    type Error = ExchangeError;

    fn decide(&self, exchange: &Exchange) -> Result<Vec<ExchangeEvent>, ExchangeError> {
        let opened = exchange.conversation()?;
        if exchange.has_expired(self.now) {
            return Err(ExchangeError::Expired);
        }
        Ok(vec![ExchangeClosed { exchange_id: opened.exchange_id }.into()])
    }
}

/// Ends an exchange on the word of its requester, whose right the caller of this command has checked. Unlike
/// [`CloseExchange`], it also ends an exchange of one round, while the request waits for its answer. For an exchange that
/// has ended, there is nothing to do.
#[derive(Debug, Clone, Copy)]
pub struct CancelExchange {
    /// The time of the request.
    pub now: DateTime<Utc>,
}

impl Command for CancelExchange {
    type State<'a> = &'a Exchange;
    type Event = ExchangeEvent;
    type Error = ExchangeError;

    fn decide(&self, exchange: &Exchange) -> Result<Vec<ExchangeEvent>, ExchangeError> {
        let opened = exchange.opened.as_ref().ok_or(ExchangeError::NotFound)?;
        if exchange.is_over(self.now) {
            return Ok(vec![]);
        }
        Ok(vec![ExchangeClosed { exchange_id: opened.exchange_id }.into()])
    }
}

/// One party publishes a finished exchange, so that anyone may read it.
#[derive(Debug, Clone, Copy)]
pub struct PublishExchange {
    /// The party that publishes.
    pub side: Side,
    /// The actor that decides for the party.
    pub by: ActorId,
    /// The time of the request.
    pub now: DateTime<Utc>,
}

impl Command for PublishExchange {
    type State<'a> = &'a Exchange;
    type Event = ExchangeEvent;
    type Error = ExchangeError;

    fn decide(&self, exchange: &Exchange) -> Result<Vec<ExchangeEvent>, ExchangeError> {
        let opened = exchange.opened.as_ref().ok_or(ExchangeError::NotFound)?;
        if exchange.redacted {
            return Err(ExchangeError::Redacted);
        }
        if !exchange.is_over(self.now) {
            return Err(ExchangeError::StillOpen);
        }
        if exchange.published.contains(&self.side) {
            return Ok(vec![]);
        }
        let (side, by) = (self.side, self.by);
        Ok(vec![ExchangePublished { exchange_id: opened.exchange_id, side, by }.into()])
    }
}

/// One party redacts an exchange. The texts of both parties are removed, because they belong together. An open
/// conversation ends.
#[derive(Debug, Clone, Copy)]
pub struct RedactExchange {
    /// The caller.
    pub by: ActorId,
    /// The time of the request.
    pub now: DateTime<Utc>,
}

impl Command for RedactExchange {
    type State<'a> = &'a Exchange;
    type Event = ExchangeEvent;
    type Error = ExchangeError;

    fn decide(&self, exchange: &Exchange) -> Result<Vec<ExchangeEvent>, ExchangeError> {
        let opened = exchange.opened.clone().ok_or(ExchangeError::NotFound)?;
        if exchange.redacted {
            return Ok(vec![]);
        }
        let phase = match exchange.phase {
            Phase::Waiting => Phase::Closed,
            Phase::Open if !exchange.has_expired(self.now) => Phase::Closed,
            other => other,
        };
        let (rounds, expires_at, by) = (exchange.rounds, exchange.expires_at, self.by);
        Ok(vec![ExchangeRedacted { opened, rounds, expires_at, phase, by }.into()])
    }
}
