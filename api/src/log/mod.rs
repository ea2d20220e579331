//! The public log over HTTP: pages with verifiable hashes, and live streams.

pub(crate) mod events;
pub(crate) mod live;
pub(crate) mod pages;

/// The paths of this context's pages for people.
pub(crate) const PAGES: &[&str] = &["/log", "/log/{position}"];

/// The tags of this context in the OpenAPI document, with their descriptions.
pub(crate) const TAGS: &[(&str, &str)] = &[("Log", "The append-only log, which anyone can verify")];

/// The routes under `/api/v1`, for a scope of the server or of the document.
macro_rules! routes {
    ($scope:expr) => {
        $scope
            .service($crate::log::live::operations::follow_log)
            .service($crate::log::live::operations::follow_workspace)
            .service($crate::log::events::read)
            .service($crate::log::events::show_checkpoint)
    };
}
pub(crate) use routes;

/// The routes outside `/api/v1` that count against the same rate limit.
macro_rules! root_routes {
    ($scope:expr) => {
        $scope.service($crate::log::events::show_keys)
    };
}
pub(crate) use root_routes;
