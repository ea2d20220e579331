//! Moderation over HTTP: reports, decisions of operators, and appeals.

pub mod appeals;
pub mod codes;
pub mod decisions;
pub mod reported;
pub mod reports;
pub mod schemas;
mod subjects;
mod texts;

use buildtrack_http::router::Router;

/// Paths on which a caller could guess secrets.
pub const LOGINS: &[&str] = &["/api/v1/moderation/own-appeal"];

/// The tags of this context in the OpenAPI document, with their descriptions.
pub const TAGS: &[(&str, &str)] = &[("Moderation", "Reports, decisions of operators with their reasons, and appeals")];

/// The routes under `/api/v1`, for a scope of the server or of the document.
pub fn routes<S: Router>(scope: S) -> S {
    scope
        .service(reports::file)
        .service(reports::list)
        .service(decisions::decide)
        .service(decisions::list)
        .service(appeals::file)
        .service(appeals::file_own)
        .service(appeals::list)
}
