//! Operations that poll and stream envelopes (seed: «Subscribe to Events (Long Polling)»).

use std::{sync::Arc, time::Duration};

use actix_web::{HttpMessage, HttpRequest, HttpResponse, get, http::header, web::Payload};
use buildtrack_domain::relay::{MessageType, instant};
use buildtrack_http::{
    accept::Accept,
    edge::HeadOnly,
    guard::{app_of, state_of},
    problem::Problem,
    query::{Parameters, lost_plus},
    streaming::{Holder, take_stream_permit},
};
use buildtrack_store::EnvelopeFilter;
use utoipa::IntoParams;

use super::{
    Relay,
    allowance::admit_address,
    polling::{From, PollQuery, poll},
    schemas::Events,
    streams::{Following, server_sent, web_socket},
};

/// Paths of the poll operations.
pub const PATHS: [&str; 2] = ["/events", "/v1/messages"];
/// Default and maximum seconds that a poll waits.
pub const TIMEOUT: u64 = 30;
const TIMEOUT_MAX: u64 = 60;
/// Default and maximum number of envelopes in an answer.
pub const LIMIT: i64 = 100;
/// Maximum number of envelopes in an answer.
pub const LIMIT_MAX: i64 = 500;

/// The parameters of a poll, for the documentation.
#[derive(Debug, IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "handlers read them as Parameters, which lists every invalid one")]
struct EnvelopeQuery {
    /// Envelopes after this time (ISO 8601): `ts` of the last event. Required for a poll unless `cursor` or `after` is given
    #[param(example = "2026-02-02T15:30:00Z")]
    since: Option<String>,
    /// Envelopes after `cursor` of the last answer. It is exact, whereas `since` can repeat envelopes
    #[param(example = "42")]
    cursor: Option<String>,
    /// Another name of `cursor`: the name of a position in other operations. Send one of the two
    #[param(example = 42)]
    after: Option<i64>,
    /// Only envelopes addressed to this agent
    #[param(example = "did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK")]
    recipient: Option<String>,
    /// Only envelopes from this agent
    sender: Option<String>,
    /// Only envelopes of this type: `REQUEST`, `OFFER`, `ACCEPT`, `RESULT`, `ERROR` or `CANCEL`
    #[param(rename = "type", example = "REQUEST")]
    kind: Option<String>,
    /// Only envelopes of this thread
    thread: Option<String>,
    /// Seconds to wait if there are no envelopes: default 30, maximum 60
    #[param(example = 0)]
    timeout: Option<u64>,
    /// Maximum number of new envelopes: 1 to 500, default 100
    #[param(example = 100)]
    limit: Option<i64>,
}

/// Poll or stream envelopes.
///
/// Returns the envelopes recorded after a time or a cursor, in log order. If there are none yet, the relay waits for
/// the first.
///
/// With `Accept: text/event-stream` the response is a stream of Server-Sent Events, each with its cursor as `id` and
/// its type as `event`. With `Upgrade: websocket` it is a WebSocket with one message `{"cursor": …, "event": …}` for
/// each envelope. Streams begin at the current position unless `since`, `cursor` or `after` is
/// given.
#[utoipa::path(
    operation_id = "pollEvents",
    tag = "Relay",
    params(EnvelopeQuery),
    responses(
        (status = 200, description = "Envelopes; none if the wait ended", body = Events),
        (status = 400, description = "`INVALID_REQUEST`: `since_required`, `invalid_parameter`"),
        (status = 409, description = "`INVALID_REQUEST`: `since_too_rough`: continue with `cursor`"),
        (status = 429, description = "`UNAVAILABLE`: `rate_limited`, `too_many_streams_held`"),
        (status = 503, description = "`UNAVAILABLE`: `too_many_streams`"),
    ),
)]
#[get("/events")]
pub(crate) async fn poll_events(request: HttpRequest, payload: Payload) -> Result<HttpResponse, Problem> {
    answer(&request, payload).await
}

/// Poll or stream envelopes like `GET /events`.
///
/// Takes the same parameters and gives the same answers.
#[utoipa::path(
    operation_id = "pollMessages",
    tag = "Relay",
    params(EnvelopeQuery),
    responses(
        (status = 200, description = "Envelopes; none if the wait ended", body = Events),
        (status = 400, description = "As for `GET /events`"),
        (status = 409, description = "As for `GET /events`"),
        (status = 429, description = "As for `GET /events`"),
        (status = 503, description = "As for `GET /events`"),
    ),
)]
#[get("/v1/messages")]
pub(crate) async fn poll_messages(request: HttpRequest, payload: Payload) -> Result<HttpResponse, Problem> {
    answer(&request, payload).await
}

async fn answer(request: &HttpRequest, payload: Payload) -> Result<HttpResponse, Problem> {
    let app = app_of(request);
    admit_address(&app, request)?;
    if let Some(form) = Form::of(request) {
        let (query, _) = poll_query(request, Some(app.store.log().tail().head()))?;
        if request.extensions().contains::<HeadOnly>() {
            return Ok(HttpResponse::Ok().finish());
        }
        let permit = take_stream_permit(&app, &Holder::of(&app, request))?;
        let following = Following::new((Arc::clone(&app), state_of(request)), query, permit);
        return match form {
            Form::ServerSent => Ok(server_sent(following)),
            Form::WebSocket => web_socket(request, payload, following),
        };
    }
    let (query, since) = poll_query(request, None)?;
    let _permit = if query.wait.is_zero() { None } else { Some(take_stream_permit(&app, &Holder::of(&app, request))?) };
    let page = poll(&app.store, &state_of::<Relay>(request).waiters, &query, &app.stopping).await?;
    Ok(HttpResponse::Ok().insert_header(("cache-control", "no-store")).json(Events::new(&page, since)))
}

/// The transport of a stream.
#[derive(Debug, Clone, Copy)]
enum Form {
    ServerSent,
    WebSocket,
}

impl Form {
    fn of(request: &HttpRequest) -> Option<Self> {
        let upgrade = request.headers().get(header::UPGRADE).and_then(|value| value.to_str().ok()).unwrap_or_default();
        if upgrade.to_ascii_lowercase().contains("websocket") {
            return Some(Self::WebSocket);
        }
        Accept::of(request).names("text/event-stream").then_some(Self::ServerSent)
    }
}

/// Parses the parameters of a poll. Also returns `since` as the client wrote it. Without `since` and `cursor` the poll
/// begins at `default_cursor`, or is an error if that is none.
fn poll_query(request: &HttpRequest, default_cursor: Option<i64>) -> Result<(PollQuery, Option<String>), Problem> {
    // Clients may send parameters of protocol extensions, so unknown ones are ignored.
    let mut parameters = Parameters::among(request, &KNOWN).alias("after", "cursor");
    let since = parameters.text("since");
    let cursor: Option<i64> = parameters.get("cursor", "the cursor of an earlier answer");
    let from = last_event_id(request).or(cursor).map(From::Cursor).or_else(|| {
        let Some(since) = &since else {
            if let Some(default_cursor) = default_cursor {
                return Some(From::Cursor(default_cursor));
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
    // Validated even if a cursor takes precedence, because answers repeat it.
    if let Some(since) = since.as_deref().filter(|since| instant(since).is_none()) {
        let hint = lost_plus(since).unwrap_or("Give a time (ISO 8601), such as 2026-02-02T15:30:00Z.");
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
    // `from` is none only if a parameter was refused above.
    let from = from.unwrap_or(From::Cursor(i64::MAX));
    // A client that asks for a longer wait polls again.
    let wait = Duration::from_secs(timeout.min(TIMEOUT_MAX));
    Ok((PollQuery { filter, from, limit, wait }, since))
}

/// The last event id that a reconnecting client sends.
fn last_event_id(request: &HttpRequest) -> Option<i64> {
    request.headers().get("last-event-id")?.to_str().ok()?.parse().ok()
}

const KNOWN: [&str; 9] = ["since", "cursor", "after", "recipient", "sender", "type", "thread", "timeout", "limit"];
