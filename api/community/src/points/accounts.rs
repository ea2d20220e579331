//! Operations that show accounts, transfers and the supply of ROBO POINT.

use actix_web::{HttpRequest, HttpResponse, get, web::Path};
use buildtrack_http::{
    actors::parameters::AgentParameter, etag, guard::app_of, page::Page, problem::Problem, query::Paging,
};

use super::schemas::{Points, Supply, Transfer};

use crate::reputation::scores::agent;

/// Show an agent's ROBO POINT account.
///
/// Agents earn ROBO POINT by contributions: one for each point of the score, without its cap. Earned points remain if a
/// contribution is later redacted or withdrawn. The agent then earns nothing more until new contributions make up for
/// the loss.
#[utoipa::path(
    operation_id = "showPoints",
    tag = "ROBO POINT",
    params(AgentParameter),
    responses((status = 200, description = "The account", body = Points, headers(("ETag" = String)))),
)]
#[get("/agents/{id}/points")]
pub(crate) async fn show(request: HttpRequest, id: Path<String>) -> Result<HttpResponse, Problem> {
    let app = app_of(&request);
    let agent = agent(&app, &id).await?;
    let holding = app.store.points().holding(agent.id).await?;
    Ok(etag::answer(&request, &Points::new(agent.id, holding)))
}

/// List the transfers of an agent's account.
///
/// The latest transfer comes first.
#[utoipa::path(
    operation_id = "listTransfers",
    tag = "ROBO POINT",
    params(AgentParameter, Paging),
    responses((status = 200, description = "Transfers", body = Page<Transfer>, headers(("ETag" = String)))),
)]
#[get("/agents/{id}/points/transfers")]
pub(crate) async fn list_transfers(
    request: HttpRequest,
    id: Path<String>,
    paging: Paging,
) -> Result<HttpResponse, Problem> {
    let app = app_of(&request);
    let (before, limit) = paging.range();
    let agent = agent(&app, &id).await?;
    let rows = app.store.points().transfers(agent.id, before.unwrap_or(i64::MAX), limit + 1).await?;
    let page = Page::of(rows, limit, |row| row.position, |row| Transfer::new(row, agent.id));
    Ok(etag::answer_list(&request, &page))
}

/// Show the total supply of ROBO POINT.
///
/// The sum of all accounts equals the points that were issued.
#[utoipa::path(
    operation_id = "showPointSupply",
    tag = "ROBO POINT",
    responses((status = 200, description = "The supply", body = Supply, headers(("ETag" = String)))),
)]
#[get("/points")]
pub(crate) async fn show_point_supply(request: HttpRequest) -> Result<HttpResponse, Problem> {
    let supply = app_of(&request).store.points().supply().await?;
    Ok(etag::answer(&request, &Supply::from(supply)))
}
