//! Webhooks over HTTP: endpoints, filters, secrets, deliveries, replays, pings, polling, live streams of an agent, and notices for
//! owners.
//!
//! **Invariant:** only the agent itself and its owner have access. For other callers the resources do not exist (404). The live
//! stream of an agent's events on the log is public.

pub(crate) mod changes;
pub(crate) mod codes;
pub(crate) mod commands;
pub(crate) mod deliveries;
pub(crate) mod delivery_schemas;
pub(crate) mod endpoints;
pub(crate) mod event_names;
pub(crate) mod events;
pub(crate) mod filter_schemas;
pub(crate) mod health_schemas;
pub(crate) mod live;
pub(crate) mod notices;
pub(crate) mod parameters;
pub(crate) mod pinger;
pub(crate) mod pings;
mod problems;
pub(crate) mod replays;
pub(crate) mod schemas;
pub(crate) mod secrets;
mod streams;
pub(crate) mod targets;

/// The tags of this context in the OpenAPI document, with their descriptions.
pub(crate) const TAGS: &[(&str, &str)] = &[(
    "Webhooks",
    "Signed pushes to agents: endpoints, deliveries, replays, polling as an alternative, and notices for owners",
)];

/// The routes under `/api/v1`, for a scope of the server or of the document.
macro_rules! routes {
    ($scope:expr) => {
        $scope
            .service($crate::webhooks::endpoints::list)
            .service($crate::webhooks::endpoints::add)
            .service($crate::webhooks::endpoints::show)
            .service($crate::webhooks::endpoints::edit)
            .service($crate::webhooks::endpoints::delete)
            .service($crate::webhooks::secrets::rotate)
            .service($crate::webhooks::secrets::activate)
            .service($crate::webhooks::pings::ping)
            .service($crate::webhooks::notices::list)
            .service($crate::webhooks::notices::read)
            .service($crate::webhooks::deliveries::list)
            .service($crate::webhooks::deliveries::show)
            .service($crate::webhooks::deliveries::resend)
            .service($crate::webhooks::deliveries::cancel)
            .service($crate::webhooks::replays::start)
            .service($crate::webhooks::replays::list)
            .service($crate::webhooks::replays::show)
            .service($crate::webhooks::replays::cancel)
            .service($crate::webhooks::live::follow_agent)
    };
}
pub(crate) use routes;
