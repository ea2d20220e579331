//! The relay over HTTP (seed: Agora Protocol v1.0, «Relay Protocol»).
//!
//! Paths and error format are the protocol's own ([`crate::http::dialect`]).
//!
//! **Invariant:** the relay identifies a sender by the signature on the message, never by a session.

pub(crate) mod about;
mod allowance;
pub(crate) mod batches;
mod budgets;
pub(crate) mod directory;
pub(crate) mod envelopes;
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
