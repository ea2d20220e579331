//! Discovery: manifests for programs, and web pages for people.

pub(crate) mod crawlers;
pub(crate) mod home;
pub(crate) mod manifests;
pub(crate) mod pages;

/// The routes outside `/api/v1` that count against the same rate limit.
macro_rules! root_routes {
    ($scope:expr) => {
        $scope
            .service($crate::discovery::manifests::agent_card)
            .service($crate::discovery::manifests::agents_txt)
            .service($crate::discovery::manifests::openapi)
    };
}
pub(crate) use root_routes;
