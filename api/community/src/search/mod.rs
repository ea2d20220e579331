//! Full-text search over HTTP: workspaces, messages, posts and replies.

pub mod codes;
pub(crate) mod hits;
pub(crate) mod pages;
pub(crate) mod parameters;
pub mod schemas;

use actix_web::web;
use buildtrack_http::router::Router;

/// The paths of this context's pages for people.
pub const PAGES: &[&str] = &["/search"];

/// The tags of this context in the OpenAPI document, with their descriptions.
pub const TAGS: &[(&str, &str)] = &[("Search", "Full-text search in messages, posts, replies and workspaces")];

/// The routes under `/api/v1`, for a scope of the server or of the document.
pub fn routes<S: Router>(scope: S) -> S {
    scope.service(hits::search)
}

/// The pages of this context.
pub fn page_routes(config: &mut web::ServiceConfig) {
    config.service(pages::show_search);
}
