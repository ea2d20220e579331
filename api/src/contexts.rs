//! The registry of contexts: it gathers the routes, dialects, problem codes and tags that each one declares.

use actix_web::{
    App as ActixApp, Error,
    body::BoxBody,
    dev::{ServiceFactory, ServiceRequest, ServiceResponse},
    middleware::from_fn,
    web,
};
use buildtrack_accounts::{identity, moderation};
use buildtrack_arena as arena;
use buildtrack_community::{forum, inbox, log, points, reputation, search, votes, webhooks, workspaces};
use buildtrack_doors::{a2a, mcp, oauth};
use buildtrack_http::{
    self as http, declared::Declared, edge::edge, failed_logins::log_failed_logins, fallback::fallback, guard::guard,
    operations,
};
use buildtrack_pages as pages;
use buildtrack_portal as portal;
use buildtrack_protocols::{exchange, relay};
use utoipa_actix_web::{UtoipaApp, scope};

use crate::{discovery, events, guide, reference};

/// What the contexts declare about their paths and errors.
pub(crate) static DECLARED: Declared = Declared {
    protocols: &[
        &relay::dialect::DIALECT,
        &exchange::dialect::DIALECT,
        &a2a::dialect::DIALECT,
        &oauth::dialect::DIALECT,
    ],
    unlisted: &[mcp::PATHS, oauth::PATHS, discovery::PATHS, a2a::PATHS, events::PATHS, arena::PATHS],
    logins: &[identity::LOGINS, moderation::LOGINS, oauth::LOGINS, portal::LOGINS],
    foreign_tokens: &[arena::FOREIGN_TOKENS],
    codes: &[
        http::codes::CODES,
        a2a::codes::CODES,
        arena::codes::CODES,
        exchange::codes::CODES,
        forum::codes::CODES,
        identity::codes::CODES,
        moderation::codes::CODES,
        oauth::codes::CODES,
        points::codes::CODES,
        portal::codes::CODES,
        relay::codes::CODES,
        search::codes::CODES,
        votes::codes::CODES,
        webhooks::codes::CODES,
        workspaces::codes::CODES,
    ],
    problem_page: pages::problem,
    forms: portal::PATHS,
    pages: &[
        arena::PAGES,
        discovery::PAGES,
        forum::PAGES,
        guide::PAGES,
        identity::PAGES,
        log::PAGES,
        pages::PAGES,
        reference::PAGES,
        reputation::PAGES,
        search::PAGES,
        workspaces::PAGES,
    ],
};

/// The tags of the operations in the OpenAPI document, in the order in which it lists them.
pub(crate) const TAGS: &[&[(&str, &str)]] = &[
    identity::TAGS,
    workspaces::TAGS,
    forum::TAGS,
    inbox::TAGS,
    moderation::TAGS,
    search::TAGS,
    reputation::TAGS,
    points::TAGS,
    webhooks::TAGS,
    relay::TAGS,
    exchange::TAGS,
    arena::TAGS,
    log::TAGS,
    discovery::TAGS,
    operations::TAGS,
];

/// Every route that counts against the caller's rate limit: in an actix scope for the server, in a utoipa scope for the
/// document.
macro_rules! counted {
    ($scope:path) => {{
        let api = webhooks::first_routes(workspaces::first_routes($scope("/api/v1")));
        let api = workspaces::routes(api);
        let api = webhooks::routes(api);
        let api = identity::routes(api);
        let api = relay::routes(api);
        let api = inbox::routes(api);
        let api = forum::routes(api);
        let api = search::routes(api);
        let api = moderation::routes(api);
        let api = reputation::routes(api);
        let api = points::routes(api);
        let api = exchange::routes(api);
        let api = arena::routes(api);
        let api = log::routes(api);
        let root = $scope("").service(api.default_service(web::to(fallback)));
        let root = identity::root_routes(root);
        let root = workspaces::root_routes(root);
        let root = log::root_routes(root);
        let root = arena::root_routes(root);
        let root = discovery::root_routes(root);
        root.default_service(web::to(fallback)).wrap(from_fn(guard))
    }};
}

/// The routes of a protocol, which has limits and an error format of its own, for the same two scopes.
macro_rules! protocol {
    ($context:ident, $scope:path) => {
        $context::protocol_routes($scope("")).default_service(web::to(fallback))
    };
}

/// The pages, feeds and cards of contexts.
fn context_pages(config: &mut web::ServiceConfig) {
    config
        .configure(workspaces::page_routes)
        .configure(forum::page_routes)
        .configure(identity::page_routes)
        .configure(reputation::page_routes)
        .configure(search::page_routes)
        .configure(log::page_routes)
        .configure(arena::page_routes);
}

/// Builds the server's application: all routes with their middleware. `register` adds the state that handlers use.
pub fn serving(
    register: &dyn Fn(&mut web::ServiceConfig),
) -> ActixApp<
    impl ServiceFactory<ServiceRequest, Config = (), Response = ServiceResponse<BoxBody>, Error = Error, InitError = ()>
    + use<>,
> {
    let application = ActixApp::new()
        .wrap(from_fn(mcp::front::front))
        .wrap(from_fn(log_failed_logins))
        .wrap(from_fn(edge))
        .configure(|config| register(config));
    operations::routes(application)
        .service(discovery::home::home)
        .service(discovery::crawlers::robots)
        .service(discovery::crawlers::sitemap)
        .service(discovery::pages::problems)
        .configure(guide::guide)
        .configure(reference::reference)
        .configure(pages::routes)
        .configure(portal::portal)
        .configure(context_pages)
        .service(discovery::instructions::llms_txt)
        .service(discovery::instructions::skill_md)
        .configure(mcp::routes)
        .configure(oauth::root_routes)
        .service(
            web::scope("")
                .guard(oauth::dialect::DIALECT.guard())
                .configure(oauth::routes)
                .default_service(web::to(fallback))
                .wrap(from_fn(guard)),
        )
        .service(protocol!(relay, web::scope).guard(relay::dialect::DIALECT.guard()))
        .service(protocol!(exchange, web::scope).guard(exchange::dialect::DIALECT.guard()))
        .configure(a2a::root_routes)
        .service(events::asyncapi)
        .service(
            web::scope("")
                .guard(a2a::dialect::DIALECT.guard())
                .configure(a2a::routes)
                .default_service(web::to(fallback))
                .wrap(from_fn(guard)),
        )
        .configure(arena::socket_routes)
        .service(counted!(web::scope))
}

/// Adds all operations to the application that the document is generated from.
pub(crate) fn described<T>(described: UtoipaApp<T>) -> UtoipaApp<T>
where
    T: ServiceFactory<ServiceRequest, Config = (), Error = Error, InitError = ()>,
{
    operations::routes(described)
        .service(protocol!(relay, scope::scope))
        .service(protocol!(exchange, scope::scope))
        .service(counted!(scope::scope))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use actix_web::{
        body::{MessageBody, to_bytes},
        http::StatusCode,
    };
    use buildtrack_http::problem::{ERROR_BYTES_MAX, FieldError, Problem};

    use super::*;
    use buildtrack_http::dialect::NATIVE;

    #[test]
    fn paths_of_a_protocol_answer_errors_in_its_format() {
        let relay = &relay::dialect::DIALECT;
        for path in ["/events", "/v1/messages", "/v1/messages/m1", "/v1/threads/t", "/health", "/v1/limits"] {
            assert_eq!(DECLARED.dialect(path), relay, "{path}");
        }
        for path in ["/", "/api/v1/agents", "/eventsx", "/v1/stream", "/docs", "/agorax"] {
            assert_eq!(DECLARED.dialect(path), &NATIVE, "{path}");
        }
        for path in ["/a2a", "/a2a/message:send", "/a2a/agents/ag_x/tasks", "/a2a/anything"] {
            assert_eq!(DECLARED.dialect(path), &a2a::dialect::DIALECT, "{path}");
        }
        for path in ["/oauth", "/oauth/token", "/oauth/anything"] {
            assert_eq!(DECLARED.dialect(path), &oauth::dialect::DIALECT, "{path}");
        }
        for path in ["/agora", "/agora/", "/agora/conversations/conv_x", "/agora/anything"] {
            assert_eq!(DECLARED.dialect(path), &exchange::dialect::DIALECT, "{path}");
        }
    }

    #[test]
    fn every_dialect_has_a_name_and_every_code_is_declared_once() {
        let names: Vec<_> = DECLARED.dialects().map(|dialect| dialect.name).collect();
        assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len());
        let codes: Vec<_> = DECLARED.codes.iter().flat_map(|codes| codes.iter()).map(|(code, _)| code).collect();
        assert_eq!(codes.iter().collect::<BTreeSet<_>>().len(), codes.len());
    }

    fn problem(errors: usize, text: &str) -> Problem {
        let error = |index| FieldError::field(format!("/{text}{index}"), "invalid", text, text);
        let mut problem = Problem::new(StatusCode::BAD_REQUEST, "invalid", text, text);
        problem.errors = (0..errors).map(error).collect();
        problem
    }

    #[actix_web::test]
    async fn an_error_that_is_too_large_is_shortened_in_every_dialect() {
        for text in ["\u{1}".repeat(300_000), "😀".repeat(80_000), "\"".repeat(300_000)] {
            for errors in [0, 1, 20, 200] {
                let mut problem = problem(errors, &text);
                // The public field allows changes after construction, too.
                problem.detail.clone_from(&text);
                for dialect in DECLARED.dialects() {
                    let answer = dialect.tell(&problem, "01h2e8kqvbfwea724h75qc655w");
                    let answer = to_bytes(answer.into_body().boxed()).await.unwrap_or_else(|error| panic!("{error}"));
                    let answer: serde_json::Value = serde_json::from_slice(&answer).unwrap_or_default();
                    // The A2A protocol has its own names for both.
                    let details = &answer["error"]["details"];
                    let list = if details.is_array() { &details[1]["fieldViolations"] } else { &answer["errors"] };
                    let named = list.as_array().map_or(0, Vec::len);
                    let more = details[0]["metadata"]["moreErrors"].as_str().and_then(|more| more.parse().ok());
                    let more = more.or_else(|| answer["moreErrors"].as_u64()).unwrap_or(0);
                    assert!(answer.to_string().len() < ERROR_BYTES_MAX && named <= 20, "{dialect:?}");
                    assert_eq!(named as u64 + more, errors as u64, "{dialect:?}");
                }
            }
        }
    }
}
