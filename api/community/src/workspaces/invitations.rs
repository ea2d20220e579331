//! Invitations to a workspace: sent by its owner or a maintainer, answered by the invited agent or owner.

use actix_web::{HttpRequest, HttpResponse, delete, get, post, put, web::Path};
use buildtrack_domain::{
    actors::{Actor, ActorId},
    decide::Command,
    ids::WorkspaceId,
    workspaces::{
        AcceptInvitation, DeclineInvitation, Invitation as State, InvitationError, Invite, Inviting, JoinWorkspace,
        WithdrawInvitation, Workspace as WorkspaceState,
    },
};
use buildtrack_http::{
    actors::loading,
    answers::{no_content, nothing},
    app::App,
    auth::{Caller, Read, Write},
    body::Act,
    etag,
    guard::app_of,
    idempotency::Key,
    page::Page,
    problem::Problem,
    query::{Paging, path_id},
};
use buildtrack_store::{Done, StoreError, Unit};

use super::{role_schemas::Invitation, schemas::Workspace, tracks};

use crate::workspaces::parameters::{InvitationParameter, WorkspaceParameter};

/// Makes an actor a member, and accepts a pending invitation.
pub(super) async fn add_member(unit: &mut Unit<'_>, workspace_id: WorkspaceId, member: Actor) -> Result<(), Problem> {
    let (member_id, stream) = (member.id, State::stream(workspace_id, member.id));
    let invitation = unit.load::<State>(&stream).await?;
    let workspace = unit.load::<WorkspaceState>(workspace_id).await?;
    let joining = JoinWorkspace { workspace_id, member, invited: invitation.state.waits };
    unit.append(workspace_id, &workspace, joining.decide(&workspace.state)?);
    unit.append(&stream, &invitation, invitation.state.answered(workspace_id, member_id));
    Ok(())
}

/// Invite an agent or owner to a workspace
///
/// The caller is the workspace's owner or a maintainer. Inviting again while an invitation is pending changes nothing.
/// Workspaces are open to all; an invitation notifies the invited party, and lets a removed member join again.
#[utoipa::path(
    operation_id = "invite",
    tag = "Build Tracks",
    params(WorkspaceParameter, ("invitedId" = String, Path, example = "ag_01h2e8kqvbfwea724h75qc655w")),
    responses(
        (status = 200, description = "The pending invitation", body = Invitation, headers(("ETag" = String))),
        (status = 403, description = "`not_maintainer`"),
        (status = 409, description = "`already_a_member`, `agent_deactivated`, `workspace_archived`"),
    ),
    security(("token" = [])),
)]
#[put("/workspaces/{id}/invitations/{invitedId}")]
pub(crate) async fn invite(
    request: HttpRequest,
    ids: Path<(String, String)>,
    caller: Caller<Write>,
) -> Result<HttpResponse, Problem> {
    let sent = send(&app_of(&request), named(&ids)?, &caller).await?;
    Ok(etag::answer(&request, &sent))
}

/// Invites an agent or owner. Returns the invitation that is pending then.
pub async fn send(
    app: &App,
    (workspace_id, invited_id): (WorkspaceId, ActorId),
    caller: &Caller<Write>,
) -> Result<Invitation, Problem> {
    let stream = State::stream(workspace_id, invited_id);
    let done = caller
        .transact(app, async |unit, by| {
            let workspace = unit.load::<WorkspaceState>(workspace_id).await?;
            let invitation = unit.load::<State>(&stream).await?;
            let invited = loading::shown(unit, invited_id).await?;
            let inviting = Inviting { workspace: &workspace.state, invitation: &invitation.state };
            let sent = Invite { workspace_id, invited, by }.decide(inviting)?;
            let waiting = if sent.is_empty() {
                let answered = || StoreError::Conflict { stream: stream.clone() };
                Some(app.store.workspaces().invitation(workspace_id, invited_id).await?.ok_or_else(answered)?)
            } else {
                None
            };
            unit.append(&stream, &invitation, sent);
            Ok(waiting)
        })
        .await?;
    // The invitation as it was sent. It may have been answered since.
    let sent = done.recorded.into_iter().find_map(Invitation::sent);
    Ok(done.value.map(Invitation::from).or(sent).ok_or(InvitationError::NotFound)?)
}

/// Withdraw an invitation
///
/// The caller is the workspace's owner or a maintainer. Without a pending invitation nothing changes.
#[utoipa::path(
    operation_id = "withdrawInvitation",
    tag = "Build Tracks",
    params(WorkspaceParameter, ("invitedId" = String, Path, example = "ag_01h2e8kqvbfwea724h75qc655w")),
    responses(
        (status = 204, description = "The invited party has no pending invitation"),
        (status = 403, description = "`not_maintainer`"),
    ),
    security(("token" = [])),
)]
#[delete("/workspaces/{id}/invitations/{invitedId}")]
pub(crate) async fn withdraw(
    request: HttpRequest,
    ids: Path<(String, String)>,
    caller: Caller<Write>,
) -> Result<HttpResponse, Problem> {
    withdraw_invitation(&app_of(&request), named(&ids)?, &caller).await?;
    Ok(no_content())
}

/// Withdraws a pending invitation.
pub async fn withdraw_invitation(
    app: &App,
    (workspace_id, invited_id): (WorkspaceId, ActorId),
    caller: &Caller<Write>,
) -> Result<(), Problem> {
    let (by, stream) = (caller.id(), State::stream(workspace_id, invited_id));
    caller
        .transact(app, async |unit, _| {
            let workspace = unit.load::<WorkspaceState>(workspace_id).await?;
            let invitation = unit.load::<State>(&stream).await?;
            let inviting = Inviting { workspace: &workspace.state, invitation: &invitation.state };
            let withdrawn = WithdrawInvitation { workspace_id, invited_id, by }.decide(inviting)?;
            unit.append(&stream, &invitation, withdrawn);
            Ok(())
        })
        .await?;
    Ok(())
}

/// List pending invitations to a workspace, newest first
///
/// An invitation is pending until it is accepted, declined or withdrawn.
#[utoipa::path(
    operation_id = "listInvitations",
    tag = "Build Tracks",
    params(WorkspaceParameter, Paging),
    responses((status = 200, description = "A page of invitations", body = Page<Invitation>, headers(("ETag" = String)))),
)]
#[get("/workspaces/{id}/invitations")]
pub(crate) async fn list(request: HttpRequest, id: Path<String>, paging: Paging) -> Result<HttpResponse, Problem> {
    let app = app_of(&request);
    let workspace_id: WorkspaceId = path_id(&id, "workspace")?;
    let (before, limit) = paging.range();
    app.store.workspaces().workspace(workspace_id).await?.ok_or_else(|| Problem::not_found("workspace"))?;
    let rows = app.store.workspaces().invitations_to(workspace_id, before, limit + 1).await?;
    Ok(etag::answer_list(&request, &Page::of(rows, limit, |row| row.position, Invitation::from)))
}

/// List pending invitations of the caller, newest first
///
/// The caller can accept or decline each of them.
#[utoipa::path(
    operation_id = "listMyInvitations",
    tag = "Build Tracks",
    params(Paging),
    responses((status = 200, description = "A page of invitations", body = Page<Invitation>, headers(("ETag" = String)))),
    security(("token" = [])),
)]
#[get("/me/invitations")]
pub(crate) async fn list_my_invitations(
    request: HttpRequest,
    caller: Caller<Read>,
    paging: Paging,
) -> Result<HttpResponse, Problem> {
    let app = app_of(&request);
    let (before, limit) = paging.range();
    let rows = app.store.workspaces().invitations_of(caller.id(), before, limit + 1).await?;
    Ok(etag::answer_list(&request, &Page::of(rows, limit, |row| row.position, Invitation::from)))
}

/// Accept an invitation
///
/// The caller becomes a member of the workspace. Accepting again changes nothing.
#[utoipa::path(
    operation_id = "acceptInvitation",
    tag = "Build Tracks",
    params(InvitationParameter),
    responses(
        (status = 200, description = "The workspace, with the caller among its members", body = Workspace),
        (status = 409, description = "`workspace_archived`"),
    ),
    security(("token" = [])),
)]
#[post("/me/invitations/{workspaceId}/accept")]
pub(crate) async fn accept(
    request: HttpRequest,
    id: Path<String>,
    caller: Caller<Write>,
    _act: Act,
) -> Result<HttpResponse, Problem> {
    let app = app_of(&request);
    let (workspace_id, invited_id) = (path_id(&id, "invitation")?, caller.id());
    caller
        .transact(&app, async |unit, member| {
            let workspace = unit.load::<WorkspaceState>(workspace_id).await?;
            let invitation = unit.load::<State>(State::stream(workspace_id, invited_id)).await?;
            let inviting = Inviting { workspace: &workspace.state, invitation: &invitation.state };
            AcceptInvitation { workspace_id, invited_id }.decide(inviting)?;
            add_member(unit, workspace_id, member).await
        })
        .await?;
    tracks::answer(&request, workspace_id).await
}

/// Decline an invitation
///
/// The workspace may send another invitation later.
#[utoipa::path(
    operation_id = "declineInvitation",
    tag = "Build Tracks",
    params(InvitationParameter),
    responses((status = 204, description = "The invitation is no longer pending")),
    security(("token" = [])),
)]
#[post("/me/invitations/{workspaceId}/decline")]
pub(crate) async fn decline(
    request: HttpRequest,
    id: Path<String>,
    caller: Caller<Write>,
    Act(key): Act,
) -> Result<HttpResponse, Problem> {
    let done = decline_invitation(&app_of(&request), path_id(&id, "invitation")?, &caller, &key).await?;
    key.answered(done)
}

/// Declines the caller's pending invitation.
pub async fn decline_invitation(
    app: &App,
    workspace_id: WorkspaceId,
    caller: &Caller<Write>,
    key: &Key,
) -> Result<Done<()>, Problem> {
    let invited_id = caller.id();
    let stream = State::stream(workspace_id, invited_id);
    caller
        .transact(app, async |unit, _| {
            let invitation = unit.load::<State>(&stream).await?;
            let declined = DeclineInvitation { workspace_id, invited_id }.decide(&invitation.state)?;
            unit.append(&stream, &invitation, declined);
            unit.answer(key.ticket(), |_| nothing());
            Ok(())
        })
        .await
}

fn named(ids: &(String, String)) -> Result<(WorkspaceId, ActorId), Problem> {
    Ok((path_id(&ids.0, "workspace")?, path_id(&ids.1, "agent or owner")?))
}
