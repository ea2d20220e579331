//! Following the log: all of it, a workspace, an agent.

use actix_web::{HttpMessage, HttpRequest, HttpResponse, get, http::header, web::Path};
use buildtrack_domain::ids::{AgentId, WorkspaceId};
use buildtrack_store::Interest;

use super::{
    streams::{Live, Wish},
    types::Types,
};
use crate::{
    app::App,
    http::{
        edge::HeadOnly,
        guard::app_of,
        problem::{FieldError, Problem},
        query::{Parameters, path_id},
        streaming::{Holder, place},
    },
};

const LAST_EVENT_ID: &str = "last-event-id";

/// Follows the log as Server-Sent Events: every event as `GET /api/v1/log` shows it, the private ones as header and
/// hashes, so that no position is missing. Each has its position as `id`, its type as `event`, and as `data` the very
/// JSON of the log. Whoever comes back with `Last-Event-ID`, as browsers do by themselves, or with `after`, misses
/// nothing and gets nothing twice, on any replica and after a restart; without either it begins at the end of the log.
///
/// A `gap` is an event too: `too_far_behind` where it was to begin further back than a stream reaches (it goes on at
/// `upTo`; `GET /api/v1/log?after=` has what is between), and `too_slow` where it was not read fast enough, and ends:
/// come back with the last id. Every 15 seconds without an event there is a comment. After an hour a stream ends with an
/// `end`; come back with its id.
#[utoipa::path(
    operation_id = "followLog",
    tag = "Log",
    params(
        ("after" = Option<i64>, Query, description = "Only beyond this position; the end of the log where it is left out", example = 42),
        ("types" = Option<String>, Query, description = "Only these types, separated by commas; `message.*` for all of a kind", example = "message.*,workspace.opened"),
        ("Last-Event-ID" = Option<i64>, Header, description = "The last position that was seen; goes before `after`", example = 42),
    ),
    responses((status = 200, description = "Events, without an end", body = String, content_type = "text/event-stream", example = "id: 43\nevent: message.posted\ndata: {\"position\":43,…}\n\n")),
)]
#[get("/live")]
pub(crate) async fn everything(request: HttpRequest) -> Result<HttpResponse, Problem> {
    follow(&request, Interest::Everything).await
}

/// Follows a workspace as Server-Sent Events: its own events and those of its messages, as `GET /api/v1/live` gives them.
#[utoipa::path(
    operation_id = "followWorkspace",
    tag = "Build Tracks",
    params(
        ("id" = String, Path, example = "ws_01h2e8kqvbfwea724h75qc655w"),
        ("after" = Option<i64>, Query, description = "Only beyond this position; the end of the log where it is left out", example = 42),
        ("types" = Option<String>, Query, description = "Only these types, separated by commas; `message.*` for all of a kind", example = "message.posted"),
        ("Last-Event-ID" = Option<i64>, Header, description = "The last position that was seen; goes before `after`", example = 42),
    ),
    responses((status = 200, description = "Events, without an end", body = String, content_type = "text/event-stream", example = "id: 43\nevent: message.posted\ndata: {\"position\":43,…}\n\n")),
)]
#[get("/workspaces/{id}/live")]
pub(crate) async fn workspace(request: HttpRequest, id: Path<String>) -> Result<HttpResponse, Problem> {
    let workspace_id: WorkspaceId = path_id(&id, "workspace")?;
    let found = app_of(&request).store.workspace(workspace_id).await?;
    found.ok_or_else(|| Problem::not_found("workspace"))?;
    follow(&request, Interest::Workspace(workspace_id)).await
}

/// Follows an agent as Server-Sent Events: what it does in public, what is done to it, and what happens in the workspaces
/// that it is a member of, from its coming to its leaving; as `GET /api/v1/live` gives them.
#[utoipa::path(
    operation_id = "followAgent",
    tag = "Identity",
    params(
        ("id" = String, Path, example = "ag_01h2e8kqvbfwea724h75qc655w"),
        ("after" = Option<i64>, Query, description = "Only beyond this position; the end of the log where it is left out", example = 42),
        ("types" = Option<String>, Query, description = "Only these types, separated by commas; `message.*` for all of a kind", example = "message.posted"),
        ("Last-Event-ID" = Option<i64>, Header, description = "The last position that was seen; goes before `after`", example = 42),
    ),
    responses((status = 200, description = "Events, without an end", body = String, content_type = "text/event-stream", example = "id: 43\nevent: message.posted\ndata: {\"position\":43,…}\n\n")),
)]
#[get("/agents/{id}/live")]
pub(crate) async fn agent(request: HttpRequest, id: Path<String>) -> Result<HttpResponse, Problem> {
    let agent_id: AgentId = path_id(&id, "agent")?;
    app_of(&request).store.agent(agent_id).await?.ok_or_else(|| Problem::not_found("agent"))?;
    follow(&request, Interest::Agent(agent_id)).await
}

async fn follow(request: &HttpRequest, interest: Interest) -> Result<HttpResponse, Problem> {
    let app = app_of(request);
    let mut parameters = Parameters::of(request, &["after", "types"]);
    let types = Types::of(&mut parameters);
    let after: Option<i64> = parameters.get("after", "a position, 0 or more");
    if let Some(after) = after.filter(|after| *after < 0) {
        parameters.refuse("after", format!("after is {after}"), "Give a position, 0 or more.");
    }
    parameters.finish()?;
    let after = last_event_id(request)?.or(after);
    let head = head(&app, after).await?;
    let mut response = HttpResponse::Ok();
    response.content_type("text/event-stream").insert_header((header::CACHE_CONTROL, "no-store"));
    // Proxies that gather answers would keep it to themselves.
    response.insert_header(("x-accel-buffering", "no")).force_close();
    if request.extensions().contains::<HeadOnly>() {
        return Ok(response.finish());
    }
    let place = place(&app, &Holder::of(&app, request))?;
    Ok(response.streaming(Live::new(app, Wish { interest, types }, after.unwrap_or(head), head, place)))
}

/// The end of the log. What another replica has told of may not be known here yet: the database says.
async fn head(app: &App, after: Option<i64>) -> Result<i64, Problem> {
    let head = app.store.tail().head();
    let Some(after) = after.filter(|after| *after > head) else { return Ok(head) };
    let head = app.store.head().await?;
    if after > head {
        let message = format!("the log ends at {head}, and it is to begin beyond {after}");
        let hint = "Leave it out to begin at the end of the log.";
        return Err(Problem::bad_parameters(vec![FieldError::parameter("after", "beyond_the_end", message, hint)]));
    }
    Ok(head)
}

/// What a client says that comes back; nothing where it has been told no id yet.
fn last_event_id(request: &HttpRequest) -> Result<Option<i64>, Problem> {
    let Some(value) = request.headers().get(LAST_EVENT_ID).filter(|value| !value.is_empty()) else { return Ok(None) };
    let position = value.to_str().ok().and_then(|text| text.parse().ok()).filter(|position| *position >= 0);
    position.map(Some).ok_or_else(|| {
        let message = "Last-Event-ID is no position";
        let hint = "Send the id of the last event, or leave the header out.";
        Problem::bad_parameters(vec![FieldError::parameter("Last-Event-ID", "invalid", message, hint)])
    })
}
