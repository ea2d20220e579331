//! Settlement of a recorded request: this server's own answer, or a wait for the agent's answer.

use std::time::Duration;

use buildtrack_domain::{
    decide::Command,
    exchange::conversations::{
        Body, Exchange, ExchangeAnswered, ExchangeEvent, ExchangeFailed, FailureReason, Phase, ROUNDS_MAX,
        SettleRequest, Settlement,
    },
    ids::{ExchangeId, RequestId},
};
use buildtrack_http::{problem::Problem, streaming::take_stream_permit, waiting::poll_until};
use buildtrack_store::{ExchangeChange, RequestView};
use chrono::{DateTime, Utc};
use tokio::time::timeout;

use super::{
    exchanging::{Exchanging, Pending},
    outcomes::{AnswerOrRefusal, Fault, Refusal},
};

use crate::exchange::answering::{self, Exchanged, Failure, Turn};

/// Maximum number of events of one exchange: its beginning, two a round, its end, publications and redactions.
const EVENTS: i64 = 2 * ROUNDS_MAX as i64 + 8;

impl Exchanging<'_> {
    /// Settles a request and returns the recorded outcome.
    pub(super) async fn settle(&self, pending: &Pending) -> Result<AnswerOrRefusal, Fault> {
        let settled = if self.answerer.is_some() { self.wait(pending).await } else { self.answer(pending).await };
        let settlement = match settled {
            Ok(settlement) => settlement,
            // The request stays open for its answer, or until its deadline; its requester does not learn of it.
            Err(problem) if self.asker.right.ending().is_some() => return Err(problem.into()),
            Err(problem) => {
                let error = "The server could not answer".to_owned();
                self.record(pending, Some(Settlement::Failed(FailureReason::Faulty, error))).await?;
                return Err(problem.into());
            }
        };
        match settlement {
            Settled::Known => {}
            Settled::To(settlement) => self.record(pending, settlement).await?,
        }
        self.outcome(pending).await
    }

    /// Computes this server's own answer.
    async fn answer(&self, pending: &Pending) -> Result<Settled, Problem> {
        // Bodies may be large and numerous. Only a negotiation reads an earlier round, and only the last answer.
        let last = if pending.negotiation {
            self.app.store.exchange().last_answer(pending.exchange_id, pending.position).await?
        } else {
            None
        };
        let earlier: Vec<_> = last.map(|said| Exchanged { answered: said.value() }).into_iter().collect();
        let turn = Turn {
            asker: self.asker.authenticated.as_ref(),
            document: pending.document.as_ref(),
            negotiation: pending.negotiation,
            earlier: &earlier,
            body: &pending.body,
        };
        let deadline = self.app.settings.exchange_timing().deadline.to_std().unwrap_or_default();
        let Ok(answered) = timeout(deadline, answering::answer(self.app, turn)).await else {
            return Ok(Settled::To(None));
        };
        Ok(Settled::To(Some(match answered? {
            Ok(value) => Settlement::Answered(Body::try_from(value).map_err(|error| Problem::internal(&error))?),
            Err(Failure(error)) => Settlement::Failed(FailureReason::Refused, error),
        })))
    }

    /// Waits until the agent has answered or the deadline has passed.
    async fn wait(&self, pending: &Pending) -> Result<Settled, Problem> {
        let deadline = self.app.settings.exchange_timing().deadline.to_std().unwrap_or_default();
        if self.wait_for(pending.request_id, pending.position, deadline).await? {
            return Ok(Settled::Known);
        }
        if self.app.stopping.is_cancelled() {
            return Err(buildtrack_store::StoreError::Closed.into());
        }
        Ok(Settled::To(None))
    }

    /// Waits until a request is settled; false if it is still unanswered after `wait`.
    pub(super) async fn wait_for(&self, request_id: RequestId, from: i64, wait: Duration) -> Result<bool, Problem> {
        // Each wait holds a connection, as a poll does, and counts against the same limit.
        let _permit = take_stream_permit(self.app, &self.asker.waiting())?;
        let store = &self.app.store;
        let waits = |(found, head): &(Option<RequestView>, i64)| {
            found.as_ref().is_some_and(|request| request.answered.is_none()).then_some(*head)
        };
        let look = async |_| {
            // Read before the query, so that no event at or below it can be missed.
            let head = store.log().tail().head();
            Ok((store.exchange().request(request_id).await?, head.max(from)))
        };
        let found = poll_until((self.app, &self.asker.right), wait, waits, look).await?;
        Ok(waits(&found).is_none())
    }

    /// Records the settlement unless the request is already settled.
    async fn record(&self, pending: &Pending, settlement: Option<Settlement>) -> Result<(), Fault> {
        let (exchange_id, request_id) = (pending.exchange_id, pending.request_id);
        let settle = SettleRequest { request_id, settlement };
        let done = self.app.store.log().transact::<(), Fault>(None, async |unit| {
            let exchange = unit.load::<Exchange>(exchange_id).await?;
            let settled = settle.decide(&exchange.state)?;
            let failed = settled.iter().any(|event| matches!(event, ExchangeEvent::Failed(data) if data.round == 1));
            if failed {
                unit.write_side(ExchangeChange::ConversationEnded { exchange_id });
            }
            unit.append(exchange_id, &exchange, settled);
            Ok(())
        });
        done.await.map(drop)
    }

    /// Reads the recorded settlement from the log.
    async fn outcome(&self, pending: &Pending) -> Result<AnswerOrRefusal, Fault> {
        let said = self.app.store.exchange().transcript_events(pending.exchange_id, pending.position, EVENTS).await?;
        let found = said.into_iter().find_map(|said| match said.event {
            ExchangeEvent::Answered(ExchangeAnswered { request_id, body, .. }) if request_id == pending.request_id => {
                Some(Ok(body))
            }
            ExchangeEvent::Failed(ExchangeFailed { request_id, error, .. }) if request_id == pending.request_id => {
                Some(Err(Refusal(error)))
            }
            _ => None,
        });
        let expires_at = self.expires_at(pending.exchange_id).await?;
        Ok((found.unwrap_or_else(|| Err(Refusal::new("The conversation was ended"))), expires_at))
    }

    async fn expires_at(&self, exchange_id: ExchangeId) -> Result<Option<DateTime<Utc>>, Fault> {
        let view = self.app.store.exchange().exchange(exchange_id).await?;
        Ok(view.filter(|view| view.phase != Phase::Closed).and_then(|view| view.expires_at))
    }
}

/// The settlement of a request.
enum Settled {
    /// Another task has already recorded it.
    Known,
    /// To be recorded: an answer or failure, or none if the deadline has passed.
    To(Option<Settlement>),
}
