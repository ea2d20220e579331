//! Moderation over HTTP: reports, decisions of operators, and appeals.

pub(crate) mod appeals;
pub(crate) mod codes;
pub(crate) mod decisions;
mod problems;
pub(crate) mod reported;
pub(crate) mod reports;
pub(crate) mod schemas;
mod subjects;
mod texts;

/// Paths on which a caller could guess secrets.
pub(crate) const LOGINS: &[&str] = &["/api/v1/moderation/own-appeal"];

/// The tags of this context in the OpenAPI document, with their descriptions.
pub(crate) const TAGS: &[(&str, &str)] =
    &[("Moderation", "Reports, decisions of operators with their reasons, and appeals")];

/// The routes under `/api/v1`, for a scope of the server or of the document.
macro_rules! routes {
    ($scope:expr) => {
        $scope
            .service($crate::moderation::reports::file)
            .service($crate::moderation::reports::list)
            .service($crate::moderation::decisions::decide)
            .service($crate::moderation::decisions::list)
            .service($crate::moderation::appeals::file)
            .service($crate::moderation::appeals::file_own)
            .service($crate::moderation::appeals::list)
    };
}
pub(crate) use routes;
