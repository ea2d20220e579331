//! The end of a workspace: accepting a solution, and shipping the result.

use actix_web::{HttpRequest, HttpResponse, delete, post, put, web::Path};
use buildtrack_domain::{
    decide::Command,
    ids::WorkspaceId,
    workspaces::{
        AcceptSolution, Accepting, Message, MessageError, ShipWorkspace, UndoSolution, Workspace as State,
        WorkspaceEvent, WorkspaceShipped,
    },
};
use buildtrack_http::{
    answers::{no_content, position_and_time, shown},
    app::App,
    auth::{Caller, Write},
    body::{Json, Submission},
    guard::app_of,
    idempotency::Key,
    problem::Problem,
    query::path_id,
};
use buildtrack_store::{Answer, Done, Recorded};

use super::{
    outcome_schemas::{Acceptance, NewShipment, Shipment},
    schemas::Workspace,
    tracks,
};

use crate::workspaces::parameters::WorkspaceParameter;

/// Accept a solution
///
/// The message must be of the kind `solution`. It replaces a solution accepted before, and the workspace is resolved. The caller
/// is the workspace's owner or a maintainer. Accepting again changes nothing. If the author redacts the message, the workspace
/// is open again.
#[utoipa::path(
    operation_id = "acceptSolution",
    tag = "Build Tracks",
    params(WorkspaceParameter),
    request_body = Acceptance,
    responses(
        (status = 200, description = "The changed workspace", body = Workspace, headers(("ETag" = String))),
        (status = 403, description = "`not_maintainer`"),
        (status = 409, description = "`message_redacted`, `workspace_shipped`, `workspace_archived`"),
    ),
    security(("token" = [])),
)]
#[put("/workspaces/{id}/solution")]
pub(crate) async fn accept(
    request: HttpRequest,
    id: Path<String>,
    caller: Caller<Write>,
    body: Json<Acceptance>,
) -> Result<HttpResponse, Problem> {
    let workspace_id: WorkspaceId = path_id(&id, "workspace")?;
    accept_solution(&app_of(&request), workspace_id, &caller, &body.0).await?;
    tracks::answer(&request, workspace_id).await
}

/// Accepts a solution.
pub async fn accept_solution(
    app: &App,
    workspace_id: WorkspaceId,
    caller: &Caller<Write>,
    body: &Acceptance,
) -> Result<(), Problem> {
    let solution_id = body.id().ok_or(MessageError::SolutionNotFound)?;
    let command = AcceptSolution { workspace_id, solution_id, by: caller.id() };
    caller
        .transact(app, async |unit, _| {
            let workspace = unit.load::<State>(workspace_id).await?;
            let message = unit.load::<Message>(solution_id).await?;
            let accepting = Accepting { workspace: &workspace.state, message: &message.state };
            unit.append(workspace_id, &workspace, command.decide(accepting)?);
            Ok(())
        })
        .await?;
    Ok(())
}

/// Withdraw the acceptance of a solution
///
/// The workspace is open again. The caller is the workspace's owner or a maintainer. Without an accepted solution nothing
/// changes.
#[utoipa::path(
    operation_id = "undoSolution",
    tag = "Build Tracks",
    params(WorkspaceParameter),
    responses(
        (status = 204, description = "The workspace has no accepted solution"),
        (status = 403, description = "`not_maintainer`"),
        (status = 409, description = "`workspace_shipped`, `workspace_archived`"),
    ),
    security(("token" = [])),
)]
#[delete("/workspaces/{id}/solution")]
pub(crate) async fn undo(
    request: HttpRequest,
    id: Path<String>,
    caller: Caller<Write>,
) -> Result<HttpResponse, Problem> {
    undo_solution(&request, path_id(&id, "workspace")?, &caller).await?;
    Ok(no_content())
}

/// Withdraws the acceptance of a solution.
pub async fn undo_solution(
    request: &HttpRequest,
    workspace_id: WorkspaceId,
    caller: &Caller<Write>,
) -> Result<(), Problem> {
    let by = caller.id();
    tracks::decide(request, workspace_id, caller, |workspace| UndoSolution { workspace_id, by }.decide(workspace)).await
}

/// Ship a resolved workspace
///
/// Shipping declares that the result is released. It is possible once, for the workspace's owner and maintainers. If the
/// workspace has the tag `build`, `track.shipped` is pushed to its members.
#[utoipa::path(
    operation_id = "shipWorkspace",
    tag = "Build Tracks",
    params(WorkspaceParameter),
    request_body = NewShipment,
    responses(
        (status = 200, description = "The shipment", body = Shipment),
        (status = 403, description = "`not_maintainer`"),
        (status = 409, description = "`workspace_not_resolved`, `workspace_shipped`, `workspace_archived`"),
    ),
    security(("token" = [])),
)]
#[post("/workspaces/{id}/ship")]
pub(crate) async fn ship(
    request: HttpRequest,
    id: Path<String>,
    caller: Caller<Write>,
    submission: Submission<NewShipment>,
) -> Result<HttpResponse, Problem> {
    let Submission { body, key } = submission;
    let done = ship_workspace(&app_of(&request), path_id(&id, "workspace")?, &caller, &body, &key).await?;
    key.answered(done)
}

/// Ships a workspace.
pub async fn ship_workspace(
    app: &App,
    workspace_id: WorkspaceId,
    caller: &Caller<Write>,
    body: &NewShipment,
    key: &Key,
) -> Result<Done<()>, Problem> {
    caller
        .transact(app, async |unit, by| {
            let workspace = unit.load::<State>(workspace_id).await?;
            let (note, links) = (body.note.clone(), body.links.clone());
            let shipped = ShipWorkspace { workspace_id, note, links, by }.decide(&workspace.state)?;
            if let [WorkspaceEvent::Shipped(data)] = &shipped[..] {
                let data = data.clone();
                unit.answer(key.ticket(), move |recorded| shipped_answer(&data, recorded));
            }
            unit.append(workspace_id, &workspace, shipped);
            Ok(())
        })
        .await
}

fn shipped_answer(shipped: &WorkspaceShipped, recorded: &[Recorded]) -> Answer {
    let (position, shipped_at) = position_and_time(recorded);
    shown(&Shipment::new(shipped, position, shipped_at))
}
