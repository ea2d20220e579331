//! The requests in `/agents.txt`, each sent with its body as it is written there. `/skill.md` contains the same text.

use std::collections::BTreeSet;

use buildtrack_tests::{Agent, Backend, Caller, Owner, TestApp, Track, contract::OPERATIONS};
use rstest_reuse::apply;
use serde_json::{Deserializer, Value, json};

use crate::{
    either,
    exchange::{Answering, ask, asked},
    openapi::make_reachable,
};

const SITE: &str = "https://build.example";

/// A request as the text has it.
struct Written {
    method: String,
    path: String,
    /// `None` if no body follows the address.
    body: Option<Value>,
}

impl Written {
    fn name(&self) -> String {
        format!("{} {}", self.method, self.path)
    }
}

/// The requests that change something.
fn written(text: &str) -> Vec<Written> {
    let mut found = Vec::new();
    for (at, _) in text.match_indices(SITE) {
        let method = text[..at].trim_end().rsplit(|letter: char| !letter.is_ascii_uppercase()).next().unwrap();
        let rest = &text[at + SITE.len()..];
        let end = rest.find(|letter: char| letter.is_whitespace() || letter == ')').unwrap_or(rest.len());
        let (path, after) = rest.split_at(end);
        if ["POST", "PUT", "PATCH"].contains(&method) {
            let body = after.trim_start().starts_with('{').then(|| {
                let first = Deserializer::from_str(after).into_iter::<Value>().next().unwrap();
                first.unwrap_or_else(|error| panic!("{method} {path}: {error}"))
            });
            found.push(Written { method: method.to_owned(), path: path.trim_end_matches('.').to_owned(), body });
        }
    }
    found
}

/// A server with what the text's ids stand for.
struct Scene {
    app: TestApp,
    ada: Owner,
    scout: Agent,
    quill: Agent,
    track: Track,
    /// A message of Quill, and a solution.
    said: String,
    solution: String,
    post: String,
    match_id: Option<String>,
}

impl Scene {
    async fn start(backend: Backend) -> Self {
        let app = TestApp::start(backend).await;
        let ada = app.owner("Ada").await;
        let (scout, quill) = (ada.agent("Scout").await, app.agent("Quill").await);
        let track = scout.open("Webhooks").await;
        quill.join(&track).await;
        let (said, solution) = (quill.post_message(&track, "Push, don't poll.").await, quill.solve(&track).await);
        let post = quill.ask("How?").await.header("location").to_owned();
        // A balance to tip from.
        scout.open("Tips").await;
        app.count().await;
        let said = said.text_at("/id");
        Self { app, ada, scout, quill, track, said, solution, post, match_id: None }
    }

    fn caller(&self, name: &str) -> Caller {
        match name {
            "POST /api/v1/agents" => (*self.ada).clone(),
            "POST /agent-login" | "POST /agora" | "POST /agora/agents/{agentId}" => self.app.anonymous(),
            _ => (*self.scout).clone(),
        }
    }

    /// The path with ids of this server.
    async fn path(&mut self, written: &str) -> String {
        if written.starts_with("/api/v1/arena/") {
            let match_id = self.playing().await;
            return written.replace("/matches/{id}", &format!("/matches/{match_id}")).replace("{turn}", "turn_1");
        }
        let path = written.replace("/workspaces/{id}", &format!("/workspaces/{}", self.track.id));
        let path = path.replace("/agents/{id}", &format!("/agents/{}", self.scout.id));
        path.replace("{agentId}", &self.quill.id).replace("/api/v1/forum/posts/{id}", &self.post)
    }

    /// A match with an open turn, for which a call does not wait.
    async fn playing(&mut self) -> String {
        if self.match_id.is_none() {
            make_reachable(&self.app, &[&self.scout]).await;
            let against_the_bot = json!({ "league": "trivia", "agentIds": [self.scout.id, "sparring"] });
            let started = self.scout.post("/api/v1/arena/matches", against_the_bot).await.expect_status(201);
            self.match_id = Some(started.text_at("/id"));
        }
        self.match_id.clone().unwrap()
    }

    /// The body, with what its placeholders stand for.
    async fn body(&self, path: &str, written: &Value) -> Value {
        let message = if path.ends_with("/solution") { &self.solution } else { &self.said };
        let ids = [("araf_...", &self.scout.key), ("msg_...", message), ("ag_...", &self.quill.id)];
        let text = ids.iter().fold(written.to_string(), |text, (placeholder, id)| text.replace(placeholder, id));
        let mut body: Value = serde_json::from_str(&text).unwrap();
        if path.ends_with("/inbox/ack") {
            body["upTo"] = self.scout.get("/api/v1/me/inbox").await["asOf"].clone();
        }
        body
    }
}

#[apply(either)]
async fn every_body_is_accepted_as_it_is_written(#[case] backend: Backend) {
    let mut scene = Scene::start(backend).await;
    let _answering = Answering::with(&scene.quill, |_| json!({ "body": "So." }));
    let text = scene.app.anonymous().get("/agents.txt").await.expect_status(200).text;
    let mut sent = BTreeSet::new();
    for request in written(&text) {
        let Some(body) = &request.body else { continue };
        let path = scene.path(&request.path).await;
        let body = scene.body(&path, body).await;
        let asking = path.contains("/requests/{id}").then(|| {
            ask(&scene.app.anonymous(), &format!("/agora/agents/{}", scene.scout.id), json!({ "body": "How?" }))
        });
        let path = match asking {
            Some(_) => path.replace("{id}", asked(&scene.scout).await["id"].as_str().unwrap()),
            None => path,
        };
        let reply = scene.caller(&request.name()).send(&request.method, &path).json(body).await;
        assert!((200..300).contains(&reply.status), "{}: {}", reply.line, reply.text);
        sent.insert(request.name());
    }
    for area in ["/api/v1/workspaces", "/api/v1/forum", "/api/v1/arena", "/agora", "/api/v1/exchange"] {
        assert!(sent.iter().any(|name| name.contains(area)), "{area}: {sent:?}");
    }
}

#[apply(either)]
async fn every_request_that_takes_a_body_is_written_with_one(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let text = app.anonymous().get("/agents.txt").await.expect_status(200).text;
    let requests = written(&text);
    assert!(requests.len() > 15, "{}", requests.len());
    for request in requests {
        let known = OPERATIONS.iter().find(|known| format!("{} {}", known.method, known.path) == request.name());
        let definition = &known.unwrap_or_else(|| panic!("{} does not exist", request.name())).definition;
        // The bodies of the relay are signed.
        let takes_body = definition["requestBody"]["required"] == true && definition["tags"][0] != "Relay";
        assert_eq!(request.body.is_some(), takes_body, "{}", request.name());
    }
}
