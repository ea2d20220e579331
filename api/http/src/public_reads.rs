//! Public reads: operations with GET that require no session, pages for people, and files for programs.

use std::{collections::BTreeMap, sync::LazyLock};

use actix_web::{HttpRequest, http::Method, web::Data};
use serde::{Deserialize, de::IgnoredAny};

use super::paths::routed;

/// Files for programs that neither the OpenAPI document nor the pages list: agent cards of A2A, metadata of OAuth, and what
/// runtimes of agents load.
const FILES: [&str; 9] = [
    "/.well-known/agent-card.json",
    "/a2a/.well-known/agent-card.json",
    "/a2a/agents/{agentId}/.well-known/agent-card.json",
    "/.well-known/oauth-authorization-server",
    "/.well-known/oauth-protected-resource",
    "/.well-known/oauth-protected-resource/mcp",
    "/asyncapi.json",
    "/llms.txt",
    "/skill.md",
];
/// The tag of health and metrics, which are for operators.
const OPERATIONS: &str = "Operations";

/// The paths of the public reads. Read from the OpenAPI document at the first request, to save time at start.
pub struct PublicReads {
    operations: LazyLock<Vec<String>, Read>,
    pages: &'static [&'static [&'static str]],
}

type Read = Box<dyn FnOnce() -> Vec<String> + Send>;

/// The part of the OpenAPI document that tells which reads are public.
#[derive(Deserialize)]
struct Document {
    paths: BTreeMap<String, Item>,
}

#[derive(Deserialize)]
struct Item {
    get: Option<Operation>,
}

#[derive(Deserialize)]
struct Operation {
    #[serde(default)]
    tags: Vec<String>,
    #[serde(default)]
    security: Vec<IgnoredAny>,
}

impl PublicReads {
    /// Takes the OpenAPI document, and the paths of pages with their feeds and pictures.
    pub fn of(document: &'static str, pages: &'static [&'static [&'static str]]) -> Self {
        Self { operations: LazyLock::new(Box::new(move || Self::read(document))), pages }
    }

    fn read(document: &str) -> Vec<String> {
        let document: Document = serde_json::from_str(document).unwrap_or_else(|error| {
            tracing::error!(%error, "cannot read the public reads from the OpenAPI document");
            Document { paths: BTreeMap::new() }
        });
        let is_public = |item: &Item| {
            let operation = item.get.as_ref();
            operation.is_some_and(|read| read.security.is_empty() && !read.tags.iter().any(|tag| tag == OPERATIONS))
        };
        document.paths.into_iter().filter(|(_, item)| is_public(item)).map(|(path, _)| path).collect()
    }

    /// Whether GET of a path is a public read.
    fn contains(&self, path: &str) -> bool {
        let mut files = FILES.iter().chain(self.pages.iter().copied().flatten());
        files.any(|pattern| matches(pattern, path)) || self.operations.iter().any(|pattern| matches(pattern, path))
    }
}

/// Whether the path is one of a public read. The method may be another one.
pub(crate) fn is_public_path(request: &HttpRequest) -> bool {
    let public = request.app_data::<Data<PublicReads>>();
    public.is_some_and(|public| public.contains(routed(request)))
}

/// Whether the request is a public read.
pub(crate) fn is_public_read(request: &HttpRequest) -> bool {
    [Method::GET, Method::HEAD].contains(request.method()) && is_public_path(request)
}

/// Whether a path has the form of a pattern, whose parameters are in braces.
pub(super) fn matches(pattern: &str, path: &str) -> bool {
    let (mut known, mut given) = (pattern.split('/'), path.split('/'));
    loop {
        match (known.next(), given.next()) {
            (None, None) => return true,
            (Some(known), Some(given)) if is_segment(known, given) => {}
            _ => return false,
        }
    }
}

/// Whether a segment of a path has the form of one of a pattern. A parameter is any text that is not empty.
fn is_segment(known: &str, given: &str) -> bool {
    let Some((before, parameter)) = known.split_once('{') else { return known == given };
    let after = parameter.split_once('}').map_or("", |(_, after)| after);
    let Some(rest) = given.strip_prefix(before) else { return false };
    let mut ends = rest.char_indices().skip(1).map(|(at, _)| at);
    if after.is_empty() { !rest.is_empty() } else { ends.any(|at| is_segment(after, &rest[at..])) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DOCUMENT: &str = r#"{ "paths": {
        "/tracks": { "get": { "tags": ["Tracks"] }, "post": { "security": [{ "token": [] }] } },
        "/tracks/{id}/posts": { "get": {} },
        "/me": { "get": { "security": [{ "token": [] }] } },
        "/log-in": { "post": {} },
        "/metrics": { "get": { "tags": ["Operations"] } }
    } }"#;

    #[test]
    fn reads_that_require_no_session_are_public() {
        let public = PublicReads::of(DOCUMENT, &[]);
        for path in ["/tracks", "/tracks/ws_1/posts"] {
            assert!(public.contains(path), "{path}");
        }
        for path in ["/", "/tracks/", "/tracks/ws_1", "/tracks//posts", "/me", "/log-in", "/metrics"] {
            assert!(!public.contains(path), "{path}");
        }
    }

    #[test]
    fn pages_and_files_for_programs_are_public() {
        let public =
            PublicReads::of(DOCUMENT, &[&["/", "/build/{id}"], &["/feeds/build/{id}.{format}", "/cards/{id}.png"]]);
        let pages = ["/", "/build/ws_1", "/feeds/build/ws_1.atom", "/cards/ws_1.png"];
        for path in pages.into_iter().chain(["/llms.txt", "/a2a/agents/ag_1/.well-known/agent-card.json"]) {
            assert!(public.contains(path), "{path}");
        }
        for path in
            ["/build/ws_1/members", "/feeds/build/ws_1", "/feeds/build/.atom", "/cards/.png", "/portal", "/a2a/tasks"]
        {
            assert!(!public.contains(path), "{path}");
        }
    }
}
