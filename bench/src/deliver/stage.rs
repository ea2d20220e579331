//! The processes of a series of loads: server, worker, listeners and receiver.

use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Result;
use hdrhistogram::Histogram;
use tokio::time::sleep;

use super::Options;
use crate::api::{self, Scene};
use crate::broker::Claim;
use crate::ledger::{Ledger, Reckoning};
use crate::load::{self, Cpu, OnCut, Outcome, Plan, Watched};
use crate::pace::Pace;
use crate::receiver::Receiver;
use crate::report::deliver::{Balance, Faults, Peaks};
use crate::server::{self, Kind, Server, Site};
use crate::{listeners, postgres, process, report};

/// Interval of the checks for outstanding pushes.
const LOOK: Duration = Duration::from_millis(20);
/// Time after the last push from which on outstanding pushes count as lost. The lease of an interrupted delivery expires
/// after 30 s, and the default schedule's first two retries come after 5 and 30 s.
const PATIENCE: Duration = Duration::from_secs(50);

/// The processes and data of one series of loads. Fields are dropped in this order: processes first, then the data they use.
pub(super) struct Stage {
    server: Option<Server>,
    worker: Option<Server>,
    pub(super) receiver: Receiver,
    ledger: Arc<Ledger>,
    scene: Scene,
    site: Site,
    worker_program: Option<PathBuf>,
    postmaster: Option<u32>,
    listeners: u16,
    /// Number of loads so far.
    loads: u16,
    faults: Faults,
    _claim: Option<Claim>,
}

/// A load: its number, the start of its measured part, and its times in microseconds.
pub(super) struct Load {
    pub(super) number: u16,
    pub(super) from: Instant,
    /// From the intended start to the 201.
    pub(super) answered: Histogram<u64>,
    /// From the intended to the actual start.
    pub(super) late: Histogram<u64>,
}

impl Faults {
    fn add(&mut self, outcome: &Outcome) {
        self.unknown += outcome.unknown();
        self.untaken += outcome.untaken;
        self.refusals.push_str(&report::refusals(outcome));
    }
}

impl Stage {
    pub(super) async fn set(options: &Options, scene: api::Options, listeners: u16) -> Result<Self> {
        let claim = match &options.amqp {
            Some(url) => Some(Claim::stake(url).await?),
            None => None,
        };
        let mut site = Site::prepare(&options.server)?;
        site.set("BUILDTRACK_ALLOW_PRIVATE_TARGETS", "on");
        // All listeners share one address.
        let unlimited = "rate=1000000,unverified=1000000,concurrency=1000000,unverified_concurrency=1000000";
        site.set("BUILDTRACK_TARGET_RATE", options.target_rate.as_deref().unwrap_or(unlimited));
        let mut worker_program = None;
        if let Some(url) = &options.amqp {
            site.set("AMQP_URL", url);
            site.set("BUILDTRACK_WORKER", "off");
            worker_program = Some(server::program(options.worker.as_deref(), "buildtrack-worker")?);
        }
        let server = site.start().await?;
        let scene = Scene::set(site.address, scene).await?;
        let ledger = Arc::new(Ledger::new());
        let receiver = Receiver::start(listeners, Arc::clone(&ledger))?;
        listeners::register(&scene, &receiver.addresses).await?;
        let mut stage = Self {
            server: Some(server),
            worker: None,
            receiver,
            ledger,
            scene,
            site,
            worker_program,
            postmaster: options.postmaster(),
            listeners,
            loads: 0,
            faults: Faults::default(),
            _claim: claim,
        };
        if stage.worker_program.is_some() {
            stage.start_deliveries().await?;
        }
        if options.server.database == Kind::Postgres {
            postgres::checkpoint();
        }
        Ok(stage)
    }

    /// Stops delivery, while messages are still accepted. If the server itself delivers, it restarts without its worker.
    pub(super) async fn stop_deliveries(&mut self) -> Result<()> {
        match self.worker.take() {
            Some(worker) => worker.stop().await,
            None => self.restart("off").await,
        }
    }

    /// Starts delivery again.
    pub(super) async fn start_deliveries(&mut self) -> Result<()> {
        match &self.worker_program {
            Some(program) => self.worker = Some(self.site.start_worker(program).await?),
            None => self.restart("on").await?,
        }
        Ok(())
    }

    async fn restart(&mut self, worker: &str) -> Result<()> {
        if let Some(server) = self.server.take() {
            server.stop().await?;
        }
        self.site.set("BUILDTRACK_WORKER", worker);
        self.server = Some(self.site.start().await?);
        Ok(())
    }

    /// Sends messages over the first connections, at most `connections` of them.
    pub(super) async fn load(&mut self, pace: Pace, connections: usize, times: [Duration; 2]) -> Result<Load> {
        let (number, [warmup, measured]) = (self.loads, times);
        self.loads += 1;
        let mut requests = self.scene.requests(number)?;
        requests.truncate(connections);
        let plan = Plan {
            address: self.scene.address,
            requests,
            pace,
            warmup,
            measured,
            on_cut: OnCut::Reconnect,
            receipts: false,
            ledger: Some(Arc::clone(&self.ledger)),
            watched: Watched::default(),
        };
        let outcome = load::run(plan).await?;
        self.faults.add(&outcome);
        Ok(Load { number, from: outcome.from, answered: outcome.totals.latency, late: outcome.totals.delay })
    }

    /// Waits until every message accepted in these loads has been pushed to all listeners but the first `deaf`, or until the
    /// outstanding pushes count as lost.
    pub(super) async fn settle(&self, loads: RangeInclusive<u16>, from: Instant, deaf: u16) -> Result<Reckoning> {
        let (mut arrivals, mut quiet_since) = (self.ledger.arrivals(), Instant::now());
        let mut reckoning = None;
        loop {
            sleep(LOOK).await;
            if self.ledger.arrivals() > arrivals {
                (arrivals, quiet_since) = (self.ledger.arrivals(), Instant::now());
                reckoning = None;
                continue;
            }
            let current = match reckoning.take() {
                Some(reckoning) => reckoning,
                None => self.reckon(loads.clone(), from, deaf)?,
            };
            if current.lost() == 0 || quiet_since.elapsed() > PATIENCE {
                return Ok(current);
            }
            reckoning = Some(current);
        }
    }

    /// The comparison so far, as in [`Ledger::reckon`].
    pub(super) fn reckon(&self, loads: RangeInclusive<u16>, from: Instant, deaf: u16) -> Result<Reckoning> {
        self.ledger.reckon(loads, from, &listeners::audience(&self.scene, deaf..self.listeners))
    }

    /// Processor time of the server, the worker, the database and this process so far. Takes milliseconds.
    pub(super) async fn cpu(&self) -> Result<Cpu> {
        let process = |server: &Option<Server>| server.as_ref().map(Server::process).transpose();
        let (server, worker) = (process(&self.server)?, process(&self.worker)?);
        let watched = Watched { server, worker, postmaster: self.postmaster };
        Ok(tokio::task::spawn_blocking(move || Cpu::read(watched)).await?)
    }

    /// Peak memory of the current server and worker processes, in bytes.
    pub(super) fn peaks(&self) -> Result<Peaks> {
        let peak = |server: &Server| anyhow::Ok(process::memory(server.process()?)?.peak);
        let peak = |server: &Option<Server>| server.as_ref().map(peak).transpose();
        Ok(Peaks { server: peak(&self.server)?, worker: peak(&self.worker)? })
    }

    /// The mean size of a stored event's data in bytes, if the log shows it.
    pub(super) async fn event_bytes(&self, messages: u64) -> Option<usize> {
        self.scene.stored_event_bytes(messages).await.ok()
    }

    /// Compares everything accepted with everything pushed, and stops all processes.
    pub(super) async fn end(mut self, deaf: u16) -> Result<Balance> {
        let reckoning = self.reckon(0..=self.loads, Instant::now(), deaf)?;
        for server in [self.worker.take(), self.server.take()].into_iter().flatten() {
            server.stop().await?;
        }
        Ok(Balance { reckoning, faults: std::mem::take(&mut self.faults) })
    }
}
