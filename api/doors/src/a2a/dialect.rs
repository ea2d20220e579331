//! Errors in the form of the A2A protocol (specification 1.0, section 11.6): `google.rpc.Status` as JSON.

use buildtrack_domain::exchange::tasks::MEDIA_TYPE;
use buildtrack_http::{dialect::Dialect, problem::Problem};
use serde::Serialize;
use serde_json::{Value, json};
use utoipa::{PartialSchema, ToSchema};

use super::codes::CODES;

/// The dialect of the A2A protocol.
pub static DIALECT: Dialect = Dialect {
    name: "a2a",
    roots: &["/a2a"],
    media_type: MEDIA_TYPE,
    error: || ("RpcFailure".to_owned(), RpcFailure::schema()),
    serialize: |problem, request_id| problem.words(|problem| RpcFailure::of(problem, request_id)),
    describe: |_, _| (),
    reasons: None,
};

/// An error of the A2A protocol.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct RpcFailure {
    error: RpcStatus,
}

/// `google.rpc.Status`.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct RpcStatus {
    /// The HTTP status.
    code: u16,
    /// The name of the corresponding gRPC status.
    status: &'static str,
    /// A description of the error, for people.
    message: String,
    /// `google.rpc.ErrorInfo`, and `google.rpc.BadRequest` if fields are invalid.
    #[schema(value_type = Vec<Object>)]
    details: Vec<Value>,
}

impl RpcFailure {
    fn of(problem: &Problem, request_id: &str) -> Self {
        let is_of_protocol = CODES.iter().any(|(code, _)| *code == problem.code);
        let mut metadata = json!({
            "code": problem.code,
            "hint": problem.hint,
            "retryable": problem.retryable.to_string(),
            "requestId": request_id,
        });
        // The values of this map are strings.
        if let Some(more) = problem.more_errors {
            metadata["moreErrors"] = more.to_string().into();
        }
        let mut details = vec![json!({
            "@type": "type.googleapis.com/google.rpc.ErrorInfo",
            "reason": problem.code.to_uppercase(),
            "domain": if is_of_protocol { "a2a-protocol.org" } else { "buildtrack" },
            "metadata": metadata,
        })];
        if !problem.errors.is_empty() {
            let violations = problem.errors.iter().map(|error| {
                let field = error.pointer.as_ref().or(error.parameter.as_ref()).cloned().unwrap_or_default();
                json!({ "field": field, "description": format!("{}. {}", error.message, error.hint), "reason": error.code })
            });
            details.push(json!({
                "@type": "type.googleapis.com/google.rpc.BadRequest",
                "fieldViolations": violations.collect::<Vec<_>>(),
            }));
        }
        let (code, status) = (problem.status, status_of(problem));
        Self { error: RpcStatus { code, status, message: problem.detail.clone(), details } }
    }
}

/// The name of the gRPC status (specification, section 5.4).
fn status_of(problem: &Problem) -> &'static str {
    match (problem.status, problem.code.as_str()) {
        (400, "content_type_not_supported" | "invalid_params" | "invalid_parameter" | "malformed_json") => {
            "INVALID_ARGUMENT"
        }
        (400 | 410, _) => "FAILED_PRECONDITION",
        (401, _) => "UNAUTHENTICATED",
        (403, _) => "PERMISSION_DENIED",
        (404, _) => "NOT_FOUND",
        (405, _) => "UNIMPLEMENTED",
        (408, _) => "DEADLINE_EXCEEDED",
        (409, _) => "ABORTED",
        (429, _) => "RESOURCE_EXHAUSTED",
        (503, _) => "UNAVAILABLE",
        (500.., _) => "INTERNAL",
        _ => "INVALID_ARGUMENT",
    }
}

#[cfg(test)]
mod tests {
    use actix_web::http::StatusCode;

    use super::*;

    #[test]
    fn an_error_names_its_reason_and_its_invalid_fields() {
        let field =
            buildtrack_http::problem::FieldError::field("/message/role", "invalid", "role is missing", "Add it.");
        let mut problem =
            Problem::new(StatusCode::BAD_REQUEST, "invalid_params", "The message is invalid.", "Correct it.");
        problem.errors = vec![field];
        let answer: Value = serde_json::from_str(&(DIALECT.serialize)(&problem, "r1")).unwrap();
        let error = &answer["error"];
        assert_eq!((&error["code"], &error["status"]), (&json!(400), &json!("INVALID_ARGUMENT")));
        let info = &error["details"][0];
        assert_eq!((&info["reason"], &info["domain"]), (&json!("INVALID_PARAMS"), &json!("a2a-protocol.org")));
        assert_eq!(info["metadata"]["requestId"], "r1");
        assert_eq!(error["details"][1]["fieldViolations"][0]["field"], "/message/role");
    }
}
