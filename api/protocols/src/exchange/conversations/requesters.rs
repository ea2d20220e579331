//! Exchanges for the fronts of other protocols, which name an exchange by its public id and identify its requester by a session.

use std::{sync::Arc, time::Duration};

use actix_web::HttpRequest;
use buildtrack_domain::{
    actors::ActorId,
    decide::Command,
    exchange::conversations::{Body, CancelExchange, Exchange, Named, Phase},
    ids::{AgentId, ExchangeId, SessionId},
};
use buildtrack_http::{
    addresses::client_address, app::App, auth::Authenticated, problem::Problem, streaming::take_stream_permit,
    waiting::poll_until,
};
use buildtrack_store::{ExchangeChange, ExchangeView, NewTaskPush};

use super::{
    admission::Asker,
    exchanging::{Exchanging, Pending},
    incoming::Incoming,
};

/// A requester with a session, and the party that answers it.
#[derive(Debug, Clone)]
pub struct Requester {
    /// The state of the server.
    pub app: Arc<App>,
    /// The requester's id.
    pub id: ActorId,
    /// The requester's session.
    pub session_id: SessionId,
    /// The agent that answers; none if this server answers.
    pub answerer: Option<AgentId>,
    asker: Asker,
}

/// The content of a request.
#[derive(Debug, Clone)]
pub struct Question {
    /// The body.
    pub body: Body,
    /// The protocol document that the request names.
    pub protocol: Option<Named>,
    /// Whether the request begins a conversation of several rounds.
    pub multiround: bool,
}

/// A recorded request, whose answer is still to come.
#[derive(Debug)]
pub struct Asked(Pending);

impl Asked {
    /// The id of the exchange.
    pub fn exchange_id(&self) -> ExchangeId {
        self.0.exchange_id
    }
}

/// How much longer than its deadline a request may wait for its outcome, which the worker records.
const GRACE: Duration = Duration::from_secs(5);

impl Requester {
    /// The caller of a request.
    pub fn of(app: &Arc<App>, request: &HttpRequest, authenticated: Authenticated, answerer: Option<AgentId>) -> Self {
        let (id, session_id) = (authenticated.session.actor.id, authenticated.session.id);
        let address = client_address(app, request);
        let asker = Asker::new(app, Some(authenticated), address);
        Self { app: Arc::clone(app), id, session_id, answerer, asker }
    }

    fn exchanging(&self) -> Exchanging<'_> {
        Exchanging { app: &self.app, asker: &self.asker, answerer: self.answerer }
    }

    /// Records a request: the first of an exchange, or a further one of `earlier`; and with it where the exchange's updates are
    /// pushed. The inner error is the text of the rule that the request violates.
    pub async fn ask(
        &self,
        question: Question,
        push: Option<NewTaskPush>,
        earlier: Option<&ExchangeView>,
    ) -> Result<Result<Asked, String>, Problem> {
        let incoming = Incoming::of(question.body, question.protocol, (question.multiround, push));
        let exchanging = self.exchanging();
        let asked = match earlier {
            None => exchanging.ask_first(&incoming).await.map(|(pending, _)| pending),
            Some(view) => exchanging.ask_next(view, &incoming).await,
        };
        match asked {
            Ok(pending) => Ok(Ok(Asked(pending))),
            Err(fault) => Ok(Err(fault.settle()?.0)),
        }
    }

    /// Waits until a request has its outcome: this server's own answer, the agent's answer, or a failure.
    pub async fn settle(&self, asked: &Asked) -> Result<(), Problem> {
        match self.exchanging().settle(&asked.0).await {
            Ok(_) => Ok(()),
            Err(fault) => fault.settle().map(drop),
        }
    }

    /// An exchange of this requester with this responder.
    pub async fn find(&self, id: ExchangeId) -> Result<Option<ExchangeView>, Problem> {
        let (asker, answerer) = (Some(self.id.to_string()), self.answerer.map(|agent| agent.to_string()));
        let found = self.app.store.exchange().exchange(id).await?;
        Ok(found.filter(|view| view.asker_id == asker && view.answerer_id == answerer))
    }

    /// Waits until an exchange has no request without an outcome.
    pub async fn wait(&self, id: ExchangeId) -> Result<(), Problem> {
        let _permit = take_stream_permit(&self.app, &self.asker.waiting())?;
        let store = &self.app.store;
        let deadline = self.app.settings.exchange_timing().deadline.to_std().unwrap_or_default() + GRACE;
        let waits = |(found, head): &(Option<ExchangeView>, i64)| {
            found.as_ref().is_some_and(|view| view.phase == Phase::Waiting).then_some(*head)
        };
        let look = async |_| {
            // Read before the query, so that no event at or below it can be missed.
            let head = store.log().tail().head();
            Ok((store.exchange().exchange(id).await?, head))
        };
        poll_until((&self.app, &self.asker.right), deadline, waits, look).await.map(drop)
    }

    /// Ends an exchange of this requester. Returns whether it was still open.
    pub async fn cancel(&self, id: ExchangeId) -> Result<bool, Problem> {
        let store = &self.app.store;
        let done = store.log().transact::<bool, Problem>(None, async |unit| {
            let exchange = unit.load::<Exchange>(id).await?;
            let closed = CancelExchange { now: store.log().clock().now() }.decide(&exchange.state)?;
            let was_open = !closed.is_empty();
            if was_open {
                unit.append(id, &exchange, closed);
                unit.write_side(ExchangeChange::ConversationEnded { exchange_id: id });
            }
            Ok(was_open)
        });
        Ok(done.await?.value)
    }
}
