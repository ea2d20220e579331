//! Fault runner: starts real processes, puts load and faults upon them as a seed says, and checks what they promise.
//!
//! [`plan`] draws a topology and faults from the seed, [`site`] starts the processes, [`load`] works through their API,
//! [`nemesis`] carries the faults out, [`history`] keeps what was seen, [`snapshot`] the state at the end, and
//! [`checker`] compares the two. A seed replays its plan and what each client does; the scheduler of the machine is not part of it.
//!
//! **Invariant:** loopback only, every wait has an end, and what a run made ends with it: processes by their ids, its
//! database, its queues.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a tool of this repository, which prints its findings")]

mod broker;
mod checker;
mod client;
mod database;
mod full_disk;
mod history;
mod load;
mod nemesis;
mod plan;
mod process;
mod proxy;
mod random;
mod receiver;
mod run;
mod site;
mod skew;
mod snapshot;

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
    sync::Arc,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail};
use clap::Parser;
use tokio::{
    runtime::Builder,
    signal::unix::{SignalKind, signal},
    sync::Semaphore,
    task::JoinSet,
    time::timeout,
};

use run::{Report, Workshop};

/// The time limit of one seed.
const LONGEST: Duration = Duration::from_mins(4);

/// The time limit of the full disk.
const FULL_DISK: Duration = Duration::from_mins(1);

/// Violations of each invariant that are printed.
const SHOWN: usize = 4;

#[derive(Parser)]
#[command(version, about = "Seeded fault runner of Buildtrack")]
struct Arguments {
    /// Run this seed alone.
    #[arg(long, conflicts_with = "seeds")]
    seed: Option<u64>,
    /// Run so many seeds.
    #[arg(long, default_value_t = 10)]
    seeds: u64,
    /// The first of them.
    #[arg(long, default_value_t = 0)]
    from: u64,
    /// How many run at once; of those with a broker, one.
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u16).range(1..=16))]
    parallel: u16,
    /// Another topology than the seed's own.
    #[arg(long, value_enum)]
    topology: Option<plan::Topology>,
    /// Where `buildtrack` and `buildtrack-worker` are; by default beside this program.
    #[arg(long, value_name = "FOLDER")]
    programs: Option<PathBuf>,
    /// Where the history of a failing seed is written; by default `faults/` beside this program.
    #[arg(long, value_name = "FOLDER")]
    histories: Option<PathBuf>,
    /// Write the history of every seed.
    #[arg(long)]
    keep: bool,
    /// Run no seed, but an embedded server on a small disk that is filled.
    #[arg(long, conflicts_with_all = ["seed", "seeds"])]
    full_disk: bool,
    /// The same, in the mount namespace that `--full-disk` makes.
    #[arg(long, hide = true)]
    full_disk_here: bool,
}

/// Exits with 0 if every seed passes, 1 if one does not, 2 if none could be run.
fn main() -> ExitCode {
    match start(&Arguments::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(2)
        }
    }
}

fn start(arguments: &Arguments) -> Result<bool> {
    let beside = std::env::current_exe()?.parent().context("this program is in a folder")?.to_owned();
    let workshop = Workshop {
        programs: arguments.programs.clone().unwrap_or_else(|| beside.clone()),
        histories: arguments.histories.clone().unwrap_or_else(|| beside.join("faults")),
        topology: arguments.topology,
        keeps: arguments.keep,
    };
    let seeds = match arguments.seed {
        Some(seed) => seed..seed + 1,
        None => arguments.from..arguments.from + arguments.seeds,
    };
    let runtime = Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    if arguments.full_disk {
        let ended = async { Ok(full_disk::in_namespace(&workshop.programs).await?.success()) };
        return runtime.block_on(unless_interrupted(ended));
    }
    if arguments.full_disk_here {
        return runtime.block_on(unless_interrupted(fill_disk(&workshop.programs)));
    }
    runtime.block_on(unless_interrupted(run_all(seeds, arguments.parallel.into(), workshop)))
}

/// A signal drops everything, and with it what the runs made.
async fn unless_interrupted(work: impl Future<Output = Result<bool>>) -> Result<bool> {
    let mut terminate = signal(SignalKind::terminate())?;
    tokio::select! {
        passed = work => passed,
        _ = tokio::signal::ctrl_c() => bail!("interrupted"),
        _ = terminate.recv() => bail!("terminated"),
    }
}

/// Prints what the full disk broke.
async fn fill_disk(programs: &Path) -> Result<bool> {
    let begin = Instant::now();
    let violations = timeout(FULL_DISK, full_disk::run(programs)).await.context("the full disk takes too long")??;
    let passed = violations.is_empty();
    println!("full disk: {:.0} s: {}", begin.elapsed().as_secs_f64(), if passed { "passed" } else { "FAILED" });
    for violation in &violations {
        println!("    {violation}");
    }
    Ok(passed)
}

/// Runs the seeds, some of them at once. A seed that cannot be run fails, and keeps no other from running.
async fn run_all(seeds: std::ops::Range<u64>, parallel: usize, workshop: Workshop) -> Result<bool> {
    let (begin, count) = (Instant::now(), seeds.end - seeds.start);
    let (permits, mut running) = (Arc::new(Semaphore::new(parallel)), JoinSet::new());
    for seed in seeds {
        let (workshop, permits) = (workshop.clone(), Arc::clone(&permits));
        running.spawn(async move {
            let _permit = permits.acquire().await;
            let ran = timeout(LONGEST, run::run(seed, &workshop)).await;
            ran.with_context(|| format!("seed {seed} takes longer than {LONGEST:?}"))?
        });
    }
    let (mut done, mut failed) = (0, 0);
    while let Some(ran) = running.join_next().await {
        done += 1;
        let passed = match ran.map_err(anyhow::Error::from).flatten() {
            Ok(report) => print(&report, (done, count)),
            Err(error) => {
                println!("[{done}/{count}] error: {error:#}");
                false
            }
        };
        failed += u64::from(!passed);
    }
    println!("{count} seeds in {:.0} s, {failed} failed", begin.elapsed().as_secs_f64());
    Ok(failed == 0)
}

/// A line for each seed, and what is wrong with it.
fn print(report: &Report, (done, count): (u64, u64)) -> bool {
    let Report { seed, topology, took, faults, pushes, frames, events, operations, .. } = report;
    let passed = report.violations.is_empty();
    println!(
        "[{done}/{count}] seed {seed} {topology:?}: {:.0} s, {} requests ({} refused, {} unknown), {faults} faults, \
         {events} events, {pushes} pushes, {frames} frames, at rest after {}: {}",
        took.as_secs_f64(),
        operations.iter().sum::<usize>(),
        operations[1],
        operations[2],
        report.settled_after.map_or("never".to_owned(), |settled| format!("{:.1} s", settled.as_secs_f64())),
        if passed { "passed" } else { "FAILED" },
    );
    for (index, violation) in report.violations.iter().enumerate() {
        let alike = report.violations[..index].iter().filter(|it| it.invariant == violation.invariant).count();
        match alike {
            0..SHOWN => println!("    {violation}"),
            SHOWN => println!("    ✗ {}: and more", violation.invariant),
            _ => (),
        }
    }
    if let (false, Some(history)) = (passed, &report.history) {
        println!("    history: {}", history.display());
        println!("    replay:  scripts/faults --seed {seed}");
    }
    passed
}
