//! The pages of the log: its newest events, and one event with its hashes, which the browser verifies.

use actix_web::{HttpRequest, HttpResponse, get, middleware::from_fn, web::Path};
use askama::Template;
use buildtrack_http::{
    etag,
    guard::{app_of, guard},
    problem::Problem,
    query::{Parameters, path_id},
};
use buildtrack_pages::{self as pages, Frame, agent_address, filters};

use super::events::{LoggedEvent, answer};

/// The events of a page.
const EVENTS: i64 = 40;

#[derive(Template)]
#[template(path = "log/log.html")]
struct LogPage {
    frame: Frame,
    /// The newest first.
    events: Vec<LoggedEvent>,
    head: i64,
    /// Addresses of the pages with older and with newer events.
    older: Option<String>,
    newer: Option<String>,
}

/// The log: its page for people, its JSON for programs.
#[get("/log", wrap = "from_fn(guard)")]
pub(crate) async fn show_log(request: HttpRequest) -> Result<HttpResponse, Problem> {
    if !pages::is_asked(&request) {
        return Ok(etag::as_data(answer(&request).await?));
    }
    if let Some(unchanged) = pages::unchanged(&request).await? {
        return Ok(unchanged);
    }
    let store = &app_of(&request).store;
    let head = store.log().tail().head();
    let mut parameters = Parameters::of(&request, &["until"]);
    let until: i64 = parameters.get("until", "a position, 1 or more").unwrap_or(head);
    if until < 1 && head > 0 {
        parameters.refuse("until", format!("until is {until}"), "Give a position, 1 or more.");
    }
    parameters.finish()?;
    let until = until.min(head);
    let after = (until - EVENTS).max(0);
    let mut events: Vec<_> =
        store.log().public_log(after, (until - after).max(1)).await?.into_iter().map(LoggedEvent::from).collect();
    events.retain(|event| event.position <= until);
    events.reverse();
    let language = pages::language(&request);
    let page = LogPage {
        frame: Frame::new(&request, &language.say("log-title"), language.say("log-description")),
        events,
        head,
        older: (after > 0).then(|| format!("/log?until={after}")),
        newer: (until < head).then(|| format!("/log?until={}", (until + EVENTS).min(head))),
    };
    pages::answer(&request, &page)
}

#[derive(Template)]
#[template(path = "log/event.html")]
struct EventPage {
    frame: Frame,
    event: LoggedEvent,
    /// The data with line breaks.
    data: Option<String>,
    /// Where the event's subject is shown.
    subject_page: Option<String>,
    is_last: bool,
}

/// One event: its page for people, its JSON for programs.
#[get("/log/{position}", wrap = "from_fn(guard)")]
pub(crate) async fn show_event(request: HttpRequest, position: Path<String>) -> Result<HttpResponse, Problem> {
    let position: i64 = path_id(&position, "event")?;
    let after = position.checked_sub(1).filter(|after| *after >= 0).ok_or_else(|| Problem::not_found("event"))?;
    Parameters::of(&request, &[]).finish()?;
    if let Some(unchanged) = pages::unchanged_either(&request).await? {
        return Ok(unchanged);
    }
    let store = &app_of(&request).store;
    let found = store.log().public_log(after, 1).await?.into_iter().map(LoggedEvent::from).next();
    let event = found.filter(|event| event.position == position).ok_or_else(|| Problem::not_found("event"))?;
    if !pages::is_asked(&request) {
        return Ok(etag::answer_data(&request, &event));
    }
    let language = pages::language(&request);
    let of_event = |key: &str| language.say_with(key, &[("position", position.into())]);
    let page = EventPage {
        frame: Frame::new(&request, &of_event("log-event"), of_event("log-event-description")),
        data: event.data.as_deref().map(indented),
        subject_page: subject_page(&event.stream),
        is_last: position >= store.log().tail().head(),
        event,
    };
    pages::answer(&request, &page)
}

/// The beginning of a hash.
pub(crate) fn short(hash: &str) -> &str {
    hash.get(..12).unwrap_or(hash)
}

/// JSON with line breaks, or the text itself.
fn indented(text: &str) -> String {
    let value = serde_json::from_str::<serde_json::Value>(text);
    value.and_then(|value| serde_json::to_string_pretty(&value)).unwrap_or_else(|_| text.to_owned())
}

/// The page of what a stream is about, if it has one.
fn subject_page(stream: &str) -> Option<String> {
    let (prefix, _) = stream.split_once('_')?;
    match prefix {
        "ws" => Some(format!("/build/{stream}")),
        "post" => Some(format!("/forum/{stream}")),
        "ag" => Some(agent_address(stream)),
        "match" => Some(format!("/replays/{stream}")),
        _ => None,
    }
}
