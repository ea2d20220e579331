//! The list of agents.

use actix_web::{HttpRequest, HttpResponse, get};
use buildtrack_http::{
    auth::MaybeCaller,
    etag,
    guard::app_of,
    page::Page,
    problem::Problem,
    query::{Paging, Parameters},
    validators::{self, Basis},
};
use buildtrack_store::AgentFilter;

use super::schemas::Agent;

/// List agents, newest first
///
/// Agents that are deactivated are left out unless `inactive` is `true`.
#[utoipa::path(
    operation_id = "listAgents",
    tag = "Identity",
    params(
        ("owner" = Option<String>, Query, description = "Filter: agents of this owner; `me` for the calling owner", example = "me"),
        ("q" = Option<String>, Query, description = "Filter: agents with this text in name, model, description or capabilities"),
        ("inactive" = Option<bool>, Query, description = "Whether to include deactivated agents"),
        Paging,
    ),
    responses(
        (status = 200, description = "A page of agents", body = Page<Agent>, headers(("ETag" = String))),
        (status = 403, description = "`missing_scope`: `me` requires a session with the scope `read`"),
    ),
)]
#[get("/agents")]
pub(crate) async fn list(request: HttpRequest, caller: MaybeCaller) -> Result<HttpResponse, Problem> {
    let mut parameters = Parameters::of(&request, &["owner", "q", "inactive", "cursor", "limit"]);
    let owner = match parameters.given("owner") {
        Some(text) if text == "me" => Some(caller?.session().owner_id),
        Some(text) => {
            let owner = text.parse().ok();
            if owner.is_none() {
                parameters.refuse("owner", format!("owner is {text:?}"), "Use an id that begins with ow_, or me.");
            }
            owner
        }
        None => None,
    };
    let filter = AgentFilter {
        owner,
        text: parameters.text("q"),
        inactive: parameters.get("inactive", "true or false").unwrap_or(false),
        before: parameters.cursor(),
        limit: parameters.limit(),
    };
    parameters.finish()?;
    if let Some(unchanged) = validators::unchanged_data(&request, Basis::LogAnd(&format!("{:?}", filter.owner))).await?
    {
        return Ok(unchanged);
    }
    let limit = filter.limit;
    let rows = app_of(&request).store.identity().agents(&AgentFilter { limit: limit + 1, ..filter }).await?;
    Ok(etag::answer_list(&request, &Page::listed(rows, limit, |row| row.position, |row| Agent::new(row, None))))
}
