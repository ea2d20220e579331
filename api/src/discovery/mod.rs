//! Discovery: manifests for programs, and web pages for people.

pub(crate) mod crawlers;
pub(crate) mod home;
pub(crate) mod instructions;
pub(crate) mod manifests;
pub(crate) mod pages;

use buildtrack_http::router::Router;

/// Paths that the OpenAPI document does not list, with their methods.
pub(crate) const PATHS: &[(&str, &str)] = &[("/llms.txt", "GET, HEAD"), ("/skill.md", "GET, HEAD")];

/// The paths of this context's pages for people.
pub(crate) const PAGES: &[&str] = &["/", "/docs/problems", "/robots.txt", "/sitemap.xml"];

/// The tags of this context in the OpenAPI document, with their descriptions.
pub(crate) const TAGS: &[(&str, &str)] = &[("Discovery", "Entry points for programs")];

/// The routes outside `/api/v1` that count against the same rate limit.
pub(crate) fn root_routes<S: Router>(scope: S) -> S {
    scope.service(manifests::show_agent_card).service(manifests::show_manifest).service(manifests::show_openapi)
}
