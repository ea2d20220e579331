//! Answers by the protocol document «Buildtrack messages».

use buildtrack_community::workspaces::{
    message_schemas::{KindName, Message, NewMessage},
    messages::{Draft, post_message},
};
use buildtrack_domain::{exchange::documents::DocumentHash, ids::WorkspaceId, workspaces::MessageKind};
use buildtrack_store::MessageFilter;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use utoipa::ToSchema;
use validator::Validate;

use super::{
    requests::{Asked, cursor, fitting, read},
    tracks::LIMIT,
};
pub(super) use buildtrack_http::{
    app::App,
    auth::{Authenticated, Caller, Write, unauthenticated},
    field_errors::FieldErrors,
    idempotency,
    page::Page,
    problem::Problem,
    query::path_id,
    validation::Input,
};

#[derive(Debug, Deserialize, Validate, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Reading {
    track_id: String,
    kind: Option<KindName>,
    order: Option<Order>,
    #[validate(range(min = 1, max = 50))]
    #[schema(minimum = 1, maximum = 50)]
    limit: Option<i64>,
    cursor: Option<String>,
}

impl Input for Reading {}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
enum Order {
    Asc,
    Desc,
}

/// The fields of a post request beside the message. The message itself is validated as every new message is.
#[derive(Debug, Deserialize, Validate, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Posting {
    track_id: String,
    #[validate(length(min = 1, max = 255))]
    #[schema(min_length = 1, max_length = 255)]
    idempotency_key: Option<String>,
}

impl Input for Posting {}

pub(super) async fn answer(
    app: &App,
    document: &DocumentHash,
    asker: Option<&Authenticated>,
    mut asked: Asked,
) -> Result<Value, Problem> {
    match asked.action(&["read", "post"])? {
        "read" => read_messages(app, &asked.read(app).await?).await,
        _ => post(app, document, asker, asked.fields).await,
    }
}

async fn read_messages(app: &App, request: &Reading) -> Result<Value, Problem> {
    let workspace_id: WorkspaceId = path_id(&request.track_id, "track")?;
    let (limit, from) = (request.limit.unwrap_or(LIMIT), cursor(request.cursor.as_deref())?);
    app.store.workspaces().workspace(workspace_id).await?.ok_or_else(|| Problem::not_found("track"))?;
    let descending = request.order == Some(Order::Desc);
    let (after, before) = if descending { (None, from) } else { (from, None) };
    let kind = request.kind.map(MessageKind::from);
    let filter = MessageFilter { workspace_id, kind, author: None, after, before, descending, limit: limit + 1 };
    let rows = app.store.workspaces().messages(&filter).await?;
    let show = |row| shown(&json!(Message::new(row, &app.public_url)));
    let limit = fitting(&rows.rows, limit, show);
    let page = Page::listed(rows, limit, |row| row.position, show);
    Ok(json!({ "messages": page.items, "nextCursor": page.next_cursor }))
}

/// Posts a message by the rules of `POST /api/v1/workspaces/{id}/messages`.
async fn post(
    app: &App,
    document: &DocumentHash,
    asker: Option<&Authenticated>,
    fields: Map<String, Value>,
) -> Result<Value, Problem> {
    let caller = Caller::<Write>::of(asker.cloned().ok_or_else(unauthenticated)?)?;
    let asked = Value::Object(fields.clone()).to_string();
    let (posting, message) = read_posting(app, fields).await?;
    let draft = Draft::of(path_id(&posting.track_id, "track")?, message);
    let resource = format!("/agora#{document}");
    let ticket = posting
        .idempotency_key
        .map(|key| idempotency::ticket(app, &caller.id().to_string(), &resource, &key, asked.as_bytes()));
    if let Some(ticket) = &ticket
        && let Some(body) = idempotency::first_body(app, ticket, asked.as_bytes()).await?
    {
        return Ok(json!({ "message": shown(&body) }));
    }
    let done = post_message(app, &caller, &draft, ticket).await?;
    let answer = done.answer.ok_or_else(|| Problem::internal(&"no answer"))?;
    let message = serde_json::from_str(&answer.body).map_err(|error| Problem::internal(&error))?;
    Ok(json!({ "message": shown(&message) }))
}

/// Validates both parts of a post request. Errors name every fault of either part.
async fn read_posting(app: &App, mut fields: Map<String, Value>) -> Result<(Posting, NewMessage), Problem> {
    let mut message = Map::new();
    for name in ["kind", "content", "replyTo"] {
        message.extend(fields.remove_entry(name));
    }
    message.insert("upvotes".to_owned(), 0.into());
    match (read(app, &fields).await, read(app, &message).await) {
        (Ok(posting), Ok(message)) => Ok((posting, message)),
        (Err(first), Err(second)) => {
            let mut field_errors = FieldErrors::from(first.errors);
            field_errors.append(FieldErrors::from(second.errors));
            field_errors.skip(first.more_errors.unwrap_or(0) + second.more_errors.unwrap_or(0));
            Err(Problem::invalid(field_errors))
        }
        (Err(problem), _) | (_, Err(problem)) => Err(problem),
    }
}

/// A message in the form that the document defines.
fn shown(message: &Value) -> Value {
    let mut shown = json!({ "trackId": message["workspaceId"] });
    for name in [
        "id",
        "kind",
        "content",
        "authorId",
        "authorName",
        "authorType",
        "authorModel",
        "replyTo",
        "upvotes",
        "redacted",
        "hidden",
        "createdAt",
        "url",
        "attribution",
    ] {
        shown[name] = message[name].clone();
    }
    shown
}
