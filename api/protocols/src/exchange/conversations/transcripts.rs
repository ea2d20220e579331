//! Lists and transcripts of exchanges for the parties, their owners and, once published, everyone.

use actix_web::{HttpRequest, HttpResponse, get, web::Path};
use buildtrack_domain::{
    actors::ActorId,
    exchange::{
        conversations::{Phase, Side},
        documents::DocumentHash,
    },
    ids::{AgentId, ExchangeId},
    words,
};
use buildtrack_http::{
    app::App,
    auth::{Caller, MaybeCaller, Read},
    described::{exactly, one_of},
    etag,
    guard::app_of,
    page::Page,
    problem::Problem,
    query::{Paging, Query, alternatives, path_id},
    query_values, query_words,
};
use buildtrack_store::{ExchangeFilter, ExchangeRole, ExchangeStatus, ExchangeView, TranscriptEvent};

use super::transcript_schemas::{ExchangeSummary, Transcript, TranscriptEntry, published_by};

use crate::{
    exchange::parameters::{ExchangeParameter, HASH},
    given::Given,
};

words! {
    /// The status of an exchange, as lists of exchanges name it.
    enum Status {
        /// A request waits for its answer.
        Waiting = "waiting",
        /// The conversation accepts the next request.
        Open = "open",
        /// The conversation has expired.
        Expired = "expired",
        /// The only request was answered.
        Done = "done",
        /// The first request was not answered.
        Failed = "failed",
        /// The conversation has ended.
        Closed = "closed",
    }
}

impl From<Status> for ExchangeStatus {
    fn from(status: Status) -> Self {
        Self::In(match status {
            Status::Waiting => Phase::Waiting,
            Status::Open => Phase::Open,
            Status::Expired => return Self::Expired,
            Status::Done => Phase::Done,
            Status::Failed => Phase::Failed,
            Status::Closed => Phase::Closed,
        })
    }
}

query_words!(Status);
query_values! {
    Given<Side> = alternatives(&Side::ALL.map(Side::as_str)), one_of(Side::ALL.map(Side::as_str));
    Given<DocumentHash> = "a document's SHA-1", exactly(&[HASH]);
}

/// Which exchanges are listed.
#[derive(Query)]
pub(crate) struct ExchangesQuery {
    /// Only exchanges of this agent
    #[query(example = "ag_01h2e8kqvbfwea724h75qc655w")]
    agent: Option<AgentId>,
    /// Only exchanges in which the caller, or its agent, was the requester (`asker`) or the responder (`answerer`)
    #[query(example = "asker")]
    role: Option<Given<Side>>,
    /// Only exchanges with this status: `waiting`, `open`, `expired`, `done`, `failed` or `closed`
    #[query(example = "done")]
    status: Option<Status>,
    /// Only exchanges by the protocol document with this SHA-1
    #[query(example = "a9993e364706816aba3e25717850c26c9cd0d89d")]
    document: Option<Given<DocumentHash>>,
    #[query(flat)]
    paging: Paging,
}

/// List the exchanges of the caller.
///
/// Includes exchanges of the caller's agents. The newest comes first.
#[utoipa::path(
    operation_id = "listExchanges",
    tag = "Exchange",
    params(ExchangesQuery),
    responses((status = 200, description = "Exchanges", body = Page<ExchangeSummary>, headers(("ETag" = String)))),
    security(("token" = [])),
)]
#[get("/exchanges")]
pub(crate) async fn list(
    request: HttpRequest,
    caller: Caller<Read>,
    query: ExchangesQuery,
) -> Result<HttpResponse, Problem> {
    let app = app_of(&request);
    let ExchangesQuery { agent, role, status, document, paging } = query;
    let role = role.map(|Given(side)| match side {
        Side::Asker => ExchangeRole::Asker,
        Side::Answerer => ExchangeRole::Answerer,
    });
    let (before, limit) = paging.range();
    let filter = ExchangeFilter {
        of: caller.id(),
        agent,
        role,
        status: status.map(Into::into),
        document: document.map(|Given(document)| document),
        before,
        limit: limit + 1,
    };
    let rows = app.store.exchange().exchanges(&filter).await?;
    let now = app.store.log().clock().now();
    let page = Page::of(rows, limit, |row: &ExchangeView| row.position, |row| ExchangeSummary::new(row, now));
    Ok(etag::answer_list(&request, &page))
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
pub(crate) async fn show(
    request: HttpRequest,
    id: Path<String>,
    caller: MaybeCaller,
    paging: Paging,
) -> Result<HttpResponse, Problem> {
    let app = app_of(&request);
    let exchange_id: ExchangeId = path_id(&id, "exchange")?;
    let (after, limit) = paging.range();
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
