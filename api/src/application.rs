//! All state of a running server: what every request uses, and what each context keeps for itself.

use std::sync::{Arc, LazyLock};

use actix_web::web::{Data, ServiceConfig};
use buildtrack_accounts::identity::Identity;
use buildtrack_arena::{self as arena, Sockets, stream::Broadcasts};
use buildtrack_bus::{Bus, Queue};
use buildtrack_community::{
    log::live::{hub::Hub, tailing},
    webhooks::pinger::Pinger,
};
pub(crate) use buildtrack_http::{
    app::App,
    fallback::KnownPaths,
    forms::Forms,
    operations::{Operations, WorkerCheck},
    public_reads::PublicReads,
    rights,
};
use buildtrack_portal::queues::Queues;
use buildtrack_protocols::relay::{Relay, waiters};
use buildtrack_settings::Settings;
use buildtrack_store::Store;
use metrics_exporter_prometheus::PrometheusHandle;

use crate::{contexts::DECLARED, discovery::manifests::PUBLISHED, reference::Reference};

/// What is read from the published document, once in a process: the schemas of bodies, the paths, and those that anyone may read.
static FORMS: LazyLock<Arc<Forms>> = LazyLock::new(|| Arc::new(Forms::of(PUBLISHED)));
static KNOWN: LazyLock<Data<KnownPaths>> = LazyLock::new(|| Data::new(KnownPaths::of(PUBLISHED, &DECLARED)));
static PUBLIC_READS: LazyLock<Data<PublicReads>> =
    LazyLock::new(|| Data::new(PublicReads::of(PUBLISHED, DECLARED.pages)));

/// The state of a running server.
#[derive(Clone)]
pub struct Application {
    app: Arc<App>,
    known: Data<KnownPaths>,
    public_reads: Data<PublicReads>,
    identity: Data<Identity>,
    live: Data<Hub>,
    operations: Data<Operations>,
    queues: Data<Queues>,
    relay: Data<Relay>,
    sockets: Data<Sockets>,
    broadcasts: Data<Broadcasts>,
    pinger: Data<Pinger>,
    reference: Data<Reference>,
}

impl std::fmt::Debug for Application {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Application").field("app", &self.app).finish_non_exhaustive()
    }
}

impl Application {
    /// Creates the state from an open store and the settings. Without a worker check, the worker does not run in this process.
    pub fn new(
        store: Store,
        settings: Settings,
        (metrics, worker_check): (Option<PrometheusHandle>, Option<WorkerCheck>),
        pinger: Pinger,
    ) -> Self {
        Self {
            known: KNOWN.clone(),
            public_reads: PUBLIC_READS.clone(),
            identity: Data::new(Identity::new(&settings)),
            live: Data::<Hub>::default(),
            operations: Data::new(Operations {
                metrics,
                worker_check,
                settings: Settings::in_force().unwrap_or_default(),
            }),
            queues: Data::default(),
            relay: Data::<Relay>::default(),
            sockets: Data::new(Sockets::new(store.log().clock().uuid().to_string())),
            broadcasts: Data::default(),
            pinger: Data::new(pinger),
            reference: Data::new(Reference::of(PUBLISHED, settings.public_url(), &DECLARED)),
            app: Arc::new(App::new(store, settings, &DECLARED, Arc::clone(&FORMS))),
        }
    }

    /// Shows operators the queues of this bus.
    pub fn watching(self, bus: Bus, queues: Vec<Queue>) -> Self {
        Self { queues: Data::new(Queues::new(bus, queues)), ..self }
    }

    /// The database.
    pub fn store(&self) -> &Store {
        &self.app.store
    }

    /// The settings.
    pub fn settings(&self) -> &Settings {
        &self.app.settings
    }

    /// The base URL of the server as clients see it, without a trailing slash.
    pub fn public_url(&self) -> &str {
        &self.app.public_url
    }

    #[doc(hidden)]
    pub fn app(&self) -> &Arc<App> {
        &self.app
    }

    /// Registers the state for the handlers of one HTTP thread.
    #[doc(hidden)]
    pub fn register(&self, config: &mut ServiceConfig) {
        config
            .app_data(Data::from(Arc::clone(&self.app)))
            .app_data(self.known.clone())
            .app_data(self.public_reads.clone())
            .app_data(self.identity.clone())
            .app_data(self.live.clone())
            .app_data(self.operations.clone())
            .app_data(self.queues.clone())
            .app_data(self.relay.clone())
            .app_data(self.sockets.clone())
            .app_data(self.broadcasts.clone())
            .app_data(self.pinger.clone())
            .app_data(self.reference.clone());
    }

    /// Starts the tasks that follow the log for waiting requests. They end when the server stops.
    pub(crate) fn spawn_followers(&self) {
        tokio::spawn(rights::watch(Arc::clone(&self.app)));
        tokio::spawn(tailing::follow(Arc::clone(&self.app), self.live.clone().into_inner()));
        tokio::spawn(waiters::follow(Arc::clone(&self.app), self.relay.clone().into_inner()));
        tokio::spawn(arena::socket::follow(Arc::clone(&self.app), self.sockets.clone().into_inner()));
    }
}
