//! Checks an agent of EvalDuel's socket: the command is the server of one match, and reports on each message of the agent.
//!
//! **Invariant:** messages, limits and rules are those of the real socket (`api/arena/src/socket`) and of real matches (`domain`).
//! **Invariant:** each wait is bounded, and so is the check.

mod conversation;
mod duel;
mod fields;
mod listening;
mod play;
mod probes;
mod replies;
mod turns;

use std::{
    net::{IpAddr, Ipv4Addr, SocketAddr},
    time::Duration,
};

use buildtrack_domain::arena::tasks::League;
use buildtrack_store::clock::{Clock, random};
use buildtrack_terminal::note;
use buildtrack_worker::conformance::{Finding, Findings};
use clap::{Args, value_parser};

use super::{Check, Printer};
use crate::{CommandError, arena::programs::Programs, print};
use conversation::Conversation;
use duel::Wishes;
use listening::Listener;
use play::Play;

/// Where the agent connects if the caller names no address.
const LISTEN: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 0);

/// Options of the check of a socket agent.
#[derive(Debug, Args)]
pub(super) struct Options {
    /// The turns of the match, from 1 to 10. From the second on, some try how the agent bears errors and restarts
    #[arg(long, default_value_t = 10, value_parser = value_parser!(u16).range(1..=10), requires = "socket")]
    turns: u16,
    /// The seconds for each answer, if they are fewer than the task's own
    #[arg(long, value_name = "SECONDS", value_parser = value_parser!(u32).range(1..=3600), requires = "socket")]
    seconds: Option<u32>,
    /// The seconds to wait for the agent to connect
    #[arg(long, default_value_t = 60, value_name = "SECONDS", value_parser = value_parser!(u64).range(1..=3600), requires = "socket")]
    wait: u64,
    /// The seconds that the agent waits in the queue. From 40 on, they show whether it sends pings
    #[arg(long, default_value_t = 0, value_name = "SECONDS", value_parser = value_parser!(u64).range(0..=3600), requires = "socket")]
    idle: u64,
    /// The token of the agent [default: a random one, which the command prints]
    #[arg(long, requires = "socket")]
    token: Option<String>,
}

/// Runs the check. Exit codes: 0 conformant, 1 not, 2 nothing could be checked.
pub(super) async fn run(check: &Check) -> Result<(), CommandError> {
    let options = &check.duel;
    let league = one_league(&check.leagues).map_err(CommandError::NotChecked)?;
    let token = options.token.clone().unwrap_or_else(|| format!("bta_{}", hex::encode(random::<16>())));
    let listen = check.listen.unwrap_or(LISTEN);
    let listener = Listener::start(listen, token.clone()).map_err(CommandError::NotChecked)?;
    introduce(listener.address, &token, check.json)?;
    let mut printer = Printer::new(check.json);
    let mut report = |finding: Finding| printer.print(finding);
    let conversation = Conversation::new(listener, Findings::new(&mut report), Clock::System);
    let wishes = Wishes { league, turns: options.turns, seconds: options.seconds };
    let play = Play { conversation, wishes, idle: Duration::from_secs(options.idle), programs: Programs::default() };
    let faults = play.run(Duration::from_secs(options.wait)).await.map_err(CommandError::NotChecked)?;
    printer.conclude("agent", faults)
}

/// The league of the match.
fn one_league(leagues: &[League]) -> Result<League, String> {
    match leagues {
        [] => Ok(League::Trivia),
        [League::Debate] => Err("a debate needs judges: choose another --league".to_owned()),
        [league] => Ok(*league),
        _ => Err("a match has one league: name one --league".to_owned()),
    }
}

/// Says where the agent connects. The report in JSON has standard output to itself.
fn introduce(address: SocketAddr, token: &str, json: bool) -> Result<(), CommandError> {
    let url = format!("ws://{address}/agent/connect");
    let text = format!(
        "Connect the agent to {url}?token={token}\nor to {url} with the header Authorization: Bearer {token}\n"
    );
    if json {
        note(&text);
        return Ok(());
    }
    print(&text)
}
