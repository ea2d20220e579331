//! `deliver`: throughput, latency and completeness of webhook delivery, compared with `pgbench` and with the broker alone.
//!
//! In the steps `latency`, `sustained` and `drain` a message has one listener, so one message is one push; in `fan-out` and `hanging`
//! it has many. Every accepted message must have been pushed in the end.

mod stage;
mod steps;

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Result, ensure};

use crate::reference::{Choice, Rates, Reference};
use crate::report::deliver::{self as report, Run, Title};
use crate::server::{self, Kind};
use crate::{api, broker, postgres};
use stage::Stage;

/// Workspaces of the step `hanging`, each with one author and its share of the listeners.
const HANGING_WORKSPACES: u16 = 100;

#[derive(clap::Args)]
#[group(skip)]
pub(crate) struct Options {
    #[command(flatten)]
    server: server::Options,
    /// Deliver through RabbitMQ and a separate worker process: an `amqp://` URL with a virtual host that no other Buildtrack
    /// uses. Requires `--database postgres`.
    #[arg(long, value_name = "URL")]
    amqp: Option<String>,
    /// The worker's binary; by default the one beside this binary, which `cargo run` builds first.
    #[arg(long, value_name = "PATH", requires = "amqp")]
    worker: Option<PathBuf>,
    #[command(flatten)]
    scene: api::Options,
    /// The steps to run.
    #[arg(long, value_enum, value_delimiter = ',', default_values_t = Step::ALL)]
    steps: Vec<Step>,
    /// Seconds of `latency` and `sustained`, and of each reference measurement.
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..))]
    seconds: u64,
    /// Seconds of load before the measurement.
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u64).range(1..))]
    warmup: u64,
    /// Messages a second in `latency`.
    #[arg(long, default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..))]
    rate: u32,
    /// Messages accepted in `drain` before delivery starts.
    #[arg(long, default_value_t = 20_000, value_parser = clap::value_parser!(u64).range(1..))]
    backlog: u64,
    /// Endpoints in `fan-out`, each of a separate agent, in one workspace.
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u16).range(1..=1000))]
    fan: u16,
    /// Endpoints in `hanging`, each of a separate agent.
    #[arg(long, default_value_t = 1000, value_parser = clap::value_parser!(u16).range(100..=10_000))]
    listeners: u16,
    /// Number of endpoints that never answer.
    #[arg(long, default_value_t = 100)]
    hanging: u16,
    /// Messages a second in `hanging`; each is pushed to a hundredth of the endpoints.
    #[arg(long, default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..))]
    hanging_rate: u32,
    /// Seconds of `hanging`; a call times out after 15 seconds.
    #[arg(long, default_value_t = 40, value_parser = clap::value_parser!(u64).range(1..))]
    hanging_seconds: u64,
    /// The budget of a host, as `BUILDTRACK_TARGET_RATE`; by default so large that it limits nothing. Each listener is a host of its
    /// own, and all share one address.
    #[arg(long, value_name = "LIMITS")]
    target_rate: Option<String>,
    /// Reference of the rate; with `--amqp`, the broker alone is measured too.
    #[arg(long, value_enum, default_value_t = Choice::Pgbench)]
    reference: Choice,
    /// Number of repetitions of the whole run.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    runs: u16,
    /// Also print the figures as one line of JSON.
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
enum Step {
    /// An open loop at `--rate`: time from the intended start of a request to the push at the listener's socket.
    Latency,
    /// A closed loop and its remaining deliveries: messages accepted and delivered a second.
    Sustained,
    /// A closed loop of messages that each go to many endpoints: pushes a second.
    FanOut,
    /// A backlog that is delivered while 100 messages a second arrive.
    Drain,
    /// Many endpoints, some of which never answer.
    Hanging,
}

impl Step {
    const ALL: [Self; 5] = [Self::Latency, Self::Sustained, Self::FanOut, Self::Drain, Self::Hanging];

    /// Whether a message has one listener.
    fn has_one_listener(self) -> bool {
        !matches!(self, Self::FanOut | Self::Hanging)
    }
}

/// Returns whether every message was accepted, and every accepted message was pushed.
pub(crate) async fn run(options: &Options) -> Result<bool> {
    ensure!(options.amqp.is_none() || options.server.database == Kind::Postgres, "--amqp needs --database postgres");
    ensure!(options.hanging < options.listeners, "--hanging must be less than --listeners");
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
    let before = rates(options, reference.as_ref()).await?;
    let mut run = Run::default();
    if options.steps.iter().any(|step| step.has_one_listener()) {
        with_one_listener_each(options, &mut run).await?;
    }
    if options.steps.contains(&Step::FanOut) {
        with_a_fan(options, &mut run).await?;
    }
    if options.steps.contains(&Step::Hanging) {
        with_many_listeners(options, &mut run).await?;
    }
    let after = rates(options, reference.as_ref()).await?;
    [run.pgbench, run.broker] = [0, 1].map(|index| {
        let (before, after) = before[index].zip(after[index])?;
        Some(Rates { before, after })
    });
    Ok(run)
}

/// Steps with one listener in each workspace.
async fn with_one_listener_each(options: &Options, run: &mut Run) -> Result<()> {
    eprintln!("preparing the data …");
    let mut stage = Stage::set(options, options.scene, options.scene.workspaces).await?;
    if options.steps.contains(&Step::Latency) {
        eprintln!("latency …");
        run.latency = Some(steps::latency(options, &mut stage).await?);
    }
    if options.steps.contains(&Step::Sustained) {
        eprintln!("sustained …");
        let sustained = run.sustained.insert(steps::sustained(options, &mut stage).await?);
        run.event_bytes = stage.event_bytes(sustained.reckoning.accepted).await;
        run.peaks = Some(stage.peaks()?);
    }
    if options.steps.contains(&Step::Drain) {
        eprintln!("drain …");
        run.drain = Some(steps::drain(options, &mut stage).await?);
    }
    run.balances.push(stage.end(0).await?);
    Ok(())
}

async fn with_a_fan(options: &Options, run: &mut Run) -> Result<()> {
    eprintln!("preparing the data for a fan of {} endpoints …", options.fan);
    let mut stage = Stage::set(options, api::Options { workspaces: 1, ..options.scene }, options.fan).await?;
    eprintln!("fan-out …");
    run.fan_out = Some(steps::sustained(options, &mut stage).await?);
    run.balances.push(stage.end(0).await?);
    Ok(())
}

async fn with_many_listeners(options: &Options, run: &mut Run) -> Result<()> {
    eprintln!("preparing the data for {} endpoints …", options.listeners);
    let many = HANGING_WORKSPACES;
    let scene = api::Options { connections: many, agents: many, workspaces: many, ..options.scene };
    let mut stage = Stage::set(options, scene, options.listeners).await?;
    eprintln!("hanging …");
    run.hanging = Some(steps::hanging(options, &mut stage).await?);
    run.balances.push(stage.end(options.hanging).await?);
    Ok(())
}

/// Transactions a second of `pgbench` and messages a second of the broker, if requested.
async fn rates(options: &Options, reference: Option<&Reference>) -> Result<[Option<f64>; 2]> {
    let mut rates = [None; 2];
    let Some(reference) = reference else {
        return Ok(rates);
    };
    eprintln!("pgbench …");
    rates[0] = Some(reference.measure().await?);
    if let Some(url) = &options.amqp {
        eprintln!("RabbitMQ alone …");
        rates[1] = Some(broker::measure(url, options.seconds).await?);
    }
    Ok(rates)
}

impl Options {
    fn title(&self) -> Title {
        let database = format!("{:?}", self.server.database).to_lowercase();
        let through = if self.amqp.is_some() { " and RabbitMQ, separate worker" } else { ", worker in the server" };
        Title { subject: format!("{database}{through}"), scene: self.scene, seconds: self.seconds, warmup: self.warmup }
    }

    /// Durations of the warm-up and of the measurement.
    fn times(&self) -> [Duration; 2] {
        [self.warmup, self.seconds].map(Duration::from_secs)
    }

    fn postmaster(&self) -> Option<u32> {
        (self.server.database == Kind::Postgres).then(postgres::postmaster).flatten()
    }

    fn reference(&self) -> Result<Option<Reference>> {
        self.reference.prepare(self.seconds, self.server.database == Kind::Sqlite)
    }
}
