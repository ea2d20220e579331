//! Workspaces: show, change, archive and reopen.

use std::sync::Arc;

use actix_web::{HttpRequest, HttpResponse, get, patch, post, web::Path};
use buildtrack_domain::{
    decide::Command,
    ids::WorkspaceId,
    workspaces::{
        ArchiveWorkspace, EditWorkspace, ReopenWorkspace, Status, Workspace as State, WorkspaceError, WorkspaceEvent,
    },
};
use buildtrack_http::{
    answers::canonical,
    app::App,
    auth::{Caller, Write},
    body::{Act, Json},
    etag::{self, Precondition},
    guard::app_of,
    problem::Problem,
    query::{Query, path_id},
    validators::{self, Basis},
};
use buildtrack_store::PastWorkspace;

use super::{
    as_of::{Point, as_of},
    member_schemas::Member,
    outcome_schemas::Shipment,
    schemas::{Workspace, WorkspaceChanges},
};

use crate::workspaces::parameters::WorkspaceParameter;

/// The maximum number of members shown with a workspace. `/members` lists all of them.
const MEMBERS_SHOWN: i64 = 200;

/// As of when a workspace is shown.
#[derive(Query)]
pub(crate) struct WorkspaceQuery {
    /// A position of the log, or a time (RFC 3339): returns the workspace as of that point
    #[query(example = "2026-03-01T12:00:00Z")]
    as_of: Option<Point>,
}

/// Show a workspace with its members
///
/// With `asOf` the answer is the workspace as of a point of the log.
#[utoipa::path(
    operation_id = "showWorkspace",
    tag = "Build Tracks",
    params(WorkspaceParameter, WorkspaceQuery),
    responses((status = 200, description = "The workspace", body = Workspace, headers(("ETag" = String), ("Link" = String)))),
)]
#[get("/workspaces/{id}")]
pub(crate) async fn show(
    request: HttpRequest,
    id: Path<String>,
    query: WorkspaceQuery,
) -> Result<HttpResponse, Problem> {
    answer_as_of(&request, path_id(&id, "workspace")?, query.as_of).await
}

/// Answers with a workspace, now or as of a point.
pub(super) async fn answer_as_of(
    request: &HttpRequest,
    workspace_id: WorkspaceId,
    point: Option<Point>,
) -> Result<HttpResponse, Problem> {
    if let Some(unchanged) = validators::unchanged_data(request, Basis::Log).await? {
        return Ok(unchanged);
    }
    let app = app_of(request);
    let Some(position) = as_of(&app.store, point).await? else { return answer(request, workspace_id).await };
    let past = app.store.workspaces().as_of(workspace_id, position, MEMBERS_SHOWN).await?;
    let PastWorkspace { workspace, members, shipment } =
        past.ok_or_else(|| Problem::not_found("workspace at that point"))?;
    let members = members.into_iter().map(Member::from).collect();
    let (version, shown) = (workspace.version, Workspace::new(workspace, &app.public_url).with(members));
    let shown = Workspace { shipment: shipment.map(Shipment::from), ..shown.at(position) };
    Ok(canonical(request, etag::answer_version(request, version, &shown), &shown.url))
}

pub(crate) async fn answer(request: &HttpRequest, id: WorkspaceId) -> Result<HttpResponse, Problem> {
    let (version, workspace) = view(&app_of(request), id).await?;
    Ok(canonical(request, etag::answer_version(request, version, &workspace), &workspace.url))
}

async fn view(app: &Arc<App>, id: WorkspaceId) -> Result<(i64, Workspace), Problem> {
    let view = app.store.workspaces().workspace(id).await?.ok_or_else(|| Problem::not_found("workspace"))?;
    let members = app.store.workspaces().members(id, 0, MEMBERS_SHOWN).await?.into_iter().map(Member::from).collect();
    let over = matches!(view.status, Status::Shipped | Status::Archived);
    let shipment = if over { app.store.workspaces().shipment(id).await?.map(Shipment::from) } else { None };
    let (version, workspace) = (view.version, Workspace::new(view, &app.public_url).with(members));
    Ok((version, Workspace { shipment, ..workspace }))
}

/// Change a workspace
///
/// Members that are left out stay unchanged. The caller is the workspace's owner or a maintainer.
#[utoipa::path(
    operation_id = "editWorkspace",
    tag = "Build Tracks",
    params(WorkspaceParameter),
    request_body = WorkspaceChanges,
    responses(
        (status = 200, description = "The changed workspace", body = Workspace, headers(("ETag" = String))),
        (status = 403, description = "`not_maintainer`"),
        (status = 409, description = "`workspace_archived`"),
    ),
    security(("token" = [])),
)]
#[patch("/workspaces/{id}")]
pub(crate) async fn edit(
    request: HttpRequest,
    id: Path<String>,
    caller: Caller<Write>,
    body: Json<WorkspaceChanges>,
) -> Result<HttpResponse, Problem> {
    let Json(changes) = body;
    let workspace_id = path_id(&id, "workspace")?;
    edit_workspace(&request, workspace_id, &caller, &changes).await?;
    answer(&request, workspace_id).await
}

/// Changes a workspace's texts.
pub async fn edit_workspace(
    request: &HttpRequest,
    workspace_id: WorkspaceId,
    caller: &Caller<Write>,
    changes: &WorkspaceChanges,
) -> Result<(), Problem> {
    let by = caller.id();
    decide(request, workspace_id, caller, |workspace| {
        let WorkspaceChanges { name, description, goal, tags } = changes;
        let (name, description, goal, tags) = (name.clone(), description.clone(), goal.clone(), tags.clone());
        EditWorkspace { workspace_id, by, name, description, goal, tags }.decide(workspace)
    })
    .await
}

/// Archive a workspace
///
/// An archived workspace accepts no members, messages or votes. The caller is the workspace's owner or a maintainer.
#[utoipa::path(
    operation_id = "archiveWorkspace",
    tag = "Build Tracks",
    params(WorkspaceParameter),
    responses(
        (status = 200, description = "The archived workspace", body = Workspace),
        (status = 403, description = "`not_maintainer`"),
    ),
    security(("token" = [])),
)]
#[post("/workspaces/{id}/archive")]
pub(crate) async fn archive(
    request: HttpRequest,
    id: Path<String>,
    caller: Caller<Write>,
    _act: Act,
) -> Result<HttpResponse, Problem> {
    let workspace_id = path_id(&id, "workspace")?;
    set_archived(&request, workspace_id, &caller, true).await?;
    answer(&request, workspace_id).await
}

/// Archives a workspace, or reopens it.
pub async fn set_archived(
    request: &HttpRequest,
    workspace_id: WorkspaceId,
    caller: &Caller<Write>,
    archived: bool,
) -> Result<(), Problem> {
    let by = caller.id();
    decide(request, workspace_id, caller, |workspace| {
        if archived {
            ArchiveWorkspace { workspace_id, by }.decide(workspace)
        } else {
            ReopenWorkspace { workspace_id, by }.decide(workspace)
        }
    })
    .await
}

/// Reopen an archived workspace
///
/// The workspace returns to its earlier status. The caller is the workspace's owner or a maintainer.
#[utoipa::path(
    operation_id = "reopenWorkspace",
    tag = "Build Tracks",
    params(WorkspaceParameter),
    responses(
        (status = 200, description = "The reopened workspace", body = Workspace),
        (status = 403, description = "`not_maintainer`"),
    ),
    security(("token" = [])),
)]
#[post("/workspaces/{id}/reopen")]
pub(crate) async fn reopen(
    request: HttpRequest,
    id: Path<String>,
    caller: Caller<Write>,
    _act: Act,
) -> Result<HttpResponse, Problem> {
    let workspace_id = path_id(&id, "workspace")?;
    set_archived(&request, workspace_id, &caller, false).await?;
    answer(&request, workspace_id).await
}

/// Runs a command on a workspace.
pub(crate) async fn decide(
    request: &HttpRequest,
    id: WorkspaceId,
    caller: &Caller<Write>,
    command: impl Fn(&State) -> Result<Vec<WorkspaceEvent>, WorkspaceError>,
) -> Result<(), Problem> {
    let app = app_of(request);
    let precondition = Precondition::of(request);
    caller
        .transact(&app, async |unit, _| {
            let workspace = unit.load::<State>(id).await?;
            let decided = command(&workspace.state)?;
            precondition.check(workspace.version)?;
            unit.append(id, &workspace, decided);
            Ok(())
        })
        .await?;
    Ok(())
}
