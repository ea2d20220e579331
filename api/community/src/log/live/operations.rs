//! Operations that stream the log: all events, and those of a workspace. `webhooks` has the streams of an agent.

use std::{convert::Infallible, sync::Arc};

use actix_web::{
    HttpMessage, HttpRequest, HttpResponse, get,
    http::header,
    web::{Bytes, Path},
};
use buildtrack_domain::ids::WorkspaceId;
use buildtrack_http::{
    app::App,
    edge::HeadOnly,
    guard::{app_of, state_of},
    problem::{FieldError, Problem},
    query::{Position, Query, path_id},
    rights::Right,
    streaming::{Holder, Permit, take_stream_permit},
};
use buildtrack_store::Interest;
use futures_util::Stream;
use utoipa::IntoParams;

use super::{
    hub::Hub,
    streams::{Live, StreamQuery},
    types::Types,
};

pub(crate) const LAST_EVENT_ID: &str = "last-event-id";

/// Which events every live stream has.
#[derive(Query)]
pub(crate) struct LiveQuery {
    /// Only events after this position; default: the end of the log
    #[query(example = 42)]
    pub(crate) after: Option<Position>,
    /// Only these types, separated by commas; `message.*` selects all types of a kind
    #[query(example = "message.*,workspace.opened")]
    pub(crate) types: Option<Types>,
}

/// The header of every live stream, for the documentation.
#[derive(Debug, IntoParams)]
#[into_params(parameter_in = Header)]
#[expect(dead_code, reason = "handlers read it with `last_event_id`")]
pub(crate) struct LastEventId {
    /// The last received position; takes precedence over `after`
    #[param(rename = "Last-Event-ID", example = 42)]
    last_event_id: Option<i64>,
}

/// Stream the log as Server-Sent Events.
///
/// The stream shows every event like `GET /api/v1/log`. Private events have header and hashes only, so that no position
/// is missing. Each frame has the position as `id`, the type as `event`, and the JSON of the log as `data`. A client
/// that reconnects with `Last-Event-ID`, as browsers do, or with `after`, misses no event and receives none twice, on
/// any replica and after a restart. Without either, the stream begins at the end of the log.
///
/// A `gap` is an event too. `too_far_behind`: the requested start is further back than streams reach; the stream
/// continues at `upTo`, and `GET /api/v1/log?after=` has the events between. `too_slow`: the client read too slowly,
/// and the stream ends; reconnect with the last id. After 15 seconds without an event the server sends a comment. After
/// an hour the stream ends with an `end`; reconnect with its id. A stream of a caller with a session also ends with the
/// session, and when the caller is suspended: `end` with the reason `right_ended`.
#[utoipa::path(
    operation_id = "followLog",
    tag = "Log",
    params(LiveQuery, LastEventId),
    responses((status = 200, description = "A stream of events that does not end", body = String, content_type = "text/event-stream", example = "id: 43\nevent: message.posted\ndata: {\"position\":43,…}\n\n")),
)]
#[get("/live")]
pub(crate) async fn follow_log(request: HttpRequest, query: LiveQuery) -> Result<HttpResponse, Problem> {
    follow(&request, Interest::Everything, query).await
}

/// Stream a workspace as Server-Sent Events.
///
/// Shows the workspace's own events and those of its messages, in the format of `GET /api/v1/live`.
#[utoipa::path(
    operation_id = "followWorkspace",
    tag = "Build Tracks",
    params(
        ("id" = String, Path, description = "The workspace's id", example = "ws_01h2e8kqvbfwea724h75qc655w"),
        LiveQuery,
        LastEventId,
    ),
    responses((status = 200, description = "A stream of events that does not end", body = String, content_type = "text/event-stream", example = "id: 43\nevent: message.posted\ndata: {\"position\":43,…}\n\n")),
)]
#[get("/workspaces/{id}/live")]
pub(crate) async fn follow_workspace(
    request: HttpRequest,
    id: Path<String>,
    query: LiveQuery,
) -> Result<HttpResponse, Problem> {
    let workspace_id: WorkspaceId = path_id(&id, "workspace")?;
    let found = app_of(&request).store.workspaces().workspace(workspace_id).await?;
    found.ok_or_else(|| Problem::not_found("workspace"))?;
    follow(&request, Interest::Workspace(workspace_id), query).await
}

/// Answers with the events of an interest.
pub(crate) async fn follow(
    request: &HttpRequest,
    interest: Interest,
    LiveQuery { after, types }: LiveQuery,
) -> Result<HttpResponse, Problem> {
    let range = range(request, after).await?;
    let query = StreamQuery { interest, types: types.unwrap_or_default() };
    answer(request, |shared, held| Live::new(shared, query, range, held))
}

/// Where a stream begins, and the end of the log.
pub(crate) async fn range(request: &HttpRequest, after: Option<Position>) -> Result<(i64, i64), Problem> {
    let after = last_event_id(request)?.or(after.map(|Position(after)| after));
    let head = head(&app_of(request), after).await?;
    Ok((after.unwrap_or(head), head))
}

/// Answers with a stream of frames; a `HEAD` request without one.
pub(crate) fn answer<S: Stream<Item = Result<Bytes, Infallible>> + 'static>(
    request: &HttpRequest,
    begin: impl FnOnce((Arc<App>, Arc<Hub>), (Permit, Right)) -> S,
) -> Result<HttpResponse, Problem> {
    let app = app_of(request);
    let mut response = HttpResponse::Ok();
    response.content_type("text/event-stream").insert_header((header::CACHE_CONTROL, "no-store"));
    // Prevents proxies from buffering the stream.
    response.insert_header(("x-accel-buffering", "no")).force_close();
    if request.extensions().contains::<HeadOnly>() {
        return Ok(response.finish());
    }
    let permit = take_stream_permit(&app, &Holder::of(&app, request))?;
    let right = Right::of(&app, request);
    Ok(response.streaming(begin((app, state_of::<Hub>(request)), (permit, right))))
}

/// The end of the log. A position from another replica may be ahead of this process's tail, so ask the database.
async fn head(app: &App, after: Option<i64>) -> Result<i64, Problem> {
    let head = app.store.log().tail().head();
    let Some(after) = after.filter(|after| *after > head) else { return Ok(head) };
    let head = app.store.log().head().await?;
    if after > head {
        let message = format!("the log ends at {head}, before the requested start {after}");
        let hint = "Omit it to begin at the end of the log.";
        return Err(Problem::bad_parameters(vec![FieldError::parameter("after", "beyond_the_end", message, hint)]));
    }
    Ok(head)
}

/// The last event id that a reconnecting client sends; none if it has not received one.
fn last_event_id(request: &HttpRequest) -> Result<Option<i64>, Problem> {
    let Some(value) = request.headers().get(LAST_EVENT_ID).filter(|value| !value.is_empty()) else { return Ok(None) };
    let position = value.to_str().ok().and_then(|text| text.parse().ok()).filter(|position| *position >= 0);
    position.map(Some).ok_or_else(|| {
        let message = "Last-Event-ID is not a position";
        let hint = "Send the id of the last event, or omit the header.";
        Problem::bad_parameters(vec![FieldError::parameter("Last-Event-ID", "invalid", message, hint)])
    })
}
