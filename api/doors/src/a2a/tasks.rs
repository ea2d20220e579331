//! Operations on tasks: show, list, cancel and subscribe.

use actix_web::{
    HttpRequest, HttpResponse,
    http::{StatusCode, header::CACHE_CONTROL},
    web::Payload,
};
use buildtrack_domain::{
    exchange::{
        conversations::{Phase, ROUNDS_MAX},
        tasks::MEDIA_TYPE,
    },
    ids::ExchangeId,
};
use buildtrack_http::{
    auth::{Read, Write},
    body::read,
    page::{BYTES_MAX, Cursor},
    problem::Problem,
    query::Parameters,
};
use buildtrack_store::{ExchangeView, TaskFilter, TaskStates, Tasks};
use chrono::{DateTime, Utc};
use serde::Serialize;

use super::{
    entering::{VERSION_PARAMETER, enter, named_task, unsupported},
    shapes::{Task, TaskPage, Texts},
    streams,
};
pub(super) use buildtrack_protocols::exchange::conversations::requesters::Requester;

/// The default and the maximum number of tasks of a page.
const PAGE: i64 = 50;
const PAGE_MAX: i64 = 100;
/// Maximum number of events of one exchange: its beginning, two a round, its end, publications and redactions.
const EVENTS: i64 = 2 * ROUNDS_MAX as i64 + 8;
/// The texts of a task that its own operations show.
const WHOLE: Texts = Texts { history: None, artifacts: true };

/// Answers with a value of the protocol.
pub(super) fn answer(value: &impl Serialize) -> HttpResponse {
    let text = serde_json::to_string(value).unwrap_or_default();
    HttpResponse::Ok().content_type(MEDIA_TYPE).insert_header((CACHE_CONTROL, "no-store")).body(text)
}

/// A task with its latest texts.
pub(super) async fn load(requester: &Requester, view: &ExchangeView, texts: Texts) -> Result<Task, Problem> {
    let store = &requester.app.store;
    let said = store.exchange().last_transcript_events(view.id, EVENTS).await?;
    Ok(Task::new(view, said, texts, store.log().clock().now()))
}

/// The current state of a task, with its latest texts.
pub(super) async fn reload(requester: &Requester, id: ExchangeId, history: Option<usize>) -> Result<Task, Problem> {
    let view = requester.find(id).await?.ok_or_else(|| Problem::internal(&"the exchange is gone"))?;
    load(requester, &view, Texts { history, ..WHOLE }).await
}

/// `GET /tasks/{id}`.
pub(super) async fn show(request: HttpRequest) -> Result<HttpResponse, Problem> {
    let requester = enter::<Read>(&request).await?;
    let mut parameters = Parameters::among(&request, &["historyLength"]);
    let history = parameters.get("historyLength", "a number, 0 or more");
    parameters.finish()?;
    let view = named_task(&request, &requester).await?;
    Ok(answer(&load(&requester, &view, Texts { history, ..WHOLE }).await?))
}

/// `GET /tasks`.
pub(super) async fn list(request: HttpRequest) -> Result<HttpResponse, Problem> {
    let requester = enter::<Read>(&request).await?;
    let known = [
        "contextId",
        "status",
        "pageSize",
        "pageToken",
        "historyLength",
        "statusTimestampAfter",
        "includeArtifacts",
        VERSION_PARAMETER,
    ];
    let mut parameters = Parameters::among(&request, &known);
    let page_size = page_size(&mut parameters);
    let history = parameters.get::<usize>("historyLength", "a number, 0 or more").unwrap_or(0);
    let artifacts = parameters.get("includeArtifacts", "true or false").unwrap_or(false);
    let context_id = parameters.given("contextId");
    // Each context is one task. An id that is none has no tasks.
    let id = context_id.as_ref().and_then(|id| id.parse::<ExchangeId>().ok());
    let states = if context_id.is_some() && id.is_none() { Some(TaskStates::Nothing) } else { states(&mut parameters) };
    let filter = TaskFilter {
        asker: requester.id,
        answerer: requester.answerer,
        id,
        states,
        since: parameters.get::<DateTime<Utc>>("statusTimestampAfter", "a time in RFC 3339"),
        before: parameters.get::<Cursor>("pageToken", "the nextPageToken of a previous page").map(|cursor| cursor.0),
        limit: page_size + 1,
    };
    parameters.finish()?;
    let found = requester.app.store.exchange().tasks(&filter).await?;
    let (tasks, next, total) = page(&requester, found, page_size, Texts { history: Some(history), artifacts }).await?;
    let next_page_token = next.map_or(String::new(), |position| Cursor(position).encode());
    Ok(answer(&TaskPage { tasks, next_page_token, page_size, total_size: total }))
}

/// The tasks of a page, and the position after which the next one begins. The texts of a page are bounded: a page with many
/// texts ends early.
async fn page(
    requester: &Requester,
    found: Tasks,
    limit: i64,
    texts: Texts,
) -> Result<(Vec<Task>, Option<i64>, i64), Problem> {
    let Tasks { listed, total } = found;
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let more = listed.rows.len() > limit;
    let with_texts = texts.artifacts || texts.history != Some(0);
    let now = requester.app.store.log().clock().now();
    let (mut tasks, mut bytes, mut last) = (vec![], 0, None);
    for view in listed.rows.iter().take(limit) {
        let task = if with_texts { load(requester, view, texts).await? } else { Task::new(view, vec![], texts, now) };
        bytes += task.size();
        if bytes > BYTES_MAX && last.is_some() {
            return Ok((tasks, last, total));
        }
        tasks.push(task);
        last = Some(view.active_position);
    }
    Ok((tasks, if more { last } else { listed.scanned_to }, total))
}

fn page_size(parameters: &mut Parameters) -> i64 {
    let expected = "a number from 1 to 100";
    let size = parameters.get("pageSize", expected).unwrap_or(PAGE);
    if !(1..=PAGE_MAX).contains(&size) {
        parameters.refuse(
            "pageSize",
            format!("pageSize is {size}; expected {expected}"),
            "Use a number from 1 to 100.",
        );
        return PAGE;
    }
    size
}

/// The exchanges of the requested state. The server uses five of the protocol's states.
fn states(parameters: &mut Parameters) -> Option<TaskStates> {
    match parameters.given("status")?.as_str() {
        "TASK_STATE_WORKING" => Some(TaskStates::In(Phase::Waiting)),
        "TASK_STATE_INPUT_REQUIRED" => Some(TaskStates::In(Phase::Open)),
        "TASK_STATE_COMPLETED" => Some(TaskStates::Completed),
        "TASK_STATE_FAILED" => Some(TaskStates::In(Phase::Failed)),
        "TASK_STATE_CANCELED" => Some(TaskStates::In(Phase::Closed)),
        "TASK_STATE_SUBMITTED" | "TASK_STATE_REJECTED" | "TASK_STATE_AUTH_REQUIRED" => Some(TaskStates::Nothing),
        "TASK_STATE_UNSPECIFIED" => None,
        other => {
            parameters.refuse("status", format!("status is {other:?}"), "Use a TaskState of A2A 1.0.");
            None
        }
    }
}

/// `POST /tasks/{id}:cancel`.
pub(super) async fn cancel(request: HttpRequest, payload: Payload) -> Result<HttpResponse, Problem> {
    // The body repeats the id; its metadata is not used.
    read(payload.into_inner()).await?;
    let requester = enter::<Write>(&request).await?;
    let view = named_task(&request, &requester).await?;
    if !requester.cancel(view.id).await? {
        let hint = "GET …/tasks/{id} shows its state.";
        let detail = "The task has ended.";
        return Err(Problem::new(StatusCode::BAD_REQUEST, "task_not_cancelable", detail, hint));
    }
    Ok(answer(&reload(&requester, view.id, None).await?))
}

/// `GET` or `POST /tasks/{id}:subscribe`.
pub(super) async fn subscribe(request: HttpRequest, payload: Payload) -> Result<HttpResponse, Problem> {
    read(payload.into_inner()).await?;
    let requester = enter::<Read>(&request).await?;
    let view = named_task(&request, &requester).await?;
    let task = load(&requester, &view, WHOLE).await?;
    if task.is_terminal() {
        return Err(unsupported("The task has ended, so that no update follows."));
    }
    Ok(streams::subscribed(requester, view.id, &task))
}
