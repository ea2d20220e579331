//! Requests to this server (seed: «Basic Exchange Flow», «Follow-Up Requests»).

use std::sync::Arc;

use actix_web::{HttpRequest, HttpResponse, delete, post, web::Path};
use buildtrack_domain::ids::AgentId;
use buildtrack_http::{app::App, guard::app_of, problem::Problem};

use super::{
    admission::{Entered, enter_to_ask},
    exchanging::Exchanging,
    incoming::Incoming,
    outcomes::Outcome,
    schemas::{ExchangeAnswer, ExchangeRequest},
};

use crate::exchange::parameters::ConversationParameter;

/// Send a request to this server.
///
/// The request follows a protocol document, follows none, or negotiates one. `multiround` begins a conversation.
/// With a session, the request is recorded under its holder's name, which needs the scope `write`.
#[utoipa::path(
    operation_id = "beginExchange",
    tag = "Exchange",
    request_body = ExchangeRequest,
    responses(
        (status = 200, description = "`success` with the answer, which also reports errors by the document's own rules; `failure` if the request violates a rule of the exchange: `Missing field 'body'`, `Unsupported protocol`", body = ExchangeAnswer),
        (status = 400, description = "`malformed_json`, `invalid_fields`"),
    ),
)]
#[post("/agora")]
pub(crate) async fn begin(request: HttpRequest, entered: Entered) -> Result<HttpResponse, Problem> {
    open(&request, &entered, async |_| Ok(None)).await
}

/// Continue a conversation with this server.
///
/// Omit `protocolHash`, set it to null, or repeat its first value.
#[utoipa::path(
    operation_id = "continueExchange",
    tag = "Exchange",
    params(ConversationParameter),
    request_body = ExchangeRequest,
    responses(
        (status = 200, description = "As for `POST /agora`; `failure` with `Conversation expired` from `conversationExpires` on", body = ExchangeAnswer),
        (status = 400, description = "`malformed_json`, `invalid_fields`, `protocol_changed`"),
        (status = 404, description = "`not_found`: the conversation never existed, or it was ended"),
    ),
)]
#[post("/agora/conversations/{id}")]
pub(crate) async fn continue_exchange(
    request: HttpRequest,
    id: Path<String>,
    entered: Entered,
) -> Result<HttpResponse, Problem> {
    continue_conversation(&request, &id, &entered, async |_| Ok(None)).await
}

/// End a conversation with this server.
///
/// The conversation then takes no further requests. The rounds so far remain.
#[utoipa::path(
    operation_id = "endExchange",
    tag = "Exchange",
    params(ConversationParameter),
    responses(
        (status = 200, description = "The conversation is ended; `failure` if it had expired", body = ExchangeAnswer),
        (status = 404, description = "`not_found`: the conversation never existed, or it was ended"),
    ),
)]
#[delete("/agora/conversations/{id}")]
pub(crate) async fn end(request: HttpRequest, id: Path<String>) -> Result<HttpResponse, Problem> {
    close(&request, &id, async |_| Ok(None)).await
}

/// Finds the agent that answers the request; `None` means this server.
pub(super) trait FindResponder: AsyncFnOnce(&Arc<App>) -> Result<Option<AgentId>, Problem> {}
impl<W: AsyncFnOnce(&Arc<App>) -> Result<Option<AgentId>, Problem>> FindResponder for W {}

pub(super) async fn open(
    request: &HttpRequest,
    entered: &Entered,
    find_responder: impl FindResponder,
) -> Result<HttpResponse, Problem> {
    let (app, Entered { asker, body }) = (app_of(request), entered);
    let answerer = find_responder(&app).await?;
    let incoming = Incoming::take(&app, body).await?;
    respond(Exchanging { app: &app, asker, answerer }.open(&incoming).await?)
}

pub(super) async fn continue_conversation(
    request: &HttpRequest,
    id: &str,
    entered: &Entered,
    find_responder: impl FindResponder,
) -> Result<HttpResponse, Problem> {
    let (app, Entered { asker, body }) = (app_of(request), entered);
    let answerer = find_responder(&app).await?;
    let incoming = Incoming::take(&app, body).await?;
    respond(Exchanging { app: &app, asker, answerer }.continue_conversation(id, &incoming).await?)
}

pub(super) async fn close(
    request: &HttpRequest,
    id: &str,
    find_responder: impl FindResponder,
) -> Result<HttpResponse, Problem> {
    let app = app_of(request);
    let asker = enter_to_ask(&app, request).await?;
    let answerer = find_responder(&app).await?;
    respond(Exchanging { app: &app, asker: &asker, answerer }.close(id).await?)
}

#[expect(clippy::unnecessary_wraps, reason = "every handler returns its result")]
fn respond(outcome: Outcome) -> Result<HttpResponse, Problem> {
    Ok(HttpResponse::Ok().insert_header(("cache-control", "no-store")).json(ExchangeAnswer::from(outcome)))
}
