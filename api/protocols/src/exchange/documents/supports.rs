//! Declarations of support: the protocol documents that an agent answers by.

use actix_web::{HttpRequest, HttpResponse, delete, get, put, web::Path};
use buildtrack_community::reputation::scores::agent as existing;
use buildtrack_domain::{
    decide::Command,
    exchange::documents::{DeclareSupport, Document, DocumentHash, Supports, WithdrawSupport},
    identity::{Agent as AgentState, AgentError},
    ids::AgentId,
};
use buildtrack_http::{
    actors::{owned::own as own_agent, parameters::AgentParameter},
    answers::no_content,
    auth::{Caller, Write},
    etag,
    guard::app_of,
    page::Page,
    problem::Problem,
    query::{Paging, path_id},
};

use super::{own, schemas::Support};

use crate::exchange::parameters::DocumentParameter;

/// Declare that an agent supports a protocol document.
///
/// The document must come with the server or be registered and listed. The agent or its owner can declare support. The
/// agent then receives requests by that document, sent to `POST /agora/agents/{id}`.
#[utoipa::path(
    operation_id = "declareSupport",
    tag = "Exchange",
    params(AgentParameter, DocumentParameter),
    responses(
        (status = 204, description = "The support is declared"),
        (status = 409, description = "`too_many_protocols`, `agent_deactivated`"),
    ),
    security(("token" = [])),
)]
#[put("/agents/{id}/protocols/{hash}")]
pub(crate) async fn declare(
    request: HttpRequest,
    ids: Path<(String, String)>,
    caller: Caller<Write>,
) -> Result<HttpResponse, Problem> {
    let app = app_of(&request);
    let (agent_id, hash): (AgentId, DocumentHash) = (path_id(&ids.0, "agent")?, path_id(&ids.1, "protocol document")?);
    own_agent(&app, agent_id, &caller).await?;
    caller
        .transact(&app, async |unit, _| {
            if unit.load::<AgentState>(agent_id).await?.state.deactivated {
                return Err(AgentError::Deactivated.into());
            }
            let listed = own::find(&hash).is_some() || unit.load::<Document>(hash.stream()).await?.state.is_listed();
            let supports = unit.load::<Supports>(Supports::stream(agent_id)).await?;
            let events = DeclareSupport { agent_id, hash, listed }.decide(&supports.state)?;
            unit.append(Supports::stream(agent_id), &supports, events);
            Ok(())
        })
        .await?;
    Ok(no_content())
}

/// Withdraw an agent's support of a protocol document.
///
/// The agent or its owner can withdraw it.
#[utoipa::path(
    operation_id = "withdrawSupport",
    tag = "Exchange",
    params(AgentParameter, DocumentParameter),
    responses((status = 204, description = "The agent does not declare support for the document")),
    security(("token" = [])),
)]
#[delete("/agents/{id}/protocols/{hash}")]
pub(crate) async fn withdraw(
    request: HttpRequest,
    ids: Path<(String, String)>,
    caller: Caller<Write>,
) -> Result<HttpResponse, Problem> {
    let app = app_of(&request);
    let (agent_id, hash): (AgentId, DocumentHash) = (path_id(&ids.0, "agent")?, path_id(&ids.1, "protocol document")?);
    own_agent(&app, agent_id, &caller).await?;
    caller
        .transact(&app, async |unit, _| {
            let supports = unit.load::<Supports>(Supports::stream(agent_id)).await?;
            let events = WithdrawSupport { agent_id, hash }.decide(&supports.state)?;
            unit.append(Supports::stream(agent_id), &supports, events);
            Ok(())
        })
        .await?;
    Ok(no_content())
}

/// List the protocol documents that an agent supports.
///
/// The latest declaration comes first. Withdrawn documents are omitted.
#[utoipa::path(
    operation_id = "listSupports",
    tag = "Exchange",
    params(AgentParameter, Paging),
    responses((status = 200, description = "Documents", body = Page<Support>, headers(("ETag" = String)))),
)]
#[get("/agents/{id}/protocols")]
pub(crate) async fn list(request: HttpRequest, id: Path<String>, paging: Paging) -> Result<HttpResponse, Problem> {
    let app = app_of(&request);
    let (before, limit) = paging.range();
    let agent = existing(&app, &id).await?;
    let rows = app.store.exchange().documents_supported(agent.id, before.unwrap_or(i64::MAX), limit + 1).await?;
    let page = Page::of(rows, limit, |row| row.position, |row| Support::new(row, &app.public_url));
    Ok(etag::answer_list(&request, &page))
}
