//! One agent at work: one operation after the other, drawn from its own random numbers.

use std::{collections::BTreeMap, sync::Arc};

use buildtrack_store::clock::Clock;
use chrono::SecondsFormat;
use reqwest::Method;
use serde_json::{Value, json};
use tokio::{sync::watch, time::sleep};

use super::scene::{Agent, Scene, Text};
use crate::{
    client::{Answer, Request},
    history::Claim,
    random::Random,
};

const THINKS: std::ops::Range<u64> = 20..220;
/// A vote is for one of the last so many texts.
const LATELY: usize = 12;

/// What one agent does.
struct Worker {
    scene: Arc<Scene>,
    number: usize,
    random: Random,
    /// The texts that have this agent's vote, as far as it knows.
    votes: BTreeMap<String, bool>,
}

pub(super) async fn work(scene: Arc<Scene>, number: usize, random: Random, stop: watch::Receiver<bool>) {
    let mut worker = Worker { scene, number, random, votes: BTreeMap::new() };
    while !*stop.borrow() {
        worker.act().await;
        sleep(worker.random.milliseconds(THINKS)).await;
    }
}

impl Worker {
    fn agent(&self) -> &Agent {
        &self.scene.agents[self.number]
    }

    async fn act(&mut self) {
        match self.random.below(100) {
            0..34 => self.post_message().await,
            34..42 => self.write_post().await,
            42..58 => self.write_reply().await,
            58..74 => self.vote().await,
            74..80 => self.join_or_leave().await,
            80..86 => self.tip().await,
            86..90 => self.accept_solution().await,
            90..96 => self.send_envelope().await,
            _ => self.ask().await,
        }
    }

    async fn perform(&mut self, request: &Request, claim: Claim) -> Answer {
        let client = self.agent().client.clone();
        client.perform(&mut self.random, request, |_| claim).await
    }

    /// A write that makes one event with the marker.
    async fn write(
        &mut self,
        kind: &'static str,
        path: &str,
        body: Value,
        (event_type, marker): (&str, String),
    ) -> Answer {
        let request = Request::new(kind, Method::POST, path, Some(body));
        self.perform(&request, Claim::Event { event_type: event_type.to_owned(), marker }).await
    }

    async fn post_message(&mut self) {
        let marker = self.random.marker();
        let is_solution = self.random.chance(15);
        let mut body =
            json!({"kind": if is_solution { "solution" } else { "proposal" }, "content": marker, "upvotes": 0});
        if self.random.chance(25)
            && let Some(text) = self.scene.board(|board| self.random.pick(&board.messages).cloned())
        {
            body["replyTo"] = text.id.into();
        }
        let path = format!("/api/v1/workspaces/{}/messages", self.scene.track);
        let answer = self.write("message", &path, body, ("message.posted", marker)).await;
        let Some(text) = self.written(&answer, None) else { return };
        self.read_back(format!("{path}/{}", text.id)).await;
        self.scene.board(|board| {
            if is_solution {
                board.solutions.push(text.clone());
            }
            board.messages.push(text);
        });
    }

    async fn write_post(&mut self) {
        let marker = self.random.marker();
        let body = json!({"title": format!("About {}", self.random.marker()), "body": marker, "tags": ["faults"]});
        let answer = self.write("post", "/api/v1/forum/posts", body, ("post.written", marker)).await;
        let Some(text) = self.written(&answer, None) else { return };
        self.read_back(format!("/api/v1/forum/posts/{}", text.id)).await;
        self.scene.board(|board| board.posts.push(text));
    }

    async fn write_reply(&mut self) {
        let Some(post) = self.scene.board(|board| self.random.pick(&board.posts).cloned()) else {
            return self.write_post().await;
        };
        let marker = self.random.marker();
        let path = format!("/api/v1/forum/posts/{}/replies", post.id);
        let answer = self.write("reply", &path, json!({"body": marker}), ("reply.written", marker)).await;
        let Some(text) = self.written(&answer, Some(post.id)) else { return };
        self.scene.board(|board| board.replies.push(text));
    }

    fn written(&self, answer: &Answer, post: Option<String>) -> Option<Text> {
        let id = answer.text("id").filter(|_| answer.is_acknowledged())?;
        Some(Text { id, author: self.number, post })
    }

    /// Reads what was just acknowledged, through any server.
    async fn read_back(&mut self, path: String) {
        if self.random.chance(30) {
            let request = Request::new("read back", Method::GET, path.clone(), None);
            self.perform(&request, Claim::Visible { what: path }).await;
        }
    }

    /// Now and then, something that it has voted for.
    fn voted_for(&mut self) -> Option<Text> {
        if self.random.chance(70) {
            return None;
        }
        let texts: Vec<Text> = self.scene.board(|board| [&board.messages[..], &board.posts, &board.replies].concat());
        let voted: Vec<Text> =
            texts.into_iter().filter(|text| self.votes.get(&text.id).copied().unwrap_or(false)).collect();
        self.random.pick(&voted).cloned()
    }

    /// Votes, or takes a vote back, for something that another agent wrote.
    async fn vote(&mut self) {
        let number = self.number;
        let texts: Vec<Text> = self.scene.board(|board| {
            let lately = |texts: &[Text]| texts.iter().rev().take(LATELY).cloned().collect::<Vec<_>>();
            [lately(&board.messages), lately(&board.posts), lately(&board.replies)].concat()
        });
        let others: Vec<Text> = texts.into_iter().filter(|text| text.author != number).collect();
        let Some(text) = self.random.pick(&others).cloned() else { return };
        let text = self.voted_for().unwrap_or(text);
        let path = match &text.post {
            Some(post) => format!("/api/v1/forum/posts/{post}/replies/{}/helpful", text.id),
            None if text.id.starts_with("post_") => format!("/api/v1/forum/posts/{}/helpful", text.id),
            None => format!("/api/v1/workspaces/{}/messages/{}/upvote", self.scene.track, text.id),
        };
        let voted = self.votes.get(&text.id).copied().unwrap_or(false);
        let (method, value) = if voted { (Method::DELETE, "vote.withdrawn") } else { (Method::PUT, "vote.cast") };
        let register = format!("vote:{}:{}", text.id, self.agent().id);
        let request = Request::new("vote", method, path, None);
        let answer = self.perform(&request, Claim::Register { register, value: value.to_owned() }).await;
        if answer.is_acknowledged() {
            self.votes.insert(text.id, !voted);
        }
    }

    async fn join_or_leave(&mut self) {
        // Its owner stays.
        if self.number == 1 {
            return;
        }
        let joins = self.random.chance(50);
        let path = format!("/api/v1/workspaces/{}/members", self.scene.side_track);
        let (request, value) = if joins {
            (Request::new("join", Method::POST, path, Some(json!({}))), "workspace.joined")
        } else {
            (Request::new("leave", Method::DELETE, format!("{path}/me"), None), "workspace.left")
        };
        let register = format!("member:{}:{}", self.scene.side_track, self.agent().id);
        self.perform(&request, Claim::Register { register, value: value.to_owned() }).await;
    }

    async fn tip(&mut self) {
        let other = (self.number + 1 + self.random.below(self.scene.agents.len() - 1)) % self.scene.agents.len();
        let marker = self.random.marker();
        let body = json!({"to": self.scene.agents[other].id, "amount": 1 + self.random.below(3), "note": marker});
        self.write("tip", "/api/v1/tips", body, ("points.tipped", marker)).await;
    }

    /// Accepts a reply to one of this agent's posts, or, as its owner, a solution of the track.
    async fn accept_solution(&mut self) {
        let number = self.number;
        if number == 0 && self.random.chance(50) {
            let Some(text) = self.scene.board(|board| self.random.pick(&board.solutions).cloned()) else { return };
            let path = format!("/api/v1/workspaces/{}/solution", self.scene.track);
            let request = Request::new("resolve", Method::PUT, path, Some(json!({"messageId": text.id})));
            let register = format!("resolved:{}", self.scene.track);
            self.perform(&request, Claim::Register { register, value: text.id }).await;
            return;
        }
        let mine: Vec<Text> = self.scene.board(|board| {
            let is_mine = |id: &str| board.posts.iter().any(|post| post.id == id && post.author == number);
            board.replies.iter().filter(|reply| reply.post.as_deref().is_some_and(is_mine)).cloned().collect()
        });
        let Some(Text { id, post: Some(post), .. }) = self.random.pick(&mine).cloned() else { return };
        let path = format!("/api/v1/forum/posts/{post}/solution");
        let request = Request::new("accept", Method::PUT, path, Some(json!({"replyId": id})));
        self.perform(&request, Claim::Register { register: format!("solution:{post}"), value: id }).await;
    }

    /// A signed request at the relay in a thread of its own; its id makes a repeat harmless.
    async fn send_envelope(&mut self) {
        let id = format!("msg_{}", self.random.marker().replace(' ', ""));
        let signer = &self.agent().signer;
        let envelope = json!({
            "version": "1.0",
            "id": id,
            "ts": Clock::System.now().to_rfc3339_opts(SecondsFormat::Millis, true),
            "type": "REQUEST",
            "sender": {"id": signer.did().as_str(), "name": self.agent().name},
            "thread": {"id": id.replacen("msg_", "thr_", 1)},
            "payload": {"intent": "translation.en_zh", "params": {"text": "Hello"}},
        });
        let Ok(signed) = signer.sign(envelope) else { return };
        self.write("envelope", "/events", signed, ("envelope.accepted", format!("\"{id}\""))).await;
    }

    /// A round of the two-party exchange, which the server answers by itself. It has no key: it is sent once.
    async fn ask(&mut self) {
        let marker = self.random.marker();
        let body = json!({"body": marker, "protocolHash": null});
        let request = Request::new("exchange", Method::POST, "/agora", Some(body)).once();
        self.perform(&request, Claim::Event { event_type: "exchange.asked".to_owned(), marker }).await;
    }
}
