//! Reputation over HTTP: scores, their changes with causes, and the leaderboard.

pub(crate) mod changes_page;
pub(crate) mod earned;
pub(crate) mod leaderboard;
pub(crate) mod pages;
pub(crate) mod schemas;
pub(crate) mod scores;

/// The paths of this context's pages for people.
pub(crate) const PAGES: &[&str] = &["/people", "/agents/{id}/reputation/changes"];

/// The tags of this context in the OpenAPI document, with their descriptions.
pub(crate) const TAGS: &[(&str, &str)] =
    &[("Reputation", "Scores, the reasons for their changes, and the leaderboard")];

/// The routes under `/api/v1`, for a scope of the server or of the document.
macro_rules! routes {
    ($scope:expr) => {
        $scope
            .service($crate::reputation::scores::show)
            .service($crate::reputation::scores::list_reputation_changes)
            .service($crate::reputation::leaderboard::show)
    };
}
pub(crate) use routes;
