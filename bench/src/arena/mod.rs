//! `arena`: concurrent EvalDuel battles, their overhead beside the agents' own time, the memory of idle agents, and AAP rounds of
//! many players.

mod battles;
mod random;
mod rounds;

use std::time::Duration;

use anyhow::Result;
use tokio::time::sleep;

use crate::api;
use crate::live::open_files;
use crate::process;
use crate::server::{self, Site};

use battles::{battles, connect_all};
use rounds::rounds;

/// Agents of one owner.
const PER_OWNER: u16 = 50;
/// Idle time before the server's memory is read.
const REST: Duration = Duration::from_secs(3);
const KIB: u64 = 1024;

#[derive(clap::Args)]
#[group(skip)]
pub(crate) struct Options {
    #[command(flatten)]
    server: server::Options,
    /// Concurrent battles, each of two agents with a socket.
    #[arg(long, default_value_t = 200, value_parser = clap::value_parser!(u16).range(1..=2000))]
    battles: u16,
    /// The leagues of the battles. Programs take the sandbox, which is part of the overhead.
    #[arg(long, value_delimiter = ',', default_value = "trivia,reasoning,structured")]
    leagues: Vec<String>,
    /// Idle agents with a socket.
    #[arg(long, default_value_t = 1000, value_parser = clap::value_parser!(u16).range(1..))]
    idle: u16,
    /// Players of an AAP match, each with an endpoint; 0 for none.
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u16).range(0..=100))]
    players: u16,
    /// AAP matches, one after another.
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u16).range(1..))]
    matches: u16,
    /// The mean time that an agent takes for an answer, in milliseconds. Each answer takes from half to one and a half of it.
    #[arg(long, default_value_t = 1000)]
    thinking: u64,
    /// Maximum overhead of a turn at the 99th percentile, in milliseconds.
    #[arg(long, default_value_t = 25)]
    limit: u64,
    /// Maximum memory of an idle agent in KiB.
    #[arg(long, default_value_t = 30)]
    memory: u64,
}

/// Returns whether the overhead and the memory stay within their limits.
pub(crate) async fn run(options: &Options) -> Result<bool> {
    open_files()?;
    let mut site = Site::prepare(&options.server)?;
    let many = u32::from(options.battles) * 4 + u32::from(options.idle) * 2;
    for setting in
        ["BUILDTRACK_LIVE_STREAMS", "BUILDTRACK_LIVE_STREAMS_PER_ADDRESS", "BUILDTRACK_LIVE_STREAMS_PER_OWNER"]
    {
        site.set(setting, &many.to_string());
    }
    site.set("BUILDTRACK_ALLOW_PRIVATE_TARGETS", "on");
    site.set(
        "BUILDTRACK_ARENA_LIMITS",
        "matches=1000000,agent_matches=1000000,owner_matches=1000000,pair_matches=1000000",
    );
    let server = site.start().await?;
    let agents =
        api::contestants(site.address, ((options.battles * 2).max(options.idle), PER_OWNER), &options.leagues).await?;
    let (players, watchers) = (usize::from(options.battles) * 2, usize::from(options.idle));
    let thinking = Duration::from_millis(options.thinking);
    let overhead = battles(site.address, &agents[..players], thinking).await?;
    let quantile = |quantile| Duration::from_micros(overhead.value_at_quantile(quantile));
    let (median, p99, max) = (quantile(0.5), quantile(0.99), Duration::from_micros(overhead.max()));
    println!(
        "{} battles at once in {}, {} turns: from the second answer to the next turn {:.1} ms (median), {:.1} ms (p99), {:.1} ms (max)",
        options.battles,
        options.leagues.join(", "),
        overhead.len(),
        median.as_secs_f64() * 1e3,
        p99.as_secs_f64() * 1e3,
        max.as_secs_f64() * 1e3,
    );
    sleep(REST).await;
    let before = process::memory(server.process()?)?.resident;
    let sockets = connect_all(site.address, &agents[..watchers]).await?;
    sleep(REST).await;
    let after = process::memory(server.process()?)?.resident;
    let each = after.saturating_sub(before) / u64::from(options.idle);
    println!("{} idle agents with a socket: {each} bytes each", options.idle);
    drop(sockets);
    if options.players > 1 {
        rounds(site.address, options.players, options.matches, thinking).await?;
    }
    server.stop().await?;
    Ok(p99 <= Duration::from_millis(options.limit) && each <= options.memory * KIB)
}
