//! Problem details (RFC 9457): the format of all errors on the server's own paths.
//!
//! **Invariant:** an error answer has fewer than [`ERROR_BYTES_MAX`] bytes for every request. [`Problem::words`] is the only
//! place that serializes errors, in each protocol's format.

mod rendering;

use std::{fmt, time::Duration};

use actix_web::http::StatusCode;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{
    field_errors::{FieldErrors, TEXT_MAX},
    mount::Mount,
};

pub use super::field_errors::{FieldError, shortened};

/// The exclusive upper bound of the bytes of an error answer.
pub const ERROR_BYTES_MAX: usize = 32 * 1024;
/// An earlier text of the same author that prevents the request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Original {
    /// The id of a message, a post or a reply.
    #[schema(example = "msg_01h2e8kqvbfwea724h75qc655w")]
    pub id: String,
    /// The canonical URL of the text.
    #[schema(
        example = "https://build.example/build/ws_01h2e8kqvbfwea724h75qc655w/messages/msg_01h2e8kqvbfwea724h75qc655w"
    )]
    pub url: String,
}

/// A problem detail (RFC 9457): a description of the error, and a suggested next step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Problem {
    /// A URI reference for the kind of problem. It leads to the documentation.
    #[serde(rename = "type")]
    #[schema(example = "/docs/problems#validation_failed")]
    pub kind: String,
    /// The title of the HTTP status.
    #[schema(example = "Unprocessable Entity")]
    pub title: String,
    /// The HTTP status.
    #[schema(example = 422)]
    pub status: u16,
    /// A description of this occurrence, for people.
    #[schema(example = "2 fields are invalid")]
    pub detail: String,
    /// The kind of problem, for programs: a code that `/docs/problems` explains.
    #[schema(example = "validation_failed")]
    pub code: String,
    /// The suggested next step for the client.
    #[schema(example = "Correct the fields listed in \"errors\" and send the request again.")]
    pub hint: String,
    /// Whether a retry of the same request may succeed.
    pub retryable: bool,
    /// The invalid fields and parameters, at most 20.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(max_items = 20)]
    pub errors: Vec<FieldError>,
    /// The minimum number of further invalid fields and parameters. Absent if `errors` lists all of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, minimum = 1, example = 12)]
    pub more_errors: Option<u64>,
    /// With `near_duplicate`: the earlier text of the same author.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub original: Option<Original>,
    /// Identifies the request in the server's log.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "01h2e8kqvbfwea724h75qc655w")]
    pub request_id: Option<String>,
    /// How long the client should wait before a retry.
    #[serde(skip)]
    pub retry_after: Option<Duration>,
    #[serde(skip)]
    pub(crate) allow: Option<String>,
    /// The cause, for code of the server.
    #[serde(skip)]
    pub cause: Cause,
    #[serde(skip)]
    replayed: bool,
}

/// The causes that code of the server tells apart. Clients distinguish problems by their codes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Cause {
    /// Any other cause.
    #[default]
    Other,
    /// Concurrent requests changed the same entity several times.
    Conflict,
    /// A guessed or mistyped key or password.
    FailedLogin,
    /// The path or the id does not exist, or the caller may not see it.
    NotFound,
    /// A limit of the owner.
    Quota,
    /// The deadline of a protocol has passed.
    TimedOut,
}

/// The media type of problem details.
pub const MEDIA_TYPE: &str = "application/problem+json";

impl Problem {
    /// A problem with this status, code, detail and hint.
    pub fn new(status: StatusCode, code: &str, detail: impl Into<String>, hint: impl Into<String>) -> Self {
        Self {
            kind: format!("/docs/problems#{code}"),
            title: status.canonical_reason().unwrap_or("Error").to_owned(),
            status: status.as_u16(),
            detail: shortened(detail.into(), TEXT_MAX),
            code: code.to_owned(),
            hint: shortened(hint.into(), TEXT_MAX),
            retryable: false,
            errors: vec![],
            more_errors: None,
            original: None,
            request_id: None,
            retry_after: None,
            allow: None,
            cause: Cause::Other,
            replayed: false,
        }
    }

    /// Marks the problem as one that may be gone at a retry, after this time if it is known.
    pub fn retryable(mut self, after: Option<Duration>) -> Self {
        self.retryable = true;
        self.retry_after = after;
        self
    }

    /// Sets the cause.
    pub fn of(self, cause: Cause) -> Self {
        Self { cause, ..self }
    }

    /// Marks the problem as the repeated answer of an earlier request with the same idempotency key.
    pub(crate) fn replayed(self) -> Self {
        Self { replayed: true, ..self }
    }

    /// Names its kind by the path on the server's host.
    pub(crate) fn mounted(self, mount: &Mount) -> Self {
        Self { kind: mount.on_host(&self.kind), ..self }
    }

    /// Completes the path of the original text to a full URL.
    pub(crate) fn located(mut self, public_url: &str) -> Self {
        if let Some(original) = self.original.as_mut().filter(|original| original.url.starts_with('/')) {
            original.url.insert_str(0, public_url);
        }
        self
    }

    /// 422: all invalid fields in one answer.
    pub fn invalid(field_errors: impl Into<FieldErrors>) -> Self {
        let (errors, more) = field_errors.into().into_parts();
        let detail = match (&errors[..], more) {
            ([only], 0) => only.message.clone(),
            (several, 0) => format!("{} fields are invalid", several.len()),
            (several, more) => {
                let all = more.saturating_add(several.len() as u64);
                format!("At least {all} fields are invalid; \"errors\" lists {} of them", several.len())
            }
        };
        let hint = "Correct the fields listed in \"errors\" and send the request again.";
        let mut problem = Self::new(StatusCode::UNPROCESSABLE_ENTITY, "validation_failed", detail, hint);
        problem.errors = errors;
        problem.more_errors = (more > 0).then_some(more);
        problem
    }

    /// 400: an invalid query parameter, path parameter or header.
    pub fn bad_parameters(field_errors: impl Into<FieldErrors>) -> Self {
        let mut problem = Self::invalid(field_errors);
        problem.status = 400;
        "Bad Request".clone_into(&mut problem.title);
        "invalid_parameter".clone_into(&mut problem.code);
        "/docs/problems#invalid_parameter".clone_into(&mut problem.kind);
        problem
    }

    /// 404: an unknown path or id.
    pub fn not_found(what: &str) -> Self {
        let hint = "Check the id. The list operation at the parent path returns valid ids.";
        Self::new(StatusCode::NOT_FOUND, "not_found", format!("There is no such {what}."), hint).of(Cause::NotFound)
    }

    /// 500. Only the log has the reason.
    pub fn internal(reason: &dyn fmt::Display) -> Self {
        tracing::error!(%reason, "a request failed");
        let hint =
            "Repeat the request later. If the error persists, report the requestId to the operator of the server.";
        Self::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            "internal_error",
            "An unexpected error occurred on the server.",
            hint,
        )
        .retryable(None)
    }
}

#[cfg(test)]
mod tests;
