//! Wire dialects: the format of error answers. The server's own paths speak problem details; a protocol's paths speak its own
//! format, which its context declares.

use std::fmt;

use actix_web::{
    HttpResponse,
    guard::{Guard, fn_guard},
    http::header::{CONTENT_TYPE, HeaderValue},
};
use utoipa::{
    PartialSchema,
    openapi::{PathItem, RefOr, Schema},
};

use super::{
    codes::Codes,
    problem::{MEDIA_TYPE, Problem},
};

/// The paths of a protocol and the format of its errors.
pub struct Dialect {
    /// The name, unique among the dialects.
    pub name: &'static str,
    /// Paths of the protocol. Their subpaths belong to it too.
    pub roots: &'static [&'static str],
    /// The media type of errors.
    pub media_type: &'static str,
    /// The name and the schema of errors in the OpenAPI document.
    pub error: fn() -> (String, RefOr<Schema>),
    /// Serializes a problem within [`super::problem::ERROR_BYTES_MAX`], with the id of its request.
    pub serialize: fn(&Problem, &str) -> String,
    /// Adds the error answers that all operations at a path share to the OpenAPI document.
    pub describe: fn(&str, &mut PathItem),
    /// The codes that only this protocol answers.
    pub reasons: Option<Reasons>,
}

/// The codes of a protocol, for the page of problem codes.
#[derive(Debug)]
pub struct Reasons {
    /// The part of the server that answers them, as the title of a section.
    pub title: &'static str,
    /// The protocol whose format errors have.
    pub protocol: &'static str,
    /// The member of an error that has the code.
    pub member: &'static str,
    /// The codes with their meanings.
    pub codes: Codes,
}

/// Problem details (RFC 9457).
pub static NATIVE: Dialect = Dialect {
    name: "problem details",
    roots: &[],
    media_type: MEDIA_TYPE,
    error: || ("Problem".to_owned(), Problem::schema()),
    serialize: |problem, _| problem.words(Problem::clone),
    describe: |_, _| (),
    reasons: None,
};

impl fmt::Debug for Dialect {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Dialect").field(&self.name).finish()
    }
}

impl PartialEq for Dialect {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Dialect {
    /// Whether a path belongs to the protocol.
    pub(super) fn speaks(&self, path: &str) -> bool {
        let below = |root: &str| path.strip_prefix(root).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        self.roots.iter().any(|root| below(root))
    }

    /// Admits requests whose errors the edge answers in this dialect.
    pub fn guard(&'static self) -> impl Guard {
        fn_guard(move |context| context.req_data().get::<&'static Self>().is_some_and(|dialect| *dialect == self))
    }

    /// Builds the answer for a problem in this format.
    pub fn tell(&self, problem: &Problem, request_id: &str) -> HttpResponse {
        if *self == NATIVE {
            return problem.response(Some(request_id));
        }
        let body = (self.serialize)(problem, request_id);
        let mut response = problem.response(Some(request_id)).map_body(|_, _| body).map_into_boxed_body();
        response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(self.media_type));
        response
    }
}
