//! The format of error answers: problem details on the server's own paths, a protocol's own format on the paths of a protocol.

use actix_web::{
    HttpRequest, HttpResponse,
    http::{StatusCode, header::CONTENT_TYPE},
};
use serde::Serialize;
use utoipa::ToSchema;

use super::{
    paths::routed,
    problem::{FieldError, Problem},
};

/// Paths of the relay. Their subpaths belong to it too.
const RELAY: [&str; 7] = ["/events", "/health", "/seed", "/v1/messages", "/v1/threads", "/v1/agents", "/v1/discover"];
/// Paths under `/v1` that belong to the server, not to the relay's protocol.
const BESIDE: [&str; 3] = ["/v1/limits", "/v1/receipts", "/v1/manifest.schema.json"];

/// The path of the two-party exchange. Its subpaths belong to it too.
const EXCHANGE: &str = "/agora";

/// The format in which an error is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dialect {
    /// Problem details (RFC 9457).
    Problems,
    /// Agora Protocol v1.0, «Error Codes».
    Agora,
    /// Agora Protocol for Two-Party JSON Exchanges, «Response Fields».
    Exchange,
}

impl Dialect {
    /// The format for a request.
    pub(crate) fn of(request: &HttpRequest) -> Self {
        Self::at(routed(request))
    }

    /// The format for a path, as the router decodes it.
    pub(crate) fn at(path: &str) -> Self {
        let below = |root: &str| path.strip_prefix(root).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        if below(EXCHANGE) {
            return Self::Exchange;
        }
        if RELAY.iter().chain(&BESIDE).any(|root| below(root)) { Self::Agora } else { Self::Problems }
    }

    /// Serializes a problem in this format.
    pub(crate) fn words(self, problem: &Problem, request_id: &str) -> String {
        match self {
            Self::Problems => problem.words(Problem::clone),
            Self::Agora => problem.words(|problem| AgoraError::of(problem, request_id)),
            Self::Exchange => problem.words(|problem| ExchangeFailure::of(problem, request_id)),
        }
    }

    /// Builds the answer for a problem in this format.
    pub(crate) fn tell(self, problem: &Problem, request_id: &str) -> HttpResponse {
        if self == Self::Problems {
            return problem.response(Some(request_id));
        }
        let told = self.words(problem, request_id);
        let mut response = problem.response(Some(request_id)).map_body(|_, _| told).map_into_boxed_body();
        let json = actix_web::http::header::HeaderValue::from_static("application/json");
        response.headers_mut().insert(CONTENT_TYPE, json);
        response
    }
}

/// An error of the relay, in the format of the Agora Protocol.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AgoraError {
    /// Always `false`.
    #[schema(example = false)]
    pub ok: bool,
    /// The error code of the Agora Protocol.
    #[schema(example = "INVALID_REQUEST")]
    pub error: String,
    /// A description of the error, for people.
    #[schema(example = "the signature is not that of sender.id over this envelope.")]
    pub message: String,
    /// The kind of problem, for programs: a code that `/docs/problems` explains.
    #[schema(example = "signature_invalid")]
    pub reason: String,
    /// The suggested next step for the client.
    pub hint: String,
    /// Whether a retry of the same request may succeed.
    pub retryable: bool,
    /// The invalid fields and parameters, at most 20.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(max_items = 20)]
    pub errors: Vec<FieldError>,
    /// The minimum number of further invalid fields and parameters. Absent if `errors` lists all of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, minimum = 1, example = 12)]
    pub more_errors: Option<u64>,
    /// Identifies the request in the server's log.
    #[schema(example = "01h2e8kqvbfwea724h75qc655w")]
    pub request_id: String,
}

impl AgoraError {
    fn of(problem: &Problem, request_id: &str) -> Self {
        Self {
            ok: false,
            error: code_of(problem).to_owned(),
            message: problem.detail.clone(),
            reason: problem.code.clone(),
            hint: problem.hint.clone(),
            retryable: problem.retryable,
            errors: problem.errors.clone(),
            more_errors: problem.more_errors,
            request_id: request_id.to_owned(),
        }
    }
}

/// An error of the two-party exchange before the request reaches the responder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ExchangeFailure {
    /// Always `failure`.
    #[schema(pattern = "^failure$", example = "failure")]
    pub status: &'static str,
    /// A description of the error, for people.
    #[schema(example = "There is no such conversation.")]
    pub error: String,
    /// The kind of problem, for programs: a code that `/docs/problems` explains.
    #[schema(example = "not_found")]
    pub code: String,
    /// The suggested next step for the client.
    pub hint: String,
    /// Whether a retry of the same request may succeed.
    pub retryable: bool,
    /// The invalid fields, at most 20.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(max_items = 20)]
    pub errors: Vec<FieldError>,
    /// The minimum number of further invalid fields and parameters. Absent if `errors` lists all of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, minimum = 1, example = 12)]
    pub more_errors: Option<u64>,
    /// Identifies the request in the server's log.
    #[schema(example = "01h2e8kqvbfwea724h75qc655w")]
    pub request_id: String,
}

impl ExchangeFailure {
    fn of(problem: &Problem, request_id: &str) -> Self {
        Self {
            status: "failure",
            error: problem.detail.clone(),
            code: problem.code.clone(),
            hint: problem.hint.clone(),
            retryable: problem.retryable,
            errors: problem.errors.clone(),
            more_errors: problem.more_errors,
            request_id: request_id.to_owned(),
        }
    }
}

/// Returns the error code of the Agora Protocol for a problem (seed: «Error Codes»).
pub(crate) fn code_of(problem: &Problem) -> &'static str {
    match StatusCode::from_u16(problem.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR) {
        _ if problem.code == "thread_timed_out" => "TIMEOUT",
        StatusCode::REQUEST_TIMEOUT => "TIMEOUT",
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => "FORBIDDEN",
        StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE => "UNAVAILABLE",
        status if status.is_server_error() => "INTERNAL_ERROR",
        _ => "INVALID_REQUEST",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_the_relay_answer_errors_in_its_format() {
        for path in ["/events", "/v1/messages", "/v1/messages/m1", "/v1/threads/t", "/health", "/v1/limits"] {
            assert_eq!(Dialect::at(path), Dialect::Agora, "{path}");
        }
        for path in ["/", "/api/v1/agents", "/eventsx", "/v1/stream", "/docs"] {
            assert_eq!(Dialect::at(path), Dialect::Problems, "{path}");
        }
        for path in ["/agora", "/agora/", "/agora/conversations/conv_x", "/agora/anything"] {
            assert_eq!(Dialect::at(path), Dialect::Exchange, "{path}");
        }
        assert_eq!(Dialect::at("/agorax"), Dialect::Problems);
    }
}
