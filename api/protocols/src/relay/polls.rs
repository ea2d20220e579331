//! Operations that poll and stream envelopes (seed: «Subscribe to Events (Long Polling)»).

use std::{borrow::Cow, sync::Arc, time::Duration};

use actix_web::{HttpMessage, HttpRequest, HttpResponse, get, http::header, web::Payload};
use buildtrack_domain::relay::{MessageType, instant};
use buildtrack_http::{
    accept::Accept,
    described::{number, one_of, time},
    edge::HeadOnly,
    guard::{app_of, state_of},
    problem::Problem,
    query::{Parameters, Position, Query, Value, alternatives},
    query_values,
    streaming::{Holder, take_stream_permit},
};
use buildtrack_store::EnvelopeFilter;
use chrono::{DateTime, Utc};
use utoipa::openapi::Schema;

use super::{
    Relay,
    allowance::admit_address,
    parameters::LogCursor,
    polling::{From, PollQuery, poll},
    schemas::Events,
    streams::{Following, server_sent, web_socket},
};

use crate::given::Given;

/// Default and maximum seconds that a poll waits.
const TIMEOUT: u64 = 30;
const TIMEOUT_MAX: u64 = 60;
/// Default and maximum number of envelopes in an answer.
const LIMIT: i64 = 100;
const LIMIT_MAX: i64 = 500;

query_values! {
    Given<MessageType> = alternatives(&MessageType::ALL.map(MessageType::as_str)),
        one_of(MessageType::ALL.map(MessageType::as_str));
}

/// The time after which a poll begins, with its text, which answers repeat. An empty one is the same as none.
struct Since {
    text: String,
    time: DateTime<Utc>,
}

impl Value for Since {
    fn expected() -> Cow<'static, str> {
        "a time (ISO 8601), such as 2026-02-02T15:30:00Z".into()
    }

    fn parse(text: &str) -> Option<Self> {
        instant(text).map(|time| Self { text: text.to_owned(), time })
    }

    fn schema() -> Schema {
        time()
    }

    fn read(parameters: &mut Parameters, name: &str) -> Option<Self> {
        parameters.sent(name).filter(|text| !text.is_empty())?;
        parameters.parsed(name, Self::parse, &Self::expected())
    }
}

/// How long a poll waits. A client that asks for a longer wait than the maximum polls again.
struct Timeout(Duration);

impl Default for Timeout {
    fn default() -> Self {
        Self(Duration::from_secs(TIMEOUT))
    }
}

impl Value for Timeout {
    fn expected() -> Cow<'static, str> {
        format!("a number of seconds from 0 to {TIMEOUT_MAX}").into()
    }

    fn parse(text: &str) -> Option<Self> {
        text.parse().ok().map(|seconds: u64| Self(Duration::from_secs(seconds.min(TIMEOUT_MAX))))
    }

    fn schema() -> Schema {
        number(0, i64::MAX, Some(TIMEOUT.cast_signed()))
    }
}

/// The number of envelopes in an answer.
struct PollLimit(i64);

impl Default for PollLimit {
    fn default() -> Self {
        Self(LIMIT)
    }
}

impl Value for PollLimit {
    fn expected() -> Cow<'static, str> {
        format!("a number from 1 to {LIMIT_MAX}").into()
    }

    fn parse(text: &str) -> Option<Self> {
        text.parse().ok().filter(|limit| (1..=LIMIT_MAX).contains(limit)).map(Self)
    }

    fn schema() -> Schema {
        number(1, LIMIT_MAX, Some(LIMIT))
    }
}

/// Which envelopes a poll asks for, and how long it waits for them.
#[derive(Query)]
struct EnvelopeQuery {
    /// Envelopes after this time (ISO 8601): `ts` of the last event. Required for a poll unless `cursor` or `after` is given
    #[query(example = "2026-02-02T15:30:00Z")]
    since: Option<Since>,
    /// Envelopes after `cursor` of the last answer. It is exact, whereas `since` can repeat envelopes
    #[query(example = "42")]
    cursor: Option<LogCursor>,
    /// Another name of `cursor`: the name of a position in other operations. Send one of the two
    #[query(example = 42)]
    #[expect(dead_code, reason = "it is read as `cursor`")]
    after: Option<Position>,
    /// Only envelopes addressed to this agent
    #[query(example = "did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK")]
    recipient: Option<String>,
    /// Only envelopes from this agent
    sender: Option<String>,
    /// Only envelopes of this type: `REQUEST`, `OFFER`, `ACCEPT`, `RESULT`, `ERROR` or `CANCEL`
    #[query(name = "type", example = "REQUEST")]
    kind: Option<Given<MessageType>>,
    /// Only envelopes of this thread
    thread: Option<String>,
    /// Seconds to wait if there are no envelopes: default 30, maximum 60
    #[query(example = 0)]
    timeout: Timeout,
    /// Maximum number of new envelopes: 1 to 500, default 100
    #[query(example = 100)]
    limit: PollLimit,
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
    let mut parameters = Parameters::among(request, &EnvelopeQuery::known()).alias("after", "cursor");
    let has_since = parameters.sent("since").is_some_and(|since| !since.is_empty());
    let EnvelopeQuery { since, cursor, recipient, sender, kind, thread, timeout, limit, .. } =
        EnvelopeQuery::read(&mut parameters);
    let cursor = last_event_id(request).or(cursor.map(|cursor| cursor.0));
    let cursor = cursor.or(default_cursor.filter(|_| !has_since));
    if cursor.is_none() && !has_since {
        parameters.refuse("since", "since is required", "Give a time (ISO 8601), or the cursor of an earlier answer.");
    }
    parameters.finish()?;
    let from = match (cursor, &since) {
        (Some(cursor), _) => From::Cursor(cursor),
        (None, Some(since)) => From::Since(since.time),
        // One of the two was refused above.
        (None, None) => From::Cursor(i64::MAX),
    };
    let filter = EnvelopeFilter { recipient, sender, kind: kind.map(|Given(kind)| kind), thread };
    let query = PollQuery { filter, from, limit: limit.0, wait: timeout.0 };
    Ok((query, since.map(|since| since.text)))
}

/// The last event id that a reconnecting client sends.
fn last_event_id(request: &HttpRequest) -> Option<i64> {
    request.headers().get("last-event-id")?.to_str().ok()?.parse().ok()
}
