//! What happens afterwards: the log is published, webhooks are pushed to, contributions are counted, and what has expired
//! is cleared away.
//!
//! `buildtrack` runs this library in its own process by default; `buildtrack-worker` runs it alone, any number of times
//! beside each other on PostgreSQL. **Invariant:** what is under way may be cut off at any moment, by a signal or by a
//! power failure: it is taken up again from what the database says, and no event is left out.

mod collector;
mod departures;
mod gauges;
mod housekeeping;
mod indexer;
mod mail;
mod pause;
mod publisher;
mod reputation;
mod requests;
mod sweeps;
mod threads;
pub mod webhooks;

use std::{
    panic::{AssertUnwindSafe, resume_unwind},
    sync::Arc,
    time::Duration,
};

use buildtrack_bus::{Bus, BusError, Queue};
use buildtrack_domain::webhooks::RetrySchedule;
use buildtrack_settings::{Settings, TargetRate};
use buildtrack_store::{Store, StoreError};
use futures_util::FutureExt;
use tokio::{sync::mpsc, task::JoinSet};
use tokio_util::sync::CancellationToken;

pub use collector::{TracesError, export_traces, flush_traces};
use housekeeping::Retentions;
pub use mail::{MailError, Mailer};
use pause::{BACK_OFF, pause};
use publisher::Publisher;
use webhooks::{
    Client, ClientError,
    courier::Courier,
    dispatcher::Dispatcher,
    drain,
    openings::Openings,
    replays,
    sender::{HANDED, Sender},
};

/// Events indexed at once where nobody else is in the way.
const INDEXED: u16 = 1000;

/// What the worker needs to know.
#[derive(Debug, Clone)]
pub struct WorkerSettings {
    /// How the server is reached from outside, without a slash at the end; pushes point there.
    pub public_url: String,
    /// Lets pushes go to loopback and private addresses and over plain HTTP.
    pub allow_private_targets: bool,
    /// When a failed push is tried again.
    pub retry_schedule: RetrySchedule,
    /// How long one call may take, its answer included: 15 s. Must stay well below the 30 s for which a delivery is
    /// taken up.
    pub call_timeout: Duration,
    /// How long a delivery is kept after it was settled.
    pub delivery_retention: Duration,
    /// How long envelopes of the relay are kept; for ever where it is none.
    pub envelope_retention: Option<Duration>,
    /// How long an endpoint is left alone that keeps failing, at first: 30 s. It doubles with each probe that fails, up
    /// to ten times that.
    pub breaker_wait: Duration,
    /// How many pushes one target gets, across all endpoints that lead there.
    pub target_rate: TargetRate,
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
        }
    }
}

/// A worker, ready to run.
#[derive(Debug)]
pub struct Worker {
    store: Store,
    bus: Bus,
    courier: Arc<Courier>,
    mailer: Option<Mailer>,
    retentions: Retentions,
}

impl Worker {
    /// Makes ready; nothing is done yet.
    pub fn new(store: Store, bus: Bus, settings: WorkerSettings) -> Result<Self, ClientError> {
        let client = Client::new(settings.allow_private_targets, settings.call_timeout)?.bounded(settings.target_rate);
        let retentions = Retentions { deliveries: settings.delivery_retention, envelopes: settings.envelope_retention };
        let courier = Arc::new(Courier::new(store.clone(), client, settings));
        Ok(Self { store, bus, courier, mailer: None, retentions })
    }

    /// Sends mail as well.
    #[must_use]
    pub fn mailing(self, mailer: Option<Mailer>) -> Self {
        Self { mailer, ..self }
    }

    /// Works until `stop`; then what is under way may end within a few seconds, and what does not is taken up again
    /// later.
    pub async fn run(self, stop: CancellationToken) {
        let Self { store, bus, courier, mailer, retentions } = self;
        let mut parts = Parts { store, stop, tasks: JoinSet::new() };
        parts.begin("publishing", {
            let bus = bus.clone();
            move |store, stop| publish(store, bus.clone(), stop)
        });
        parts.begin("pushing", {
            let bus = bus.clone();
            move |store, stop| push(store, bus.clone(), courier.clone(), stop)
        });
        parts.begin("indexing", indexer::run);
        parts.begin("counting contributions", reputation::run);
        parts.begin("replaying", replays::run);
        parts.begin("ending threads", threads::run);
        parts.begin("ending requests", requests::run);
        parts.begin("clearing deleted accounts away", departures::run);
        if let Some(mailer) = mailer {
            parts.begin("sending mail", move |store, stop| mail::run(store, mailer.clone(), stop));
        }
        parts.begin("housekeeping", move |store, stop| housekeeping::run(store, retentions, stop));
        parts.begin("counting", move |store, stop| gauges::run(store, bus.clone(), stop));
        while parts.tasks.join_next().await.is_some() {}
    }

    /// Works until every event has been looked at and indexed, no thread at the relay is due, no request of the
    /// two-party exchange, and no delivery. For tests, in place of [`Self::run`]: with a
    /// fixed clock, what is to be tried again waits until the clock is moved.
    pub async fn drain(&self) -> Result<(), StoreError> {
        loop {
            match self.store.index(INDEXED).await {
                Ok(indexed) if !indexed.moved => break,
                // Somebody else was faster.
                Ok(_) | Err(StoreError::Conflict { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        Box::pin(threads::end_all(&self.store)).await?;
        Box::pin(requests::end_all(&self.store)).await?;
        while Box::pin(departures::step(&self.store)).await? {}
        if let Some(mailer) = &self.mailer {
            while Box::pin(mail::send_due(&self.store, mailer)).await? {}
        }
        if let Some(retention) = self.retentions.envelopes {
            while Box::pin(housekeeping::expire_step(&self.store, retention)).await? {}
        }
        Box::pin(drain::drain(&self.store, &self.courier)).await
    }

    /// Counts all contributions that are on the log. For tests, in place of [`Self::run`]; what follows from it is on the
    /// log too, and waits to be drained.
    pub async fn count(&self) -> Result<(), StoreError> {
        reputation::count_all(&self.store).await
    }
}

/// The queues of the worker's consumers.
pub fn queues() -> Vec<Queue> {
    vec![webhooks::queue()]
}

/// The way from the log to the consumers: RabbitMQ where it is set, otherwise within this process.
pub fn bus(settings: &Settings) -> Result<Bus, BusError> {
    match &settings.amqp_url {
        Some(url) => Bus::connect(url, &queues()),
        None => Ok(Bus::local(&queues())),
    }
}

/// Tries the broker once, for the process's start. One that refuses the user ends the start; one that is away may come
/// back, and is said so at once.
pub async fn check_bus(bus: &Bus) -> Result<(), BusError> {
    match bus.check().await {
        Err(error @ (BusError::Unreachable { .. } | BusError::Silent(_))) => {
            tracing::warn!("AMQP_URL: {error}; trying until it is back");
            Ok(())
        }
        outcome => outcome,
    }
}

async fn publish(store: Store, bus: Bus, stop: CancellationToken) {
    Publisher::new(store, bus).run(&stop).await;
}

async fn push(store: Store, bus: Bus, courier: Arc<Courier>, stop: CancellationToken) {
    let (queue, handed) = mpsc::channel(HANDED);
    let openings = Openings::default();
    let sender = Sender::new(store.clone(), courier, handed, openings.clone());
    let consumer = bus.consume(&webhooks::queue());
    // A task of its own as well, which goes with this one. Should it panic, both begin anew.
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
    tokio::join!(Dispatcher::new(store, openings).run(consumer, queue, &stop), sent);
}

/// The parts of the work, each a task of its own, so that what happens in one wakes no other.
struct Parts {
    store: Store,
    stop: CancellationToken,
    tasks: JoinSet<()>,
}

impl Parts {
    /// Does the work, and begins it anew should it panic: what was under way is taken up from the database.
    fn begin<F: Future<Output = ()> + Send + 'static>(
        &mut self,
        work: &'static str,
        begin: impl Fn(Store, CancellationToken) -> F + Send + 'static,
    ) {
        let (store, stop) = (self.store.clone(), self.stop.clone());
        self.tasks.spawn(async move {
            while AssertUnwindSafe(begin(store.clone(), stop.clone())).catch_unwind().await.is_err() {
                tracing::error!(work, "a part of the worker broke off; it begins anew");
                pause(BACK_OFF, &stop).await;
            }
        });
    }
}
