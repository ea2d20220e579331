//! What becomes of an exchange at its end: closed, published, its words taken back.

use chrono::{DateTime, Utc};

use super::{Exchange, ExchangeClosed, ExchangeError, ExchangeEvent, ExchangePublished, ExchangeRedacted, Phase, Side};
use crate::{actors::ActorId, decide::Command};

/// Whoever has the conversation's id ends it.
#[derive(Debug, Clone, Copy)]
pub struct CloseExchange {
    /// When.
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

/// A side lets everybody read an exchange that is over.
#[derive(Debug, Clone, Copy)]
pub struct PublishExchange {
    /// Which side.
    pub side: Side,
    /// Who says so.
    pub by: ActorId,
    /// When.
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

/// A side takes the words of an exchange back, its own and those of the other: they belong together. What goes on ends.
#[derive(Debug, Clone, Copy)]
pub struct RedactExchange {
    /// Who.
    pub by: ActorId,
    /// When.
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
