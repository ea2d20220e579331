//! Load generator of Buildtrack: drives the real HTTP API from a separate process and prints its measurements.
//!
//! Each subcommand is a module ([`messages`], [`deliver`], [`live`], [`relay`], [`mod@hostile`], [`reads`], [`pages`], [`mod@slow`], [`arena`], [`kill`]) that uses the same
//! building blocks: [`server`] starts the processes under test, [`api`] prepares the data over the real API, [`load`] drives
//! it through [`http`], [`receiver`] receives pushes and [`ledger`] compares them with the accepted messages, [`process`]
//! measures costs, [`mod@reference`] and [`broker`] measure the machine, [`report`] prints.
//!
//! **Invariant:** the load generator shares its cores with the measured processes, so the hot loop does not format or
//! allocate.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a tool of this repository, which prints its measurements"
)]

mod api;
mod arena;
mod broker;
mod deliver;
mod hostile;
mod http;
mod kill;
mod ledger;
mod listeners;
mod live;
mod load;
mod messages;
#[cfg(test)]
mod mock;
mod pace;
mod pages;
mod postgres;
mod process;
mod reads;
mod receiver;
mod reference;
mod relay;
mod report;
mod server;
mod settling;
mod slow;
mod tally;
mod verify;

use std::process::ExitCode;

use anyhow::{Result, bail};
use clap::{Parser, Subcommand};
use tokio::runtime::Builder;
use tokio::signal::unix::{SignalKind, signal};

#[derive(Parser)]
#[command(version, about = "Load generator of Buildtrack")]
struct Arguments {
    /// Threads of the load generator, which shares the cores with the measured processes.
    #[arg(long, global = true, default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=8))]
    threads: u8,
    #[command(subcommand)]
    subcommand: Subcommands,
}

#[derive(Subcommand)]
enum Subcommands {
    /// Post messages in a closed and an open loop and compare the rate with that of `pgbench`.
    Messages(messages::Options),
    /// Post messages and receive their pushes, in a closed and an open loop, from a backlog, and beside hanging endpoints.
    Deliver(Box<deliver::Options>),
    /// Hold many idle live streams and measure the server's memory per stream.
    Live(live::Options),
    /// Post signed envelopes, and hold long polls that wait for envelopes.
    Relay(relay::Options),
    /// Search for the request, the stored text and the pair of requests with the highest processor time, and for the longest answers.
    Hostile(hostile::Options),
    /// Measure every anonymous read over a log of many events.
    Reads(reads::Options),
    /// Measure the pages of a track with many messages, beside their JSON.
    Pages(pages::Options),
    /// Hold many clients that hardly read and hardly write, and measure the server's memory and another caller's times.
    Slow(slow::Options),
    /// Play concurrent battles in the arena, and measure their overhead and the memory of idle agents.
    Arena(arena::Options),
    /// Kill the server under load and look for lost messages among those answered 201.
    Kill(kill::Options),
}

/// Exits with 0 on success, 1 if the measurement shows a fault of the server, 2 if there is no measurement.
fn main() -> ExitCode {
    match measured(Arguments::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(2)
        }
    }
}

fn measured(arguments: Arguments) -> Result<bool> {
    let threads = arguments.threads.into();
    let runtime = Builder::new_multi_thread().worker_threads(threads).enable_all().build()?;
    runtime.block_on(unless_interrupted(arguments.subcommand))
}

/// Runs the subcommand to its end. A signal drops it, and with it the server and the databases that it created.
async fn unless_interrupted(subcommand: Subcommands) -> Result<bool> {
    let mut terminate = signal(SignalKind::terminate())?;
    tokio::select! {
        passed = run(subcommand) => passed,
        _ = tokio::signal::ctrl_c() => bail!("interrupted"),
        _ = terminate.recv() => bail!("terminated"),
    }
}

async fn run(subcommand: Subcommands) -> Result<bool> {
    match subcommand {
        Subcommands::Messages(options) => messages::run(&options).await,
        Subcommands::Deliver(options) => deliver::run(&options).await,
        Subcommands::Live(options) => live::run(&options).await,
        Subcommands::Relay(options) => relay::run(&options).await,
        Subcommands::Hostile(options) => hostile::run(&options).await,
        Subcommands::Reads(options) => reads::run(&options).await,
        Subcommands::Pages(options) => pages::run(&options).await,
        Subcommands::Slow(options) => slow::run(&options).await,
        Subcommands::Arena(options) => arena::run(&options).await,
        Subcommands::Kill(options) => kill::run(&options).await,
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        super::Arguments::command().debug_assert();
    }
}
