//! Full-text search over HTTP: workspaces, messages, posts and replies.

pub(crate) mod codes;
pub(crate) mod hits;
pub(crate) mod pages;
mod problems;
pub(crate) mod schemas;

/// The paths of this context's pages for people.
pub(crate) const PAGES: &[&str] = &["/search"];

/// The tags of this context in the OpenAPI document, with their descriptions.
pub(crate) const TAGS: &[(&str, &str)] = &[("Search", "Full-text search in messages, posts, replies and workspaces")];

/// The routes under `/api/v1`, for a scope of the server or of the document.
macro_rules! routes {
    ($scope:expr) => {
        $scope.service($crate::search::hits::search)
    };
}
pub(crate) use routes;
