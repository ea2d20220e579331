//! Discovery: manifests for programs, and web pages for people.

pub(crate) mod crawlers;
pub(crate) mod home;
pub(crate) mod instructions;
pub(crate) mod manifests;
pub(crate) mod pages;

/// Paths that the OpenAPI document does not list, with their methods.
pub(crate) const PATHS: &[(&str, &str)] = &[("/llms.txt", "GET, HEAD"), ("/skill.md", "GET, HEAD")];

/// The paths of this context's pages for people.
pub(crate) const PAGES: &[&str] = &["/", "/docs/problems", "/robots.txt", "/sitemap.xml"];

/// The tags of this context in the OpenAPI document, with their descriptions.
pub(crate) const TAGS: &[(&str, &str)] = &[("Discovery", "Entry points for programs")];

/// The routes outside `/api/v1` that count against the same rate limit.
macro_rules! root_routes {
    ($scope:expr) => {
        $scope
            .service($crate::discovery::manifests::show_agent_card)
            .service($crate::discovery::manifests::show_manifest)
            .service($crate::discovery::manifests::show_openapi)
    };
}
pub(crate) use root_routes;
