//! What an owner does on the page of a track.

use actix_web::{HttpRequest, HttpResponse, post, web::Path};
use buildtrack_community::workspaces::{
    invitations, members,
    message_schemas::NewMessage,
    messages::{self, Draft},
    outcome_schemas::{Acceptance, NewShipment},
    outcomes,
    role_schemas::RoleName,
    schemas::WorkspaceChanges,
    tracks, upvotes,
};
use buildtrack_domain::{
    actors::ActorId,
    ids::{MessageId, WorkspaceId},
};

use super::{
    SignedIn,
    discussions::page_query,
    form::{Entered, Form, Pressed},
    see,
    shown::Refused,
    tracks::refuse,
};
pub(crate) use buildtrack_http::{
    auth::{Caller, Write},
    guard::app_of,
    idempotency::Key,
    problem::Problem,
    query::path_id,
};

/// Posts a message, and goes to it.
#[post("/build/{id}/messages")]
pub(super) async fn write(
    request: HttpRequest,
    id: Path<String>,
    owner: SignedIn,
    form: Form<NewMessage>,
) -> Result<HttpResponse, Problem> {
    let workspace_id: WorkspaceId = path_id(&id, "Build Track")?;
    let Form { entered, body } = form;
    let app = app_of(&request);
    let said =
        async { messages::post_message(&app, &owner.0.caller, &Draft::of(workspace_id, body?), None).await }.await;
    match said {
        Ok(done) => {
            let message_id = done.answer.and_then(|answer| answer.subject).unwrap_or_default();
            Ok(see(&format!("/portal/build/{workspace_id}#{message_id}")))
        }
        Err(problem) => Err(refuse(
            &request,
            &owner,
            workspace_id,
            Refused { form: "message", entered: &entered, problem: &problem },
        )
        .await),
    }
}

/// Accepts a solution.
#[post("/build/{id}/solution")]
pub(super) async fn accept(
    request: HttpRequest,
    id: Path<String>,
    owner: SignedIn,
    form: Form<Acceptance>,
) -> Result<HttpResponse, Problem> {
    let workspace_id: WorkspaceId = path_id(&id, "Build Track")?;
    let Form { entered, body } = form;
    let app = app_of(&request);
    let accepted = async { outcomes::accept_solution(&app, workspace_id, &owner.0.caller, &body?).await }.await;
    carried_out(&request, &owner, workspace_id, ("solution", &entered), accepted).await
}

/// Ships the track.
#[post("/build/{id}/shipment")]
pub(super) async fn ship(
    request: HttpRequest,
    id: Path<String>,
    owner: SignedIn,
    form: Form<NewShipment>,
) -> Result<HttpResponse, Problem> {
    let workspace_id: WorkspaceId = path_id(&id, "Build Track")?;
    let Form { entered, body } = form;
    let app = app_of(&request);
    let key = Key::default();
    let shipped = async { outcomes::ship_workspace(&app, workspace_id, &owner.0.caller, &body?, &key).await }.await;
    carried_out(&request, &owner, workspace_id, ("shipment", &entered), shipped.map(drop)).await
}

/// Changes the track's own texts.
#[post("/build/{id}/changes")]
pub(super) async fn change(
    request: HttpRequest,
    id: Path<String>,
    owner: SignedIn,
    form: Form<WorkspaceChanges>,
) -> Result<HttpResponse, Problem> {
    let workspace_id: WorkspaceId = path_id(&id, "Build Track")?;
    let Form { entered, body } = form;
    let changed = async { tracks::edit_workspace(&request, workspace_id, &owner.0.caller, &body?).await }.await;
    carried_out(&request, &owner, workspace_id, ("changes", &entered), changed).await
}

/// Does what the pressed button says.
#[post("/build/{id}/acts")]
pub(super) async fn perform(
    request: HttpRequest,
    id: Path<String>,
    owner: SignedIn,
    pressed: Pressed,
) -> Result<HttpResponse, Problem> {
    let workspace_id: WorkspaceId = path_id(&id, "Build Track")?;
    let done = carry_out(&request, workspace_id, &owner.0.caller, pressed.0.pressed()).await;
    carried_out(&request, &owner, workspace_id, ("acts", &pressed.0), done).await
}

/// Goes back to the page that the form comes from, or shows the problem there.
pub(super) async fn carried_out(
    request: &HttpRequest,
    owner: &SignedIn,
    workspace_id: WorkspaceId,
    (form, entered): (&'static str, &Entered),
    done: Result<(), Problem>,
) -> Result<HttpResponse, Problem> {
    match done {
        Ok(()) => Ok(see(&format!("/portal/build/{workspace_id}{}", page_query(request)?))),
        Err(problem) => Err(refuse(request, owner, workspace_id, Refused { form, entered, problem: &problem }).await),
    }
}

async fn carry_out(
    request: &HttpRequest,
    workspace_id: WorkspaceId,
    caller: &Caller<Write>,
    (act, subject): (&str, &str),
) -> Result<(), Problem> {
    let app = app_of(request);
    let message = || Ok::<_, Problem>((workspace_id, path_id::<MessageId>(subject, "message")?));
    let member = || Ok::<_, Problem>((workspace_id, path_id::<ActorId>(subject, "member")?));
    match act {
        "vote" => upvotes::add_vote(&app, caller, message()?).await,
        "unvote" => upvotes::remove_vote(&app, caller, message()?).await,
        "redact" => messages::redact_message(&app, caller, message()?).await,
        "undo" => outcomes::undo_solution(request, workspace_id, caller).await,
        "join" => members::join_workspace(&app, workspace_id, caller).await,
        "leave" => members::leave_workspace(&app, workspace_id, caller).await,
        "remove" => members::remove_member(request, member()?, caller).await,
        "maintainer" => members::set_role(request, member()?, caller, RoleName::Maintainer).await,
        "member" => members::set_role(request, member()?, caller, RoleName::Member).await,
        "owner" => members::hand_over_workspace(&app, member()?, caller).await,
        "uninvite" => invitations::withdraw_invitation(&app, member()?, caller).await,
        "decline" => invitations::decline_invitation(&app, workspace_id, caller, &Key::default()).await.map(drop),
        "archive" => tracks::set_archived(request, workspace_id, caller, true).await,
        "reopen" => tracks::set_archived(request, workspace_id, caller, false).await,
        _ => Err(Problem::not_found("action")),
    }
}
