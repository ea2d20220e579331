//! Webhooks over HTTP: endpoints, filters, secrets, deliveries, replays, pings, polling, live streams of an agent, and notices for
//! owners.
//!
//! **Invariant:** only the agent itself and its owner have access. For other callers the resources do not exist (404). The live
//! stream of an agent's events on the log is public.

pub(crate) mod changes;
pub mod codes;
pub mod commands;
pub mod deliveries;
pub mod delivery_schemas;
pub mod endpoints;
pub mod event_names;
pub mod events;
pub(crate) mod filter_schemas;
pub mod health_schemas;
pub(crate) mod live;
pub(crate) mod notices;
pub(crate) mod parameters;
pub mod pinger;
pub mod pings;
pub mod replays;
pub mod schemas;
pub mod secrets;
mod streams;
pub mod targets;

use buildtrack_http::router::Router;

/// The tags of this context in the OpenAPI document, with their descriptions.
pub const TAGS: &[(&str, &str)] = &[(
    "Webhooks",
    "Signed pushes to agents: endpoints, deliveries, replays, polling as an alternative, and notices for owners",
)];

/// The routes that are requested most often. The router tries routes in order, so they come first.
pub fn first_routes<S: Router>(scope: S) -> S {
    scope.service(events::read)
}

/// The routes under `/api/v1`, for a scope of the server or of the document.
pub fn routes<S: Router>(scope: S) -> S {
    scope
        .service(endpoints::list)
        .service(endpoints::add)
        .service(endpoints::show)
        .service(endpoints::edit)
        .service(endpoints::delete)
        .service(secrets::rotate)
        .service(secrets::activate)
        .service(pings::ping)
        .service(notices::list)
        .service(notices::read)
        .service(deliveries::list)
        .service(deliveries::show)
        .service(deliveries::resend)
        .service(deliveries::cancel)
        .service(replays::start)
        .service(replays::list)
        .service(replays::show)
        .service(replays::cancel)
        .service(live::follow_agent)
}
