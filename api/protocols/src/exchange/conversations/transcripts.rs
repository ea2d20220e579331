//! Lists and transcripts of exchanges for the parties, their owners and, once published, everyone.

use actix_web::{HttpRequest, HttpResponse, get, web::Path};
use buildtrack_domain::{
    actors::ActorId,
    exchange::conversations::{Phase, Side},
    ids::{AgentId, ExchangeId},
};
use buildtrack_http::{
    app::App,
    auth::{Caller, MaybeCaller, Read},
    etag,
    guard::app_of,
    page::Page,
    problem::Problem,
    query::{Paging, Parameters, path_id},
};
use buildtrack_store::{ExchangeFilter, ExchangeRole, ExchangeStatus, ExchangeView, TranscriptEvent};

use super::transcript_schemas::{ExchangeSummary, Transcript, TranscriptEntry, published_by};

use crate::exchange::parameters::ExchangeParameter;

/// List the exchanges of the caller.
///
/// Includes exchanges of the caller's agents. The newest comes first.
#[utoipa::path(
    operation_id = "listExchanges",
    tag = "Exchange",
    params(
        ("agent" = Option<String>, Query, description = "Only exchanges of this agent", example = "ag_01h2e8kqvbfwea724h75qc655w"),
        ("role" = Option<String>, Query, description = "Only exchanges in which the caller, or its agent, was the requester (`asker`) or the responder (`answerer`)", example = "asker"),
        ("status" = Option<String>, Query, description = "Only exchanges with this status: `waiting`, `open`, `expired`, `done`, `failed` or `closed`", example = "done"),
        ("document" = Option<String>, Query, description = "Only exchanges by the protocol document with this SHA-1", example = "a9993e364706816aba3e25717850c26c9cd0d89d"),
        Paging,
    ),
    responses((status = 200, description = "Exchanges", body = Page<ExchangeSummary>, headers(("ETag" = String)))),
    security(("token" = [])),
)]
#[get("/exchanges")]
pub(crate) async fn list(request: HttpRequest, caller: Caller<Read>) -> Result<HttpResponse, Problem> {
    let app = app_of(&request);
    let mut parameters = Parameters::of(&request, &["agent", "role", "status", "document", "cursor", "limit"]);
    let role = parameters.get::<Side>("role", "`asker` or `answerer`").map(|side| match side {
        Side::Asker => ExchangeRole::Asker,
        Side::Answerer => ExchangeRole::Answerer,
    });
    let limit = parameters.limit();
    let filter = ExchangeFilter {
        of: caller.id(),
        agent: parameters.get::<AgentId>("agent", "an agent's id"),
        role,
        status: status(&mut parameters),
        document: parameters.get("document", "a document's SHA-1"),
        before: parameters.cursor(),
        limit: limit + 1,
    };
    parameters.finish()?;
    let rows = app.store.exchange().exchanges(&filter).await?;
    let now = app.store.log().clock().now();
    let page = Page::of(rows, limit, |row: &ExchangeView| row.position, |row| ExchangeSummary::new(row, now));
    Ok(etag::answer_list(&request, &page))
}

fn status(parameters: &mut Parameters) -> Option<ExchangeStatus> {
    let text = parameters.given("status")?;
    if text == "expired" {
        return Some(ExchangeStatus::Expired);
    }
    let phase = Phase::try_from(text.clone()).ok();
    if phase.is_none() {
        let hint = "Give waiting, open, expired, done, failed or closed.";
        parameters.refuse("status", format!("status is {text:?}"), hint);
    }
    phase.map(ExchangeStatus::In)
}

/// Show the transcript of an exchange.
///
/// Entries come in log order. The parties and their owners can read it. If both parties have published it, every caller
/// can.
#[utoipa::path(
    operation_id = "showExchange",
    tag = "Exchange",
    params(ExchangeParameter, Paging),
    responses((status = 200, description = "The transcript", body = Transcript, headers(("ETag" = String)))),
)]
#[get("/exchanges/{id}")]
pub(crate) async fn show(request: HttpRequest, id: Path<String>, caller: MaybeCaller) -> Result<HttpResponse, Problem> {
    let app = app_of(&request);
    let exchange_id: ExchangeId = path_id(&id, "exchange")?;
    let (after, limit) = Parameters::page(&request)?;
    let view = app.store.exchange().exchange(exchange_id).await?.ok_or_else(|| Problem::not_found("exchange"))?;
    let is_public = published_by(&view) == (true, true);
    if !is_public && sides(&app, &view, caller.ok().map(|caller| caller.id())).await?.is_empty() {
        return Err(Problem::not_found("exchange"));
    }
    let said = app.store.exchange().transcript_page(exchange_id, after.unwrap_or(0), limit + 1).await?;
    let Page { items, next_cursor } =
        Page::listed(said, limit, |said: &TranscriptEvent| said.position, TranscriptEntry::from);
    let exchange = ExchangeSummary::new(view, app.store.log().clock().now());
    Ok(etag::answer_list(&request, &Transcript { exchange, items, next_cursor }))
}

/// The sides of an exchange that an actor is on, itself or through an agent that it owns.
pub(super) async fn sides(app: &App, view: &ExchangeView, who: Option<ActorId>) -> Result<Vec<Side>, Problem> {
    let mut sides = vec![];
    for (id, side) in [(&view.asker_id, Side::Asker), (&view.answerer_id, Side::Answerer)] {
        let Some(id) = id.as_ref().and_then(|id| id.parse::<ActorId>().ok()) else { continue };
        let is_own = match (id, who) {
            (_, None) => false,
            (ActorId::Agent(agent), Some(ActorId::Owner(owner))) => {
                app.store.identity().agent(agent).await?.is_some_and(|agent| agent.owner_id == owner)
            }
            (id, Some(who)) => id == who,
        };
        if is_own {
            sides.push(side);
        }
    }
    Ok(sides)
}
