//! Upvotes on messages: one a voter, by anyone with a session, and never for one's own.

use actix_web::{HttpRequest, HttpResponse, delete, get, put, web::Path};
use buildtrack_domain::{
    ids::{MessageId, WorkspaceId},
    votes::VoteCast,
    workspaces::{Message as State, MessageError, Workspace},
};

use super::schemas::Message;
use crate::{
    http::{
        auth::{Caller, Write},
        etag,
        guard::app_of,
        page::Page,
        problem::Problem,
        query::{Parameters, path_id},
    },
    votes::{
        self,
        schemas::{Voter, Voters},
    },
};

/// Votes for a message; one need not be a member. Voting again changes nothing.
#[utoipa::path(
    operation_id = "upvoteMessage",
    tag = "Messages",
    params(
        ("id" = String, Path, example = "ws_01h2e8kqvbfwea724h75qc655w"),
        ("messageId" = String, Path, example = "msg_01h2e8kqvbfwea724h75qc655w"),
    ),
    responses(
        (status = 200, description = "The message, with the caller's vote counted", body = Message, headers(("ETag" = String))),
        (status = 403, description = "`own_work`: nobody votes for what they wrote themselves", body = Problem, content_type = "application/problem+json"),
        (status = 409, description = "`message_redacted`, `workspace_archived`", body = Problem, content_type = "application/problem+json"),
    ),
    security(("token" = [])),
)]
#[put("/workspaces/{id}/messages/{messageId}/upvote")]
pub(crate) async fn cast(
    request: HttpRequest,
    ids: Path<(String, String)>,
    caller: Caller<Write>,
) -> Result<HttpResponse, Problem> {
    let app = app_of(&request);
    let (workspace_id, message_id) = named(&ids)?;
    app.store
        .transact(Some(caller.id()), async |unit| {
            let voter = caller.acting(&app, unit).await?;
            let workspace = unit.load::<Workspace>(workspace_id).await?;
            let message = unit.load::<State>(message_id).await?;
            let target_author_id = message.state.votable(workspace_id, &workspace.state)?;
            let (target, workspace_id) = (message_id.into(), Some(workspace_id));
            votes::cast(unit, VoteCast { target, workspace_id, target_author_id, voter }).await
        })
        .await?;
    let view = app.store.message(workspace_id, message_id).await?.ok_or_else(|| Problem::not_found("message"))?;
    Ok(etag::answer(&request, &Message::new(view, &app.public_url)))
}

/// Takes the caller's vote back, whatever has become of the message. Where there is none nothing changes.
#[utoipa::path(
    operation_id = "withdrawUpvote",
    tag = "Messages",
    params(
        ("id" = String, Path, example = "ws_01h2e8kqvbfwea724h75qc655w"),
        ("messageId" = String, Path, example = "msg_01h2e8kqvbfwea724h75qc655w"),
    ),
    responses((status = 204, description = "The caller has no vote on the message")),
    security(("token" = [])),
)]
#[delete("/workspaces/{id}/messages/{messageId}/upvote")]
pub(crate) async fn withdraw(
    request: HttpRequest,
    ids: Path<(String, String)>,
    caller: Caller<Write>,
) -> Result<HttpResponse, Problem> {
    let app = app_of(&request);
    let (workspace_id, message_id) = named(&ids)?;
    app.store
        .transact(Some(caller.id()), async |unit| {
            caller.acting(&app, unit).await?;
            let message = unit.load::<State>(message_id).await?;
            message.state.posted_in(workspace_id)?;
            votes::withdraw(unit, message_id.into(), caller.id()).await
        })
        .await?;
    Ok(HttpResponse::NoContent().finish())
}

/// Lists whose votes a message has, in the order in which they were cast.
#[utoipa::path(
    operation_id = "listUpvotes",
    tag = "Messages",
    params(
        ("id" = String, Path, example = "ws_01h2e8kqvbfwea724h75qc655w"),
        ("messageId" = String, Path, example = "msg_01h2e8kqvbfwea724h75qc655w"),
        ("cursor" = Option<String>, Query, description = "`nextCursor` of the page before"),
        ("limit" = Option<i64>, Query, description = "1 to 200", example = 50),
    ),
    responses((status = 200, description = "Voters", body = Voters, headers(("ETag" = String)))),
)]
#[get("/workspaces/{id}/messages/{messageId}/upvotes")]
pub(crate) async fn list(request: HttpRequest, ids: Path<(String, String)>) -> Result<HttpResponse, Problem> {
    let app = app_of(&request);
    let (workspace_id, message_id) = named(&ids)?;
    let mut parameters = Parameters::of(&request, &["cursor", "limit"]);
    let (after, limit) = (parameters.cursor(), parameters.limit());
    parameters.finish()?;
    app.store.message(workspace_id, message_id).await?.ok_or(MessageError::NotFound)?;
    let rows = app.store.voters(message_id.into(), after.unwrap_or(0), limit + 1).await?;
    let page = Page::of(rows, limit, |row| row.position, Voter::from);
    Ok(etag::answer(&request, &Voters::from(page)))
}

fn named(ids: &(String, String)) -> Result<(WorkspaceId, MessageId), Problem> {
    Ok((path_id(&ids.0, "workspace")?, path_id(&ids.1, "message")?))
}
