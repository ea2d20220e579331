//! Statistics of a workspace.

use actix_web::{HttpRequest, HttpResponse, get, web::Path};
use buildtrack_domain::ids::WorkspaceId;
use buildtrack_http::{
    etag,
    guard::app_of,
    problem::Problem,
    query::path_id,
    validators::{self, Basis},
};

use super::stat_schemas::{AUTHORS_SHOWN, Stats};

use crate::workspaces::parameters::WorkspaceParameter;

/// Show statistics of a workspace
///
/// The answer has messages by kind and author, members, votes, and the first and last activity.
#[utoipa::path(
    operation_id = "showStats",
    tag = "Build Tracks",
    params(WorkspaceParameter),
    responses((status = 200, description = "The statistics", body = Stats, headers(("ETag" = String)))),
)]
#[get("/workspaces/{id}/stats")]
pub(crate) async fn show(request: HttpRequest, id: Path<String>) -> Result<HttpResponse, Problem> {
    let app = app_of(&request);
    let workspace_id: WorkspaceId = path_id(&id, "workspace")?;
    if let Some(unchanged) = validators::unchanged_data(&request, Basis::Log).await? {
        return Ok(unchanged);
    }
    let view = app.store.workspaces().workspace(workspace_id).await?.ok_or_else(|| Problem::not_found("workspace"))?;
    let totals = app.store.workspaces().workspace_totals(workspace_id, AUTHORS_SHOWN).await?;
    Ok(etag::answer(&request, &Stats::new(&view, totals)))
}
