//! What contexts declare about their paths and errors. The registry of contexts gathers it.

use actix_web::{HttpRequest, HttpResponse};

use super::{
    codes::Codes,
    dialect::{Dialect, NATIVE},
    problem::Problem,
    public_reads::matches,
};

/// The declarations of all contexts.
#[derive(Debug)]
pub struct Declared {
    /// The dialects of protocols. All other paths speak the native one.
    pub protocols: &'static [&'static Dialect],
    /// Paths of programs with their methods, which the OpenAPI document does not list: those of protocols with schemas of their own,
    /// and of files.
    pub unlisted: &'static [&'static [(&'static str, &'static str)]],
    /// Routes on which a caller could guess secrets. They have their own, stricter rate limit.
    pub logins: &'static [&'static [&'static str]],
    /// The prefixes of tokens that are no session tokens, with the public reads whose callers may send them nevertheless.
    pub foreign_tokens: &'static [(&'static str, &'static [&'static str])],
    /// The problem codes that the server answers.
    pub codes: &'static [Codes],
    /// The page for a problem of a request with this id, for browsers. `None` if it cannot be rendered.
    pub problem_page: fn(&HttpRequest, &Problem, &str) -> Option<HttpResponse>,
    /// Paths of forms for people with their methods, which the OpenAPI document does not list.
    pub forms: &'static [(&'static str, &'static str)],
    /// Pages for people, with their feeds and pictures, which the OpenAPI document does not list. Each answers GET and HEAD.
    pub pages: &'static [&'static [&'static str]],
}

impl Declared {
    /// The dialect of a path, as the router decodes it.
    pub fn dialect(&self, path: &str) -> &'static Dialect {
        self.protocols.iter().find(|dialect| dialect.speaks(path)).copied().unwrap_or(&NATIVE)
    }

    /// Whether a caller could guess secrets on the path.
    pub fn is_login(&self, path: &str) -> bool {
        self.logins.iter().any(|paths| paths.contains(&path))
    }

    /// Whether callers may send a token at the path that identifies no session.
    pub(crate) fn is_foreign(&self, token: &str, path: &str) -> bool {
        let mut known = self.foreign_tokens.iter().filter(|(prefix, _)| token.starts_with(prefix));
        known.any(|(_, paths)| paths.iter().any(|pattern| matches(pattern, path)))
    }

    /// All dialects, the native one first.
    pub fn dialects(&self) -> impl Iterator<Item = &'static Dialect> {
        std::iter::once(&NATIVE).chain(self.protocols.iter().copied())
    }
}
