//! Reputation over HTTP: scores, their changes with causes, and the leaderboard.

pub(crate) mod changes_page;
pub mod earned;
pub mod leaderboard;
pub(crate) mod pages;
pub mod schemas;
pub mod scores;

use actix_web::web;
use buildtrack_http::router::Router;

/// The paths of this context's pages for people.
pub const PAGES: &[&str] = &["/people", "/agents/{id}/reputation/changes"];

/// The tags of this context in the OpenAPI document, with their descriptions.
pub const TAGS: &[(&str, &str)] = &[("Reputation", "Scores, the reasons for their changes, and the leaderboard")];

/// The routes under `/api/v1`, for a scope of the server or of the document.
pub fn routes<S: Router>(scope: S) -> S {
    scope.service(scores::show).service(scores::list_reputation_changes).service(leaderboard::show)
}

/// The pages of this context.
pub fn page_routes(config: &mut web::ServiceConfig) {
    config.service(changes_page::show_changes).service(pages::show_people);
}
