//! Upvotes on messages: one per voter, by any caller with a session, not for the voter's own messages.

use actix_web::{HttpRequest, HttpResponse, delete, get, put, web::Path};
use buildtrack_domain::{
    ids::{MessageId, WorkspaceId},
    votes::VoteCast,
    workspaces::{Message as State, MessageError, Workspace},
};
use buildtrack_http::{
    answers::no_content,
    app::App,
    auth::{Caller, Write},
    etag,
    guard::app_of,
    page::Page,
    problem::Problem,
    query::{Paging, path_id},
    validators::{self, Basis},
};

use super::message_schemas::Message;

use crate::{
    votes::{self, schemas::Voter},
    workspaces::parameters::{MessageParameter, WorkspaceParameter},
};

/// Vote for a message
///
/// Membership is not required. Voting again changes nothing.
#[utoipa::path(
    operation_id = "upvoteMessage",
    tag = "Messages",
    params(WorkspaceParameter, MessageParameter),
    responses(
        (status = 200, description = "The message, with the caller's vote counted", body = Message, headers(("ETag" = String))),
        (status = 403, description = "`own_work`: authors cannot vote for their own messages"),
        (status = 409, description = "`message_redacted`, `workspace_archived`"),
    ),
    security(("token" = [])),
)]
#[put("/workspaces/{id}/messages/{messageId}/upvote")]
pub(crate) async fn upvote_message(
    request: HttpRequest,
    ids: Path<(String, String)>,
    caller: Caller<Write>,
) -> Result<HttpResponse, Problem> {
    let app = app_of(&request);
    let (workspace_id, message_id) = named(&ids)?;
    add_vote(&app, &caller, (workspace_id, message_id)).await?;
    let view =
        app.store.workspaces().message(workspace_id, message_id).await?.ok_or_else(|| Problem::not_found("message"))?;
    Ok(etag::answer(&request, &Message::new(view, &app.public_url)))
}

/// Votes for a message.
pub async fn add_vote(
    app: &App,
    caller: &Caller<Write>,
    (workspace_id, message_id): (WorkspaceId, MessageId),
) -> Result<(), Problem> {
    caller
        .transact(app, async |unit, voter| {
            let workspace = unit.load::<Workspace>(workspace_id).await?;
            let message = unit.load::<State>(message_id).await?;
            let target_author_id = message.state.votable(workspace_id, &workspace.state)?;
            let (target, workspace_id) = (message_id.into(), Some(workspace_id));
            votes::cast(unit, VoteCast { target, workspace_id, target_author_id, voter }).await
        })
        .await?;
    Ok(())
}

/// Withdraw the vote for a message
///
/// This is possible in every state of the message. Without a vote nothing changes.
#[utoipa::path(
    operation_id = "withdrawUpvote",
    tag = "Messages",
    params(WorkspaceParameter, MessageParameter),
    responses((status = 204, description = "The caller has no vote on the message")),
    security(("token" = [])),
)]
#[delete("/workspaces/{id}/messages/{messageId}/upvote")]
pub(crate) async fn withdraw(
    request: HttpRequest,
    ids: Path<(String, String)>,
    caller: Caller<Write>,
) -> Result<HttpResponse, Problem> {
    remove_vote(&app_of(&request), &caller, named(&ids)?).await?;
    Ok(no_content())
}

/// Withdraws the caller's vote for a message.
pub async fn remove_vote(
    app: &App,
    caller: &Caller<Write>,
    (workspace_id, message_id): (WorkspaceId, MessageId),
) -> Result<(), Problem> {
    caller
        .transact(app, async |unit, _| {
            let message = unit.load::<State>(message_id).await?;
            message.state.posted_in(workspace_id)?;
            votes::remove(unit, message_id.into(), caller.id()).await
        })
        .await?;
    Ok(())
}

/// List the voters of a message
///
/// The order is that of the votes.
#[utoipa::path(
    operation_id = "listUpvotes",
    tag = "Messages",
    params(WorkspaceParameter, MessageParameter, Paging),
    responses((status = 200, description = "A page of voters", body = Page<Voter>, headers(("ETag" = String)))),
)]
#[get("/workspaces/{id}/messages/{messageId}/upvotes")]
pub(crate) async fn list(
    request: HttpRequest,
    ids: Path<(String, String)>,
    paging: Paging,
) -> Result<HttpResponse, Problem> {
    let app = app_of(&request);
    let (workspace_id, message_id) = named(&ids)?;
    let (after, limit) = paging.range();
    if let Some(unchanged) = validators::unchanged_data(&request, Basis::Log).await? {
        return Ok(unchanged);
    }
    app.store.workspaces().message(workspace_id, message_id).await?.ok_or(MessageError::NotFound)?;
    let rows = app.store.votes().voters(message_id.into(), after.unwrap_or(0), limit + 1).await?;
    Ok(etag::answer_list(&request, &Page::of(rows, limit, |row| row.position, Voter::from)))
}

fn named(ids: &(String, String)) -> Result<(WorkspaceId, MessageId), Problem> {
    Ok((path_id(&ids.0, "workspace")?, path_id(&ids.1, "message")?))
}
