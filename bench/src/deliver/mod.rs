//! `deliver`: how fast and how surely accepted messages reach webhooks, next to `pgbench` and to the broker alone.
//!
//! A message has one listener in the steps `latency`, `sustained` and `drain`, so that a message is a push; in `hanging`
//! it has many. Whatever was accepted must have arrived in the end.

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

/// Workspaces of the step `hanging`, each with one writer and its share of the listeners.
const HANGING_WORKSPACES: u16 = 100;

#[derive(clap::Args)]
#[group(skip)]
pub(crate) struct Options {
    #[command(flatten)]
    server: server::Options,
    /// Deliver through RabbitMQ, by a worker in a process of its own: an `amqp://` address, in whose virtual host no
    /// other Buildtrack is. Needs `--database postgres`.
    #[arg(long, value_name = "URL")]
    amqp: Option<String>,
    /// The worker's binary; by default the one beside this one, which `cargo run` brings up to date first.
    #[arg(long, value_name = "PATH", requires = "amqp")]
    worker: Option<PathBuf>,
    #[command(flatten)]
    scene: api::Options,
    /// What is measured.
    #[arg(long, value_enum, value_delimiter = ',', default_values_t = Step::ALL)]
    steps: Vec<Step>,
    /// Seconds of `latency` and `sustained`, and of each reference each time.
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..))]
    seconds: u64,
    /// Seconds of load before the measured ones.
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u64).range(1..))]
    warmup: u64,
    /// Messages a second of `latency`.
    #[arg(long, default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..))]
    rate: u32,
    /// Messages that `drain` has accepted before anything is delivered.
    #[arg(long, default_value_t = 20_000, value_parser = clap::value_parser!(u64).range(1..))]
    backlog: u64,
    /// Endpoints of `hanging`, an agent each.
    #[arg(long, default_value_t = 1000, value_parser = clap::value_parser!(u16).range(100..=10_000))]
    listeners: u16,
    /// How many of them never answer.
    #[arg(long, default_value_t = 100)]
    hanging: u16,
    /// Messages a second of `hanging`, each of which is pushed to a hundredth of the endpoints.
    #[arg(long, default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..))]
    hanging_rate: u32,
    /// Seconds of `hanging`; a call times out after 15.
    #[arg(long, default_value_t = 40, value_parser = clap::value_parser!(u64).range(1..))]
    hanging_seconds: u64,
    /// What the rate is compared with; with `--amqp` also what the broker alone can do.
    #[arg(long, value_enum, default_value_t = Choice::Pgbench)]
    reference: Choice,
    /// Repeat everything so often.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    runs: u16,
    /// Print the figures once more, as one line of JSON.
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
enum Step {
    /// An open loop at `--rate`: from the intended start of a request to the push at the listener's socket.
    Latency,
    /// A closed loop, and then what is left of it: messages accepted and delivered a second.
    Sustained,
    /// A backlog, worked off while 100 messages a second come.
    Drain,
    /// Many endpoints, some of which never answer.
    Hanging,
}

impl Step {
    const ALL: [Self; 4] = [Self::Latency, Self::Sustained, Self::Drain, Self::Hanging];
}

/// Gives whether every message was accepted, and everything that was accepted arrived.
pub(crate) async fn run(options: &Options) -> Result<bool> {
    ensure!(options.amqp.is_none() || options.server.database == Kind::Postgres, "--amqp needs --database postgres");
    ensure!(options.hanging < options.listeners, "--hanging leaves nobody of --listeners who answers");
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
    if options.steps.iter().any(|step| *step != Step::Hanging) {
        with_one_listener_each(options, &mut run).await?;
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

/// A listener in each workspace.
async fn with_one_listener_each(options: &Options, run: &mut Run) -> Result<()> {
    eprintln!("setting the scene …");
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

async fn with_many_listeners(options: &Options, run: &mut Run) -> Result<()> {
    eprintln!("setting the scene for {} endpoints …", options.listeners);
    let many = HANGING_WORKSPACES;
    let scene = api::Options { connections: many, agents: many, workspaces: many, ..options.scene };
    let mut stage = Stage::set(options, scene, options.listeners).await?;
    eprintln!("hanging …");
    run.hanging = Some(steps::hanging(options, &mut stage).await?);
    run.balances.push(stage.end(options.hanging).await?);
    Ok(())
}

/// Transactions a second of `pgbench`, and messages a second of the broker, as far as they are asked for.
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
        let through = if self.amqp.is_some() { " and RabbitMQ, a worker of its own" } else { ", worker within" };
        Title { subject: format!("{database}{through}"), scene: self.scene, seconds: self.seconds, warmup: self.warmup }
    }

    /// Warm-up, and what is measured.
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
