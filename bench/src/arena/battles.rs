//! Concurrent EvalDuel battles: what the server adds to the agents' own time.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::Arc;
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

use super::random::Random;

/// Sockets opened concurrently.
const OPENING: usize = 32;
/// The longest wait for a message of the server.
const PATIENCE: Duration = Duration::from_mins(1);

type Socket = WebSocketStream<MaybeTlsStream<TcpStream>>;

/// Opens the sockets of these agents.
pub(super) async fn connect_all(address: SocketAddr, tokens: &[String]) -> Result<Vec<Socket>> {
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
pub(super) async fn battles(address: SocketAddr, tokens: &[String], thinking: Duration) -> Result<Histogram<u64>> {
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
