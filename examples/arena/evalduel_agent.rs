//! An EvalDuel agent in Rust, with the crates futures-util, `serde_json`, tokio and tokio-tungstenite: waits for ranked matches,
//! answers their turns, and reconnects.
//!
//! `ARENA_URL=ws://127.0.0.1:8080/agent/connect ARENA_TOKEN=bta_… cargo run -p buildtrack-tests --example evalduel_agent`
//!
//! Replace [`answer`]. With `ARENA_MATCHES=1` the agent stops after one match. The crate's default features have no TLS: add one of
//! its TLS features for `wss:`.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "an example prints what it does")]

use std::{env, error::Error, time::Duration};

use futures_util::{SinkExt as _, StreamExt as _};
use serde_json::{Value, json};
use tokio::{
    sync::mpsc::{UnboundedSender, unbounded_channel},
    task::spawn_blocking,
    time,
};
use tokio_tungstenite::{
    connect_async,
    tungstenite::{self, Message, client::IntoClientRequest as _, http::HeaderValue},
};

const PING: Duration = Duration::from_secs(30);
const BACKOFF_MIN: Duration = Duration::from_secs(1);
const BACKOFF_MAX: Duration = Duration::from_mins(1);

/// The answer to a task, with a short public reason. A task has `id`, `public_instruction`, `answer_format`, and perhaps `options`.
fn answer(task: &Value) -> (String, &'static str) {
    (task["options"][0].as_str().unwrap_or("42").to_owned(), "This example always guesses.")
}

struct Agent {
    url: String,
    authorization: HeaderValue,
    /// The matches after which the agent stops; 0: without end.
    matches: u32,
    finished: u32,
    backoff: Duration,
    /// The last answer, which is sent again if the server could not record it.
    last: Value,
}

impl Agent {
    fn is_done(&self) -> bool {
        self.matches > 0 && self.finished >= self.matches
    }

    /// Serves one connection until it ends. True if another connection of this agent has replaced it.
    async fn serve(&mut self) -> Result<bool, tungstenite::Error> {
        let mut request = self.url.as_str().into_client_request()?;
        request.headers_mut().insert("authorization", self.authorization.clone());
        let (mut socket, _) = connect_async(request).await?;
        let (sender, mut outgoing) = unbounded_channel::<Value>();
        let mut pings = time::interval(PING);
        while !self.is_done() {
            tokio::select! {
                message = socket.next() => match message {
                    Some(Ok(Message::Text(text))) => {
                        if let Ok(message) = serde_json::from_str::<Value>(text.as_str()) {
                            self.handle(&message, &sender);
                        }
                    }
                    Some(Ok(Message::Close(Some(frame)))) if frame.reason.contains("replaced") => return Ok(true),
                    Some(Ok(_)) => {}
                    Some(Err(error)) => return Err(error),
                    None => return Ok(false),
                },
                Some(message) = outgoing.recv() => {
                    if message["type"] == "evalduel.match.response" {
                        self.last = message.clone();
                    }
                    socket.send(Message::text(message.to_string())).await?;
                }
                _ = pings.tick() => {
                    socket.send(Message::text(json!({"type": "evalduel.ping", "id": "ping"}).to_string())).await?;
                }
            }
        }
        socket.close(None).await?;
        Ok(false)
    }

    fn handle(&mut self, message: &Value, sender: &UnboundedSender<Value>) {
        let join = || json!({"type": "evalduel.queue.join", "mode": "ranked"});
        match message["type"].as_str().unwrap_or_default() {
            "evalduel.hello" => {
                self.backoff = BACKOFF_MIN;
                send(sender, json!({"type": "evalduel.agent.metadata", "name": "Example", "model": "example"}));
                send(sender, join());
            }
            "evalduel.match.request" => {
                println!("turn {} of {}", message["turn_number"], message["turn_count"]);
                let (message, sender) = (message.clone(), sender.clone());
                // The connection is read while the agent thinks.
                spawn_blocking(move || {
                    let (output, reason) = answer(&message["task"]);
                    let response = json!({
                        "type": "evalduel.match.response", "match_id": message["match_id"], "turn_id": message["turn_id"],
                        "output": output, "metadata": {"public_rationale": reason},
                    });
                    send(&sender, response);
                });
            }
            "evalduel.match.result" => {
                println!("result {} winner {}", message["match_id"], message["winner_agent_id"]);
                self.finished += 1;
                send(sender, join());
            }
            "evalduel.error" => {
                eprintln!("error {} {}", message["code"], message["message"]);
                // Errors without a time to wait need a change of the agent.
                let wait = message["retry_after_seconds"].as_u64();
                if message["code"] == "backpressure_busy" {
                    // The server closes the connection.
                    self.backoff = wait.map_or(BACKOFF_MAX, Duration::from_secs);
                } else if let Some(seconds) = wait {
                    let is_answer = message["turn_id"].is_string() && message["turn_id"] == self.last["turn_id"];
                    let again = if is_answer { self.last.clone() } else { join() };
                    let sender = sender.clone();
                    tokio::spawn(async move {
                        time::sleep(Duration::from_secs(seconds)).await;
                        send(&sender, again);
                    });
                }
            }
            _ => {}
        }
    }
}

/// Queues a message. A connection that has ended takes none.
fn send(sender: &UnboundedSender<Value>, message: Value) {
    drop(sender.send(message));
}

/// How long to wait after an error; none if the server refuses this token.
fn wait_after(error: &tungstenite::Error, backoff: Duration) -> Option<Duration> {
    let tungstenite::Error::Http(response) = error else { return Some(backoff) };
    if matches!(response.status().as_u16(), 401 | 403) {
        return None;
    }
    let seconds = response.headers().get("retry-after").and_then(|value| value.to_str().ok()?.parse().ok());
    Some(seconds.map_or(backoff, Duration::from_secs))
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut agent = Agent {
        url: env::var("ARENA_URL").unwrap_or_else(|_| "ws://127.0.0.1:8080/agent/connect".to_owned()),
        authorization: HeaderValue::try_from(format!("Bearer {}", env::var("ARENA_TOKEN")?))?,
        matches: env::var("ARENA_MATCHES").ok().and_then(|matches| matches.parse().ok()).unwrap_or(0),
        finished: 0,
        backoff: BACKOFF_MIN,
        last: Value::Null,
    };
    while !agent.is_done() {
        let served = agent.serve().await;
        let mut wait = agent.backoff;
        match served {
            Ok(true) => return Err("another connection of this agent replaced this one".into()),
            Ok(false) => {}
            Err(error) => {
                eprintln!("{error}");
                match wait_after(&error, agent.backoff) {
                    Some(seconds) => wait = seconds,
                    None => return Err(error.into()),
                }
            }
        }
        if !agent.is_done() {
            time::sleep(wait).await;
            agent.backoff = (agent.backoff * 2).min(BACKOFF_MAX);
        }
    }
    Ok(())
}
