//! Errors of the two-party exchange before a request reaches the responder (seed: «Response Fields»).

use buildtrack_http::{
    described::{conditional, failure},
    dialect::Dialect,
    problem::{FieldError, Problem},
};
use serde::Serialize;
use utoipa::{
    PartialSchema, ToSchema,
    openapi::{PathItem, path::Operation},
};

/// The dialect of the two-party exchange.
pub static DIALECT: Dialect = Dialect {
    name: "exchange",
    roots: &["/agora"],
    media_type: "application/json",
    error: || ("ExchangeFailure".to_owned(), ExchangeFailure::schema()),
    serialize: |problem, request_id| problem.words(|problem| ExchangeFailure::of(problem, request_id)),
    describe,
    reasons: None,
};

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

/// Adds the parts that all operations of the two-party exchange share.
fn describe(_: &str, item: &mut PathItem) {
    let exchange_failure = |operation: &mut Operation, status, description: &str| {
        failure(operation, status, description, ("ExchangeFailure", "application/json"));
    };
    if let Some(operation) = &mut item.post {
        exchange_failure(operation, 408, "`request_timeout`: the body did not arrive in time");
        exchange_failure(operation, 413, "`body_too_large`");
        exchange_failure(operation, 415, "`unsupported_media_type`");
    }
    if let Some(operation) = &mut item.get {
        conditional(operation);
    }
    for operation in [&mut item.post, &mut item.delete].into_iter().flatten() {
        exchange_failure(operation, 409, "`conflict`: concurrent requests changed the same entity several times");
    }
    for operation in [&mut item.get, &mut item.post, &mut item.delete].into_iter().flatten() {
        exchange_failure(operation, 401, "`invalid_token`, `key_is_not_a_token`: send a valid token, or none");
        exchange_failure(
            operation,
            403,
            "`https_required`; `missing_scope`: the session needs the scope `write`; `suspended`: operators have suspended its holder",
        );
        exchange_failure(operation, 429, "`rate_limited`, `too_many_streams_held`: wait for `Retry-After` seconds");
        exchange_failure(operation, 500, "`internal_error`");
        exchange_failure(
            operation,
            503,
            "`unavailable`, `storage_low`, `too_many_streams`, `shutting_down`: retry after `Retry-After` seconds",
        );
    }
}
