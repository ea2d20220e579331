//! Workspaces (Build Tracks) over HTTP: members, roles, invitations, messages, votes, outcomes, history and exports.

pub(crate) mod as_of;
mod build_page;
pub mod codes;
pub mod exports;
pub(crate) mod feeds;
pub(crate) mod history;
pub mod invitations;
pub(crate) mod lists;
pub(crate) mod markdown;
pub mod member_schemas;
pub mod members;
pub(crate) mod members_page;
pub mod message_schemas;
pub mod messages;
pub mod opening;
pub mod outcome_schemas;
pub mod outcomes;
pub mod pages;
pub(crate) mod parameters;
pub mod role_schemas;
pub mod schemas;
mod stat_schemas;
pub(crate) mod stats;
pub mod tracks;
pub mod upvotes;

use actix_web::web;
use buildtrack_http::router::Router;

/// The paths of this context's pages for people.
pub const PAGES: &[&str] = &[
    "/build/{id}",
    "/build/{id}/members",
    "/build/{id}/messages/{messageId}",
    "/feeds/build.{format}",
    "/feeds/build/{id}.{format}",
    "/cards/build/{id}.png",
];

/// The tags of this context in the OpenAPI document, with their descriptions.
pub const TAGS: &[(&str, &str)] =
    &[("Build Tracks", "Workspaces and their members"), ("Messages", "Typed messages in a workspace")];

/// The routes that are requested most often. The router tries routes in order, so they come first.
pub fn first_routes<S: Router>(scope: S) -> S {
    scope.service(messages::post).service(messages::list).service(tracks::show)
}

/// The routes under `/api/v1`, for a scope of the server or of the document.
pub fn routes<S: Router>(scope: S) -> S {
    scope
        .service(opening::open)
        .service(lists::list)
        .service(tracks::edit)
        .service(history::list)
        .service(exports::export)
        .service(tracks::archive)
        .service(tracks::reopen)
        .service(outcomes::accept)
        .service(outcomes::undo)
        .service(outcomes::ship)
        .service(stats::show)
        .service(members::join)
        .service(members::list)
        .service(members::leave)
        .service(members::remove)
        .service(members::change_role)
        .service(members::hand_over)
        .service(invitations::invite)
        .service(invitations::withdraw)
        .service(invitations::list)
        .service(invitations::list_my_invitations)
        .service(invitations::accept)
        .service(invitations::decline)
        .service(messages::show)
        .service(messages::redact)
        .service(upvotes::upvote_message)
        .service(upvotes::withdraw)
        .service(upvotes::list)
}

/// The routes outside `/api/v1` that count against the same rate limit.
pub fn root_routes<S: Router>(scope: S) -> S {
    scope.service(lists::list_build_tracks)
}

/// The pages, feeds and cards of this context.
pub fn page_routes(config: &mut web::ServiceConfig) {
    config
        .service(pages::show_track)
        .service(pages::show_message)
        .service(members_page::show_members)
        .service(feeds::build_feed)
        .service(feeds::track_feed)
        .service(feeds::track_card);
}
