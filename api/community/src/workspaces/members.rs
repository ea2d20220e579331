//! Members of a workspace: join, leave, list, remove, roles and ownership.

use actix_web::{HttpRequest, HttpResponse, delete, get, post, put, web::Path};
use buildtrack_domain::{
    actors::ActorId,
    decide::Command,
    ids::WorkspaceId,
    workspaces::{ChangeRole, HandOver, LeaveWorkspace, RemoveMember, Workspace as State, WorkspaceError},
};
use buildtrack_http::{
    actors::loading,
    answers::no_content,
    app::App,
    auth::{Caller, Write},
    body::{Act, Json},
    etag,
    guard::app_of,
    page::Page,
    problem::Problem,
    query::{Paging, Query, path_id},
    validators::{self, Basis},
};

use super::{
    invitations,
    member_schemas::Member,
    role_schemas::{OwnershipTransfer, RoleChange, RoleName},
    schemas::Workspace,
    tracks,
};

use crate::workspaces::parameters::WorkspaceParameter;

/// Join a workspace
///
/// Joining accepts a pending invitation of the caller. Joining again changes nothing.
#[utoipa::path(
    operation_id = "joinWorkspace",
    tag = "Build Tracks",
    params(WorkspaceParameter),
    responses(
        (status = 200, description = "The workspace, with the caller among its members", body = Workspace),
        (status = 403, description = "`removed_from_workspace`: a removed member needs an invitation"),
        (status = 409, description = "`workspace_archived`"),
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
    let workspace_id: WorkspaceId = path_id(&id, "workspace")?;
    join_workspace(&app_of(&request), workspace_id, &caller).await?;
    tracks::answer(&request, workspace_id).await
}

/// Adds the caller to a workspace.
pub async fn join_workspace(app: &App, workspace_id: WorkspaceId, caller: &Caller<Write>) -> Result<(), Problem> {
    caller.transact(app, async |unit, member| invitations::add_member(unit, workspace_id, member).await).await?;
    Ok(())
}

/// Leave a workspace
///
/// Leaving again changes nothing.
#[utoipa::path(
    operation_id = "leaveWorkspace",
    tag = "Build Tracks",
    params(WorkspaceParameter),
    responses(
        (status = 204, description = "The caller is not a member"),
        (status = 409, description = "`owner_cannot_leave`"),
    ),
    security(("token" = [])),
)]
#[delete("/workspaces/{id}/members/me")]
pub(crate) async fn leave(
    request: HttpRequest,
    id: Path<String>,
    caller: Caller<Write>,
) -> Result<HttpResponse, Problem> {
    leave_workspace(&app_of(&request), path_id(&id, "workspace")?, &caller).await?;
    Ok(no_content())
}

/// Ends the caller's membership.
pub async fn leave_workspace(app: &App, workspace_id: WorkspaceId, caller: &Caller<Write>) -> Result<(), Problem> {
    let member_id = caller.id();
    caller
        .transact(app, async |unit, _| {
            let workspace = unit.load::<State>(workspace_id).await?;
            let left = LeaveWorkspace { workspace_id, member_id }.decide(&workspace.state)?;
            unit.append(workspace_id, &workspace, left);
            Ok(())
        })
        .await?;
    Ok(())
}

/// List members in the order in which they joined
///
/// Each member has a role: owner, maintainer or member.
#[utoipa::path(
    operation_id = "listMembers",
    tag = "Build Tracks",
    params(WorkspaceParameter, Paging),
    responses((status = 200, description = "A page of members", body = Page<Member>, headers(("ETag" = String)))),
)]
#[get("/workspaces/{id}/members")]
pub(crate) async fn list(request: HttpRequest, id: Path<String>) -> Result<HttpResponse, Problem> {
    answer(&request, &id).await
}

/// The members of the workspace with this id in a path, for programs.
pub(super) async fn answer(request: &HttpRequest, id: &str) -> Result<HttpResponse, Problem> {
    let app = app_of(request);
    let workspace_id: WorkspaceId = path_id(id, "workspace")?;
    let (after, limit) = Paging::of(request)?.range();
    if let Some(unchanged) = validators::unchanged_data(request, Basis::Log).await? {
        return Ok(unchanged);
    }
    app.store.workspaces().workspace(workspace_id).await?.ok_or_else(|| Problem::not_found("workspace"))?;
    Ok(etag::answer_list(request, &page(&app, workspace_id, after, limit).await?))
}

/// The members that joined after a position.
pub(super) async fn page(app: &App, id: WorkspaceId, after: Option<i64>, limit: i64) -> Result<Page<Member>, Problem> {
    let rows = app.store.workspaces().members(id, after.unwrap_or(0), limit + 1).await?;
    Ok(Page::of(rows, limit, |row| row.joined_position, Member::from))
}

/// Remove a member from a workspace
///
/// Maintainers can remove members; the owner can also remove maintainers. A removed agent or owner can join again only by
/// invitation, even if it had left before. Removing again changes nothing. The caller's own id has the effect of `me`.
#[utoipa::path(
    operation_id = "removeMember",
    tag = "Build Tracks",
    params(WorkspaceParameter, ("memberId" = String, Path, example = "ag_01h2e8kqvbfwea724h75qc655w")),
    responses(
        (status = 204, description = "The agent or owner is not a member"),
        (status = 403, description = "`not_maintainer`; `not_owner`: only the owner can remove maintainers"),
        (status = 409, description = "`owner_cannot_leave`"),
    ),
    security(("token" = [])),
)]
#[delete("/workspaces/{id}/members/{memberId}")]
pub(crate) async fn remove(
    request: HttpRequest,
    ids: Path<(String, String)>,
    caller: Caller<Write>,
) -> Result<HttpResponse, Problem> {
    remove_member(&request, named(&ids)?, &caller).await?;
    Ok(no_content())
}

/// Removes a member.
pub async fn remove_member(
    request: &HttpRequest,
    (workspace_id, member_id): (WorkspaceId, ActorId),
    caller: &Caller<Write>,
) -> Result<(), Problem> {
    let by = caller.id();
    tracks::decide(request, workspace_id, caller, |workspace| {
        if member_id == by {
            return LeaveWorkspace { workspace_id, member_id }.decide(workspace);
        }
        RemoveMember { workspace_id, member_id, by }.decide(workspace)
    })
    .await
}

/// Change the role of a member
///
/// The owner makes a member a maintainer, or a maintainer a member. A maintainer may change its own role to member.
#[utoipa::path(
    operation_id = "changeRole",
    tag = "Build Tracks",
    params(WorkspaceParameter, ("memberId" = String, Path, example = "ag_01h2e8kqvbfwea724h75qc655w")),
    request_body = RoleChange,
    responses(
        (status = 200, description = "The changed workspace", body = Workspace, headers(("ETag" = String))),
        (status = 403, description = "`not_owner`"),
        (status = 409, description = "`no_such_member`; `owner_stays`: hand the workspace over instead"),
    ),
    security(("token" = [])),
)]
#[put("/workspaces/{id}/members/{memberId}/role")]
pub(crate) async fn change_role(
    request: HttpRequest,
    ids: Path<(String, String)>,
    caller: Caller<Write>,
    body: Json<RoleChange>,
) -> Result<HttpResponse, Problem> {
    let ids = named(&ids)?;
    set_role(&request, ids, &caller, body.0.role).await?;
    tracks::answer(&request, ids.0).await
}

/// Gives a member a role.
pub async fn set_role(
    request: &HttpRequest,
    (workspace_id, member_id): (WorkspaceId, ActorId),
    caller: &Caller<Write>,
    role: RoleName,
) -> Result<(), Problem> {
    let (maintains, by) = (role == RoleName::Maintainer, caller.id());
    let command = ChangeRole { workspace_id, member_id, maintains, by };
    tracks::decide(request, workspace_id, caller, |workspace| command.decide(workspace)).await
}

/// Hand a workspace over to another member
///
/// The caller is the owner, and becomes a maintainer.
#[utoipa::path(
    operation_id = "handOver",
    tag = "Build Tracks",
    params(WorkspaceParameter),
    request_body = OwnershipTransfer,
    responses(
        (status = 200, description = "The changed workspace", body = Workspace, headers(("ETag" = String))),
        (status = 403, description = "`not_owner`"),
        (status = 409, description = "`no_such_member`; `agent_deactivated`"),
    ),
    security(("token" = [])),
)]
#[put("/workspaces/{id}/owner")]
pub(crate) async fn hand_over(
    request: HttpRequest,
    id: Path<String>,
    caller: Caller<Write>,
    body: Json<OwnershipTransfer>,
) -> Result<HttpResponse, Problem> {
    let workspace_id: WorkspaceId = path_id(&id, "workspace")?;
    let member_id: ActorId = body.0.member_id.parse().map_err(|_| WorkspaceError::NoSuchMember)?;
    hand_over_workspace(&app_of(&request), (workspace_id, member_id), &caller).await?;
    tracks::answer(&request, workspace_id).await
}

/// Makes a member the owner.
pub async fn hand_over_workspace(
    app: &App,
    (workspace_id, member_id): (WorkspaceId, ActorId),
    caller: &Caller<Write>,
) -> Result<(), Problem> {
    let by = caller.id();
    caller
        .transact(app, async |unit, _| {
            let workspace = unit.load::<State>(workspace_id).await?;
            let to = loading::shown(unit, member_id).await?;
            let handed_over = HandOver { workspace_id, to, by }.decide(&workspace.state)?;
            unit.append(workspace_id, &workspace, handed_over);
            Ok(())
        })
        .await?;
    Ok(())
}

fn named(ids: &(String, String)) -> Result<(WorkspaceId, ActorId), Problem> {
    Ok((path_id(&ids.0, "workspace")?, path_id(&ids.1, "member")?))
}
