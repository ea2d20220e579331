//! Answers to a request, by an agent or by the server itself.

use chrono::{DateTime, Utc};

use super::{
    BODY_BYTES_MAX, Body, Exchange, ExchangeAnswered, ExchangeError, ExchangeEvent, ExchangeFailed, ExchangeOpened,
    FailureReason,
};
use crate::{
    decide::Command,
    ids::{AgentId, RequestId},
};

/// The outcome of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Settlement {
    /// An answer.
    Answered(Body),
    /// The reason why there is no answer, and the text for the requester.
    Failed(FailureReason, String),
}

impl Settlement {
    /// The outcome of a request that was not answered in time.
    pub fn timed_out(exchange: &Exchange) -> Self {
        let brokered = exchange.opened.as_ref().is_some_and(|opened| opened.answerer.is_some());
        let whose = if brokered { "agent" } else { "server" };
        Self::Failed(FailureReason::TimedOut, format!("The {whose} did not answer in time"))
    }

    fn event(&self, opened: &ExchangeOpened, request_id: RequestId, round: u32) -> ExchangeEvent {
        let exchange_id = opened.exchange_id;
        match self.clone() {
            Self::Answered(body) => ExchangeAnswered { exchange_id, request_id, round, body }.into(),
            Self::Failed(reason, error) => ExchangeFailed { exchange_id, request_id, round, reason, error }.into(),
        }
    }
}

/// An agent answers a request.
#[derive(Debug, Clone)]
pub struct AnswerRequest {
    /// The request.
    pub request_id: RequestId,
    /// The agent that answers.
    pub by: AgentId,
    /// The outcome.
    pub settlement: Settlement,
    /// The time of the answer.
    pub now: DateTime<Utc>,
}

impl Command for AnswerRequest {
    type State<'a> = &'a Exchange;
    type Event = ExchangeEvent;
    type Error = ExchangeError;

    fn decide(&self, exchange: &Exchange) -> Result<Vec<ExchangeEvent>, ExchangeError> {
        let opened = exchange.opened.as_ref().filter(|opened| opened.answerer == Some(self.by));
        let opened = opened.ok_or(ExchangeError::RequestNotFound)?;
        match (exchange.settled.get(&self.request_id), exchange.waiting) {
            (Some(true), _) => Err(ExchangeError::AlreadyAnswered),
            (Some(false), _) => Err(ExchangeError::RequestOver),
            (None, Some(waiting)) if waiting.request_id == self.request_id => {
                if waiting.due_at <= self.now {
                    return Err(ExchangeError::RequestOver);
                }
                if let Settlement::Answered(body) = &self.settlement {
                    if body.is_too_large() {
                        return Err(ExchangeError::BodyTooLarge);
                    }
                    if body.has_secret() {
                        return Err(ExchangeError::SecretInBody);
                    }
                }
                Ok(vec![self.settlement.event(opened, self.request_id, exchange.rounds)])
            }
            (None, _) => Err(ExchangeError::RequestNotFound),
        }
    }
}

/// The server answers a request itself (with a settlement), or gives it up because its deadline passed (without one). A
/// request that already has an outcome stays as it is.
#[derive(Debug, Clone)]
pub struct SettleRequest {
    /// The request.
    pub request_id: RequestId,
    /// The outcome; `None` gives the request up.
    pub settlement: Option<Settlement>,
}

impl Command for SettleRequest {
    type State<'a> = &'a Exchange;
    type Event = ExchangeEvent;
    type Error = ExchangeError;

    fn decide(&self, exchange: &Exchange) -> Result<Vec<ExchangeEvent>, ExchangeError> {
        let waits = exchange.waiting.is_some_and(|waiting| waiting.request_id == self.request_id);
        let Some(opened) = exchange.opened.as_ref().filter(|_| waits) else { return Ok(vec![]) };
        let settlement = match &self.settlement {
            None => Settlement::timed_out(exchange),
            Some(Settlement::Answered(body)) if body.is_too_large() => {
                let error = format!("The answer would have more than {BODY_BYTES_MAX} bytes; ask for less");
                Settlement::Failed(FailureReason::Faulty, error)
            }
            Some(Settlement::Answered(body)) if body.has_secret() => {
                Settlement::Failed(FailureReason::Faulty, "The answer would hold a secret".to_owned())
            }
            Some(settlement) => settlement.clone(),
        };
        Ok(vec![settlement.event(opened, self.request_id, exchange.rounds)])
    }
}
