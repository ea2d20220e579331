//! Asking this server (seed: «Basic Exchange Flow», «Follow-Up Requests»).

use std::sync::Arc;

use actix_web::{HttpRequest, HttpResponse, delete, post, web::Path};
use buildtrack_domain::ids::AgentId;

use super::{
    door::enter,
    exchanging::Exchanging,
    incoming::Incoming,
    outcomes::Outcome,
    schemas::{ExchangeAnswer, ExchangeRequest},
};
use crate::{
    app::App,
    http::{body::Raw, dialect::ExchangeFailure, guard::app_of, problem::Problem},
};

/// Asks this server something: by a document, by none, or to settle on one. With `multiround` a conversation is begun.
#[utoipa::path(
    operation_id = "beginExchange",
    tag = "Exchange",
    request_body = ExchangeRequest,
    responses(
        (status = 200, description = "`success` with the answer, which tells what is wrong by the document's own rules too; `failure` where a rule of the exchange is broken: `Missing field 'body'`, `Unsupported protocol`", body = ExchangeAnswer),
        (status = 400, description = "`malformed_json`, `invalid_fields`", body = ExchangeFailure),
    ),
)]
#[post("/agora")]
pub(crate) async fn begin(request: HttpRequest, body: Raw) -> Result<HttpResponse, Problem> {
    open(&request, &body, async |_| Ok(None)).await
}

/// Goes on with a conversation. `protocolHash` is left out, null, or the same as before.
#[utoipa::path(
    operation_id = "continueExchange",
    tag = "Exchange",
    params(("id" = String, Path, description = "`conversationId` of the first answer", example = "conv_Zk0JYyXkVtq3mB0l8pQ2n5sR7uW9xYaC")),
    request_body = ExchangeRequest,
    responses(
        (status = 200, description = "As of `POST /agora`; `failure` with `Conversation expired` from `conversationExpires` on", body = ExchangeAnswer),
        (status = 400, description = "`malformed_json`, `invalid_fields`, `protocol_changed`", body = ExchangeFailure),
        (status = 404, description = "`not_found`: there never was such a conversation, or it was ended", body = ExchangeFailure),
    ),
)]
#[post("/agora/conversations/{id}")]
pub(crate) async fn proceed(request: HttpRequest, id: Path<String>, body: Raw) -> Result<HttpResponse, Problem> {
    go_on(&request, &id, &body, async |_| Ok(None)).await
}

/// Ends a conversation.
#[utoipa::path(
    operation_id = "endExchange",
    tag = "Exchange",
    params(("id" = String, Path, description = "`conversationId` of the first answer", example = "conv_Zk0JYyXkVtq3mB0l8pQ2n5sR7uW9xYaC")),
    responses(
        (status = 200, description = "It is ended; `failure` where it had expired", body = ExchangeAnswer),
        (status = 404, description = "`not_found`: there never was such a conversation, or it was ended", body = ExchangeFailure),
    ),
)]
#[delete("/agora/conversations/{id}")]
pub(crate) async fn end(request: HttpRequest, id: Path<String>) -> Result<HttpResponse, Problem> {
    close(&request, &id, async |_| Ok(None)).await
}

/// Who is asked.
pub(super) trait Whom: AsyncFnOnce(&Arc<App>) -> Result<Option<AgentId>, Problem> {}
impl<W: AsyncFnOnce(&Arc<App>) -> Result<Option<AgentId>, Problem>> Whom for W {}

pub(super) async fn open(request: &HttpRequest, body: &Raw, whom: impl Whom) -> Result<HttpResponse, Problem> {
    let app = app_of(request);
    let asker = enter(&app, request).await?;
    let answerer = whom(&app).await?;
    let incoming = Incoming::take(&app, &body.0).await?;
    tell(Exchanging { app: &app, asker: &asker, answerer }.open(&incoming).await?)
}

pub(super) async fn go_on(
    request: &HttpRequest,
    id: &str,
    body: &Raw,
    whom: impl Whom,
) -> Result<HttpResponse, Problem> {
    let app = app_of(request);
    let asker = enter(&app, request).await?;
    let answerer = whom(&app).await?;
    let incoming = Incoming::take(&app, &body.0).await?;
    tell(Exchanging { app: &app, asker: &asker, answerer }.go_on(id, &incoming).await?)
}

pub(super) async fn close(request: &HttpRequest, id: &str, whom: impl Whom) -> Result<HttpResponse, Problem> {
    let app = app_of(request);
    let asker = enter(&app, request).await?;
    let answerer = whom(&app).await?;
    tell(Exchanging { app: &app, asker: &asker, answerer }.close(id).await?)
}

#[expect(clippy::unnecessary_wraps, reason = "it ends every handler")]
fn tell(outcome: Outcome) -> Result<HttpResponse, Problem> {
    Ok(HttpResponse::Ok().insert_header(("cache-control", "no-store")).json(ExchangeAnswer::from(outcome)))
}
