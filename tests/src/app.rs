//! A server in this process, on a real port.

use std::{
    sync::{Arc, LazyLock},
    time::Duration,
};

use buildtrack::{Application, ConnectionBounds, Pinger, Server};
use buildtrack_bus::Bus;
use buildtrack_domain::{
    decide::Command,
    identity::{self, GrantOperator},
    ids::OwnerId,
};
use buildtrack_settings::{Settings, secret};
use buildtrack_store::{Store, StoreError, clock::Clock};
use buildtrack_worker::{
    Mailer, Worker, WorkerSettings,
    notifications::ChatClient,
    outbound, queues,
    webhooks::{self, Client},
};
use metrics_exporter_prometheus::PrometheusHandle;
use tokio::sync::{Semaphore, SemaphorePermit};

use crate::{
    Agent, Backend, Caller, Mailbox, Owner, Party, contract, database::TestDatabase, log_lines,
    new_database::run_on_thread,
};

/// Installed once: a process can have only one recorder.
static METRICS: LazyLock<Option<PrometheusHandle>> = LazyLock::new(buildtrack::metrics_recorder);

/// A server opens up to 22 connections, and PostgreSQL admits 100 by default. This many servers run at once, independent of the
/// number of test threads.
static FIRST_SERVERS: Semaphore = Semaphore::const_new(3);
/// Separate from the permits above, so that tests with two servers cannot wait for each other.
static REPLICAS: Semaphore = Semaphore::const_new(1);

/// The time at which every test begins.
const NOON: &str = "2026-03-01T12:00:00.000001Z";

/// A server with its own database. Its clock only moves when the test moves it. Limits are so high that no test reaches them, and
/// private webhook targets are allowed, unless the test configures otherwise. The server stops when this value is dropped.
pub struct TestApp {
    database: Arc<TestDatabase>,
    settings: Settings,
    clock: Clock,
    running: Option<Running>,
    _room: Option<SemaphorePermit<'static>>,
}

struct Running {
    server: Server,
    application: Application,
    bus: Bus,
}

impl std::fmt::Debug for TestApp {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("TestApp")
            .field("running", &self.running.as_ref().map(|running| &running.server))
            .finish_non_exhaustive()
    }
}

impl TestApp {
    /// Starts a server on a new database.
    pub async fn start(backend: Backend) -> Self {
        Self::with(backend, |_| ()).await
    }

    /// Starts a server with other settings.
    pub async fn with(backend: Backend, configure: impl FnOnce(&mut Settings)) -> Self {
        Self::at(backend, Clock::fixed(NOON.parse().unwrap()), configure).await
    }

    /// Starts a server with its own clock and other settings.
    pub async fn at(backend: Backend, clock: Clock, configure: impl FnOnce(&mut Settings)) -> Self {
        log_lines::capture();
        let room = match backend {
            Backend::Sqlite => None,
            Backend::Postgres => Some(FIRST_SERVERS.acquire().await.unwrap()),
        };
        let database = Arc::new(TestDatabase::new(backend).await);
        let mut settings = Settings {
            bind: ([127, 0, 0, 1], 0).into(),
            public_url: Some("https://build.example".parse().unwrap()),
            rate_limits: "free=100000,pro=100000,enterprise=100000,anonymous=100000,login=100000,login_account=100000,relay=100000,relay_address=100000,exchange=100000".parse().unwrap(),
            allow_private_targets: true,
            agents_per_owner: 1000.try_into().unwrap(),
            agents_per_day: 1000.try_into().unwrap(),
            ..Settings::default()
        };
        database.configure(&mut settings);
        configure(&mut settings);
        Self::run(database, settings, clock, room).await
    }

    /// Starts another server on the same database, as a replica. At most one per test, beside the first server.
    pub async fn replica(&self) -> Self {
        let room = Some(REPLICAS.acquire().await.unwrap());
        Self::run(Arc::clone(&self.database), self.settings.clone(), self.clock.clone(), room).await
    }

    /// Stops the server and starts it again.
    pub async fn restart(self) -> Self {
        self.within(ConnectionBounds::default()).await
    }

    /// Stops the server and starts it again with other bounds of connections.
    pub async fn within(mut self, bounds: ConnectionBounds) -> Self {
        if let Some(running) = self.running.take() {
            running.stop().await;
        }
        let again = Self::start_server(&self.settings, &self.clock, bounds).await;
        self.running = Some(again);
        self
    }

    async fn run(
        database: Arc<TestDatabase>,
        settings: Settings,
        clock: Clock,
        room: Option<SemaphorePermit<'static>>,
    ) -> Self {
        let running = Some(Self::start_server(&settings, &clock, ConnectionBounds::default()).await);
        let started = Self { database, settings, clock, running, _room: room };
        contract::learn_codes(&started.anonymous()).await;
        started
    }

    async fn start_server(settings: &Settings, clock: &Clock, bounds: ConnectionBounds) -> Running {
        let (database, secret) = (settings.database(), secret(settings).unwrap());
        let opening = buildtrack_store::Settings { database, secret, clock: clock.clone() };
        let store = Store::open(opening).await.unwrap();
        store.log().limit_storage(settings.storage_limits());
        store.arena().use_bank(buildtrack_settings::bank(settings).unwrap());
        let pinger = pinger(&store, settings);
        let bus = Bus::local(&queues());
        let application = Application::new(store, settings.clone(), (METRICS.clone(), None), pinger);
        let application = application.watching(bus.clone(), queues());
        Running { server: Server::start_within(&application, bounds).unwrap(), application, bus }
    }

    fn running(&self) -> &Running {
        self.running.as_ref().expect("it runs until it is dropped")
    }

    /// The base URL: `http://127.0.0.1:…`.
    pub fn url(&self) -> String {
        format!("http://{}", self.running().server.address)
    }

    /// Its settings.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The store that the server uses.
    pub fn store(&self) -> &Store {
        self.running().application.store()
    }

    /// The bus whose queues operators see on the server's pages. No worker consumes them.
    pub fn bus(&self) -> &Bus {
        &self.running().bus
    }

    /// Advances the clock of this server and its replicas.
    pub fn advance(&self, by: Duration) {
        self.clock.advance(by);
    }

    /// An anonymous caller.
    pub fn anonymous(&self) -> Caller {
        Caller::anonymous(self.url())
    }

    /// A relay agent with its own key.
    pub fn party(&self, name: &str) -> Party {
        Party::new(self.anonymous(), self.clock.clone(), name)
    }

    /// A new human owner, logged in.
    pub async fn owner(&self, name: &str) -> Owner {
        Owner::open(self, name).await
    }

    /// A new human owner, logged in, on a server that sends its mail to `mailbox`.
    pub async fn owner_with_mail(&self, mailbox: &Mailbox, name: &str) -> Owner {
        Owner::confirm(self, mailbox, name).await
    }

    /// A new agent, logged in, of a new owner that is named after it.
    pub async fn agent(&self, name: &str) -> Agent {
        self.owner(&format!("{name}'s owner")).await.agent(name).await
    }

    /// A new operator, logged in.
    pub async fn operator(&self, name: &str) -> Owner {
        let owner = self.owner(name).await;
        let owner_id: OwnerId = owner.id.parse().unwrap();
        let granted = self.store().log().transact(None, async |unit| {
            let state = unit.load::<identity::Owner>(owner_id).await?;
            unit.append(owner_id, &state, GrantOperator { owner_id }.decide(&state.state).unwrap_or_default());
            Ok::<_, StoreError>(())
        });
        granted.await.unwrap();
        owner
    }

    /// Runs every due delivery and updates the search index, as the worker does.
    pub async fn deliver(&self) {
        self.worker().drain().await.unwrap();
    }

    /// Updates the reputation from every new contribution, as the worker does.
    pub async fn count(&self) {
        self.worker().count().await.unwrap();
    }

    fn worker(&self) -> Worker {
        let worker = Worker::new(self.store().clone(), Bus::local(&queues()), WorkerSettings::from(&self.settings));
        worker.unwrap().mailing(Mailer::of(&self.settings).unwrap())
    }

    /// Runs SQL statements directly on the database, not through the server.
    pub async fn tamper(&self, statements: &str) {
        self.database.execute(statements).await;
    }

    /// Every row of every table as text: one line per row, blobs in hexadecimal.
    pub async fn dump(&self) -> String {
        self.database.dump().await
    }
}

/// Sends test events as `serve` does, but with a shorter timeout.
fn pinger(store: &Store, settings: &Settings) -> Pinger {
    let client = Client::new(settings.allow_private_targets, Duration::from_secs(2)).unwrap();
    let client = client.bounded(settings.target_rate);
    let pinger = webhooks::Pinger::new(store.clone(), client.clone());
    let chats = outbound::Client::new(settings.allow_private_targets).unwrap().bounded(settings.target_rate);
    let (chats, clock) = (ChatClient::new(chats, Duration::from_secs(2)), store.log().clock().clone());
    Pinger {
        ping: Box::new(move |webhook| {
            let pinger = pinger.clone();
            Box::pin(async move { pinger.ping(&webhook).await })
        }),
        chat: Box::new(move |url, body| {
            let (chats, now) = (chats.clone(), clock.now());
            Box::pin(async move { chats.test(&url, body, now).await })
        }),
        vet: Box::new(move |url| {
            let client = client.clone();
            Box::pin(async move { client.vet_given(&url).await })
        }),
    }
}

impl Running {
    async fn stop(self) {
        let store = self.application.store().clone();
        self.server.stop().await;
        store.close().await;
    }
}

impl Drop for TestApp {
    fn drop(&mut self) {
        if let Some(running) = self.running.take() {
            run_on_thread(running.stop());
        }
    }
}
