//! The endpoint: reads a message, sends it through the application as the request of an operation, and answers in the protocol's
//! format.

use actix_web::{
    Error, HttpMessage, HttpRequest, HttpResponse, HttpResponseBuilder,
    body::{BoxBody, MessageBody, to_bytes},
    dev::{Payload, ServiceRequest, ServiceResponse},
    http::{
        Method, StatusCode,
        header::{ACCEPT, ACCEPT_ENCODING, HeaderName, HeaderValue, IF_MATCH, IF_NONE_MATCH, WWW_AUTHENTICATE},
    },
    middleware::{Next, from_fn},
    post,
    web::Bytes,
};
use buildtrack_http::{
    app::App,
    body::Raw,
    guard::{app_of, bearer, count_ahead, guard},
    members::{member, members},
    paths::routed,
    problem::Problem,
    validation::INLINE_MAX,
};
use serde_json::Value;

use super::{
    PATH,
    arguments::{Operation, Texts},
    metadata,
    methods::{self, Step},
    origin,
    results::{self, Shape},
    versions::{self, Era, VERSION_HEADER},
    wire::{self, Answer, Message, PARSE_ERROR, Refusal},
};

/// The headers of an operation's answer that the endpoint's answer keeps.
const FORWARDED: [&str; 4] = ["ratelimit", "ratelimit-policy", "retry-after", "idempotency-replayed"];

/// An answer that needs no operation. The guard counts it like any other request.
#[derive(Debug)]
struct OwnAnswer {
    status: StatusCode,
    body: String,
}

impl OwnAnswer {
    fn refused(refusal: &Refusal, id: Option<&Value>) -> Self {
        Self { status: refusal.status, body: refusal.answer(id) }
    }

    fn response(self) -> HttpResponse {
        let mut response = HttpResponseBuilder::new(self.status);
        if self.body.is_empty() { response.finish() } else { response.content_type("application/json").body(self.body) }
    }
}

/// The message of a request, as far as it can be read.
struct Opened {
    id: Option<Value>,
    era: Era,
    /// The revision that the answer follows; `None` if the message cannot be read.
    version: Option<&'static str>,
    step: Result<Step, Refusal>,
}

/// The middleware around all routes. A message to the endpoint goes on as the request of its operation; other requests are not
/// touched. A message beyond its caller's rate limit is refused before it is read.
pub async fn front(
    mut request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<BoxBody>, Error> {
    if request.method() != Method::POST || routed(request.request()) != PATH {
        return Ok(next.call(request).await?.map_into_boxed_body());
    }
    let app = app_of(request.request());
    if !count_ahead(request.request()).await {
        // The body is not read, so that the answer cannot repeat the message's id.
        let response = next.call(request).await?.map_into_boxed_body();
        return Ok(answered(&app, response, None, None).await);
    }
    let Opened { id, era, version, step } = open(&app, &mut request).await;
    let own_answer = match step {
        Ok(Step::Call(operation, shape)) => {
            direct(&app, &mut request, operation);
            let response = next.call(request).await?.map_into_boxed_body();
            return Ok(named(answered(&app, response, id.as_ref(), Some((era, &shape))).await, version));
        }
        Ok(Step::Tell(result)) => {
            OwnAnswer { status: StatusCode::OK, body: Answer::text(id.as_ref().unwrap_or(&Value::Null), result) }
        }
        Ok(Step::Accept) => OwnAnswer { status: StatusCode::ACCEPTED, body: String::new() },
        Err(refusal) => OwnAnswer::refused(&refusal, id.as_ref()),
    };
    request.extensions_mut().insert(own_answer);
    let response = next.call(request).await?.map_into_boxed_body();
    Ok(named(answered(&app, response, id.as_ref(), None).await, version))
}

/// Names the revision of an answer.
fn named(mut response: ServiceResponse<BoxBody>, version: Option<&'static str>) -> ServiceResponse<BoxBody> {
    if let Some(version) = version {
        let header = HeaderName::from_static(VERSION_HEADER);
        response.headers_mut().insert(header, HeaderValue::from_static(version));
    }
    response
}

/// The endpoint itself, behind the guard.
#[post("/mcp", wrap = "from_fn(guard)")]
pub(crate) async fn answer(request: HttpRequest) -> Result<HttpResponse, Problem> {
    let own_answer = request.extensions_mut().remove::<OwnAnswer>();
    own_answer.map(OwnAnswer::response).ok_or_else(|| Problem::internal(&"a message without an answer"))
}

/// Reads the message of a request.
async fn open(app: &App, request: &mut ServiceRequest) -> Opened {
    let mut opened = Opened { id: None, era: Era::Handshake, version: None, step: Ok(Step::Accept) };
    opened.step = read(app, request, &mut opened).await;
    opened
}

async fn read(app: &App, request: &mut ServiceRequest, opened: &mut Opened) -> Result<Step, Refusal> {
    if !origin::is_allowed(request.headers(), &app.public_url) {
        let refusal = Refusal::new(wire::INVALID_REQUEST, "Pages of other sites may not call this server.");
        return Err(refusal.with_status(StatusCode::FORBIDDEN));
    }
    let body = request.extract::<Raw>().await.map_err(|error| Refusal::of(&problem_of(&error)))?;
    let (value, texts) = parsed(app, body.0).await?;
    opened.id = wire::id_of(&value);
    let message = Message::of(value, texts)?;
    opened.era = Era::of(&message, request.headers())?;
    opened.version = Some(versions::answered(&message, request.headers(), opened.era));
    methods::step(message, opened.era)
}

/// Parses a body, and finds the texts of a tool's arguments. A large one uses the threads for long work.
async fn parsed(app: &App, bytes: Bytes) -> Result<(Value, Texts), Refusal> {
    let is_large = bytes.len() > INLINE_MAX;
    let parse = move || serde_json::from_slice::<Value>(&bytes).map(|value| (value, texts(&bytes)));
    let parsed = if is_large { app.work.run(parse).await.map_err(|problem| Refusal::of(&problem))? } else { parse() };
    parsed.map_err(|error| Refusal::new(PARSE_ERROR, format!("The body is not valid JSON: {error}.")))
}

/// The texts of a tool's arguments.
fn texts(message: &[u8]) -> Texts {
    let arguments = member(message, &["params", "arguments"]).map(|arguments| members(arguments.get().as_bytes()));
    arguments.into_iter().flatten().map(|(name, text)| (name, text.to_owned())).collect()
}

/// Turns a request into that of an operation, before it is routed.
fn direct(app: &App, request: &mut ServiceRequest, operation: Operation) {
    let Operation { method, uri, body } = operation;
    request.match_info_mut().get_mut().update(&uri);
    let head = request.head_mut();
    head.method = method;
    head.uri = uri;
    // The answer is read here: in full, as JSON, and not compressed.
    for name in [ACCEPT_ENCODING, IF_MATCH, IF_NONE_MATCH] {
        head.headers.remove(name);
    }
    head.headers.insert(ACCEPT, HeaderValue::from_static("application/json"));
    request.set_payload(body.map_or(Payload::None, |body| Payload::from(Bytes::from(body))));
    // Routing and error answers must use the same decision.
    let dialect = app.declared.dialect(routed(request.request()));
    request.extensions_mut().insert(dialect);
}

/// Turns the answer of an operation, or of the guard, into one of the protocol.
async fn answered(
    app: &App,
    response: ServiceResponse<BoxBody>,
    id: Option<&Value>,
    called: Option<(Era, &Shape)>,
) -> ServiceResponse<BoxBody> {
    let status = response.status();
    let problem = response.response().error().filter(|_| !status.is_success()).map(problem_of);
    if problem.is_none() && called.is_none() {
        return response;
    }
    let (request, response) = response.into_parts();
    let (response, body) = response.into_parts();
    let own_answer = match (&problem, called, id) {
        (Some(problem), Some((era, shape)), Some(id)) => match results::failed(era, id, shape, problem) {
            Ok(body) => OwnAnswer { status: StatusCode::OK, body },
            Err(refusal) => OwnAnswer::refused(&refusal, Some(id)),
        },
        (None, Some((era, shape)), Some(id)) if status.is_success() => {
            let body = to_bytes(body).await.unwrap_or_default();
            let body = results::succeeded(era, id, shape, &String::from_utf8_lossy(&body));
            OwnAnswer { status: StatusCode::OK, body }
        }
        (Some(problem), ..) => OwnAnswer::refused(&Refusal::of(problem), id),
        _ => OwnAnswer::refused(&Refusal::of(&Problem::internal(&format!("an operation answered {status}"))), id),
    };
    let mut refusal = own_answer.response();
    for name in FORWARDED.map(HeaderName::from_static) {
        if let Some(value) = response.headers().get(&name) {
            refusal.headers_mut().insert(name, value.clone());
        }
    }
    let error = match refusal.status() {
        StatusCode::UNAUTHORIZED => Some(bearer(&request).map(|_| "invalid_token")),
        StatusCode::FORBIDDEN if problem.as_ref().is_some_and(results::is_missing_scope) => {
            Some(Some("insufficient_scope"))
        }
        _ => None,
    };
    let challenge = error.map(|error| metadata::challenge(app, error));
    if let Some(challenge) = challenge.and_then(|challenge| HeaderValue::from_str(&challenge).ok()) {
        refusal.headers_mut().insert(WWW_AUTHENTICATE, challenge);
    }
    ServiceResponse::new(request, refusal)
}

/// The problem of an error answer.
fn problem_of(error: &Error) -> Problem {
    error.as_error::<Problem>().cloned().unwrap_or_else(|| Problem::internal(error))
}
