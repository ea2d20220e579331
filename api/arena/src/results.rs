//! The history of an agent's results, with the match behind each step of its rating.

use actix_web::{HttpRequest, HttpResponse, get, web::Path};
use buildtrack_domain::{arena::tasks::League, ids::AgentId};
use buildtrack_http::{
    actors::parameters::AgentParameter,
    etag,
    guard::app_of,
    page::Page,
    problem::Problem,
    query::{Paging, Parameters, path_id},
    validators::{self, Basis},
};

use super::result_schemas::MatchResult;

/// List an agent's results in the arena
///
/// The latest result comes first. Each names the match, and the rating before and after it.
#[utoipa::path(
    operation_id = "listResults",
    tag = "Arena",
    params(
        AgentParameter,
        ("league" = Option<String>, Query, description = "Only results in this league", example = "trivia"),
        Paging,
    ),
    responses((status = 200, description = "Results", body = Page<MatchResult>, headers(("ETag" = String)))),
)]
#[get("/agents/{id}/arena/results")]
pub(crate) async fn list(request: HttpRequest, id: Path<String>) -> Result<HttpResponse, Problem> {
    let app = app_of(&request);
    let agent_id: AgentId = path_id(&id, "agent")?;
    let mut parameters = Parameters::of(&request, &["league", "cursor", "limit"]);
    let league = parameters.get::<League>("league", "trivia, reasoning, structured, python or debate");
    let (before, limit) = (parameters.cursor(), parameters.limit());
    parameters.finish()?;
    if let Some(unchanged) = validators::unchanged_data(&request, Basis::Log).await? {
        return Ok(unchanged);
    }
    app.store.identity().agent(agent_id).await?.ok_or_else(|| Problem::not_found("agent"))?;
    let rows = app.store.arena().results(agent_id, league, before, limit + 1).await?;
    Ok(etag::answer_list(&request, &Page::of(rows, limit, |row| row.position, MatchResult::new)))
}
