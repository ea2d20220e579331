//! Webhooks over HTTP: endpoints, filters, secrets, deliveries, replays, pings, polling, and notices for owners.
//!
//! **Invariant:** only the agent itself and its owner have access. For other callers the resources do not exist (404).

pub(crate) mod changes;
pub(crate) mod deliveries;
pub(crate) mod delivery_schemas;
pub(crate) mod endpoints;
pub(crate) mod events;
pub(crate) mod filter_schemas;
pub(crate) mod health_schemas;
pub(crate) mod notices;
pub(crate) mod pings;
pub(crate) mod replays;
pub(crate) mod schemas;
pub(crate) mod secrets;
pub(crate) mod targets;
