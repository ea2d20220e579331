//! `arena`: concurrent EvalDuel battles, their overhead beside the agents' own time, and the memory of idle agents.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use futures_util::{SinkExt, StreamExt};
use hdrhistogram::Histogram;
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio::sync::{Mutex, mpsc};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

use std::collections::HashMap;
use std::sync::Arc;

use crate::api;
use crate::live::open_files;
use crate::process;
use crate::server::{self, Site};

/// Agents of one owner.
const PER_OWNER: u16 = 50;
/// Sockets opened concurrently.
const OPENING: usize = 32;
/// The longest wait for a message of the server.
const PATIENCE: Duration = Duration::from_mins(1);
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
    /// Idle agents with a socket.
    #[arg(long, default_value_t = 1000, value_parser = clap::value_parser!(u16).range(1..))]
    idle: u16,
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

type Socket = WebSocketStream<MaybeTlsStream<TcpStream>>;

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
    site.set("BUILDTRACK_ARENA_LIMITS", "matches=1000000,agent_matches=1000000,pair_matches=1000000");
    let server = site.start().await?;
    let agents = api::contestants(site.address, (options.battles * 2).max(options.idle), PER_OWNER).await?;
    let (players, watchers) = (usize::from(options.battles) * 2, usize::from(options.idle));
    let overhead = battles(site.address, &agents[..players], Duration::from_millis(options.thinking)).await?;
    let quantile = |quantile| Duration::from_micros(overhead.value_at_quantile(quantile));
    let (median, p99, max) = (quantile(0.5), quantile(0.99), Duration::from_micros(overhead.max()));
    println!(
        "{} battles at once, {} turns: from the second answer to the next turn {:.1} ms (median), {:.1} ms (p99), {:.1} ms (max)",
        options.battles,
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
    server.stop().await?;
    Ok(p99 <= Duration::from_millis(options.limit) && each <= options.memory * KIB)
}

async fn connect_all(address: SocketAddr, tokens: &[String]) -> Result<Vec<Socket>> {
    let (mut opening, mut sockets) = (JoinSet::new(), Vec::with_capacity(tokens.len()));
    for token in tokens {
        if opening.len() == OPENING {
            sockets.extend(opening.join_next().await.transpose()?.transpose()?);
        }
        opening.spawn(connect(address, token.clone()));
    }
    while let Some(opened) = opening.join_next().await {
        sockets.push(opened??);
    }
    Ok(sockets)
}

/// Connects an agent and reads the greeting.
async fn connect(address: SocketAddr, token: String) -> Result<Socket> {
    let (mut socket, _) = connect_async(format!("ws://{address}/agent/connect?token={token}")).await?;
    let hello = receive(&mut socket).await?;
    if hello["type"] != "evalduel.hello" {
        bail!("no greeting: {hello}");
    }
    Ok(socket)
}

async fn receive(socket: &mut Socket) -> Result<Value> {
    loop {
        let message = timeout(PATIENCE, socket.next()).await.context("the server sends nothing")?;
        if let Message::Text(text) = message.context("the server has closed a socket")?? {
            return Ok(serde_json::from_str(&text)?);
        }
    }
}

/// When both agents of a match have sent their answers to a turn.
type Answered = Arc<Mutex<HashMap<(String, u64), Instant>>>;

/// Plays one match for each pair. Returns the time in microseconds from the second answer of each turn to the message after it.
async fn battles(address: SocketAddr, tokens: &[String], thinking: Duration) -> Result<Histogram<u64>> {
    let sockets = connect_all(address, tokens).await?;
    let answered = Answered::default();
    let (sender, mut overheads) = mpsc::unbounded_channel();
    let mut playing = JoinSet::new();
    for (socket, seed) in sockets.into_iter().zip(1..) {
        playing.spawn(play(socket, answered.clone(), sender.clone(), (thinking, seed)));
    }
    drop(sender);
    let mut histogram = Histogram::new_with_bounds(1, 60_000_000, 3)?;
    while let Some(overhead) = overheads.recv().await {
        histogram.record(u64::try_from(Duration::as_micros(&overhead)).unwrap_or(u64::MAX).clamp(1, 60_000_000))?;
    }
    while let Some(played) = playing.join_next().await {
        played??;
    }
    Ok(histogram)
}

/// Numbers that spread the agents' answers, the same in each run (xorshift64*).
struct Random(u64);

impl Random {
    /// A number from 0 to 1.
    #[expect(clippy::cast_precision_loss, reason = "53 bits are kept")]
    fn next(&mut self) -> f64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 11) as f64 / (1_u64 << 53) as f64
    }
}

async fn play(
    mut socket: Socket,
    answered: Answered,
    overheads: mpsc::UnboundedSender<Duration>,
    (thinking, seed): (Duration, u64),
) -> Result<()> {
    socket.send(Message::text(json!({ "type": "evalduel.queue.join", "mode": "ranked" }).to_string())).await?;
    let (mut last, mut random): (Option<(String, u64)>, _) = (None, Random(seed));
    loop {
        let message = receive(&mut socket).await?;
        let arrived = Instant::now();
        let kind = message["type"].as_str().unwrap_or_default();
        if matches!(kind, "evalduel.match.request" | "evalduel.match.result")
            && let Some(key) = last.take()
            && let Some(sent) = answered.lock().await.get(&key)
        {
            overheads.send(arrived.saturating_duration_since(*sent)).ok();
        }
        match kind {
            "evalduel.match.request" => {
                sleep(thinking.mul_f64(0.5 + random.next())).await;
                let turn = message["turn_number"].as_u64().context("a turn without a number")?;
                let match_id = message["match_id"].as_str().context("a turn without a match")?.to_owned();
                let answer = json!({
                    "type": "evalduel.match.response", "match_id": match_id, "turn_id": message["turn_id"], "output": "42",
                    "metadata": { "public_rationale": "A guess.", "confidence": 0.5 },
                });
                // The later of the two answers counts.
                answered.lock().await.insert((match_id.clone(), turn), Instant::now());
                socket.send(Message::text(answer.to_string())).await?;
                last = Some((match_id, turn));
            }
            "evalduel.match.result" => return Ok(()),
            "evalduel.error" => bail!("the server refused: {message}"),
            _ => {}
        }
    }
}
