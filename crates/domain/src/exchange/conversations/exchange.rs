//! The state of an exchange, folded from its events, without its texts.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, Utc};

use super::{ExchangeError, ExchangeEvent, ExchangeOpened, Phase, Side};
use crate::{decide::State, ids::RequestId};

/// A request that waits for its answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Waiting {
    /// The request.
    pub request_id: RequestId,
    /// The deadline of its answer.
    pub due_at: DateTime<Utc>,
}

/// The state of an exchange, folded from its stream.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Exchange {
    /// The data of the opening event.
    pub opened: Option<ExchangeOpened>,
    /// The phase. An open conversation may have expired already; see [`Exchange::has_expired`].
    pub phase: Phase,
    /// The number of rounds so far.
    pub rounds: u32,
    /// When the conversation expires unless another round extends it.
    pub expires_at: Option<DateTime<Utc>>,
    /// The request that waits for its answer.
    pub waiting: Option<Waiting>,
    /// The requests that have an outcome, and whether each was answered.
    pub settled: BTreeMap<RequestId, bool>,
    /// The parties that have published it.
    pub published: BTreeSet<Side>,
    /// Whether its texts were redacted.
    pub redacted: bool,
}

impl State for Exchange {
    type Event = ExchangeEvent;

    fn apply(mut self, event: &ExchangeEvent) -> Self {
        match event {
            ExchangeEvent::Opened(data) => self.opened = Some(data.clone()),
            ExchangeEvent::Asked(data) => {
                self.waiting = Some(Waiting { request_id: data.request_id, due_at: data.due_at });
                self.expires_at = data.expires_at.or(self.expires_at);
                (self.phase, self.rounds) = (Phase::Waiting, data.round);
            }
            ExchangeEvent::Answered(_) => {
                self.phase = if self.is_conversation() { Phase::Open } else { Phase::Done };
                self.settle(true);
            }
            ExchangeEvent::Failed(data) => {
                let goes_on = self.is_conversation() && data.round > 1;
                self.phase = if goes_on { Phase::Open } else { Phase::Failed };
                self.settle(false);
            }
            ExchangeEvent::Closed(_) => {
                self.phase = Phase::Closed;
                self.settle(false);
            }
            ExchangeEvent::Published(data) => {
                self.published.insert(data.side);
            }
            ExchangeEvent::Redacted(data) => {
                let (opened, phase, rounds) = (Some(data.opened.clone()), data.phase, data.rounds);
                return Self { opened, phase, rounds, expires_at: data.expires_at, redacted: true, ..Self::default() };
            }
        }
        self
    }
}

impl Exchange {
    fn settle(&mut self, answered: bool) {
        if let Some(waiting) = self.waiting.take() {
            self.settled.insert(waiting.request_id, answered);
        }
    }

    /// Whether it may have several rounds.
    fn is_conversation(&self) -> bool {
        self.opened.as_ref().is_some_and(|opened| opened.key_hash.is_some())
    }

    /// Whether no further request or answer is accepted.
    pub fn is_over(&self, now: DateTime<Utc>) -> bool {
        match self.phase {
            Phase::Waiting => false,
            Phase::Open => self.has_expired(now),
            Phase::Done | Phase::Failed | Phase::Closed => true,
        }
    }

    /// Whether the conversation has expired.
    pub fn has_expired(&self, now: DateTime<Utc>) -> bool {
        self.expires_at.is_some_and(|expires_at| expires_at <= now)
    }

    /// The data of the opening event, if it is a conversation that was not ended.
    pub(super) fn conversation(&self) -> Result<&ExchangeOpened, ExchangeError> {
        let opened = self.opened.as_ref().filter(|_| self.is_conversation()).ok_or(ExchangeError::NotFound)?;
        match self.phase {
            Phase::Waiting | Phase::Open => Ok(opened),
            Phase::Done | Phase::Failed | Phase::Closed => Err(ExchangeError::NotFound),
        }
    }
}
