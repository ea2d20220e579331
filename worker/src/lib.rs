//! Background work of Buildtrack: publishes the log, pushes to webhooks, counts contributions, and deletes expired data.
//!
//! `buildtrack` runs this library in its own process by default. `buildtrack-worker` runs it alone, in any number of
//! processes side by side on PostgreSQL. **Invariant:** a signal or a power failure may interrupt any work at any moment; the
//! worker resumes it from the state in the database, and no event is skipped.

mod arena;
mod collector;
mod decisions;
mod departures;
mod gauges;
mod housekeeping;
mod indexer;
pub mod leased;
mod mail;
pub mod outbound;
mod pause;
mod publisher;
mod pulse;
mod reputation;
mod requests;
mod sweeps;
mod threads;
pub mod webhooks;

use std::{
    panic::{AssertUnwindSafe, resume_unwind},
    path::PathBuf,
    sync::Arc,
    time::Duration,
};

use buildtrack_bus::{Bus, BusError, Queue};
use buildtrack_domain::webhooks::RetrySchedule;
use buildtrack_settings::{ArenaLimits, CostGuardMode, Settings, TargetRate};
use buildtrack_store::{Store, StoreError};
use futures_util::FutureExt;
use tokio::{sync::mpsc, task::JoinSet};
use tokio_util::sync::CancellationToken;

pub use arena::conformance;
use arena::{HeadToHeads, HealthChecks, Matchmaker, Referee, Rounds, Tournaments};
pub use collector::{TracesError, export_traces, flush_traces};
use departures::Departures;
use housekeeping::{Housekeeping, Retentions};
use indexer::Indexer;
use leased::LeasedTask;
use mail::MailQueue;
pub use mail::{MailError, Mailer};
use pause::{BACK_OFF, pause};
use publisher::Publisher;
pub use pulse::Pulse;
use reputation::Reputation;
use requests::ExpiredRequests;
use threads::TimedOutThreads;
use webhooks::{
    Client, ClientError,
    capacity::SharedCapacity,
    dispatcher::Dispatcher,
    drain,
    pusher::Pusher,
    replays::Replays,
    sender::{HANDED, Sender},
};

/// Events indexed per step by [`Worker::drain`], which competes with no writer.
const INDEXED: u16 = 1000;

/// Settings of the worker.
#[derive(Debug, Clone)]
pub struct WorkerSettings {
    /// The server's external base URL without a trailing slash. Pushes contain links below it.
    pub public_url: String,
    /// Allows pushes to loopback and private addresses and over plain HTTP.
    pub allow_private_targets: bool,
    /// Delays between the attempts of a failed push.
    pub retry_schedule: RetrySchedule,
    /// Time limit of one call, including its response: 15 s. Must be well below the lease of a delivery, 30 s.
    pub call_timeout: Duration,
    /// Retention of settled deliveries.
    pub delivery_retention: Duration,
    /// Retention of the relay's envelopes; `None` keeps them forever.
    pub envelope_retention: Option<Duration>,
    /// How long the circuit breaker of a failing endpoint stays open at first: 30 s. Each failed probe doubles it, up to ten
    /// times the first duration.
    pub breaker_wait: Duration,
    /// Rate and concurrency of pushes to one target, across all endpoints with that target.
    pub target_rate: TargetRate,
    /// Limits of the arena.
    pub arena_limits: ArenaLimits,
    /// Whether the arena's budget of a day ends matchmaking.
    pub cost_guard_mode: CostGuardMode,
    /// The Python interpreter of the sandbox: a path, or a name on the `PATH`.
    pub python: PathBuf,
}

impl From<&Settings> for WorkerSettings {
    fn from(settings: &Settings) -> Self {
        Self {
            public_url: settings.public_url(),
            allow_private_targets: settings.allow_private_targets,
            retry_schedule: settings.retry_schedule.clone(),
            call_timeout: Duration::from_secs(15),
            delivery_retention: settings.delivery_retention.0,
            envelope_retention: settings.relay_retention.map(|retention| retention.0),
            breaker_wait: Duration::from_secs(30),
            target_rate: settings.target_rate,
            arena_limits: settings.arena_limits,
            cost_guard_mode: settings.cost_guard_mode,
            python: settings.arena_python.clone(),
        }
    }
}

/// A worker, ready to run.
#[derive(Debug)]
pub struct Worker {
    store: Store,
    bus: Bus,
    pusher: Arc<Pusher>,
    mailer: Option<Mailer>,
    retentions: Retentions,
    pulse: Pulse,
    arena: ArenaSettings,
}

/// What the arena's tasks need.
#[derive(Debug, Clone)]
struct ArenaSettings {
    client: outbound::Client,
    public_url: String,
    limits: ArenaLimits,
    guard: CostGuardMode,
    python: PathBuf,
}

impl Worker {
    /// Builds a worker. No work starts before [`Self::run`].
    pub fn new(store: Store, bus: Bus, settings: WorkerSettings) -> Result<Self, ClientError> {
        let client = Client::new(settings.allow_private_targets, settings.call_timeout)?.bounded(settings.target_rate);
        let retentions = Retentions { deliveries: settings.delivery_retention, envelopes: settings.envelope_retention };
        let arena = ArenaSettings {
            client: outbound::Client::new(settings.allow_private_targets)?.bounded(settings.target_rate),
            public_url: settings.public_url.clone(),
            limits: settings.arena_limits,
            guard: settings.cost_guard_mode,
            python: settings.python.clone(),
        };
        let pusher = Arc::new(Pusher::new(store.clone(), client, settings));
        Ok(Self { store, bus, pusher, mailer: None, retentions, pulse: Pulse::default(), arena })
    }

    /// Sends mail too, if `mailer` is given.
    #[must_use]
    pub fn mailing(self, mailer: Option<Mailer>) -> Self {
        Self { mailer, ..self }
    }

    /// Whether the worker makes progress.
    pub fn pulse(&self) -> Pulse {
        self.pulse.clone()
    }

    /// Works until `stop`. Then the work under way has a few seconds to finish; the rest is resumed after the next start.
    pub async fn run(self, stop: CancellationToken) {
        let Self { store, bus, pusher, mailer, retentions, pulse, arena } = self;
        let mut parts = Parts { store, stop, tasks: JoinSet::new() };
        parts.lease({
            let bus = bus.clone();
            move |store| Publisher::new(store, bus.clone())
        });
        parts.begin("pushing", {
            let bus = bus.clone();
            move |store, stop| push(store, bus.clone(), pusher.clone(), pulse.clone(), stop)
        });
        parts.lease(|store| Indexer { store });
        parts.lease(Reputation::new);
        parts.lease(Replays::new);
        parts.lease(TimedOutThreads::new);
        parts.lease(ExpiredRequests::new);
        parts.lease(|store| Departures { store });
        parts.lease({
            let python = arena.python.clone();
            move |store| Referee::new(store, python.clone())
        });
        parts.lease({
            let ArenaSettings { client, limits, guard, .. } = arena.clone();
            move |store| Matchmaker::new(store, client.clone(), limits, guard)
        });
        parts.lease({
            let ArenaSettings { client, limits, guard, .. } = arena.clone();
            move |store| HeadToHeads::new(store, client.clone(), limits, guard)
        });
        parts.lease({
            let ArenaSettings { client, limits, guard, .. } = arena.clone();
            move |store| Tournaments::new(store, client.clone(), limits, guard)
        });
        parts.lease({
            let ArenaSettings { client, public_url, .. } = arena.clone();
            move |store| Rounds::new(store, client.clone(), public_url.clone())
        });
        parts.lease(move |store| HealthChecks::new(store, arena.client.clone()));
        if let Some(mailer) = mailer {
            parts.lease(move |store| MailQueue { store, mailer: mailer.clone() });
        }
        parts.lease(move |store| Housekeeping { store, retentions });
        parts.begin("counting", move |store, stop| gauges::run(store, bus.clone(), stop));
        while parts.tasks.join_next().await.is_some() {}
    }

    /// Works until every event is dispatched and indexed, and no relay thread, request of the two-party exchange, account
    /// deletion or delivery is due. For tests, in place of [`Self::run`]: with a fixed clock, retries wait until the clock is
    /// moved.
    pub async fn drain(&self) -> Result<(), StoreError> {
        loop {
            match self.store.index(INDEXED).await {
                Ok(indexed) if !indexed.moved => break,
                // Another process indexed these events first.
                Ok(_) | Err(StoreError::Conflict { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        Box::pin(threads::end_all(&self.store)).await?;
        Box::pin(requests::end_all(&self.store)).await?;
        while Box::pin(departures::step(&self.store)).await? {}
        Box::pin(arena::close_all(&self.store)).await?;
        if let Some(mailer) = &self.mailer {
            while Box::pin(mail::send_due(&self.store, mailer)).await? {}
        }
        if let Some(retention) = self.retentions.envelopes {
            while Box::pin(housekeeping::expire_step(&self.store, retention)).await? {}
        }
        Box::pin(drain::drain(&self.store, &self.pusher)).await
    }

    /// Counts all contributions on the log. For tests, in place of [`Self::run`]. Resulting events are appended to the log
    /// and wait for [`Self::drain`].
    pub async fn count(&self) -> Result<(), StoreError> {
        reputation::count_all(&self.store).await
    }
}

/// The queues of the worker's consumers.
pub fn queues() -> Vec<Queue> {
    vec![webhooks::queue()]
}

/// The bus from the log to the consumers: RabbitMQ if `AMQP_URL` is set, otherwise a queue within this process.
pub fn bus(settings: &Settings) -> Result<Bus, BusError> {
    match &settings.amqp_url {
        Some(url) => Bus::connect(url, &queues()),
        None => Ok(Bus::local(&queues())),
    }
}

/// Checks the broker once at process start. Access denied is an error. An unreachable broker is only logged, because the bus
/// keeps reconnecting.
pub async fn check_bus(bus: &Bus) -> Result<(), BusError> {
    match bus.check().await {
        Err(error @ (BusError::Unreachable { .. } | BusError::Silent(_))) => {
            tracing::warn!("AMQP_URL: {error}; the worker reconnects until the broker is back");
            Ok(())
        }
        outcome => outcome,
    }
}

async fn push(store: Store, bus: Bus, pusher: Arc<Pusher>, pulse: Pulse, stop: CancellationToken) {
    let (queue, handed) = mpsc::channel(HANDED);
    let capacity = SharedCapacity::default();
    let sender = Sender::new(store.clone(), pusher, handed, capacity.clone(), pulse);
    let consumer = bus.consume(&webhooks::queue());
    // The sender runs as a separate task that ends with this one. If it panics, this function panics too and both restart.
    let mut sending = JoinSet::new();
    sending.spawn({
        let stop = stop.clone();
        async move { sender.run(&stop).await }
    });
    let sent = async {
        if let Some(Err(error)) = sending.join_next().await
            && let Ok(panic) = error.try_into_panic()
        {
            resume_unwind(panic);
        }
    };
    tokio::join!(Dispatcher::new(store, capacity).run(consumer, queue, &stop), sent);
}

/// The parts of the worker. Each runs in its own task, so that progress in one does not wake the others.
struct Parts {
    store: Store,
    stop: CancellationToken,
    tasks: JoinSet<()>,
}

impl Parts {
    /// Runs a leased task.
    fn lease<T: LeasedTask + 'static>(&mut self, task: impl Fn(Store) -> T + Send + 'static) {
        self.begin(T::SCHEDULE.lease, move |store, stop| leased::run(store.clone(), task(store), stop));
    }

    /// Runs one part and restarts it after a panic. The part resumes from the state in the database.
    fn begin<F: Future<Output = ()> + Send + 'static>(
        &mut self,
        work: &'static str,
        begin: impl Fn(Store, CancellationToken) -> F + Send + 'static,
    ) {
        let (store, stop) = (self.store.clone(), self.stop.clone());
        self.tasks.spawn(async move {
            while AssertUnwindSafe(begin(store.clone(), stop.clone())).catch_unwind().await.is_err() {
                tracing::error!(work, "a part of the worker panicked; it restarts");
                pause(BACK_OFF, &stop).await;
            }
        });
    }
}
