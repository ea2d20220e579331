//! The relay's errors (seed: Agora Protocol v1.0, «Error Codes»).

use actix_web::http::StatusCode;
use buildtrack_http::{
    described::{failure, operations},
    dialect::{Dialect, Reasons},
    problem::{Cause, FieldError, Problem},
};
use serde::Serialize;
use utoipa::{
    PartialSchema, ToSchema,
    openapi::{PathItem, path::Operation},
};

use super::reasons::REASONS;

/// The relay's dialect. Under `/v1`, three paths belong to the server rather than to the protocol.
pub static DIALECT: Dialect = Dialect {
    name: "relay",
    roots: &[
        "/events",
        "/health",
        "/seed",
        "/v1/messages",
        "/v1/threads",
        "/v1/agents",
        "/v1/discover",
        "/v1/limits",
        "/v1/receipts",
        "/v1/manifest.schema.json",
    ],
    media_type: "application/json",
    error: || ("AgoraError".to_owned(), AgoraError::schema()),
    serialize: |problem, request_id| problem.words(|problem| AgoraError::of(problem, request_id)),
    describe,
    reasons: Some(Reasons { title: "The relay", protocol: "the Agora Protocol", member: "reason", codes: REASONS }),
};

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

/// Returns the error code of the Agora Protocol for a problem (seed: «Error Codes»).
pub(crate) fn code_of(problem: &Problem) -> &'static str {
    match StatusCode::from_u16(problem.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR) {
        _ if problem.cause == Cause::TimedOut => "TIMEOUT",
        StatusCode::REQUEST_TIMEOUT => "TIMEOUT",
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => "FORBIDDEN",
        StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE => "UNAVAILABLE",
        status if status.is_server_error() => "INTERNAL_ERROR",
        _ => "INVALID_REQUEST",
    }
}

/// Adds the parts that all operations of the relay share.
fn describe(path: &str, item: &mut PathItem) {
    for operation in operations(item).filter(|operation| operation.request_body.is_some()) {
        refusal(operation, 408, "`TIMEOUT`: `request_timeout`: the body did not arrive in time");
        refusal(operation, 413, "`INVALID_REQUEST`: `body_too_large`");
        refusal(operation, 415, "`INVALID_REQUEST`: `unsupported_media_type`");
    }
    for operation in [&mut item.get, &mut item.post, &mut item.put, &mut item.delete].into_iter().flatten() {
        if path != "/health" {
            refusal(operation, 400, "`INVALID_REQUEST`: `invalid_parameter`");
            refusal(
                operation,
                429,
                "`UNAVAILABLE`: `rate_limited`, and `budget_spent` for the storage budget: wait for `Retry-After` seconds",
            );
            refusal(
                operation,
                503,
                "`UNAVAILABLE`: `unavailable`, `storage_low`, `shutting_down`: retry after `Retry-After` seconds",
            );
        }
        refusal(operation, 500, "`INTERNAL_ERROR`: `internal_error`");
    }
}

fn refusal(operation: &mut Operation, status: u16, description: &str) {
    failure(operation, status, description, ("AgoraError", "application/json"));
}
