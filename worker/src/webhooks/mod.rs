//! Pushes: [`dispatcher`] turns events into deliveries, [`sender`] carries them out through the [`client`].
//!
//! **Invariant:** a delivery is in the database before it is sent, and an outcome is there before the delivery is let
//! go of, so that a push is made at least once whatever happens in between. **Invariant:** nothing here logs a secret, a
//! body, or more of an address than its host.

mod client;
pub(crate) mod courier;
pub(crate) mod dispatcher;
pub(crate) mod drain;
mod lanes;
mod resolver;
pub(crate) mod sender;
mod subscribers;

use std::time::Duration;

use buildtrack_domain::{
    event::Event,
    webhooks::Push,
    workspaces::{MessageEvent, WorkspaceEvent},
};

pub use client::{Client, ClientError, PostError, Signed};
pub use resolver::ResolveError;

/// The consumer that turns events into deliveries, and the lease under which it works.
pub(crate) const CONSUMER: &str = "webhooks";

/// How long a delivery is one process's own. It must outlast a call; when the process dies, that long nobody else makes
/// the delivery.
pub(crate) const LEASE: Duration = Duration::from_secs(30);

/// What is pushed of an event, if anything.
pub(crate) fn push_of(event: &Event) -> Option<Push<'_>> {
    match event {
        Event::Message(MessageEvent::Posted(posted)) => Some(Push::Message(posted)),
        Event::Workspace(WorkspaceEvent::Joined(joined)) => Some(Push::Join(joined)),
        _ => None,
    }
}
