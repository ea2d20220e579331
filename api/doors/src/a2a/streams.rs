//! Streams of a task's updates as Server-Sent Events (specification, section 11.7). A stream ends when the request has its
//! outcome.

use std::convert::Infallible;

use actix_web::{HttpResponse, http::header, web::Bytes};
use buildtrack_domain::{
    exchange::tasks::{artifact_update, status_update},
    ids::ExchangeId,
};
use buildtrack_http::{members::on_one_line, problem::Problem};
use futures_util::{Stream, StreamExt, stream};

use super::{
    dialect::DIALECT,
    shapes::{Task, TaskResponse},
    tasks::reload,
};
pub(super) use buildtrack_protocols::exchange::conversations::requesters::{Asked, Requester};

/// The stream of a message: the task, and then its updates. An agent may have answered before the task was read, which ends it.
pub(super) fn sent(requester: Requester, asked: Asked, task: &Task) -> HttpResponse {
    if task.is_settled() {
        return respond(task, stream::empty());
    }
    let rest = async move {
        let settled = requester.settle(&asked).await;
        updates(&requester, asked.exchange_id(), settled).await
    };
    respond(task, stream::once(rest))
}

/// The stream of a subscriber. Of a task that waits for the client, it has the state alone.
pub(super) fn subscribed(requester: Requester, id: ExchangeId, task: &Task) -> HttpResponse {
    if task.is_settled() {
        return respond(task, stream::empty());
    }
    let rest = async move {
        let settled = requester.wait(id).await;
        updates(&requester, id, settled).await
    };
    respond(task, stream::once(rest))
}

fn respond(task: &Task, rest: impl Stream<Item = Bytes> + 'static) -> HttpResponse {
    let first = frame(&serde_json::to_string(&TaskResponse { task }).unwrap_or_default());
    let frames = stream::once(async move { first }).chain(rest).map(Ok::<_, Infallible>);
    let mut response = HttpResponse::Ok();
    response.content_type("text/event-stream").insert_header((header::CACHE_CONTROL, "no-store"));
    // Prevents proxies from buffering the stream.
    response.insert_header(("x-accel-buffering", "no")).force_close();
    response.streaming(frames)
}

/// The frames of a request's outcome: the answer, if there is one, and the new status.
async fn updates(requester: &Requester, id: ExchangeId, settled: Result<(), Problem>) -> Bytes {
    let task = match settled {
        Ok(()) => reload(requester, id, Some(0)).await,
        Err(problem) => Err(problem),
    };
    let task = match task {
        Ok(task) => task,
        Err(problem) => return format!("event: error\ndata: {}\n\n", (DIALECT.serialize)(&problem, "")).into(),
    };
    let Task { id, status, artifacts, is_answered, .. } = task;
    let mut frames = vec![];
    if let Some(artifact) = artifacts.unwrap_or_default().pop().filter(|_| is_answered) {
        frames.extend_from_slice(&frame(&artifact_update(&id, &artifact)));
    }
    frames.extend_from_slice(&frame(&status_update(&id, &status)));
    frames.into()
}

/// A frame. The line breaks of an object as its author wrote it are spaces in a stream: each line would be a field of its own.
fn frame(json: &str) -> Bytes {
    format!("data: {}\n\n", on_one_line(json.to_owned())).into()
}
