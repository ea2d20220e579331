//! What every handler has at hand.

use std::{collections::HashSet, sync::Mutex};

use buildtrack_domain::webhooks::{Pong, TargetError};
use buildtrack_settings::Settings;
use buildtrack_store::{Store, StoreError, WebhookView};
use futures_util::future::BoxFuture;
use metrics_exporter_prometheus::PrometheusHandle;
use tokio_util::sync::CancellationToken;

use crate::{
    http::{streaming::Places, work::Work},
    identity::{guesses::FamiliarNetworks, turns::Registering},
    log::live::hub::Hub,
    passwords::Passwords,
    relay::Relay,
};

/// Calls that a request brings about. The server's binary hands them in: outbound calls are the worker's.
pub struct Pinger {
    /// Sends a test event to an endpoint and gives what came back.
    pub ping: Box<dyn Fn(WebhookView) -> BoxFuture<'static, Result<Pong, StoreError>> + Send + Sync>,
    /// Whether pushes may go to an address, its name resolved within a bounded time.
    pub vet: Box<dyn Fn(String) -> BoxFuture<'static, Result<(), TargetError>> + Send + Sync>,
}

/// The state of a server. Shared by all its threads.
pub struct App {
    /// Everything that is remembered.
    pub store: Store,
    /// As loaded at start.
    pub settings: Settings,
    /// How the server is reached from outside, without a slash at the end.
    pub public_url: String,
    pub(crate) metrics: Option<PrometheusHandle>,
    pub(crate) pinger: Pinger,
    /// Scopes of idempotency keys whose first request is running here.
    pub(crate) running: Mutex<HashSet<String>>,
    /// Places for requests that wait for something to happen; each looks at the database while the log grows.
    pub(crate) waiting: Places,
    /// Places for live streams.
    pub(crate) streams: Places,
    /// What live streams are handed.
    pub(crate) live: Hub,
    /// What the relay remembers of who sends and who waits.
    pub(crate) relay: Relay,
    /// Cancelled when the server stops: who waits is answered at once.
    pub(crate) stopping: CancellationToken,
    /// Hashes of passwords, a few at a time.
    pub(crate) passwords: Passwords,
    /// Networks that need none of the tries that an account's password has in all.
    pub(crate) familiar: FamiliarNetworks,
    /// Places for reading large bodies, and for saying what is wrong with one.
    pub(crate) work: Work,
    /// Registrations of agents that are being written.
    pub(crate) registering: Registering,
}

impl std::fmt::Debug for App {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("App").field("public_url", &self.public_url).finish_non_exhaustive()
    }
}

impl App {
    /// Puts a server's state together.
    pub fn new(store: Store, settings: Settings, metrics: Option<PrometheusHandle>, pinger: Pinger) -> Self {
        Self {
            store,
            public_url: settings.public_url(),
            streams: Places::for_streams(&settings),
            waiting: Places::for_waiting(&settings),
            passwords: Passwords::new(&settings),
            familiar: FamiliarNetworks::new(),
            live: Hub::new(),
            relay: Relay::new(),
            settings,
            metrics,
            pinger,
            running: Mutex::default(),
            stopping: CancellationToken::new(),
            work: Work::new(),
            registering: Registering::default(),
        }
    }
}
