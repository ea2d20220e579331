//! Load generator of Buildtrack: drives the real HTTP API from a second process and prints what it saw.
//!
//! Each subcommand is a module of its own ([`messages`], [`deliver`], [`live`], [`relay`], [`mod@hostile`], [`kill`]) put together from the same rooms:
//! [`server`] starts the processes under test, [`api`] sets the scene over the real API, [`load`] drives it through
//! [`http`], [`receiver`] is pushed to and [`ledger`] compares that with what was accepted, [`process`] reads what it
//! cost, [`mod@reference`] and [`broker`] measure what the machine can do, [`report`] prints.
//!
//! **Invariant:** it shares its cores with what it measures, so the hot loop formats nothing and allocates nothing.

mod api;
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
mod postgres;
mod process;
mod receiver;
mod reference;
mod relay;
mod report;
mod server;
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
    /// Threads of the load generator itself, which shares the cores with what it measures.
    #[arg(long, global = true, default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=8))]
    threads: u8,
    #[command(subcommand)]
    subcommand: Subcommands,
}

#[derive(Subcommand)]
enum Subcommands {
    /// Post messages in a closed and an open loop and compare the rate with `pgbench`'s.
    Messages(messages::Options),
    /// Post messages and receive the pushes they cause, in a closed and an open loop, from a backlog, and beside endpoints
    /// that hang.
    Deliver(Box<deliver::Options>),
    /// Hold many live streams on which nothing happens, and read what each of them costs the server.
    Live(live::Options),
    /// Post signed envelopes, and hold polls that wait for some.
    Relay(relay::Options),
    /// Search for the request that costs the server most processor time, and for the longest refusal.
    Hostile(hostile::Options),
    /// Kill the server under load and look for messages that were answered 201 and are gone.
    Kill(kill::Options),
}

/// Exits with 0 if all is well, 1 if the figures tell of a fault of the server, 2 if there are none.
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

/// Runs the subcommand to its end. A signal drops it instead, and with it the server and the databases it made.
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
