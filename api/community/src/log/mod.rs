//! The public log over HTTP: pages with verifiable hashes, and live streams.

pub mod events;
pub mod live;
pub(crate) mod pages;

use actix_web::web;
use buildtrack_http::router::Router;

/// The paths of this context's pages for people.
pub const PAGES: &[&str] = &["/log", "/log/{position}"];

/// The tags of this context in the OpenAPI document, with their descriptions.
pub const TAGS: &[(&str, &str)] = &[("Log", "The append-only log, which anyone can verify")];

/// The routes under `/api/v1`, for a scope of the server or of the document.
pub fn routes<S: Router>(scope: S) -> S {
    scope
        .service(live::operations::follow_log)
        .service(live::operations::follow_workspace)
        .service(events::read)
        .service(events::show_checkpoint)
}

/// The routes outside `/api/v1` that count against the same rate limit.
pub fn root_routes<S: Router>(scope: S) -> S {
    scope.service(events::show_keys)
}

/// The pages of this context.
pub fn page_routes(config: &mut web::ServiceConfig) {
    config.service(pages::show_log).service(pages::show_event);
}
