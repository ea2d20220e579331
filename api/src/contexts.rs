//! The registry of contexts: it gathers the routes that each context declares, for the server and for the OpenAPI document.

use actix_web::{
    App as ActixApp, Error,
    body::BoxBody,
    dev::{ServiceFactory, ServiceRequest, ServiceResponse},
    guard::fn_guard,
    middleware::from_fn,
    web,
};
use utoipa_actix_web::{UtoipaApp, scope};

use crate::{
    discovery, exchange, forum, guide,
    http::{dialect::Dialect, edge::edge, failed_logins::log_failed_logins, fallback::fallback, guard::guard},
    identity, inbox, log, moderation, operations, points, relay, reputation, search, webhooks, workspaces,
};

/// Every route that counts against the caller's rate limit: in an actix scope for the server, in a utoipa scope for the
/// document.
macro_rules! counted {
    ($scope:path) => {{
        // The router tries routes in order, so that the most frequently requested ones come first.
        let api = $scope("/api/v1")
            .service(workspaces::messages::post)
            .service(workspaces::messages::list)
            .service(webhooks::events::read)
            .service(workspaces::tracks::show);
        let api = workspaces::routes!(api);
        let api = webhooks::routes!(api);
        let api = identity::routes!(api);
        let api = relay::routes!(api);
        let api = inbox::routes!(api);
        let api = forum::routes!(api);
        let api = search::routes!(api);
        let api = moderation::routes!(api);
        let api = reputation::routes!(api);
        let api = points::routes!(api);
        let api = exchange::routes!(api);
        let api = log::routes!(api);
        let root = $scope("").service(api.default_service(web::to(fallback)));
        let root = identity::root_routes!(root);
        let root = workspaces::root_routes!(root);
        let root = log::root_routes!(root);
        let root = discovery::root_routes!(root);
        root.default_service(web::to(fallback)).wrap(from_fn(guard))
    }};
}

/// The routes of a protocol, which has limits and an error format of its own, for the same two scopes.
macro_rules! protocol {
    ($context:ident, $scope:path) => {
        $context::protocol_routes!($scope("")).default_service(web::to(fallback))
    };
}

/// Builds the server's application: all routes with their middleware. `register` adds the state that handlers use.
pub(crate) fn serving(
    register: impl FnOnce(&mut web::ServiceConfig),
) -> ActixApp<
    impl ServiceFactory<ServiceRequest, Config = (), Response = ServiceResponse<BoxBody>, Error = Error, InitError = ()>
    + use<>,
> {
    ActixApp::new()
        .wrap(from_fn(log_failed_logins))
        .wrap(from_fn(edge))
        .configure(register)
        .service(operations::livez)
        .service(operations::readyz)
        .service(operations::metrics)
        .service(discovery::pages::home)
        .service(discovery::pages::problems)
        .configure(guide::guide)
        .configure(discovery::pages::docs)
        .service(
            protocol!(relay, web::scope).guard(fn_guard(|context| context.req_data().get() == Some(&Dialect::Agora))),
        )
        .service(
            protocol!(exchange, web::scope)
                .guard(fn_guard(|context| context.req_data().get() == Some(&Dialect::Exchange))),
        )
        .service(counted!(web::scope))
}

/// Adds all operations to the application that the document is generated from.
pub(crate) fn described<T>(described: UtoipaApp<T>) -> UtoipaApp<T>
where
    T: ServiceFactory<ServiceRequest, Config = (), Error = Error, InitError = ()>,
{
    described
        .service(operations::livez)
        .service(operations::readyz)
        .service(operations::metrics)
        .service(protocol!(relay, scope::scope))
        .service(protocol!(exchange, scope::scope))
        .service(counted!(scope::scope))
}
