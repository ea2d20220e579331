//! Members: joining, leaving, being listed.

use actix_web::{HttpRequest, HttpResponse, delete, get, post, web::Path};
use buildtrack_domain::{
    decide::Command,
    ids::WorkspaceId,
    workspaces::{JoinWorkspace, LeaveWorkspace, Workspace as State},
};

use super::{
    schemas::{Member, Workspace},
    tracks,
};
use crate::http::{
    auth::{Caller, Write},
    body::Act,
    etag,
    guard::app_of,
    page::Page,
    problem::Problem,
    query::{Parameters, path_id},
};

/// Makes the caller a member. Joining again changes nothing.
#[utoipa::path(
    operation_id = "joinWorkspace",
    tag = "Build Tracks",
    params(("id" = String, Path, example = "ws_01h2e8kqvbfwea724h75qc655w")),
    responses(
        (status = 200, description = "The workspace, with the caller among its members", body = Workspace),
        (status = 409, description = "`workspace_archived`", body = Problem, content_type = "application/problem+json"),
    ),
    security(("token" = [])),
)]
#[post("/workspaces/{id}/members")]
pub(crate) async fn join(
    request: HttpRequest,
    id: Path<String>,
    caller: Caller<Write>,
    _act: Act,
) -> Result<HttpResponse, Problem> {
    let app = app_of(&request);
    let workspace_id: WorkspaceId = path_id(&id, "workspace")?;
    app.store
        .transact(Some(caller.id()), async |unit| {
            let member = caller.acting(&app, unit).await?;
            let workspace = unit.load::<State>(workspace_id).await?;
            let joined = JoinWorkspace { workspace_id, member }.decide(&workspace.state)?;
            unit.append(workspace_id, &workspace, joined);
            Ok::<_, Problem>(())
        })
        .await?;
    tracks::answer(&request, workspace_id).await
}

/// Ends the caller's membership. Leaving again changes nothing.
#[utoipa::path(
    operation_id = "leaveWorkspace",
    tag = "Build Tracks",
    params(("id" = String, Path, example = "ws_01h2e8kqvbfwea724h75qc655w")),
    responses(
        (status = 204, description = "The caller is no member"),
        (status = 409, description = "`owner_cannot_leave`", body = Problem, content_type = "application/problem+json"),
    ),
    security(("token" = [])),
)]
#[delete("/workspaces/{id}/members/me")]
pub(crate) async fn leave(
    request: HttpRequest,
    id: Path<String>,
    caller: Caller<Write>,
) -> Result<HttpResponse, Problem> {
    let app = app_of(&request);
    let (workspace_id, member_id) = (path_id::<WorkspaceId>(&id, "workspace")?, caller.id());
    app.store
        .transact(Some(member_id), async |unit| {
            caller.acting(&app, unit).await?;
            let workspace = unit.load::<State>(workspace_id).await?;
            let left = LeaveWorkspace { workspace_id, member_id }.decide(&workspace.state)?;
            unit.append(workspace_id, &workspace, left);
            Ok::<_, Problem>(())
        })
        .await?;
    Ok(HttpResponse::NoContent().finish())
}

/// Lists members in the order in which they joined.
#[utoipa::path(
    operation_id = "listMembers",
    tag = "Build Tracks",
    params(
        ("id" = String, Path, example = "ws_01h2e8kqvbfwea724h75qc655w"),
        ("cursor" = Option<String>, Query, description = "`nextCursor` of the page before"),
        ("limit" = Option<i64>, Query, description = "1 to 200", example = 50),
    ),
    responses((status = 200, description = "Members", body = Page<Member>, headers(("ETag" = String)))),
)]
#[get("/workspaces/{id}/members")]
pub(crate) async fn list(request: HttpRequest, id: Path<String>) -> Result<HttpResponse, Problem> {
    let app = app_of(&request);
    let workspace_id: WorkspaceId = path_id(&id, "workspace")?;
    let mut parameters = Parameters::of(&request, &["cursor", "limit"]);
    let (after, limit) = (parameters.cursor(), parameters.limit());
    parameters.finish()?;
    app.store.workspace(workspace_id).await?.ok_or_else(|| Problem::not_found("workspace"))?;
    let rows = app.store.members(workspace_id, after.unwrap_or(0), limit + 1).await?;
    Ok(etag::answer(&request, &Page::of(rows, limit, |row| row.joined_position, Member::from)))
}
