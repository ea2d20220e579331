//! The outermost middleware: for each request an id, a log line, a metric and a span. It also turns errors of lower layers
//! into problem details.

use std::time::Instant;

use actix_web::{
    Error, HttpMessage, HttpRequest, HttpResponse,
    body::{BoxBody, MessageBody},
    dev::{ServiceRequest, ServiceResponse},
    http::{
        Method, StatusCode,
        header::{CONTENT_LENGTH, CONTENT_TYPE, HeaderName, HeaderValue},
    },
    middleware::Next,
};
use buildtrack_store::counting_reads;
use buildtrack_traces::Span;
use tracing::Instrument;

use super::{
    accept::Accept,
    auth::Authenticated,
    cors,
    dialect::{Dialect, NATIVE},
    guard::app_of,
    own_page::OwnPage,
    paths::{routed, shown},
    problem::Problem,
    session_cookie::is_portal,
};

/// Seconds in which the head of a request must arrive. The HTTP server itself refuses a slower one.
pub const REQUEST_SECONDS: u64 = 10;
const METHODS: [&str; 5] = ["GET", "POST", "PUT", "PATCH", "DELETE"];
const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Marks a HEAD request: the answer has no body.
#[derive(Debug, Clone, Copy)]
pub struct HeadOnly;

/// The middleware of every request.
pub async fn edge(
    mut request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<BoxBody>, Error> {
    let started = Instant::now();
    if request.method() == Method::HEAD {
        // Every route for GET also serves HEAD. The connection omits the body.
        request.head_mut().method = Method::GET;
        request.extensions_mut().insert(HeadOnly);
    }
    let app = app_of(request.request());
    // Routing and error answers must use the same decision.
    let dialect = app.declared.dialect(routed(request.request()));
    request.extensions_mut().insert(dialect);
    let request_id = app.store.log().clock().uuid().simple().to_string();
    let traced = trace(&request, &request_id);
    let trace_id = traced.trace_id();
    let span = tracing::info_span!("request", id = %request_id, method = %request.method(), path = &*shown(routed(request.request())), trace_id);
    // Every lower layer returns a response. A rejected request comes back as a response that carries the error.
    let answering = traced.around(answer(request, next).instrument(span.clone()));
    let (response, reads) = counting_reads(answering).await;
    let mut response = explain(response?, dialect, &request_id);
    cors::open(&mut response);
    app.mount.leave(response.headers_mut());
    if let Ok(value) = HeaderValue::from_str(&request_id) {
        response.headers_mut().insert(REQUEST_ID, value);
    }
    let pattern = response.request().match_pattern();
    let (status, elapsed) = (response.status().as_u16(), started.elapsed());
    traced.answered(response.request().method().as_str(), pattern.as_deref(), status);
    let pattern = pattern.unwrap_or_else(|| "unmatched".into());
    measure(response.request().method().as_str(), pattern, status, elapsed);
    span.in_scope(|| {
        let known = response.request().extensions().get::<Authenticated>().map(|known| known.session.actor.id);
        let caller = known.map(tracing::field::display);
        tracing::info!(status, duration_ms = elapsed.as_secs_f64() * 1000.0, reads, caller, "answered");
    });
    Ok(response)
}

/// Answers the preflight of a browser. Every other request goes to its route.
async fn answer(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<BoxBody>, Error> {
    match cors::preflight(request.request()) {
        Some(response) => Ok(request.into_response(response)),
        None => Ok(next.call(request).await?.map_into_boxed_body()),
    }
}

/// Opens the request's span. It continues the caller's trace, if the request has one.
fn trace(request: &ServiceRequest, request_id: &str) -> Span {
    let header = |name| request.headers().get(name).and_then(|value| value.to_str().ok());
    let span = buildtrack_traces::request(request.method().as_str(), &shown(routed(request.request())), header);
    span.is_request(request_id);
    span
}

fn measure(method: &str, pattern: String, status: u16, elapsed: std::time::Duration) {
    let class = format!("{}xx", status / 100);
    // Callers may send arbitrary methods. Each would create a metric series for ever.
    let method = METHODS.into_iter().find(|known| *known == method).unwrap_or("other");
    metrics::histogram!("buildtrack_http_seconds", "method" => method, "path" => pattern, "status" => class)
        .record(elapsed.as_secs_f64());
}

/// Replaces every error by problem details with the request id.
fn explain(response: ServiceResponse<BoxBody>, dialect: &Dialect, request_id: &str) -> ServiceResponse<BoxBody> {
    let status = response.status();
    if !status.is_client_error() && !status.is_server_error() {
        return response;
    }
    let problem = match response.response().error() {
        Some(error) => match error.as_error::<Problem>() {
            Some(problem) => problem.clone(),
            None => generic(status, &error.to_string()),
        },
        None if has_own_body(&response) => return response,
        None => generic(status, ""),
    };
    let problem = problem.mounted(&app_of(response.request()).mount);
    let page = page_of(response.request(), dialect, &problem, request_id);
    let mut explained = page.unwrap_or_else(|| dialect.tell(&problem, request_id));
    for (name, value) in response.headers() {
        if name != CONTENT_TYPE && name != CONTENT_LENGTH && !explained.headers().contains_key(name) {
            explained.headers_mut().append(name.clone(), value.clone());
        }
    }
    response.into_response(explained)
}

/// The page for a problem, if a browser asks for one. The API and the protocols answer programs alone.
fn page_of(request: &HttpRequest, dialect: &Dialect, problem: &Problem, request_id: &str) -> Option<HttpResponse> {
    let path = routed(request);
    let has_pages =
        *dialect == NATIVE && (is_portal(path) || request.method() == Method::GET && !path.starts_with("/api/"));
    if let Some(own) = OwnPage::render(request, problem, request_id) {
        return Some(own);
    }
    let problem_page = app_of(request).declared.problem_page;
    if has_pages && Accept::of(request).prefers_page() { problem_page(request, problem, request_id) } else { None }
}

fn has_own_body(response: &ServiceResponse<BoxBody>) -> bool {
    let kind = response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    kind.contains("json")
}

/// The problem for an error of the web framework.
fn generic(status: StatusCode, detail: &str) -> Problem {
    let name = status.canonical_reason().unwrap_or("error").to_lowercase().replace(' ', "_");
    let detail = if status.is_server_error() || detail.is_empty() {
        "The server could not process the request.".to_owned()
    } else {
        format!("{detail}.")
    };
    Problem::new(status, &name, detail, "See /docs for the operations and their parameters.")
}
