//! Pushes: [`dispatcher`] turns events into deliveries, [`replays`] turns past ones into deliveries once more, and
//! [`sender`] carries them out through the [`client`].
//!
//! **Invariant:** a delivery is in the database before it is sent, and an outcome is there before the delivery is let
//! go of, so that a push is made at least once whatever happens in between. **Invariant:** nothing here logs a secret, a
//! body, or more of an address than its host.

mod breaker;
mod client;
pub(crate) mod courier;
mod disable;
pub(crate) mod dispatcher;
pub(crate) mod drain;
mod errands;
mod gaps;
mod lanes;
mod letters;
pub(crate) mod openings;
mod outcomes;
mod ping;
pub(crate) mod replays;
mod resolver;
pub(crate) mod sender;
pub(crate) mod targets;
mod turns;

use std::time::Duration;

use buildtrack_bus::Queue;
use buildtrack_domain::{event::Event, webhooks::Push};

pub use client::{Answer, Client, ClientError, PostError, Signed, Traced};
pub use disable::disable;
pub use ping::Pinger;
pub use resolver::ResolveError;
pub use targets::Refused;

/// The consumer that turns events into deliveries.
pub(crate) const CONSUMER: &str = "webhooks";

/// Its queue. It gets every event, so that how far it has come is one number.
pub(crate) fn queue() -> Queue {
    Queue::new(CONSUMER, ["#"]).prefetch(PREFETCH)
}

/// How many events a process holds that it has not settled: more than it deals with at once and lets wait together.
const PREFETCH: u16 = 1000;

/// How long a delivery is one process's own. It must outlast a call; when the process dies, that long nobody else makes
/// the delivery.
pub(crate) const LEASE: Duration = Duration::from_secs(30);

/// What is pushed of an event, if anything.
pub(crate) fn push_of(event: &Event) -> Option<Push<'_>> {
    Push::of(event)
}
