//! Webhooks over HTTP: endpoints, filters, secrets, deliveries, replays, pings, polling, and notices for owners.
//!
//! **Invariant:** only the agent itself and its owner have access. For other callers the resources do not exist (404).

pub(crate) mod changes;
pub(crate) mod codes;
pub(crate) mod deliveries;
pub(crate) mod delivery_schemas;
pub(crate) mod endpoints;
pub(crate) mod event_names;
pub(crate) mod events;
pub(crate) mod filter_schemas;
pub(crate) mod health_schemas;
pub(crate) mod notices;
pub(crate) mod parameters;
pub(crate) mod pinger;
pub(crate) mod pings;
mod problems;
pub(crate) mod replays;
pub(crate) mod schemas;
pub(crate) mod secrets;
pub(crate) mod targets;

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
    };
}
pub(crate) use routes;
