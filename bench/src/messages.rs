//! `messages`: rate, latency and cost of accepted messages, compared with `pgbench`.

use std::net::{SocketAddr, ToSocketAddrs};
use std::time::Duration;

use anyhow::{Context, Result};
use tokio::time::sleep;

use crate::api::{self, Scene};
use crate::load::{self, OnCut, Outcome, Plan, Watched};
use crate::pace::Pace;
use crate::reference::{Choice, Rates, Reference};
use crate::report::{self, Count, Run, Usage};
use crate::server::{self, Kind, Server, Site};
use crate::verify::verify;
use crate::{postgres, process};

/// Idle time before the server's memory is read.
const REST: Duration = Duration::from_secs(1);

#[derive(clap::Args)]
#[group(skip)]
pub(crate) struct Options {
    #[command(flatten)]
    server: server::Options,
    #[command(flatten)]
    scene: api::Options,
    /// Measure a running server at `http://HOST:PORT`; its rate limits must be high enough.
    #[arg(long, conflicts_with_all = ["server", "environment", "keep", "verify"])]
    url: Option<String>,
    /// Seconds of each loop and of each `pgbench` run.
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..))]
    seconds: u64,
    /// Seconds of load before the measurement.
    #[arg(long, default_value_t = 2)]
    warmup: u64,
    /// Messages a second of the open loop; 0 skips it. The default is half the closed loop's rate.
    #[arg(long)]
    rate: Option<u32>,
    /// Reference of the rate.
    #[arg(long, value_enum, default_value_t = Choice::Pgbench)]
    reference: Choice,
    /// Number of repetitions of the whole run.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    runs: u16,
    /// Run the server's `verify-log` and `rebuild` on the resulting data.
    #[arg(long)]
    verify: bool,
    /// Also print the figures as one line of JSON.
    #[arg(long)]
    json: bool,
}

/// Returns whether every message was accepted, and none was lost or counted twice.
pub(crate) async fn run(options: &Options) -> Result<bool> {
    let mut runs = Vec::new();
    for _ in 0..options.runs {
        let run = measure(options).await?;
        println!("{}", report::table(&options.title(), &run));
        runs.push(run);
    }
    if let Some(summary) = report::summary(&runs) {
        println!("{summary}");
    }
    if options.json {
        println!("{}", report::json(&options.title(), &runs));
    }
    Ok(runs.iter().all(Run::is_sound))
}

async fn measure(options: &Options) -> Result<Run> {
    let reference = options.reference()?;
    let before = rate(reference.as_ref()).await?;
    let mut run = match &options.url {
        Some(url) => load_running(options, address(url)?).await?,
        None => load_own(options).await?,
    };
    let after = rate(reference.as_ref()).await?;
    run.reference = before.zip(after).map(|(before, after)| Rates { before, after });
    Ok(run)
}

async fn rate(reference: Option<&Reference>) -> Result<Option<f64>> {
    let Some(reference) = reference else {
        return Ok(None);
    };
    eprintln!("pgbench …");
    reference.measure().await.map(Some)
}

/// Starts a server on a new database, loads it, and restarts it on the resulting data.
async fn load_own(options: &Options) -> Result<Run> {
    let site = Site::prepare(&options.server)?;
    let server = site.start().await?;
    let (start_new, idle_new) = (server.ready_after, idle(&server).await?);
    let watched = Watched { server: Some(server.process()?), postmaster: options.postmaster(), ..Watched::default() };
    let mut run = load(options, site.address, watched).await?;
    let peak = process::memory(server.process()?)?.peak;
    server.stop().await?;
    let server = site.start().await?;
    let (start_existing, idle_existing) = (server.ready_after, idle(&server).await?);
    server.stop().await?;
    run.usage = Some(Usage { start_new, start_existing, idle_new, idle_existing, peak });
    if options.verify {
        run.verified = Some(verify(&site).await?);
    }
    Ok(run)
}

async fn load_running(options: &Options, address: SocketAddr) -> Result<Run> {
    load(options, address, Watched { postmaster: options.postmaster(), ..Watched::default() }).await
}

/// Runs both loops, then reads the server's message count.
async fn load(options: &Options, address: SocketAddr, watched: Watched) -> Result<Run> {
    let scene = Scene::set(address, options.scene).await?;
    if options.server.database == Kind::Postgres {
        postgres::checkpoint();
    }
    let mut loops = vec![pace(options, &scene, watched, Pace::Closed).await?];
    if let Some(rate) = options.open_rate(&loops[0]) {
        loops.push(pace(options, &scene, watched, Pace::Open { rate }).await?);
    }
    let accepted = loops.iter().map(|outcome| outcome.totals.accepted).sum();
    let unknown = loops.iter().map(Outcome::unknown).sum();
    let count = Count { accepted, unknown, stored: scene.message_count().await? };
    let event_bytes = scene.stored_event_bytes(accepted).await.ok();
    Ok(Run { loops, count, event_bytes, usage: None, reference: None, verified: None })
}

async fn pace(options: &Options, scene: &Scene, watched: Watched, pace: Pace) -> Result<Outcome> {
    eprintln!("{pace:?} …");
    let plan = Plan {
        address: scene.address,
        requests: scene.requests(0)?,
        pace,
        warmup: Duration::from_secs(options.warmup),
        measured: Duration::from_secs(options.seconds),
        on_cut: OnCut::Reconnect,
        receipts: false,
        ledger: None,
        watched,
    };
    load::run(plan).await
}

/// Resident memory of an idle server in bytes.
async fn idle(server: &Server) -> Result<u64> {
    sleep(REST).await;
    Ok(process::memory(server.process()?)?.resident)
}

fn address(url: &str) -> Result<SocketAddr> {
    let authority = url.strip_prefix("http://").context("only http:// can be measured")?.trim_end_matches('/');
    authority.to_socket_addrs().context("expected http://HOST:PORT")?.next().context("the host has no address")
}

impl Options {
    fn title(&self) -> report::Title {
        let subject = self.url.clone().unwrap_or_else(|| format!("{:?}", self.server.database).to_lowercase());
        report::Title { subject, scene: self.scene, seconds: self.seconds, warmup: self.warmup }
    }

    fn reference(&self) -> Result<Option<Reference>> {
        self.reference.prepare(self.seconds, self.server.database == Kind::Sqlite)
    }

    fn postmaster(&self) -> Option<u32> {
        (self.server.database == Kind::Postgres).then(postgres::postmaster).flatten()
    }

    /// The open loop's rate: the requested one, or half of the closed loop's.
    fn open_rate(&self, closed: &Outcome) -> Option<u32> {
        let half = || report::accepted_per_second(closed.window.as_ref()?).map(|rate| rate / 2);
        self.rate.or_else(half).filter(|rate| *rate > 0)
    }
}
