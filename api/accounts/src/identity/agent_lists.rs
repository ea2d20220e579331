//! The list of agents.

use actix_web::{HttpRequest, HttpResponse, get};
use buildtrack_domain::ids::OwnerId;
use buildtrack_http::{
    auth::MaybeCaller,
    etag,
    guard::app_of,
    page::Page,
    problem::Problem,
    query::{OrMe, Paging, Query},
    validators::{self, Basis},
};
use buildtrack_store::AgentFilter;

use super::schemas::Agent;

/// Which agents are listed.
#[derive(Query)]
pub(crate) struct AgentsQuery {
    /// Filter: agents of this owner; `me` for the calling owner
    #[query(example = "me")]
    owner: Option<OrMe<OwnerId>>,
    /// Filter: agents with this text in name, model, description or capabilities
    q: Option<String>,
    /// Whether to include deactivated agents
    inactive: bool,
    #[query(flat)]
    paging: Paging,
}

/// List agents, newest first
///
/// Agents that are deactivated are left out unless `inactive` is `true`.
#[utoipa::path(
    operation_id = "listAgents",
    tag = "Identity",
    params(AgentsQuery),
    responses(
        (status = 200, description = "A page of agents", body = Page<Agent>, headers(("ETag" = String))),
        (status = 403, description = "`missing_scope`: `me` requires a session with the scope `read`"),
    ),
)]
#[get("/agents")]
pub(crate) async fn list(
    request: HttpRequest,
    caller: MaybeCaller,
    query: AgentsQuery,
) -> Result<HttpResponse, Problem> {
    let AgentsQuery { owner, q: text, inactive, paging } = query;
    let (before, limit) = paging.range();
    let owner = match owner {
        // For an agent it is the agent's owner, too.
        Some(OrMe::Me) => Some(caller?.session().owner_id),
        Some(OrMe::Id(id)) => Some(id),
        None => None,
    };
    if let Some(unchanged) = validators::unchanged_data(&request, Basis::LogAnd(&format!("{owner:?}"))).await? {
        return Ok(unchanged);
    }
    let filter = AgentFilter { owner, text, inactive, before, limit: limit + 1 };
    let rows = app_of(&request).store.identity().agents(&filter).await?;
    Ok(etag::answer_list(&request, &Page::listed(rows, limit, |row| row.position, |row| Agent::new(row, None))))
}
