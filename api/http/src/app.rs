//! The state that every request uses. Contexts register their own state beside it.

use std::{
    collections::HashSet,
    sync::{Arc, Mutex},
};

use buildtrack_settings::Settings;
use buildtrack_store::Store;
use tokio_util::sync::CancellationToken;

use super::{
    declared::Declared, forms::Forms, mount::Mount, open_rights::Rights, permits::Permits, validators::Validators,
    work::Work,
};

/// The state of one server process that all contexts share. All threads share it.
pub struct App {
    /// The database: log, read tables and side tables.
    pub store: Store,
    /// The settings, as loaded at start.
    pub settings: Settings,
    /// The base URL of the server as clients see it, without a trailing slash.
    pub public_url: String,
    /// Its place on its host.
    pub mount: Mount,
    /// Scopes of the idempotency keys whose first request is still running in this process.
    pub(super) running: Mutex<HashSet<String>>,
    /// Permits for requests that wait for events. Each such request queries the database while the log grows.
    pub(super) waiting: Permits,
    /// Permits for live streams.
    pub(super) streams: Permits,
    /// The rights of callers whose connections or requests stay open.
    pub(super) rights: Rights,
    /// Cancelled when the server stops. Waiting requests are then answered at once.
    pub stopping: CancellationToken,
    /// Permits for parsing large bodies, and for listing the errors of an invalid one.
    pub work: Work,
    /// The tags of pages and feeds that readers have.
    pub(super) validators: Validators,
    /// Permits for rendering Markdown.
    pub rendering: Work,
    /// What contexts declare.
    pub declared: &'static Declared,
    /// The compiled schemas of bodies.
    pub(super) forms: Arc<Forms>,
}

impl App {
    /// Creates the state from an open store, the settings, the declarations of contexts, and the published schemas of bodies.
    pub fn new(store: Store, settings: Settings, declared: &'static Declared, forms: Arc<Forms>) -> Self {
        Self {
            store,
            public_url: settings.public_url(),
            mount: Mount::of(&settings),
            streams: Permits::for_streams(&settings),
            waiting: Permits::for_waiting(&settings),
            rights: Rights::default(),
            settings,
            running: Mutex::default(),
            stopping: CancellationToken::new(),
            work: Work::new(),
            rendering: Work::new(),
            validators: Validators::new(),
            declared,
            forms,
        }
    }
}

impl std::fmt::Debug for App {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("App").field("public_url", &self.public_url).finish_non_exhaustive()
    }
}
