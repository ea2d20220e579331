//! One exchange request: opens or continues an exchange, records the request and obtains the answer.

use std::{sync::Arc, time::Duration};

use actix_web::http::StatusCode;
use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use buildtrack_domain::{
    decide::Command,
    exchange::{
        conversations::{
            Asking, Body, CloseExchange, ContinueExchange, Exchange, ExchangeError, ExchangeOpened, Named,
            OpenExchange, Phase, WAITING_MAX,
        },
        documents::DocumentHash,
    },
    ids::{AgentId, ExchangeId, RequestId},
};
use buildtrack_http::{
    app::App,
    problem::{Cause, Problem},
};
use buildtrack_store::{
    ExchangeChange, ExchangeView, NewTaskPush, Unit, clock, conversations_cap, sha256_hex, waiting_requests_cap,
};

use super::{
    admission::Asker,
    incoming::Incoming,
    outcomes::{AnswerOrRefusal, Continuation, Fault, Outcome, Refusal},
    pushes::set_task_push,
};

use crate::exchange::answering;

/// Prefix of conversation ids; 192 random bits follow it.
const PREFIX: &str = "conv_";
/// Maximum number of open conversations of one requester.
const HELD_MAX: i64 = 100;

/// A request to this server or to one of its agents.
#[derive(Debug)]
pub(super) struct Exchanging<'a> {
    pub(super) app: &'a Arc<App>,
    pub(super) asker: &'a Asker,
    /// The agent that answers; none if this server answers.
    pub(super) answerer: Option<AgentId>,
}

/// A request that is recorded on the log.
#[derive(Debug)]
pub(super) struct Pending {
    pub(super) exchange_id: ExchangeId,
    pub(super) request_id: RequestId,
    pub(super) document: Option<DocumentHash>,
    pub(super) negotiation: bool,
    pub(super) body: Body,
    /// Position of the request's last event on the log.
    pub(super) position: i64,
}

impl Exchanging<'_> {
    /// Begins an exchange.
    pub(super) async fn open(&self, incoming: &Incoming) -> Result<Outcome, Problem> {
        match self.try_to_open(incoming).await {
            Ok(outcome) => Ok(outcome),
            Err(fault) => fault.settle().map(Outcome::from),
        }
    }

    async fn try_to_open(&self, incoming: &Incoming) -> Result<Outcome, Fault> {
        let (pending, key) = self.ask_first(incoming).await?;
        let (said, expires_at) = self.settle(&pending).await?;
        // A failed first request leaves no conversation.
        let continuation = key.filter(|_| said.is_ok()).map(|id| Continuation { id, expires_at });
        Ok(Outcome { said, continuation })
    }

    /// Records the first request of an exchange. Returns it with the id of the conversation, if one begins.
    pub(super) async fn ask_first(&self, incoming: &Incoming) -> Result<(Pending, Option<String>), Fault> {
        let body = incoming.body()?;
        let document = self.document(incoming).await?;
        self.check_answerer().await?;
        let holder = self.asker.holder(self.app);
        let key = if incoming.multiround { Some(self.key(document).await?) } else { None };
        let opened = ExchangeOpened {
            exchange_id: ExchangeId::new(self.app.store.log().clock().uuid()),
            asker: self.asker.actor(),
            answerer: self.answerer,
            document,
            negotiation: incoming.protocol == Some(Named::Negotiation),
            key_hash: key.as_ref().map(sha256_hex),
        };
        Ok((self.begin(opened, (body, incoming.push.as_ref()), &holder).await?, key))
    }

    /// The protocol document of the request. Refuses an unsupported one.
    async fn document(&self, incoming: &Incoming) -> Result<Option<DocumentHash>, Fault> {
        let hash = match incoming.protocol {
            None | Some(Named::Negotiation) => return Ok(None),
            Some(Named::Unknown) => return Err(Refusal::unsupported().into()),
            Some(Named::Document(hash)) => hash,
        };
        let supported = match self.answerer {
            None => answering::supports(&hash),
            Some(agent) => self.app.store.exchange().document_supported(agent, &hash).await?,
        };
        if !supported {
            return Err(Refusal::unsupported().into());
        }
        incoming.check_sources(Some(hash))?;
        Ok(Some(hash))
    }

    /// Refuses the request if the agent does not exist or is not active.
    async fn check_answerer(&self) -> Result<(), Fault> {
        let Some(agent_id) = self.answerer else { return Ok(()) };
        let store = &self.app.store;
        let agent = store.identity().agent(agent_id).await?.ok_or_else(|| Problem::not_found("agent"))?;
        if !agent.active {
            return Err(Refusal::new("The agent is not available").into());
        }
        Ok(())
    }

    /// Generates a conversation id.
    async fn key(&self, document: Option<DocumentHash>) -> Result<String, Fault> {
        if let Some(document) = document
            && answering::multiround(self.app, &document).await? == Some(false)
        {
            return Err(Refusal::new("The protocol has a single round").into());
        }
        Ok(format!("{PREFIX}{}", URL_SAFE_NO_PAD.encode(clock::random::<24>())))
    }

    async fn begin(
        &self,
        opened: ExchangeOpened,
        (body, push): (Body, Option<&NewTaskPush>),
        holder: &str,
    ) -> Result<Pending, Fault> {
        let (exchange_id, document, negotiation) = (opened.exchange_id, opened.document, opened.negotiation);
        let asking = self.asking(body.clone());
        let (request_id, lifetime) = (asking.request_id, asking.timing.lifetime);
        let is_conversation = opened.key_hash.is_some();
        let opening = OpenExchange { opened, asking };
        // No metadata is recorded: metadata is public, and exchanges are not.
        let done = self.app.store.log().transact::<(), Fault>(None, async |unit| {
            self.reserve_turn(unit).await?;
            unit.begin(exchange_id, opening.decide(())?);
            if is_conversation {
                if !unit.fits(conversations_cap(holder, opening.asking.now, HELD_MAX)).await? {
                    return Err(Refusal::new("Too many conversations are open; close some of them").into());
                }
                let expires_at = opening.asking.now + lifetime;
                unit.write_side(ExchangeChange::Conversation { exchange_id, holder: holder.to_owned(), expires_at });
            }
            set_push(unit, exchange_id, push).await
        });
        let position = done.await?.recorded.last().map_or(0, |last| last.position);
        Ok(Pending { exchange_id, request_id, document, negotiation, body, position })
    }

    /// Refuses the request if too many others wait for the agent's response.
    async fn reserve_turn(&self, unit: &mut Unit<'_>) -> Result<(), Fault> {
        match self.answerer {
            Some(agent_id) if !unit.fits(waiting_requests_cap(agent_id, WAITING_MAX)).await? => {
                Err(Refusal::new("The agent has too many requests to answer").into())
            }
            _ => Ok(()),
        }
    }

    fn asking(&self, body: Body) -> Asking {
        let (clock, timing) = (self.app.store.log().clock(), self.app.settings.exchange_timing());
        Asking { request_id: RequestId::new(clock.uuid()), asker: self.asker.actor(), body, now: clock.now(), timing }
    }

    /// Adds a round to a conversation.
    pub(super) async fn continue_conversation(&self, id: &str, incoming: &Incoming) -> Result<Outcome, Problem> {
        let view = self.find(id).await?;
        let mut outcome = match self.try_to_continue(&view, incoming).await {
            Ok((said, expires_at)) => {
                Outcome { said, continuation: Some(Continuation { id: id.to_owned(), expires_at }) }
            }
            Err(fault) => Outcome::from(fault.settle()?),
        };
        let expires_at = view.expires_at;
        outcome.continuation.get_or_insert_with(|| Continuation { id: id.to_owned(), expires_at });
        Ok(outcome)
    }

    async fn try_to_continue(&self, view: &ExchangeView, incoming: &Incoming) -> Result<AnswerOrRefusal, Fault> {
        let pending = self.ask_next(view, incoming).await?;
        self.settle(&pending).await
    }

    /// Records a further request of a conversation.
    pub(super) async fn ask_next(&self, view: &ExchangeView, incoming: &Incoming) -> Result<Pending, Fault> {
        let document = view.document.as_ref().and_then(|document| document.parse().ok());
        // A malformed request is an HTTP error in any state of the conversation, so check this first.
        if incoming.protocol.is_some_and(|named| !named.is(document, view.negotiation)) {
            return Err(ExchangeError::ProtocolChanged.into());
        }
        if view.expires_at.is_some_and(|expires_at| expires_at <= self.app.store.log().clock().now()) {
            return Err(ExchangeError::Expired.into());
        }
        let body = incoming.body()?;
        incoming.check_sources(document)?;
        self.check_answerer().await?;
        self.ask_again(view, (document, incoming.protocol), (body, incoming.push.as_ref())).await
    }

    /// Records the next round. If another request of the conversation waits for its answer, this one waits first.
    async fn ask_again(
        &self,
        view: &ExchangeView,
        (document, protocol): (Option<DocumentHash>, Option<Named>),
        (body, push): (Body, Option<&NewTaskPush>),
    ) -> Result<Pending, Fault> {
        let (exchange_id, negotiation) = (view.id, view.negotiation);
        let mut waits_left = WAITS_MAX;
        loop {
            let asking = self.asking(body.clone());
            let request_id = asking.request_id;
            let again = ContinueExchange { protocol, asking };
            let done = self.app.store.log().transact::<(), Fault>(None, async |unit| {
                let exchange = unit.load::<Exchange>(exchange_id).await?;
                let asked = again.decide(&exchange.state)?;
                self.reserve_turn(unit).await?;
                unit.append(exchange_id, &exchange, asked);
                let expires_at = again.asking.now + again.asking.timing.lifetime;
                let holder = self.asker.holder(self.app);
                unit.write_side(ExchangeChange::Conversation { exchange_id, holder, expires_at });
                set_push(unit, exchange_id, push).await
            });
            match done.await {
                Ok(done) => {
                    let position = done.recorded.last().map_or(0, |last| last.position);
                    return Ok(Pending { exchange_id, request_id, document, negotiation, body, position });
                }
                Err(Fault::Exchange(ExchangeError::Busy { request_id, due_at })) if waits_left > 0 => {
                    waits_left -= 1;
                    let left = (due_at - self.app.store.log().clock().now()).to_std().unwrap_or_default();
                    self.wait_for(request_id, 0, left.min(WAIT)).await?;
                }
                Err(Fault::Transport(problem)) if problem.cause == Cause::Conflict && waits_left > 0 => waits_left -= 1,
                Err(fault) => return Err(fault),
            }
        }
    }

    /// Ends a conversation.
    pub(super) async fn close(&self, id: &str) -> Result<Outcome, Problem> {
        let view = self.find(id).await?;
        let exchange_id = view.id;
        let closed = self.app.store.log().transact::<(), Fault>(None, async |unit| {
            let exchange = unit.load::<Exchange>(exchange_id).await?;
            let closed = CloseExchange { now: self.app.store.log().clock().now() }.decide(&exchange.state)?;
            unit.append(exchange_id, &exchange, closed);
            unit.write_side(ExchangeChange::ConversationEnded { exchange_id });
            Ok(())
        });
        match closed.await {
            Ok(_) => Ok(Outcome { said: Ok(Body::from("Conversation closed")), continuation: None }),
            Err(fault) => fault.settle().map(Outcome::from),
        }
    }

    /// Finds the active conversation with this id.
    async fn find(&self, id: &str) -> Result<ExchangeView, Problem> {
        let found = self.app.store.exchange().conversation(&sha256_hex(id)).await?;
        let answerer = self.answerer.map(|agent| agent.to_string());
        let is_here =
            |view: &ExchangeView| view.answerer_id == answerer && matches!(view.phase, Phase::Waiting | Phase::Open);
        found.filter(is_here).ok_or_else(|| {
            let hint = "Conversations begin with \"multiround\": true; one that was ended cannot be continued.";
            Problem::new(StatusCode::NOT_FOUND, "not_found", "There is no such conversation.", hint)
        })
    }
}

/// Sets where the updates of an exchange are pushed, if its request says so.
async fn set_push(unit: &mut Unit<'_>, exchange_id: ExchangeId, push: Option<&NewTaskPush>) -> Result<(), Fault> {
    match push {
        Some(push) => set_task_push(unit, exchange_id, push).await?.map_err(|rule| Refusal(rule).into()),
        None => Ok(()),
    }
}

/// How often a request waits for another request of its conversation, and how long it waits each time at most.
const WAITS_MAX: u32 = 16;
const WAIT: Duration = Duration::from_mins(1);
