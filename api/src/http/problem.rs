//! Problem details (RFC 9457): the one shape of every error of our own paths.
//!
//! **Invariant:** an error answer has fewer than [`ERROR_BYTES_MAX`] bytes, whatever the caller sent: [`Problem::words`] is
//! the one place where errors are put into words, in each protocol's shape.

use std::{fmt, time::Duration};

use actix_web::{HttpResponse, HttpResponseBuilder, ResponseError, http::StatusCode};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{
    faults::{Faults, NAMED_MAX},
    idempotency::REPLAYED,
};

/// Bytes of an error answer, at most one less.
pub(crate) const ERROR_BYTES_MAX: usize = 32 * 1024;
/// Characters of what an error says.
const TEXT_MAX: usize = 1000;
/// Characters of the place that an error names.
const PLACE_MAX: usize = 300;

/// A text of at most so many characters: the beginning of a longer one, with an ellipsis.
pub(crate) fn shortened(mut text: String, most: usize) -> String {
    // A character has at least one byte.
    if text.len() > most
        && let Some((end, _)) = text.char_indices().nth(most)
    {
        text.truncate(end);
        text.push('…');
    }
    text
}

/// One wrong field of a body, or one wrong parameter.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub(crate) struct FieldError {
    /// JSON Pointer (RFC 6901) into the body; empty for the body itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "/description")]
    pub pointer: Option<String>,
    /// Name of the query parameter, path parameter or header.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parameter: Option<String>,
    /// What is wrong, for programs.
    #[schema(example = "required")]
    pub code: String,
    /// What is wrong, for people.
    #[schema(example = "\"description\" is required")]
    pub message: String,
    /// What to do about it.
    #[schema(example = "Add \"description\".")]
    pub hint: String,
}

impl FieldError {
    /// About a field of the body.
    pub(crate) fn field(
        pointer: impl Into<String>,
        code: &str,
        message: impl Into<String>,
        hint: impl Into<String>,
    ) -> Self {
        let pointer = shortened(pointer.into(), PLACE_MAX);
        Self { pointer: Some(pointer), ..Self::new(code, message, hint) }
    }

    /// About a parameter.
    pub(crate) fn parameter(name: &str, code: &str, message: impl Into<String>, hint: impl Into<String>) -> Self {
        let parameter = shortened(name.to_owned(), PLACE_MAX);
        Self { parameter: Some(parameter), ..Self::new(code, message, hint) }
    }

    fn new(code: &str, message: impl Into<String>, hint: impl Into<String>) -> Self {
        let (message, hint) = (shortened(message.into(), TEXT_MAX), shortened(hint.into(), TEXT_MAX));
        Self { pointer: None, parameter: None, code: code.to_owned(), message, hint }
    }
}

/// What stands in the way of a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub(crate) struct Original {
    /// A message, a post or a reply.
    #[schema(example = "msg_01h2e8kqvbfwea724h75qc655w")]
    pub id: String,
    /// Its canonical address.
    #[schema(
        example = "https://build.example/api/v1/workspaces/ws_01h2e8kqvbfwea724h75qc655w/messages/msg_01h2e8kqvbfwea724h75qc655w"
    )]
    pub url: String,
}

/// What went wrong, and what to do next (RFC 9457).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Problem {
    /// Names the kind of problem; the documentation explains it.
    #[serde(rename = "type")]
    #[schema(example = "/docs/problems#validation_failed")]
    pub kind: String,
    /// The kind of problem, for people.
    #[schema(example = "Unprocessable Entity")]
    pub title: String,
    /// The HTTP status.
    #[schema(example = 422)]
    pub status: u16,
    /// What happened this time.
    #[schema(example = "2 fields are wrong")]
    pub detail: String,
    /// The kind of problem, for programs.
    #[schema(example = "validation_failed")]
    pub code: String,
    /// What to do next.
    #[schema(example = "Correct the fields named in \"errors\" and send the request again.")]
    pub hint: String,
    /// Whether the same request may succeed later.
    pub retryable: bool,
    /// The wrong fields and parameters, up to 20.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(max_items = 20)]
    pub errors: Vec<FieldError>,
    /// How many more fields and parameters are wrong, at least; absent where each is named in `errors`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, minimum = 1, example = 12)]
    pub more_errors: Option<u64>,
    /// With `near_duplicate`: the text of the same author that says the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub original: Option<Original>,
    /// Names the request in the server's log.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "01h2e8kqvbfwea724h75qc655w")]
    pub request_id: Option<String>,
    #[serde(skip)]
    pub(crate) retry_after: Option<Duration>,
    #[serde(skip)]
    pub(crate) allow: Option<String>,
    #[serde(skip)]
    replayed: bool,
}

/// The media type of problem details.
pub(crate) const MEDIA_TYPE: &str = "application/problem+json";

impl Problem {
    pub(crate) fn new(status: StatusCode, code: &str, detail: impl Into<String>, hint: impl Into<String>) -> Self {
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
            replayed: false,
        }
    }

    pub(crate) fn retryable(mut self, after: Option<Duration>) -> Self {
        self.retryable = true;
        self.retry_after = after;
        self
    }

    /// As the answer of an earlier request with the same idempotency key.
    pub(crate) fn replayed(self) -> Self {
        Self { replayed: true, ..self }
    }

    /// With the whole address of what it names by its path.
    pub(crate) fn located(mut self, public_url: &str) -> Self {
        if let Some(original) = self.original.as_mut().filter(|original| original.url.starts_with('/')) {
            original.url.insert_str(0, public_url);
        }
        self
    }

    /// 422: the wrong fields in one answer.
    pub(crate) fn invalid(faults: impl Into<Faults>) -> Self {
        let (errors, more) = faults.into().into_parts();
        let detail = match (&errors[..], more) {
            ([only], 0) => only.message.clone(),
            (several, 0) => format!("{} fields are wrong", several.len()),
            (several, more) => {
                let all = more.saturating_add(several.len() as u64);
                format!("At least {all} fields are wrong; {} of them are named", several.len())
            }
        };
        let hint = "Correct what \"errors\" names and send the request again.";
        let mut problem = Self::new(StatusCode::UNPROCESSABLE_ENTITY, "validation_failed", detail, hint);
        problem.errors = errors;
        problem.more_errors = (more > 0).then_some(more);
        problem
    }

    /// 400: a parameter of the address or a header that cannot be understood.
    pub(crate) fn bad_parameters(faults: impl Into<Faults>) -> Self {
        let mut problem = Self::invalid(faults);
        problem.status = 400;
        "Bad Request".clone_into(&mut problem.title);
        "invalid_parameter".clone_into(&mut problem.code);
        "/docs/problems#invalid_parameter".clone_into(&mut problem.kind);
        problem
    }

    /// 404.
    pub(crate) fn not_found(what: &str) -> Self {
        let hint = "Check the id; the list endpoint beside this path shows what is there.";
        Self::new(StatusCode::NOT_FOUND, "not_found", format!("There is no such {what}."), hint)
    }

    /// 500, with the reason in the log only.
    pub(crate) fn internal(reason: &dyn fmt::Display) -> Self {
        tracing::error!(%reason, "a request failed");
        let hint = "Try again later; if it stays so, tell the operator the requestId.";
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "internal_error", "Something went wrong on the server.", hint)
            .retryable(None)
    }

    /// The answer, under the given request id.
    pub(crate) fn response(&self, request_id: Option<&str>) -> HttpResponse {
        let status = StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let mut response = HttpResponseBuilder::new(status);
        response.content_type(MEDIA_TYPE);
        if let Some(wait) = self.retry_after {
            response.insert_header(("retry-after", wait.as_secs_f64().ceil().max(1.0).to_string()));
        }
        if self.status == 401 {
            response.insert_header(("www-authenticate", "Bearer realm=\"buildtrack\""));
        }
        if let Some(methods) = &self.allow {
            response.insert_header(("allow", methods.as_str()));
        }
        if self.replayed {
            response.insert_header((REPLAYED, "true"));
        }
        let named = Self { request_id: request_id.map(ToOwned::to_owned), ..self.clone() };
        response.body(named.words(Self::clone))
    }

    /// The problem as JSON in the given shape, with fewer than [`ERROR_BYTES_MAX`] bytes: as many errors are named as fit,
    /// and the others are counted.
    pub(crate) fn words<T: Serialize>(&self, shape: impl Fn(&Self) -> T) -> String {
        let text = |problem: &Self| serde_json::to_string(&shape(problem)).unwrap_or_default();
        let all = text(self);
        if all.len() < ERROR_BYTES_MAX && self.errors.len() <= NAMED_MAX {
            return all;
        }
        let mut fitting = self.clone();
        fitting.detail = shortened(fitting.detail, TEXT_MAX);
        fitting.hint = shortened(fitting.hint, TEXT_MAX);
        let mut named = NAMED_MAX;
        loop {
            let left_out = fitting.errors.len().saturating_sub(named) as u64;
            fitting.errors.truncate(named);
            if left_out > 0 {
                fitting.more_errors = Some(fitting.more_errors.unwrap_or(0).saturating_add(left_out));
            }
            let text = text(&fitting);
            if text.len() < ERROR_BYTES_MAX || named == 0 {
                return text;
            }
            named /= 2;
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.code, self.detail)
    }
}

impl ResponseError for Problem {
    fn status_code(&self) -> StatusCode {
        StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
    }

    fn error_response(&self) -> HttpResponse {
        self.response(None)
    }
}

#[cfg(test)]
mod tests;
