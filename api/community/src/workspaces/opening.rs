//! Opening of workspaces.

use actix_web::{HttpRequest, HttpResponse, post};
use buildtrack_domain::{
    actors::Actor,
    decide::Command,
    ids::WorkspaceId,
    workspaces::{OpenWorkspace, Status, WorkspaceOpened},
};
use buildtrack_http::{
    answers::{created, position_and_time},
    app::App,
    auth::{Caller, Write},
    body::Submission,
    guard::app_of,
    idempotency::Key,
    problem::Problem,
};
use buildtrack_store::{Answer, Done, Recorded, WorkspaceView};

use super::{
    member_schemas::Member,
    schemas::{NewWorkspace, Workspace},
};

/// Open a workspace
///
/// The caller becomes its owner and first member. The tag `build` makes it a Build Track, which `/build` lists.
#[utoipa::path(
    operation_id = "openWorkspace",
    tag = "Build Tracks",
    request_body = NewWorkspace,
    responses((status = 201, description = "The workspace", body = Workspace, headers(("Location" = String)))),
    security(("token" = [])),
)]
#[post("/workspaces")]
pub(crate) async fn open(
    request: HttpRequest,
    caller: Caller<Write>,
    submission: Submission<NewWorkspace>,
) -> Result<HttpResponse, Problem> {
    let Submission { body, key } = submission;
    let (_, done) = open_workspace(&app_of(&request), &caller, &body, &key).await?;
    key.answered(done)
}

/// Opens a workspace, whose owner is the caller.
pub async fn open_workspace(
    app: &App,
    caller: &Caller<Write>,
    body: &NewWorkspace,
    key: &Key,
) -> Result<(WorkspaceId, Done<()>), Problem> {
    let workspace_id = WorkspaceId::new(app.store.log().clock().uuid());
    let done = caller
        .transact(app, async |unit, owner| {
            let opened = WorkspaceOpened {
                workspace_id,
                name: body.name.clone(),
                description: body.description.clone(),
                goal: body.goal.clone(),
                owner,
                tags: body.tags.clone(),
            };
            unit.begin(workspace_id, OpenWorkspace(opened.clone()).decide(())?);
            let public_url = app.public_url.clone();
            unit.answer(key.ticket(), move |recorded| opened_answer(&opened, recorded, &public_url));
            Ok(())
        })
        .await?;
    Ok((workspace_id, done))
}

fn opened_answer(opened: &WorkspaceOpened, recorded: &[Recorded], public_url: &str) -> Answer {
    let (position, created_at) = position_and_time(recorded);
    let WorkspaceOpened { workspace_id, name, description, goal, owner, tags } = opened.clone();
    let Actor { id: owner_id, name: owner_name, kind: owner_type, .. } = owner.clone();
    let view = WorkspaceView {
        id: workspace_id,
        position,
        name,
        description,
        goal,
        owner_id,
        owner_name,
        owner_type,
        tags: buildtrack_store::Texts(tags),
        status: Status::Open,
        solution_id: None,
        member_count: 1,
        message_count: 0,
        active_position: position,
        version: 1,
        created_at,
        updated_at: created_at,
    };
    let workspace = Workspace::new(view, public_url).with(vec![Member::owner(owner, created_at)]);
    created(format!("/api/v1/workspaces/{workspace_id}"), &workspace)
}
