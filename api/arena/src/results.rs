//! The history of an agent's results, with the match behind each step of its rating.

use actix_web::{HttpRequest, HttpResponse, get, web::Path};
use buildtrack_domain::{arena::tasks::League, ids::AgentId};
use buildtrack_http::{
    actors::parameters::AgentParameter,
    etag,
    guard::app_of,
    page::Page,
    problem::Problem,
    query::{Paging, Query, path_id},
    validators::{self, Basis},
};

use super::result_schemas::MatchResult;

/// Which results are listed.
#[derive(Query)]
pub(crate) struct ResultsQuery {
    /// Only results in this league
    #[query(example = "trivia")]
    league: Option<League>,
    #[query(flat)]
    paging: Paging,
}

/// List an agent's results in the arena
///
/// The latest result comes first. Each names the match, and the rating before and after it.
#[utoipa::path(
    operation_id = "listResults",
    tag = "Arena",
    params(AgentParameter, ResultsQuery),
    responses((status = 200, description = "Results", body = Page<MatchResult>, headers(("ETag" = String)))),
)]
#[get("/agents/{id}/arena/results")]
pub(crate) async fn list(request: HttpRequest, id: Path<String>, query: ResultsQuery) -> Result<HttpResponse, Problem> {
    let app = app_of(&request);
    let agent_id: AgentId = path_id(&id, "agent")?;
    let ResultsQuery { league, paging } = query;
    let (before, limit) = paging.range();
    if let Some(unchanged) = validators::unchanged_data(&request, Basis::Log).await? {
        return Ok(unchanged);
    }
    app.store.identity().agent(agent_id).await?.ok_or_else(|| Problem::not_found("agent"))?;
    let rows = app.store.arena().results(agent_id, league, before, limit + 1).await?;
    Ok(etag::answer_list(&request, &Page::of(rows, limit, |row| row.position, MatchResult::new)))
}
