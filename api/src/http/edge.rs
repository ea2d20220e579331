//! The outermost layer: a request id, one log line, one measurement and one span a request, and problem details for whatever
//! error comes from below without them.

use std::{borrow::Cow, time::Instant};

use actix_web::{
    Error, HttpMessage,
    body::{BoxBody, MessageBody},
    dev::{ServiceRequest, ServiceResponse},
    http::{
        Method, StatusCode,
        header::{CONTENT_LENGTH, CONTENT_TYPE, HeaderName, HeaderValue},
    },
    middleware::Next,
};
use buildtrack_traces::Span;
use tracing::Instrument;

use super::{
    auth::Authenticated,
    dialect::Dialect,
    guard::app_of,
    problem::{Problem, shortened},
};

const METHODS: [&str; 5] = ["GET", "POST", "PUT", "PATCH", "DELETE"];
const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Marks a request of which only the head is answered.
#[derive(Debug, Clone, Copy)]
pub(crate) struct HeadOnly;

/// Middleware of every request.
pub(crate) async fn edge(
    mut request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<BoxBody>, Error> {
    let started = Instant::now();
    if request.method() == Method::HEAD {
        // Whatever answers GET answers HEAD; the connection leaves the body out.
        request.head_mut().method = Method::GET;
        request.extensions_mut().insert(HeadOnly);
    }
    let request_id = app_of(request.request()).store.clock().uuid().simple().to_string();
    let traced = trace(&request, &request_id);
    let trace_id = traced.trace_id();
    let span = tracing::info_span!("request", id = %request_id, method = %request.method(), path = &*shown(request.path()), trace_id);
    // Every layer below answers; what it refuses comes as a response that carries the error.
    let answering = traced.around(next.call(request).instrument(span.clone()));
    let response = answering.await?.map_into_boxed_body();
    let mut response = explain(response, &request_id);
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
        tracing::info!(status, duration_ms = elapsed.as_secs_f64() * 1000.0, caller, "answered");
    });
    Ok(response)
}

/// Characters of a path that logs and traces have.
const SHOWN_MAX: usize = 400;

/// A path as logs and traces have it: without the id of a conversation, which opens it to whoever reads them.
fn shown(path: &str) -> Cow<'_, str> {
    const SECRET: &str = "/conversations/";
    match path.find(SECRET).filter(|_| Dialect::at(path) == Dialect::Exchange) {
        Some(at) => format!("{}…", &path[..at + SECRET.len()]).into(),
        None if path.len() > SHOWN_MAX => shortened(path.to_owned(), SHOWN_MAX).into(),
        None => path.into(),
    }
}

/// The request's span; a caller's trace goes on.
fn trace(request: &ServiceRequest, request_id: &str) -> Span {
    let header = |name| request.headers().get(name).and_then(|value| value.to_str().ok());
    let span = buildtrack_traces::request(request.method().as_str(), &shown(request.path()), header);
    span.is_request(request_id);
    span
}

fn measure(method: &str, pattern: String, status: u16, elapsed: std::time::Duration) {
    let class = format!("{}xx", status / 100);
    // Callers may invent methods; each would be a series for ever.
    let method = METHODS.into_iter().find(|known| *known == method).unwrap_or("other");
    metrics::histogram!("buildtrack_http_seconds", "method" => method, "path" => pattern, "status" => class)
        .record(elapsed.as_secs_f64());
}

/// Puts every error into problem details that name the request.
fn explain(response: ServiceResponse<BoxBody>, request_id: &str) -> ServiceResponse<BoxBody> {
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
    let mut explained = Dialect::at(response.request().path()).tell(&problem, request_id);
    for (name, value) in response.headers() {
        if name != CONTENT_TYPE && name != CONTENT_LENGTH && !explained.headers().contains_key(name) {
            explained.headers_mut().append(name.clone(), value.clone());
        }
    }
    response.into_response(explained)
}

fn has_own_body(response: &ServiceResponse<BoxBody>) -> bool {
    let kind = response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    kind.contains("json")
}

/// What the web framework refuses by itself.
fn generic(status: StatusCode, detail: &str) -> Problem {
    let name = status.canonical_reason().unwrap_or("error").to_lowercase().replace(' ', "_");
    let detail = if status.is_server_error() || detail.is_empty() {
        "The request could not be answered.".to_owned()
    } else {
        format!("{detail}.")
    };
    Problem::new(status, &name, detail, "See /docs for the operations and their parameters.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_log_line_holds_the_id_of_a_conversation() {
        assert_eq!(shown("/agora/conversations/conv_x"), "/agora/conversations/…");
        assert_eq!(shown("/agora/agents/ag_x/conversations/conv_x/y"), "/agora/agents/ag_x/conversations/…");
        for path in ["/agora", "/api/v1/conversations/x"] {
            assert_eq!(shown(path), path);
        }
        assert_eq!(shown(&"/é".repeat(50_000)).chars().count(), SHOWN_MAX + 1);
    }
}
