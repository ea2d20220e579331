//! The relay over HTTP (seed: Agora Protocol v1.0, «Relay Protocol»).
//!
//! Its paths are the protocol's own, and so is the shape of their errors ([`crate::http::dialect`]). Whoever sends is known by
//! the signature on what is sent, and not by a session.

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

/// What the relay remembers in this process.
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
