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
pub(crate) struct Dialect {
    /// The name, unique among the dialects.
    pub(crate) name: &'static str,
    /// Paths of the protocol. Their subpaths belong to it too.
    pub(crate) roots: &'static [&'static str],
    /// The media type of errors.
    pub(crate) media_type: &'static str,
    /// The name and the schema of errors in the OpenAPI document.
    pub(crate) error: fn() -> (String, RefOr<Schema>),
    /// Serializes a problem within [`super::problem::ERROR_BYTES_MAX`], with the id of its request.
    pub(crate) serialize: fn(&Problem, &str) -> String,
    /// Adds the error answers that all operations at a path share to the OpenAPI document.
    pub(crate) describe: fn(&str, &mut PathItem),
    /// The codes that only this protocol answers.
    pub(crate) reasons: Option<Reasons>,
}

/// The codes of a protocol, for the page of problem codes.
#[derive(Debug)]
pub(crate) struct Reasons {
    /// The part of the server that answers them, as the title of a section.
    pub(crate) title: &'static str,
    /// The protocol whose format errors have.
    pub(crate) protocol: &'static str,
    /// The member of an error that has the code.
    pub(crate) member: &'static str,
    pub(crate) codes: Codes,
}

/// Problem details (RFC 9457).
pub(crate) static NATIVE: Dialect = Dialect {
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
    pub(crate) fn guard(&'static self) -> impl Guard {
        fn_guard(move |context| context.req_data().get::<&'static Self>().is_some_and(|dialect| *dialect == self))
    }

    /// Builds the answer for a problem in this format.
    pub(crate) fn tell(&self, problem: &Problem, request_id: &str) -> HttpResponse {
        if *self == NATIVE {
            return problem.response(Some(request_id));
        }
        let body = (self.serialize)(problem, request_id);
        let mut response = problem.response(Some(request_id)).map_body(|_, _| body).map_into_boxed_body();
        response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(self.media_type));
        response
    }
}
