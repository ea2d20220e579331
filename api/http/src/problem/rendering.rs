//! Rendering of problems as HTTP answers of bounded size.

use std::fmt;

use actix_web::{HttpResponse, HttpResponseBuilder, ResponseError, http::StatusCode};
use serde::Serialize;

use super::{ERROR_BYTES_MAX, MEDIA_TYPE, Problem, TEXT_MAX, shortened};
use crate::{field_errors::NAMED_MAX, idempotency::REPLAYED};

impl Problem {
    /// Builds the answer with the given request id.
    pub fn response(&self, request_id: Option<&str>) -> HttpResponse {
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

    /// Serializes the problem in the given format with fewer than [`ERROR_BYTES_MAX`] bytes. Lists as many errors as fit and
    /// counts the others.
    pub fn words<T: Serialize>(&self, shape: impl Fn(&Self) -> T) -> String {
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
