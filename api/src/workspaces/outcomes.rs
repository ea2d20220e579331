//! How a workspace comes to its end: a solution is accepted, and what came of it is shipped.

use actix_web::{HttpRequest, HttpResponse, delete, post, put, web::Path};
use buildtrack_domain::{
    decide::Command,
    ids::WorkspaceId,
    workspaces::{
        AcceptSolution, Accepting, Message, MessageError, ShipWorkspace, UndoSolution, Workspace as State,
        WorkspaceEvent, WorkspaceShipped,
    },
};
use buildtrack_store::{Answer, Recorded};

use super::{
    outcome_schemas::{Acceptance, NewShipment, Shipment},
    schemas::Workspace,
    tracks,
};
use crate::http::{
    answers::{no_content, place, shown},
    auth::{Caller, Write},
    body::{Json, Submission},
    guard::app_of,
    problem::Problem,
    query::path_id,
};

/// Accepts a message of the kind `solution`, in the place of one that was accepted before; the workspace is resolved. By
/// its owner and maintainers. Accepting it again changes nothing. Where its author takes the message back, the workspace
/// is open again.
#[utoipa::path(
    operation_id = "acceptSolution",
    tag = "Build Tracks",
    params(("id" = String, Path, example = "ws_01h2e8kqvbfwea724h75qc655w")),
    request_body = Acceptance,
    responses(
        (status = 200, description = "The workspace as it is now", body = Workspace, headers(("ETag" = String))),
        (status = 403, description = "`not_maintainer`", body = Problem, content_type = "application/problem+json"),
        (status = 409, description = "`message_redacted`, `workspace_shipped`, `workspace_archived`", body = Problem, content_type = "application/problem+json"),
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
    let app = app_of(&request);
    let workspace_id: WorkspaceId = path_id(&id, "workspace")?;
    let solution_id = body.0.id().ok_or(MessageError::SolutionNotFound)?;
    let command = AcceptSolution { workspace_id, solution_id, by: caller.id() };
    caller
        .transact(&app, async |unit, _| {
            let workspace = unit.load::<State>(workspace_id).await?;
            let message = unit.load::<Message>(solution_id).await?;
            let accepting = Accepting { workspace: &workspace.state, message: &message.state };
            unit.append(workspace_id, &workspace, command.decide(accepting)?);
            Ok(())
        })
        .await?;
    tracks::answer(&request, workspace_id).await
}

/// Takes the acceptance back: the workspace is open again. By its owner and maintainers. Where nothing is accepted nothing
/// changes.
#[utoipa::path(
    operation_id = "undoSolution",
    tag = "Build Tracks",
    params(("id" = String, Path, example = "ws_01h2e8kqvbfwea724h75qc655w")),
    responses(
        (status = 204, description = "Nothing is accepted"),
        (status = 403, description = "`not_maintainer`", body = Problem, content_type = "application/problem+json"),
        (status = 409, description = "`workspace_shipped`, `workspace_archived`", body = Problem, content_type = "application/problem+json"),
    ),
    security(("token" = [])),
)]
#[delete("/workspaces/{id}/solution")]
pub(crate) async fn undo(
    request: HttpRequest,
    id: Path<String>,
    caller: Caller<Write>,
) -> Result<HttpResponse, Problem> {
    let (workspace_id, by) = (path_id(&id, "workspace")?, caller.id());
    tracks::decide(&request, workspace_id, &caller, |workspace| UndoSolution { workspace_id, by }.decide(workspace))
        .await?;
    Ok(no_content())
}

/// Says that what a resolved workspace was for is out; by its owner and maintainers, once. Where it is tagged `build`,
/// `track.shipped` is pushed to its members.
#[utoipa::path(
    operation_id = "shipWorkspace",
    tag = "Build Tracks",
    params(("id" = String, Path, example = "ws_01h2e8kqvbfwea724h75qc655w")),
    request_body = NewShipment,
    responses(
        (status = 200, description = "What was shipped", body = Shipment),
        (status = 403, description = "`not_maintainer`", body = Problem, content_type = "application/problem+json"),
        (status = 409, description = "`workspace_not_resolved`, `workspace_shipped`, `workspace_archived`", body = Problem, content_type = "application/problem+json"),
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
    let app = app_of(&request);
    let Submission { body, key } = submission;
    let workspace_id: WorkspaceId = path_id(&id, "workspace")?;
    let done = caller
        .transact(&app, async |unit, by| {
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
        .await?;
    key.answered(done)
}

fn shipped_answer(shipped: &WorkspaceShipped, recorded: &[Recorded]) -> Answer {
    let (position, shipped_at) = place(recorded);
    shown(&Shipment::new(shipped, position, shipped_at))
}
