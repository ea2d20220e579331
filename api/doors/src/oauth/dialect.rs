//! Errors in the form of OAuth (RFC 6749, section 5.2), with the members of the server's own errors beside them.

use buildtrack_http::{
    dialect::Dialect,
    problem::{FieldError, Problem},
};
use serde::Serialize;
use utoipa::{PartialSchema, ToSchema};

use super::codes::ERRORS;

/// The dialect of OAuth.
pub static DIALECT: Dialect = Dialect {
    name: "oauth",
    roots: &["/oauth"],
    media_type: "application/json",
    error: || ("OAuthFailure".to_owned(), OAuthFailure::schema()),
    serialize: |problem, request_id| problem.words(|problem| OAuthFailure::of(problem, request_id)),
    describe: |_, _| (),
    reasons: None,
};

/// An error of OAuth.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct OAuthFailure {
    /// The kind of error, as the standards name it.
    error: &'static str,
    /// A description of the error, for people.
    #[serde(rename = "error_description")]
    error_description: String,
    /// The kind of problem, for programs: a code that `/docs/problems` explains.
    code: String,
    /// The suggested next step for the client.
    hint: String,
    /// Whether a retry of the same request may succeed.
    retryable: bool,
    /// The invalid fields, at most 20.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    errors: Vec<FieldError>,
    /// The minimum number of further invalid fields.
    #[serde(skip_serializing_if = "Option::is_none")]
    more_errors: Option<u64>,
    /// Identifies the request in the server's log.
    request_id: String,
}

impl OAuthFailure {
    fn of(problem: &Problem, request_id: &str) -> Self {
        Self {
            error: error_of(problem),
            error_description: plain(&problem.detail),
            code: problem.code.clone(),
            hint: problem.hint.clone(),
            retryable: problem.retryable,
            errors: problem.errors.clone(),
            more_errors: problem.more_errors,
            request_id: request_id.to_owned(),
        }
    }
}

/// The protocol's name of an error.
pub(super) fn error_of(problem: &Problem) -> &'static str {
    let named = ERRORS.into_iter().find(|name| *name == problem.code);
    named.unwrap_or(match problem.status {
        429 | 503 => "temporarily_unavailable",
        500.. => "server_error",
        _ => "invalid_request",
    })
}

/// A description has printable ASCII alone, without quotation marks and backslashes.
pub(super) fn plain(text: &str) -> String {
    let letter = |letter: char| match letter {
        '"' | '\\' => '\'',
        ' '..='~' => letter,
        _ => '?',
    };
    text.chars().map(letter).collect()
}

#[cfg(test)]
mod tests {
    use actix_web::http::StatusCode;
    use serde_json::Value;

    use super::*;

    fn body(problem: &Problem) -> Value {
        serde_json::from_str(&(DIALECT.serialize)(problem, "r1")).unwrap()
    }

    #[test]
    fn an_error_has_the_name_of_the_standard() {
        let refused =
            Problem::new(StatusCode::BAD_REQUEST, "invalid_grant", "The \"code\" é is unknown.", "Ask again.");
        let error = body(&refused);
        assert_eq!((&error["error"], &error["code"]), (&"invalid_grant".into(), &"invalid_grant".into()));
        assert_eq!(
            (&error["error_description"], &error["requestId"]),
            (&"The 'code' ? is unknown.".into(), &"r1".into())
        );
        for (status, code, name) in [
            (StatusCode::TOO_MANY_REQUESTS, "rate_limited", "temporarily_unavailable"),
            (StatusCode::INTERNAL_SERVER_ERROR, "internal_error", "server_error"),
            (StatusCode::NOT_FOUND, "not_found", "invalid_request"),
        ] {
            assert_eq!(body(&Problem::new(status, code, "No.", "Wait."))["error"], name);
        }
    }
}
