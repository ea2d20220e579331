//! Webhook delivery: [`dispatcher`] processes events, for each of which [`fan_out`] writes a delivery for each recipient;
//! [`replays`] writes deliveries of past events. [`sender`] queues due deliveries in [`lanes`], and [`pusher`] attempts them
//! through the [`client`].
//!
//! **Invariant:** a delivery is in the database before it is sent, and its outcome is there before its lease is released. So
//! every push is made at least once. **Invariant:** this module logs no secret, no body, and no more of an address than its
//! host.

mod breaker;
pub(crate) mod capacity;
mod claims;
mod client;
mod deferred_updates;
mod disable;
pub(crate) mod dispatcher;
pub(crate) mod drain;
mod fan_out;
mod gaps;
mod lanes;
mod ordering;
mod outcomes;
mod payloads;
mod ping;
mod policy;
mod push_result;
pub(crate) mod pusher;
pub(crate) mod replays;
pub(crate) mod sender;

use std::time::Duration;

use buildtrack_bus::Queue;

pub use client::{Answer, Client, Signed, Traced};
pub use disable::disable;
pub use ping::Pinger;

pub use crate::outbound::ClientError;

/// The consumer that turns events into deliveries.
pub(crate) const CONSUMER: &str = "webhooks";

/// The consumer's queue. It receives every event, so that one position describes its progress.
pub(crate) fn queue() -> Queue {
    Queue::new(CONSUMER, ["#"]).prefetch(PREFETCH)
}

/// Unacknowledged events per process: more than the dispatcher processes and collects at once.
const PREFETCH: u16 = 1000;

/// The lease of a delivery. It must be longer than a call. When a process dies, its deliveries wait this long.
pub(crate) const LEASE: Duration = Duration::from_secs(30);
