//! The relay over HTTP (seed: Agora Protocol v1.0, «Relay Protocol»).
//!
//! Paths and error format are the protocol's own ([`crate::relay::dialect`]).
//!
//! **Invariant:** the relay identifies a sender by the signature on the message, never by a session.

pub(crate) mod about;
mod about_schemas;
mod allowance;
pub mod batches;
mod budgets;
pub mod codes;
pub mod dialect;
pub mod directory;
pub(crate) mod envelopes;
pub mod parameters;
mod polling;
pub(crate) mod polls;
pub(crate) mod reasons;
pub(crate) mod schemas;
mod seeding;
mod senders;
mod streams;
mod submission;
pub(crate) mod threads;
pub mod waiters;

use buildtrack_http::router::Router;

/// The relay's state in this process: waiting polls and the cache of senders.
#[derive(Debug)]
pub struct Relay {
    waiters: waiters::Waiters,
    senders: senders::Senders,
}

impl Default for Relay {
    fn default() -> Self {
        Self { waiters: waiters::Waiters::default(), senders: senders::Senders::new() }
    }
}

/// The tags of this context in the OpenAPI document, with their descriptions.
pub const TAGS: &[(&str, &str)] =
    &[("Relay", "Agora Protocol v1.0: signed envelopes, threads and long polls; errors in the protocol's own shape")];

/// The routes under `/api/v1`, for a scope of the server or of the document.
pub fn routes<S: Router>(scope: S) -> S {
    scope.service(directory::linking::challenge).service(directory::linking::link).service(directory::linking::unlink)
}

/// The routes of the protocol, which has its own rate limits, for a scope of the server or of the document.
pub fn protocol_routes<S: Router>(scope: S) -> S {
    scope
        .service(envelopes::submit)
        .service(polls::poll_events)
        .service(envelopes::submit_wrapped)
        .service(envelopes::submit_batch)
        .service(polls::poll_messages)
        .service(envelopes::show)
        .service(threads::show)
        .service(directory::matching::discover)
        .service(directory::presences::send_heartbeat)
        .service(directory::presences::show)
        .service(directory::parties::register_party)
        .service(directory::parties::list)
        .service(directory::parties::show)
        .service(directory::parties::withdraw)
        .service(directory::parties::show_manifest_schema)
        .service(about::show_receipt)
        .service(about::show_relay_limits)
        .service(about::show_relay_health)
        .service(about::seed)
}
