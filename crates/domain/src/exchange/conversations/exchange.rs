//! An exchange: what its events add up to, without its words.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, Utc};

use super::{ExchangeError, ExchangeEvent, ExchangeOpened, Phase, Side};
use crate::{decide::State, ids::RequestId};

/// A request that waits for its answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Waiting {
    /// The request.
    pub request_id: RequestId,
    /// When it is too late.
    pub due_at: DateTime<Utc>,
}

/// An exchange as its stream tells it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Exchange {
    /// As it was begun.
    pub opened: Option<ExchangeOpened>,
    /// How far it is; a conversation may have expired all the same.
    pub phase: Phase,
    /// How many rounds were begun.
    pub rounds: u32,
    /// When the conversation is over, unless it goes on.
    pub expires_at: Option<DateTime<Utc>>,
    /// What waits for its answer.
    pub waiting: Option<Waiting>,
    /// What waits no more, and whether it was answered.
    pub settled: BTreeMap<RequestId, bool>,
    /// The sides that let everybody read it.
    pub published: BTreeSet<Side>,
    /// Whether its words were taken back.
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

    /// Whether nothing more will be said in it.
    pub fn is_over(&self, now: DateTime<Utc>) -> bool {
        match self.phase {
            Phase::Waiting => false,
            Phase::Open => self.has_expired(now),
            Phase::Done | Phase::Failed | Phase::Closed => true,
        }
    }

    /// Whether the time of the conversation is over.
    pub fn has_expired(&self, now: DateTime<Utc>) -> bool {
        self.expires_at.is_some_and(|expires_at| expires_at <= now)
    }

    /// As it was begun, where it is a conversation that was not ended.
    pub(super) fn conversation(&self) -> Result<&ExchangeOpened, ExchangeError> {
        let opened = self.opened.as_ref().filter(|_| self.is_conversation()).ok_or(ExchangeError::NotFound)?;
        match self.phase {
            Phase::Waiting | Phase::Open => Ok(opened),
            Phase::Done | Phase::Failed | Phase::Closed => Err(ExchangeError::NotFound),
        }
    }
}
