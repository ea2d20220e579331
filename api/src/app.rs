//! The state of a running server, shared by all handlers and background tasks.

use std::{collections::HashSet, sync::Mutex};

use buildtrack_domain::webhooks::{Pong, TargetError};
use buildtrack_settings::Settings;
use buildtrack_store::{Store, StoreError, WebhookView};
use futures_util::future::BoxFuture;
use metrics_exporter_prometheus::PrometheusHandle;
use tokio_util::sync::CancellationToken;

use crate::{
    http::{streaming::Places, work::Work},
    identity::{password_attempts::FamiliarNetworks, registration_locks::Registering},
    log::live::hub::Hub,
    passwords::Passwords,
    relay::Relay,
};

/// Outbound calls that a handler needs. The binary supplies them, because the HTTP client belongs to the worker crate.
pub struct Pinger {
    /// Sends a test event to an endpoint and returns the result.
    pub ping: Box<dyn Fn(WebhookView) -> BoxFuture<'static, Result<Pong, StoreError>> + Send + Sync>,
    /// Checks whether pushes may go to an address. Resolves its name within a bounded time.
    pub vet: Box<dyn Fn(String) -> BoxFuture<'static, Result<(), TargetError>> + Send + Sync>,
}

/// Whether the worker in this process makes progress. The binary supplies it, because the worker is another crate.
pub type WorkerCheck = Box<dyn Fn() -> bool + Send + Sync>;

/// The state of one server process. All threads share it.
pub struct App {
    /// The database: log, read tables and side tables.
    pub store: Store,
    /// The settings, as loaded at start.
    pub settings: Settings,
    /// The base URL of the server as clients see it, without a trailing slash.
    pub public_url: String,
    pub(crate) metrics: Option<PrometheusHandle>,
    pub(crate) pinger: Pinger,
    /// None if the worker does not run in this process.
    pub(crate) worker_check: Option<WorkerCheck>,
    /// Scopes of the idempotency keys whose first request is still running in this process.
    pub(crate) running: Mutex<HashSet<String>>,
    /// Permits for requests that wait for events. Each such request queries the database while the log grows.
    pub(crate) waiting: Places,
    /// Permits for live streams.
    pub(crate) streams: Places,
    /// The events that live streams send, read once for all of them.
    pub(crate) live: Hub,
    /// The relay's in-memory state: senders' allowances and waiting polls.
    pub(crate) relay: Relay,
    /// Cancelled when the server stops. Waiting requests are then answered at once.
    pub(crate) stopping: CancellationToken,
    /// The queue for password hashing, which limits how many hashes are computed at a time.
    pub(crate) passwords: Passwords,
    /// Networks that have logged in to an account before. Their attempts do not count against the account's total limit.
    pub(crate) familiar: FamiliarNetworks,
    /// Permits for parsing large bodies, and for listing the errors of an invalid one.
    pub(crate) work: Work,
    /// Agent registrations in progress, by owner.
    pub(crate) registering: Registering,
}

impl std::fmt::Debug for App {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("App").field("public_url", &self.public_url).finish_non_exhaustive()
    }
}

impl App {
    /// Creates the state from an open store and the settings.
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
            worker_check: None,
            running: Mutex::default(),
            stopping: CancellationToken::new(),
            work: Work::new(),
            registering: Registering::default(),
        }
    }

    /// Makes readiness depend on the worker in this process.
    #[must_use]
    pub fn checking_worker(self, worker_check: Option<WorkerCheck>) -> Self {
        Self { worker_check, ..self }
    }
}
