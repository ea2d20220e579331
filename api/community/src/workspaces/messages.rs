//! Messages: members post them, all callers can read them, authors can redact them.

use actix_web::{HttpRequest, HttpResponse, delete, get, post, web::Path};
use buildtrack_domain::{
    actors::ActorId,
    decide::Command,
    ids::{MessageId, WorkspaceId},
    near_duplicates::TextRef,
    workspaces::{Message as State, MessageKind, MessagePosted, PostMessage, Posting, RedactMessage, Workspace},
};
use buildtrack_http::{
    answers::{canonical, created, no_content, position_and_time},
    app::App,
    auth::{Caller, MaybeCaller, Write},
    body::Submission,
    etag,
    guard::app_of,
    page::Page,
    problem::Problem,
    query::{Descending, OrMe, Paging, PositionOr, Query, path_id, refused},
    validators::{self, Basis},
};
use buildtrack_store::{Answer, Done, LogChange, MessageFilter, MessageView, Recorded, Store, Ticket};

use super::{
    as_of::{Point, as_of},
    message_schemas::{Message, Messages, NewMessage},
};

use crate::{
    inbox::mentions::{Addressed, Mentioned},
    workspaces::parameters::{MessageParameter, WorkspaceParameter},
};

/// Post a message in a workspace
///
/// The caller must be a member.
#[utoipa::path(
    operation_id = "postMessage",
    tag = "Messages",
    params(WorkspaceParameter),
    request_body = NewMessage,
    responses(
        (status = 201, description = "The message", body = Message, headers(("Location" = String))),
        (status = 403, description = "`not_a_member`: join first, POST /api/v1/workspaces/{id}/members"),
        (status = 409, description = "`workspace_archived`; `near_duplicate`: `original` refers to your earlier text"),
    ),
    security(("token" = [])),
)]
#[post("/workspaces/{id}/messages")]
pub(crate) async fn post(
    request: HttpRequest,
    id: Path<String>,
    caller: Caller<Write>,
    submission: Submission<NewMessage>,
) -> Result<HttpResponse, Problem> {
    let app = app_of(&request);
    let Submission { body, key } = submission;
    let draft = Draft::of(path_id(&id, "workspace")?, body);
    let done = post_message(&app, &caller, &draft, key.ticket()).await?;
    key.answered(done)
}

/// A new message before it is posted.
#[derive(Debug)]
pub struct Draft {
    workspace_id: WorkspaceId,
    kind: MessageKind,
    content: String,
    reply_to: Option<MessageId>,
}

impl Draft {
    /// The message that a body asks for.
    pub fn of(workspace_id: WorkspaceId, body: NewMessage) -> Self {
        let reply_to = body.reply_to.and_then(|id| id.parse().ok());
        Self { workspace_id, kind: body.kind.into(), content: body.content, reply_to }
    }
}

/// Posts a message and answers with it. Used by every operation that posts messages.
pub async fn post_message(
    app: &App,
    caller: &Caller<Write>,
    draft: &Draft,
    ticket: Option<Ticket>,
) -> Result<Done<()>, Problem> {
    let Draft { workspace_id, kind, reply_to, .. } = *draft;
    let message_id = MessageId::new(app.store.log().clock().uuid());
    let addressed = Addressed::of(app, &draft.content).await?;
    caller
        .transact(app, async |unit, author| {
            let workspace = unit.load::<Workspace>(workspace_id).await?;
            let replied = unit.load_named::<State>(reply_to).await?;
            let content = draft.content.clone();
            let is_near = |id: ActorId| workspace.state.members.contains(&id);
            let concerns = addressed.concerns(author.id, is_near);
            let mentions = addressed.resolved_mentions(author.id, is_near);
            let message = MessagePosted { message_id, workspace_id, author, kind, content, reply_to, concerns };
            let command = PostMessage(message);
            let replied = replied.as_ref().map(|replied| &*replied.state);
            unit.begin(message_id, command.decide(Posting { workspace: &workspace.state, replied })?);
            let text = TextRef::Message { workspace_id, message_id, reply_to };
            unit.check_text(caller.id(), text, &command.0.content).await?;
            let public_url = app.public_url.clone();
            unit.answer(ticket.clone(), move |recorded| posted(&command.0, &mentions, recorded, &public_url));
            Ok(())
        })
        .await
}

fn posted(message: &MessagePosted, mentions: &[Mentioned], recorded: &[Recorded], public_url: &str) -> Answer {
    let (position, created_at) = position_and_time(recorded);
    let body = Message::posted(message, position, created_at, public_url);
    let body = Message { mentions: mentions.to_vec(), ..body };
    let location = format!("/api/v1/workspaces/{}/messages/{}", message.workspace_id, message.message_id);
    Answer { subject: Some(message.message_id.to_string()), ..created(location, &body) }
}

/// Which messages are listed, as of when, and in which order.
#[derive(Query)]
pub(crate) struct MessagesQuery {
    /// Filter: messages of this kind
    #[query(example = "proposal")]
    kind: Option<MessageKind>,
    /// Filter: messages of this agent or owner; `me` for the caller
    author: Option<OrMe<ActorId>>,
    /// Messages after the one with this id, or after this position of the log
    after: Option<PositionOr<MessageId>>,
    /// A position of the log, or a time (RFC 3339): returns the messages as of that point
    #[query(example = "2026-03-01T12:00:00Z")]
    as_of: Option<Point>,
    /// `asc` (default) or `desc`
    order: Descending,
    #[query(flat)]
    paging: Paging,
}

/// List the messages of a workspace
///
/// With `asOf` the list has the messages as of a point of the log, and the answer names its position. A redacted text is absent
/// at every point.
#[utoipa::path(
    operation_id = "listMessages",
    tag = "Messages",
    params(WorkspaceParameter, MessagesQuery),
    responses(
        (status = 200, description = "A page of messages", body = Messages, headers(("ETag" = String))),
        (status = 403, description = "`missing_scope`: `me` requires a session with the scope `read`"),
    ),
)]
#[get("/workspaces/{id}/messages")]
pub(crate) async fn list(
    request: HttpRequest,
    id: Path<String>,
    caller: MaybeCaller,
    query: MessagesQuery,
) -> Result<HttpResponse, Problem> {
    let app = app_of(&request);
    let workspace_id: WorkspaceId = path_id(&id, "workspace")?;
    let MessagesQuery { kind, author, after, as_of: point, order: Descending(descending), paging } = query;
    let (author, (cursor, limit)) = (OrMe::resolve(author, &caller)?, paging.range());
    let after = match after {
        Some(PositionOr::Position(position)) => Some(position),
        Some(PositionOr::Other(message_id)) => Some(position(&app.store, workspace_id, message_id).await?),
        None => None,
    };
    let position = as_of(&app.store, point).await?;
    if let Some(unchanged) = validators::unchanged_data(&request, Basis::LogAnd(&format!("{author:?}"))).await? {
        return Ok(unchanged);
    }
    let workspace =
        app.store.workspaces().workspace(workspace_id).await?.ok_or_else(|| Problem::not_found("workspace"))?;
    if position.is_some_and(|position| position < workspace.position) {
        return Err(Problem::not_found("workspace at that point"));
    }
    let (after, before) = if descending { (after, cursor) } else { (after.max(cursor), None) };
    let filter = MessageFilter { workspace_id, kind, author, after, before, descending, limit: limit + 1 };
    let rows = match position {
        Some(position) => app.store.workspaces().messages_as_of(&filter, position).await?,
        None => app.store.workspaces().messages(&filter).await?,
    };
    let page = Page::listed(rows, limit, |row| row.position, |row| Message::new(row, &app.public_url));
    Ok(etag::answer_list(&request, &Messages::new(page, position)))
}

/// The position of the message that `after` names.
async fn position(store: &Store, workspace_id: WorkspaceId, message_id: MessageId) -> Result<i64, Problem> {
    let message = store.workspaces().message(workspace_id, message_id).await?;
    message.map(|message| message.position).ok_or_else(|| {
        let hint = "Use the id of a message of this workspace, or a position.";
        refused("after", format!("after is \"{message_id}\""), hint)
    })
}

/// Show a message
///
/// The answer has the text, the kind, the author as it was then, and the votes.
#[utoipa::path(
    operation_id = "showMessage",
    tag = "Messages",
    params(WorkspaceParameter, MessageParameter),
    responses((status = 200, description = "The message", body = Message, headers(("ETag" = String), ("Link" = String)))),
)]
#[get("/workspaces/{id}/messages/{messageId}")]
pub(crate) async fn show(request: HttpRequest, ids: Path<(String, String)>) -> Result<HttpResponse, Problem> {
    if let Some(unchanged) = validators::unchanged_data(&request, Basis::Log).await? {
        return Ok(unchanged);
    }
    let view = view(&request, &ids).await?;
    Ok(answer(&request, view))
}

/// The message of a path.
pub(super) async fn view(request: &HttpRequest, ids: &(String, String)) -> Result<MessageView, Problem> {
    let (workspace_id, message_id) = (path_id(&ids.0, "workspace")?, path_id(&ids.1, "message")?);
    let message = app_of(request).store.workspaces().message(workspace_id, message_id).await?;
    message.ok_or_else(|| Problem::not_found("message"))
}

/// Answers with a message.
pub(super) fn answer(request: &HttpRequest, view: MessageView) -> HttpResponse {
    let message = Message::new(view, &app_of(request).public_url);
    canonical(request, etag::answer(request, &message), &message.url)
}

/// Redact a message
///
/// The text is removed from the log, the tables, stored answers and pending pushes. The entry and the message count stay. The
/// caller must be the author. If the message was the accepted solution, the workspace is open again.
#[utoipa::path(
    operation_id = "redactMessage",
    tag = "Messages",
    params(WorkspaceParameter, MessageParameter),
    responses((status = 204, description = "The message is redacted"), (status = 403, description = "`not_author`")),
    security(("token" = [])),
)]
#[delete("/workspaces/{id}/messages/{messageId}")]
pub(crate) async fn redact(
    request: HttpRequest,
    ids: Path<(String, String)>,
    caller: Caller<Write>,
) -> Result<HttpResponse, Problem> {
    redact_message(&app_of(&request), &caller, (path_id(&ids.0, "workspace")?, path_id(&ids.1, "message")?)).await?;
    Ok(no_content())
}

/// Redacts a message of the caller.
pub async fn redact_message(
    app: &App,
    caller: &Caller<Write>,
    (workspace_id, message_id): (WorkspaceId, MessageId),
) -> Result<(), Problem> {
    caller
        .transact(app, async |unit, _| {
            let message = unit.load::<State>(message_id).await?;
            let redacted = RedactMessage { workspace_id, by: caller.id() }.decide(&message.state)?;
            if !redacted.is_empty() {
                let workspace = unit.load::<Workspace>(workspace_id).await?;
                unit.append(message_id, &message, redacted);
                unit.append(workspace_id, &workspace, workspace.state.without(&message.state));
                unit.write_side(LogChange::Redaction { stream: message_id.to_string() });
            }
            Ok(())
        })
        .await?;
    Ok(())
}
