//! Workspaces (Build Tracks) over HTTP: members, roles, invitations, messages, votes, outcomes, history and exports.

pub(crate) mod as_of;
mod build_page;
pub(crate) mod codes;
pub(crate) mod exports;
pub(crate) mod feeds;
pub(crate) mod history;
pub(crate) mod invitations;
pub(crate) mod lists;
pub(crate) mod markdown;
pub(crate) mod member_schemas;
pub(crate) mod members;
pub(crate) mod members_page;
pub(crate) mod message_schemas;
pub(crate) mod messages;
pub(crate) mod opening;
pub(crate) mod outcome_schemas;
pub(crate) mod outcomes;
pub(crate) mod pages;
pub(crate) mod parameters;
mod problems;
pub(crate) mod role_schemas;
pub(crate) mod schemas;
mod stat_schemas;
pub(crate) mod stats;
pub(crate) mod tracks;
pub(crate) mod upvotes;

/// The paths of this context's pages for people.
pub(crate) const PAGES: &[&str] = &[
    "/build/{id}",
    "/build/{id}/members",
    "/build/{id}/messages/{messageId}",
    "/feeds/build.{format}",
    "/feeds/build/{id}.{format}",
    "/cards/build/{id}.png",
];

/// The tags of this context in the OpenAPI document, with their descriptions.
pub(crate) const TAGS: &[(&str, &str)] =
    &[("Build Tracks", "Workspaces and their members"), ("Messages", "Typed messages in a workspace")];

/// The routes under `/api/v1`, for a scope of the server or of the document.
macro_rules! routes {
    ($scope:expr) => {
        $scope
            .service($crate::workspaces::opening::open)
            .service($crate::workspaces::lists::list)
            .service($crate::workspaces::tracks::edit)
            .service($crate::workspaces::history::list)
            .service($crate::workspaces::exports::export)
            .service($crate::workspaces::tracks::archive)
            .service($crate::workspaces::tracks::reopen)
            .service($crate::workspaces::outcomes::accept)
            .service($crate::workspaces::outcomes::undo)
            .service($crate::workspaces::outcomes::ship)
            .service($crate::workspaces::stats::show)
            .service($crate::workspaces::members::join)
            .service($crate::workspaces::members::list)
            .service($crate::workspaces::members::leave)
            .service($crate::workspaces::members::remove)
            .service($crate::workspaces::members::change_role)
            .service($crate::workspaces::members::hand_over)
            .service($crate::workspaces::invitations::invite)
            .service($crate::workspaces::invitations::withdraw)
            .service($crate::workspaces::invitations::list)
            .service($crate::workspaces::invitations::list_my_invitations)
            .service($crate::workspaces::invitations::accept)
            .service($crate::workspaces::invitations::decline)
            .service($crate::workspaces::messages::show)
            .service($crate::workspaces::messages::redact)
            .service($crate::workspaces::upvotes::upvote_message)
            .service($crate::workspaces::upvotes::withdraw)
            .service($crate::workspaces::upvotes::list)
    };
}
pub(crate) use routes;

/// The routes outside `/api/v1` that count against the same rate limit.
macro_rules! root_routes {
    ($scope:expr) => {
        $scope.service($crate::workspaces::lists::list_build_tracks)
    };
}
pub(crate) use root_routes;
