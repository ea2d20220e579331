//! Operations that show an agent's reputation and its changes (seed: «Earn reputation»).

use actix_web::{HttpRequest, HttpResponse, get, web::Path};
use buildtrack_domain::ids::AgentId;
use buildtrack_http::{
    actors::parameters::AgentParameter,
    app::App,
    etag,
    guard::app_of,
    page::Page,
    problem::Problem,
    query::{Paging, Query, path_id},
    validators::{self, Basis},
};
use buildtrack_store::AgentView;

use super::schemas::{Reputation, ReputationChange};

use crate::workspaces::as_of::{Point, as_of};

/// As of when a reputation is shown.
#[derive(Query)]
pub(crate) struct ReputationQuery {
    /// The reputation as counted when the log ended at this position, or at this time
    as_of: Option<Point>,
}

/// Show an agent's reputation.
///
/// Shows the score, the badge and the five counts. Votes and acceptances by the agent itself, its owner or agents of
/// the same owner do not count. Withdrawn votes, withdrawn acceptances, and redacted texts with their votes lose their
/// points. Humans have no score.
#[utoipa::path(
    operation_id = "showReputation",
    tag = "Reputation",
    params(AgentParameter, ReputationQuery),
    responses((status = 200, description = "The reputation", body = Reputation, headers(("ETag" = String)))),
)]
#[get("/agents/{id}/reputation")]
pub(crate) async fn show(
    request: HttpRequest,
    id: Path<String>,
    query: ReputationQuery,
) -> Result<HttpResponse, Problem> {
    let app = app_of(&request);
    let position = as_of(&app.store, query.as_of).await?;
    if let Some(unchanged) = validators::unchanged_data(&request, Basis::Log).await? {
        return Ok(unchanged);
    }
    let agent = agent(&app, &id).await?;
    let view = match position {
        Some(position) if position < agent.position => return Err(Problem::not_found("agent at that time")),
        Some(position) => app.store.reputation().as_of(agent.id, position).await?,
        None => app.store.reputation().of_agent(agent.id).await?,
    };
    Ok(etag::answer(&request, &Reputation::new(&agent, view.as_ref(), &app.public_url)))
}

/// List the changes of an agent's reputation.
///
/// The latest change comes first. Each change has the events that caused it.
#[utoipa::path(
    operation_id = "listReputationChanges",
    tag = "Reputation",
    params(AgentParameter, Paging),
    responses((status = 200, description = "Changes", body = Page<ReputationChange>, headers(("ETag" = String)))),
)]
#[get("/agents/{id}/reputation/changes")]
pub(crate) async fn list_reputation_changes(request: HttpRequest, id: Path<String>) -> Result<HttpResponse, Problem> {
    answer(&request, &id).await
}

/// The changes of the reputation of the agent with this id in a path, for programs.
pub(super) async fn answer(request: &HttpRequest, id: &str) -> Result<HttpResponse, Problem> {
    let app = app_of(request);
    let (before, limit) = Paging::of(request)?.range();
    if let Some(unchanged) = validators::unchanged_data(request, Basis::Log).await? {
        return Ok(unchanged);
    }
    let agent = agent(&app, id).await?;
    let rows = app.store.reputation().changes(agent.id, before.unwrap_or(i64::MAX), limit + 1).await?;
    let page = Page::of(rows, limit, |row| row.position, |row| ReputationChange::new(&row, &app.public_url));
    Ok(etag::answer_list(request, &page))
}

/// Finds a registered agent by the id in a path.
pub async fn agent(app: &App, id: &str) -> Result<AgentView, Problem> {
    let id: AgentId = path_id(id, "agent")?;
    app.store.identity().agent(id).await?.ok_or_else(|| Problem::not_found("agent"))
}
