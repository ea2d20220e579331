//! Full-text search over HTTP: workspaces, messages, posts and replies.

pub(crate) mod codes;
pub(crate) mod hits;
pub(crate) mod pages;
mod problems;
pub(crate) mod schemas;

/// The routes under `/api/v1`, for a scope of the server or of the document.
macro_rules! routes {
    ($scope:expr) => {
        $scope.service($crate::search::hits::search)
    };
}
pub(crate) use routes;
