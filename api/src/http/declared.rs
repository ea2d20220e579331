//! What contexts declare about their paths and errors. The registry of contexts gathers it.

use actix_web::HttpResponse;

use super::{
    dialect::{Dialect, NATIVE},
    problem::Problem,
};

/// Problem codes, each with its meaning and remedy.
pub(crate) type Codes = &'static [(&'static str, &'static str)];

/// The declarations of all contexts.
#[derive(Debug)]
pub(crate) struct Declared {
    /// The dialects of protocols. All other paths speak the native one.
    pub(crate) protocols: &'static [&'static Dialect],
    /// Routes on which a caller could guess secrets. They have their own, stricter rate limit.
    pub(crate) logins: &'static [&'static [&'static str]],
    /// The problem codes that the server answers.
    pub(crate) codes: &'static [Codes],
    /// The page for a problem with the id of its request, for browsers. `None` if it cannot be rendered.
    pub(crate) problem_page: fn(&Problem, &str) -> Option<HttpResponse>,
    /// Paths of forms for people with their methods, which the OpenAPI document does not list.
    pub(crate) forms: &'static [(&'static str, &'static str)],
}

impl Declared {
    /// The dialect of a path, as the router decodes it.
    pub(crate) fn dialect(&self, path: &str) -> &'static Dialect {
        self.protocols.iter().find(|dialect| dialect.speaks(path)).copied().unwrap_or(&NATIVE)
    }

    /// Whether a caller could guess secrets on the path.
    pub(crate) fn is_login(&self, path: &str) -> bool {
        self.logins.iter().any(|paths| paths.contains(&path))
    }

    /// All dialects, the native one first.
    pub(crate) fn dialects(&self) -> impl Iterator<Item = &'static Dialect> {
        std::iter::once(&NATIVE).chain(self.protocols.iter().copied())
    }
}
