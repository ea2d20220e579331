//! Background work of Buildtrack: publishes the log, pushes to webhooks, counts contributions, and deletes expired data.
//!
//! `buildtrack` runs this library in its own process by default. `buildtrack-worker` runs it alone, in any number of
//! processes side by side on PostgreSQL. **Invariant:** a signal or a power failure may interrupt any work at any moment; the
//! worker resumes it from the state in the database, and no event is skipped.

mod access;
mod arena;
mod collector;
mod decisions;
mod departures;
mod exchange;
mod gauges;
mod housekeeping;
mod indexer;
pub mod leased;
mod mail;
pub mod notifications;
pub mod outbound;
mod parts;
mod pause;
pub mod process;
mod publisher;
mod pulse;
mod relay;
mod reputation;
mod settings;
mod sweeps;
mod task_pushes;
mod time_limits;
pub mod webhooks;

use std::{panic::resume_unwind, path::PathBuf, sync::Arc};

use buildtrack_bus::{Bus, BusError, Queue};
use buildtrack_macros::boxed;
use buildtrack_settings::{ArenaLimits, CostGuardMode, Settings};
use buildtrack_store::{Store, StoreError};
use futures_util::future::BoxFuture;
use tokio::{sync::mpsc, task::JoinSet};
use tokio_util::sync::CancellationToken;

use access::FallenAccess;
pub use arena::conformance;
use arena::{Checker, HeadToHeads, HealthChecks, Matchmaker, ProgramReferee, Rounds, TextReferee, Tournaments};
pub use collector::{TracesError, export_traces, flush_traces};
use departures::Departures;
use exchange::ExpiredRequests;
use housekeeping::{Housekeeping, Retentions};
use indexer::Indexer;
use mail::MailQueue;
pub use mail::{MailError, Mailer};
use notifications::{ChatClient, Notifier};
use parts::Parts;
use publisher::Publisher;
pub use pulse::Pulse;
use relay::TimedOutThreads;
use reputation::Reputation;
pub use settings::WorkerSettings;
use task_pushes::{TaskPusher, TaskPushes};
use time_limits::TimeLimits;
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

/// A worker, ready to run.
#[derive(Debug)]
pub struct Worker {
    store: Store,
    bus: Bus,
    pusher: Arc<Pusher>,
    mailer: Option<Mailer>,
    notifier: Notifier,
    task_pusher: TaskPusher,
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

impl ArenaSettings {
    fn checker(&self, store: Store) -> Checker {
        Checker::new(store, self.client.clone(), self.public_url.clone())
    }
}

#[boxed]
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
        let notifier = Notifier {
            store: store.clone(),
            chats: ChatClient::new(arena.client.clone(), settings.call_timeout),
            public_url: settings.public_url.clone(),
            mails_per_hour: settings.mails_per_hour,
            is_mailing: false,
        };
        let task_pusher = TaskPusher {
            store: store.clone(),
            client: arena.client.clone(),
            timeout: settings.call_timeout,
            schedule: settings.retry_schedule.clone(),
        };
        let pusher = Arc::new(Pusher::new(store.clone(), client, settings));
        let pulse = Pulse::default();
        Ok(Self { store, bus, pusher, mailer: None, notifier, task_pusher, retentions, pulse, arena })
    }

    /// Sends mail too, if `mailer` is given.
    #[must_use]
    pub fn mailing(self, mailer: Option<Mailer>) -> Self {
        let notifier = Notifier { is_mailing: mailer.is_some(), ..self.notifier };
        Self { mailer, notifier, ..self }
    }

    /// Whether the worker makes progress.
    pub fn pulse(&self) -> Pulse {
        self.pulse.clone()
    }

    /// Works until `stop`. Then the work under way has a few seconds to finish; the rest is resumed after the next start.
    pub fn run(self, stop: CancellationToken) -> BoxFuture<'static, ()> {
        // Boxed, so that the code of all parts is generated in this crate, and not in those that await it.
        Box::pin(self.work_until(stop))
    }

    async fn work_until(self, stop: CancellationToken) {
        let Self { store, bus, pusher, mailer, notifier, task_pusher, retentions, pulse, arena } = self;
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
        parts.lease(TimeLimits::<TimedOutThreads>::new);
        parts.lease(TimeLimits::<ExpiredRequests>::new);
        parts.lease(TimeLimits::<FallenAccess>::new);
        parts.lease(|store| Departures { store });
        parts.lease(TextReferee::new);
        parts.lease({
            let python = arena.python.clone();
            move |store| ProgramReferee::new(store, python.clone())
        });
        parts.lease({
            let arena = arena.clone();
            move |store: Store| Matchmaker::new(store.clone(), arena.checker(store), arena.limits, arena.guard)
        });
        parts.lease({
            let arena = arena.clone();
            move |store: Store| HeadToHeads::new(store.clone(), arena.checker(store), arena.limits, arena.guard)
        });
        parts.lease({
            let arena = arena.clone();
            move |store: Store| Tournaments::new(store.clone(), arena.checker(store), arena.limits, arena.guard)
        });
        parts.lease({
            let ArenaSettings { client, public_url, .. } = arena.clone();
            move |store| Rounds::new(store, client.clone(), public_url.clone())
        });
        parts.lease(move |store| HealthChecks::new(arena.checker(store)));
        parts.lease(move |_| notifier.clone());
        parts.lease(move |_| TaskPushes::new(task_pusher.clone()));
        if let Some(mailer) = mailer {
            parts.lease(move |store| MailQueue { store, mailer: mailer.clone() });
        }
        parts.lease(move |store| Housekeeping { store, retentions });
        parts.begin("counting", move |store, stop| gauges::run(store, bus.clone(), stop));
        while parts.tasks.join_next().await.is_some() {}
    }

    /// Works until every event is dispatched and indexed, and no relay thread, request of the two-party exchange, account
    /// deletion, notification, update of a task, mail or delivery is due. For tests, in place of [`Self::run`]: with a fixed
    /// clock, retries wait until the clock is moved.
    pub async fn drain(&self) -> Result<(), StoreError> {
        loop {
            match self.store.search().index(INDEXED).await {
                Ok(indexed) if !indexed.moved => break,
                // Another process indexed these events first.
                Ok(_) | Err(StoreError::Conflict { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        Box::pin(time_limits::end_all::<TimedOutThreads>(&self.store)).await?;
        Box::pin(time_limits::end_all::<ExpiredRequests>(&self.store)).await?;
        Box::pin(time_limits::end_all::<FallenAccess>(&self.store)).await?;
        while Box::pin(departures::step(&self.store)).await? {}
        Box::pin(arena::close_all(&self.store)).await?;
        while Box::pin(self.notifier.tell_due()).await? {}
        Box::pin(self.task_pusher.push_all()).await?;
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

/// Installs the process's TLS provider, for a program that calls a server without a worker.
pub fn install_tls() {
    // An error means that a provider is installed already.
    drop(rustls::crypto::ring::default_provider().install_default());
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
#[boxed]
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
