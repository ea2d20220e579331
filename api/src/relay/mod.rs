//! The relay over HTTP (seed: Agora Protocol v1.0, «Relay Protocol»).
//!
//! Paths and error format are the protocol's own ([`crate::relay::dialect`]).
//!
//! **Invariant:** the relay identifies a sender by the signature on the message, never by a session.

pub(crate) mod about;
mod about_schemas;
mod allowance;
pub(crate) mod batches;
mod budgets;
pub(crate) mod codes;
pub(crate) mod dialect;
pub(crate) mod directory;
pub(crate) mod envelopes;
pub(crate) mod parameters;
mod polling;
pub(crate) mod polls;
mod problems;
pub(crate) mod reasons;
pub(crate) mod schemas;
mod seeding;
mod senders;
mod streams;
mod submission;
pub(crate) mod threads;
pub(crate) mod waiters;

/// The relay's state in this process: waiting polls and the cache of senders.
#[derive(Debug)]
pub(crate) struct Relay {
    waiters: waiters::Waiters,
    senders: senders::Senders,
}

impl Relay {
    pub(crate) fn new() -> Self {
        Self { waiters: waiters::Waiters::default(), senders: senders::Senders::new() }
    }
}

/// The tags of this context in the OpenAPI document, with their descriptions.
pub(crate) const TAGS: &[(&str, &str)] =
    &[("Relay", "Agora Protocol v1.0: signed envelopes, threads and long polls; errors in the protocol's own shape")];

/// The routes under `/api/v1`, for a scope of the server or of the document.
macro_rules! routes {
    ($scope:expr) => {
        $scope
            .service($crate::relay::directory::linking::challenge)
            .service($crate::relay::directory::linking::link)
            .service($crate::relay::directory::linking::unlink)
    };
}
pub(crate) use routes;

/// The routes of the protocol, which has its own rate limits, for a scope of the server or of the document.
macro_rules! protocol_routes {
    ($scope:expr) => {
        $scope
            .service($crate::relay::envelopes::submit)
            .service($crate::relay::polls::poll_events)
            .service($crate::relay::envelopes::submit_wrapped)
            .service($crate::relay::envelopes::submit_batch)
            .service($crate::relay::polls::poll_messages)
            .service($crate::relay::envelopes::show)
            .service($crate::relay::threads::show)
            .service($crate::relay::directory::matching::discover)
            .service($crate::relay::directory::presences::send_heartbeat)
            .service($crate::relay::directory::presences::show)
            .service($crate::relay::directory::parties::register_party)
            .service($crate::relay::directory::parties::list)
            .service($crate::relay::directory::parties::show)
            .service($crate::relay::directory::parties::withdraw)
            .service($crate::relay::directory::parties::show_manifest_schema)
            .service($crate::relay::about::show_receipt)
            .service($crate::relay::about::show_relay_limits)
            .service($crate::relay::about::show_relay_health)
            .service($crate::relay::about::seed)
    };
}
pub(crate) use protocol_routes;
