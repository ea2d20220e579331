//! Polls (seed: «Subscribe to Events (Long Polling)»).

use std::{sync::Arc, time::Duration};

use actix_web::{HttpMessage, HttpRequest, HttpResponse, get, http::header, web::Payload};
use buildtrack_domain::relay::{MessageType, instant};
use buildtrack_store::EnvelopeFilter;

use super::{
    allowance::admit_address,
    polling::{From, Wish, poll},
    schemas::Events,
    streams::{Following, server_sent, web_socket},
};
use crate::http::{
    dialect::AgoraError,
    edge::HeadOnly,
    guard::app_of,
    problem::Problem,
    query::Parameters,
    streaming::{Holder, place},
};

/// The paths of polls.
pub(crate) const PATHS: [&str; 2] = ["/events", "/v1/messages"];
/// Seconds that a poll waits where it does not say, and at most.
pub(crate) const TIMEOUT: u64 = 30;
const TIMEOUT_MAX: u64 = 60;
/// Envelopes in an answer where nothing is said, and at most.
pub(crate) const LIMIT: i64 = 100;
pub(crate) const LIMIT_MAX: i64 = 500;

/// Gives the envelopes that came in after a time or a cursor, in the order in which they were recorded; where there are none
/// yet, as soon as there are. With `Accept: text/event-stream` it does not end: Server-Sent Events, each with its cursor as
/// `id` and its type as `event`; and as a WebSocket (`Upgrade: websocket`), a message `{"cursor": …, "event": …}` each. These
/// begin at this moment where neither `since` nor `cursor` is given.
#[utoipa::path(
    operation_id = "pollEvents",
    tag = "Relay",
    params(
        ("since" = Option<String>, Query, description = "After this time (ISO 8601): `ts` of the last event. Required unless `cursor` is given", example = "2026-02-02T15:30:00Z"),
        ("cursor" = Option<String>, Query, description = "After `cursor` of the last answer: exactly, where `since` may give some once more", example = "42"),
        ("recipient" = Option<String>, Query, description = "Only those addressed to this agent", example = "did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK"),
        ("sender" = Option<String>, Query, description = "Only those of this agent"),
        ("type" = Option<String>, Query, description = "`REQUEST`, `OFFER`, `ACCEPT`, `RESULT`, `ERROR` or `CANCEL`", example = "REQUEST"),
        ("thread" = Option<String>, Query, description = "Only those of this thread"),
        ("timeout" = Option<u64>, Query, description = "Seconds to wait where there are none yet: 30 unless said otherwise, at most 60", example = 0),
        ("limit" = Option<i64>, Query, description = "At most so many new ones: 1 to 500, 100 unless said otherwise", example = 100),
    ),
    responses(
        (status = 200, description = "Envelopes; none where time is up", body = Events),
        (status = 400, description = "`INVALID_REQUEST`: `since_required`, `invalid_parameter`", body = AgoraError),
        (status = 409, description = "`INVALID_REQUEST`: `since_too_rough`: go on by `cursor`", body = AgoraError),
        (status = 429, description = "`UNAVAILABLE`: `rate_limited`, `too_many_streams_held`", body = AgoraError),
        (status = 503, description = "`UNAVAILABLE`: `too_many_streams`", body = AgoraError),
    ),
)]
#[get("/events")]
pub(crate) async fn events(request: HttpRequest, payload: Payload) -> Result<HttpResponse, Problem> {
    answer(&request, payload).await
}

/// Gives envelopes as `GET /events` does.
#[utoipa::path(
    operation_id = "pollMessages",
    tag = "Relay",
    params(
        ("since" = Option<String>, Query, description = "As of `GET /events`", example = "2026-02-02T15:30:00Z"),
        ("cursor" = Option<String>, Query, description = "As of `GET /events`"),
        ("recipient" = Option<String>, Query, description = "As of `GET /events`"),
        ("sender" = Option<String>, Query, description = "As of `GET /events`"),
        ("type" = Option<String>, Query, description = "As of `GET /events`", example = "REQUEST"),
        ("thread" = Option<String>, Query, description = "As of `GET /events`"),
        ("timeout" = Option<u64>, Query, description = "As of `GET /events`", example = 0),
        ("limit" = Option<i64>, Query, description = "As of `GET /events`", example = 100),
    ),
    responses(
        (status = 200, description = "Envelopes; none where time is up", body = Events),
        (status = 400, description = "As of `GET /events`", body = AgoraError),
        (status = 409, description = "As of `GET /events`", body = AgoraError),
        (status = 429, description = "As of `GET /events`", body = AgoraError),
        (status = 503, description = "As of `GET /events`", body = AgoraError),
    ),
)]
#[get("/v1/messages")]
pub(crate) async fn messages(request: HttpRequest, payload: Payload) -> Result<HttpResponse, Problem> {
    answer(&request, payload).await
}

async fn answer(request: &HttpRequest, payload: Payload) -> Result<HttpResponse, Problem> {
    let app = app_of(request);
    admit_address(&app, request)?;
    if let Some(form) = Form::of(request) {
        let (wish, _) = wish(request, Some(app.store.tail().head()))?;
        if request.extensions().contains::<HeadOnly>() {
            return Ok(HttpResponse::Ok().finish());
        }
        let place = place(&app, &Holder::of(&app, request))?;
        let following = Following::new(Arc::clone(&app), wish, place);
        return match form {
            Form::ServerSent => Ok(server_sent(following)),
            Form::WebSocket => web_socket(request, payload, following),
        };
    }
    let (wish, since) = wish(request, None)?;
    let _place = if wish.wait.is_zero() { None } else { Some(place(&app, &Holder::of(&app, request))?) };
    let page = poll(&app.store, &app.relay.waiters, &wish, &app.stopping).await?;
    Ok(HttpResponse::Ok().insert_header(("cache-control", "no-store")).json(Events::new(&page, since)))
}

/// How a poll is given that does not end.
#[derive(Debug, Clone, Copy)]
enum Form {
    ServerSent,
    WebSocket,
}

impl Form {
    fn of(request: &HttpRequest) -> Option<Self> {
        let says = |name, text: &str| {
            let value = request.headers().get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
            value.to_ascii_lowercase().contains(text)
        };
        if says(header::UPGRADE, "websocket") {
            return Some(Self::WebSocket);
        }
        says(header::ACCEPT, "text/event-stream").then_some(Self::ServerSent)
    }
}

/// What is asked for, and `since` as it was written. Where neither that nor a cursor is given it begins at `otherwise`.
fn wish(request: &HttpRequest, otherwise: Option<i64>) -> Result<(Wish, Option<String>), Problem> {
    // What others have added to the protocol is no reason to refuse a client.
    let mut parameters = Parameters::among(request, &KNOWN);
    let since = parameters.text("since");
    let cursor: Option<i64> = parameters.get("cursor", "the cursor of an earlier answer");
    let from = last_event_id(request).or(cursor).map(From::Cursor).or_else(|| {
        let Some(since) = &since else {
            if let Some(otherwise) = otherwise {
                return Some(From::Cursor(otherwise));
            }
            parameters.refuse(
                "since",
                "since is required",
                "Give a time (ISO 8601), or the cursor of an earlier answer.",
            );
            return None;
        };
        instant(since).map(From::Since)
    });
    // Answers repeat it, also where the cursor goes before it.
    if let Some(since) = since.as_deref().filter(|since| instant(since).is_none()) {
        let hint = "Give a time (ISO 8601), such as 2026-02-02T15:30:00Z.";
        parameters.refuse("since", format!("since is {since:?}"), hint);
    }
    let filter = EnvelopeFilter {
        recipient: parameters.text("recipient"),
        sender: parameters.text("sender"),
        kind: parameters.get::<MessageType>("type", "REQUEST, OFFER, ACCEPT, RESULT, ERROR or CANCEL"),
        thread: parameters.text("thread"),
    };
    let timeout: u64 = parameters.get("timeout", "a number of seconds from 0 to 60").unwrap_or(TIMEOUT);
    let limit = parameters.get("limit", "a number from 1 to 500").unwrap_or(LIMIT);
    if !(1..=LIMIT_MAX).contains(&limit) {
        parameters.refuse("limit", format!("limit is {limit}"), "Give a number from 1 to 500.");
    }
    parameters.finish()?;
    // Only what was refused above has no place to go on from.
    let from = from.unwrap_or(From::Cursor(i64::MAX));
    // Whoever asks for longer comes back.
    let wait = Duration::from_secs(timeout.min(TIMEOUT_MAX));
    Ok((Wish { filter, from, limit, wait }, since))
}

/// What a client says that comes back.
fn last_event_id(request: &HttpRequest) -> Option<i64> {
    request.headers().get("last-event-id")?.to_str().ok()?.parse().ok()
}

const KNOWN: [&str; 8] = ["since", "cursor", "recipient", "sender", "type", "thread", "timeout", "limit"];
