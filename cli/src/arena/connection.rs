//! One connection to the arena: reads messages, also while answers are thought about.

use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio::{
    sync::mpsc::{Receiver, Sender, channel},
    task::JoinSet,
    time::{interval, sleep},
};
use tokio_tungstenite::tungstenite::Message;

use super::{
    Player,
    answers::{answer, response},
    socket::Socket,
};
use crate::{
    client::Client,
    display::{in_one_line, member},
    failure::Failure,
};

/// The time between two pings.
const PING: Duration = Duration::from_secs(30);
/// The messages that wait to be sent.
const WAITING_MAX: usize = 64;
/// The time to wait for a server that is busy.
const BUSY: Duration = Duration::from_secs(30);

/// How a connection ended.
#[derive(Debug)]
pub(super) enum End {
    /// The matches have ended.
    Done,
    /// The agent has a newer connection.
    Replaced,
    /// It broke, or the server closed it. The server may have said how long to wait.
    Lost(Option<Duration>),
}

/// A connection, and the tasks that think about answers. They end with it.
pub(super) struct Connection {
    socket: Socket,
    tasks: JoinSet<()>,
    sender: Sender<Outgoing>,
    outgoing: Receiver<Outgoing>,
    /// The last answer, which is sent again if the server could not record it.
    last: Value,
    pause: Option<Duration>,
}

/// What a task has found.
#[derive(Debug)]
enum Outgoing {
    Message(Value),
    /// A turn stays without an answer, and why.
    NoAnswer(String),
}

impl Connection {
    pub(super) fn new(socket: Socket) -> Self {
        let (sender, outgoing) = channel(WAITING_MAX);
        Self { socket, tasks: JoinSet::new(), sender, outgoing, last: Value::Null, pause: None }
    }

    /// Answers turns until the matches or the connection end.
    pub(super) async fn serve(mut self, player: &mut Player<'_>, client: &mut Client<'_>) -> Result<End, Failure> {
        let mut pings = interval(PING);
        while !player.is_done() {
            tokio::select! {
                message = self.socket.next() => match message {
                    Some(Ok(Message::Text(text))) => {
                        if let Ok(message) = serde_json::from_str::<Value>(text.as_str()) {
                            self.handle(&message, player, client).await?;
                        }
                    }
                    Some(Ok(Message::Close(Some(frame)))) if frame.reason.contains("replaced") => return Ok(End::Replaced),
                    Some(Ok(_)) => {}
                    Some(Err(_)) | None => return Ok(End::Lost(self.pause)),
                },
                Some(found) = self.outgoing.recv() => match found {
                    Outgoing::Message(message) => {
                        if message["type"] == "evalduel.match.response" {
                            self.last = message.clone();
                        }
                        self.send(message).await;
                    }
                    Outgoing::NoAnswer(reason) => client.output.note(&format!("A turn has no answer: {reason}")),
                },
                _ = pings.tick() => self.send(json!({ "type": "evalduel.ping", "id": "ping" })).await,
                Some(_) = self.tasks.join_next() => {}
            }
        }
        // The matches have ended: whether the server hears the farewell does not matter.
        drop(self.socket.close(None).await);
        Ok(End::Done)
    }

    /// Sends a message. If the connection is broken, the next read says so.
    async fn send(&mut self, message: Value) {
        drop(self.socket.send(Message::text(message.to_string())).await);
    }

    async fn handle(
        &mut self,
        message: &Value,
        player: &mut Player<'_>,
        client: &mut Client<'_>,
    ) -> Result<(), Failure> {
        match message["type"].as_str().unwrap_or_default() {
            "evalduel.hello" => {
                if let Some(message) = player.enter(client).await? {
                    self.send(message).await;
                }
            }
            "evalduel.match.request" => {
                let (turn, count) = (member(message, "/turn_number"), member(message, "/turn_count"));
                client
                    .output
                    .progress(&format!("Turn {turn} of {count}, {}", in_one_line(&member(message, "/league"))));
                self.think(message, player.play.answer.clone());
            }
            "evalduel.match.result" => {
                if player.record(client, message)?
                    && !player.is_done()
                    && let Some(message) = player.enter(client).await?
                {
                    self.send(message).await;
                }
            }
            "evalduel.error" => self.recover(message, player, client),
            _ => {}
        }
        Ok(())
    }

    /// Answers a turn in a task of its own.
    fn think(&mut self, turn: &Value, command: Option<String>) {
        let (turn, sender) = (turn.clone(), self.sender.clone());
        self.tasks.spawn(async move {
            let found = match answer(command.as_deref(), &turn).await {
                Ok(output) => Outgoing::Message(response(&turn, &output)),
                Err(reason) => Outgoing::NoAnswer(reason),
            };
            // The connection may have ended.
            drop(sender.send(found).await);
        });
    }

    /// Repeats what failed when the server says that it can work. Other errors need a change of the program.
    fn recover(&mut self, error: &Value, player: &Player<'_>, client: &Client<'_>) {
        let (code, text) = (in_one_line(&member(error, "/code")), in_one_line(&member(error, "/message")));
        client.output.note(&format!("{code}: {text}"));
        let wait = error["retry_after_seconds"].as_u64().map(Duration::from_secs);
        if code == "backpressure_busy" {
            // The server closes the connection.
            self.pause = Some(wait.unwrap_or(BUSY));
            return;
        }
        let is_answer = error["turn_id"].is_string() && error["turn_id"] == self.last["turn_id"];
        let again = if is_answer {
            self.last.clone()
        } else if player.play.spar.is_none() {
            json!({ "type": "evalduel.queue.join", "mode": "ranked" })
        } else {
            return;
        };
        if let Some(wait) = wait {
            let sender = self.sender.clone();
            self.tasks.spawn(async move {
                sleep(wait).await;
                drop(sender.send(Outgoing::Message(again)).await);
            });
        }
    }
}
