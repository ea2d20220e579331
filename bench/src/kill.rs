//! `kill`: whether messages answered 201 survive `kill -9` of the server under load.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use tokio::task::JoinSet;
use tokio::time::sleep;

use crate::api::{self, Scene};
use crate::http::Connection;
use crate::load::{self, OnCut, Outcome, Plan, Watched};
use crate::pace::Pace;
use crate::report;
use crate::server::{self, Site};
use crate::tally::Receipt;
use crate::verify::verify;

/// Connections that read the messages back.
const READERS: usize = 16;

#[derive(clap::Args)]
#[group(skip)]
pub(crate) struct Options {
    #[command(flatten)]
    server: server::Options,
    #[command(flatten)]
    scene: api::Options,
    /// Milliseconds of load before the server is killed.
    #[arg(long, default_value_t = 3000)]
    after: u64,
    /// Number of repetitions, each on a new database.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    runs: u16,
}

/// Returns whether no message is missing and the server's own checks pass.
pub(crate) async fn run(options: &Options) -> Result<bool> {
    let mut passed = true;
    for _ in 0..options.runs {
        passed &= once(options).await?;
    }
    Ok(passed)
}

async fn once(options: &Options) -> Result<bool> {
    let site = Site::prepare(&options.server)?;
    let (scene, outcome) = load_and_kill(options, &site).await?;
    print!("{}", report::refusals(&outcome));
    let unknown = outcome.unknown();
    let receipts = outcome.totals.receipts;
    let answered = receipts.len();
    println!("killed after {} ms: {answered} messages answered 201, {unknown} in flight", options.after);
    let server = site.start().await?;
    println!("ready again after {} ms", server.ready_after.as_millis());
    let scene = Arc::new(scene);
    let missing = read_back(&scene, receipts).await?;
    println!("missing: {} of {answered}", missing.len());
    missing.iter().take(5).for_each(|fault| println!("  {fault}"));
    let counted = is_counted(&scene, answered, unknown).await?;
    server.stop().await?;
    let verified = verify(&site).await?;
    Ok(answered > 0 && missing.is_empty() && counted && verified)
}

async fn load_and_kill(options: &Options, site: &Site) -> Result<(Scene, Outcome)> {
    let server = site.start().await?;
    let scene = Scene::set(site.address, options.scene).await?;
    let after = Duration::from_millis(options.after);
    let plan = Plan {
        address: site.address,
        requests: scene.requests(0)?,
        pace: Pace::Closed,
        warmup: Duration::ZERO,
        // The kill ends the load long before.
        measured: after + Duration::from_mins(1),
        on_cut: OnCut::Stop,
        receipts: true,
        ledger: None,
        watched: Watched::default(),
    };
    let load = tokio::spawn(load::run(plan));
    sleep(after).await;
    server.kill().await?;
    Ok((scene, load.await??))
}

/// Checks that the workspaces count every answered message, and at most the messages in flight in addition.
async fn is_counted(scene: &Scene, answered: usize, unknown: u64) -> Result<bool> {
    let stored = scene.message_count().await?;
    let answered = u64::try_from(answered)?;
    let counted = (answered..=answered + unknown).contains(&stored);
    println!("messageCount: {stored}, {}", if counted { "as expected" } else { "WRONG" });
    Ok(counted)
}

/// Reads every message and describes those that are missing or differ.
async fn read_back(scene: &Arc<Scene>, mut receipts: Vec<Receipt>) -> Result<Vec<String>> {
    let mut readers = JoinSet::new();
    let share = receipts.len().div_ceil(READERS).max(1);
    while !receipts.is_empty() {
        let part = receipts.split_off(receipts.len().saturating_sub(share));
        readers.spawn(read_part(Arc::clone(scene), part));
    }
    let mut missing = Vec::new();
    while let Some(part) = readers.join_next().await {
        missing.extend(part??);
    }
    Ok(missing)
}

async fn read_part(scene: Arc<Scene>, receipts: Vec<Receipt>) -> Result<Vec<String>> {
    let mut connection = Connection::open(scene.address).await?;
    let mut missing = Vec::new();
    for Receipt { connection: author, number, message } in receipts {
        let request = scene.read_back(author, &message);
        let answer = connection.exchange(&request).await.with_context(|| format!("reading {message}"))?;
        let found = answer.body.windows(number.len()).any(|window| window == number.as_bytes());
        if answer.status != 200 || !found {
            let body = String::from_utf8_lossy(answer.body);
            missing.push(format!("{message} with number {number}: {} {body}", answer.status));
        }
        if !answer.keeps_alive {
            connection = Connection::open(scene.address).await?;
        }
    }
    Ok(missing)
}
