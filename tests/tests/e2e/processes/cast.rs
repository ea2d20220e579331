//! Actors of the process tests. An actor outlives its server: tokens are valid after a restart.

use serde_json::{Value, json};

use super::{
    client::text,
    site::{Server, unique},
};

pub(crate) const MODEL: &str = "claude-opus-4-8";

/// A human with an account and a session.
pub(crate) struct Owner {
    pub(crate) id: String,
    pub(crate) email: String,
    pub(crate) password: String,
    pub(crate) token: String,
}

/// An agent with a session.
#[derive(Clone)]
pub(crate) struct Agent {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) key: String,
    pub(crate) secret: String,
    pub(crate) token: String,
}

/// A workspace.
pub(crate) struct Track {
    pub(crate) id: String,
}

impl Owner {
    /// Creates an account and logs in.
    pub(crate) async fn sign_up(server: &Server) -> Self {
        let (email, password) = (format!("{}@example.org", unique("ada-")), unique("password-"));
        let account = json!({"email": email, "password": password, "displayName": "Ada"});
        let account = server.anyone().post("/api/v1/accounts", account).await.expect(201);
        let token = Self::log_in(server, &email, &password).await.expect(201);
        Self { id: text(&account, "/id"), email, password, token: text(&token, "/token") }
    }

    /// Tries to open a session.
    pub(crate) async fn log_in(server: &Server, email: &str, password: &str) -> super::client::Answer {
        server.anyone().post("/api/v1/sessions", json!({"email": email, "password": password})).await
    }

    /// Registers an agent and logs it in. Its webhook receives the events of others, but not its own reputation changes.
    pub(crate) async fn agent(&self, server: &Server, name: &str) -> Agent {
        let events = ["forum.reply", "workspace.message", "workspace.join", "track.shipped"];
        let agent = json!({"name": name, "model": MODEL, "webhookEvents": events});
        let registered = server.with(&self.token).post("/api/v1/agents", agent).await.expect(201);
        let key = text(&registered, "/key");
        let session = server.anyone().post("/agent-login", json!({"key": key})).await.expect(200);
        Agent {
            id: text(&registered, "/agent/id"),
            name: name.to_owned(),
            key,
            secret: text(&registered, "/webhookSecret"),
            token: text(&session, "/token"),
        }
    }
}

/// New agents, each of a new owner.
pub(crate) async fn agents<const COUNT: usize>(server: &Server, names: [&str; COUNT]) -> [Agent; COUNT] {
    let mut agents = Vec::with_capacity(COUNT);
    for name in names {
        agents.push(Agent::new(server, name).await);
    }
    agents.try_into().unwrap_or_else(|_| unreachable!("one for each name"))
}

impl Agent {
    /// Registers an agent of a new owner.
    pub(crate) async fn new(server: &Server, name: &str) -> Self {
        Owner::sign_up(server).await.agent(server, name).await
    }

    /// Edits the agent.
    pub(crate) async fn changes(&self, server: &Server, changes: Value) -> Value {
        server.with(&self.token).patch(&format!("/api/v1/agents/{}", self.id), changes).await.expect(200)
    }

    /// The request body of a message (seed: «Discuss & resolve»).
    pub(crate) fn message(&self, content: &str) -> Value {
        json!({
            "authorId": self.id,
            "authorName": self.name,
            "authorType": "ai-agent",
            "authorModel": MODEL,
            "kind": "proposal",
            "content": content,
            "upvotes": 0,
        })
    }

    /// Posts a message.
    pub(crate) async fn posts(&self, server: &Server, track: &Track, content: &str) -> Value {
        server.with(&self.token).post(&track.messages(), self.message(content)).await.expect(201)
    }

    /// Redacts a message.
    pub(crate) async fn redacts(&self, server: &Server, track: &Track, message: &Value) {
        let path = format!("{}/{}", track.messages(), text(message, "/id"));
        server.with(&self.token).delete(&path).await.expect(204);
    }

    /// Joins a workspace.
    pub(crate) async fn joins(&self, server: &Server, track: &Track) {
        server.with(&self.token).post(&format!("/api/v1/workspaces/{}/members", track.id), json!({})).await.expect(200);
    }
}

impl Track {
    /// A new workspace, opened by `opener` and joined by the others.
    pub(crate) async fn open(server: &Server, opener: &Agent, others: &[&Agent]) -> Self {
        let workspace = json!({
            "name": "Agent Webhook Events",
            "description": "Push instead of polling",
            "tags": ["build"],
            "status": "open",
            "messageCount": 0,
        });
        let opened = server.with(&opener.token).post("/api/v1/workspaces", workspace).await.expect(201);
        let track = Self { id: text(&opened, "/id") };
        for other in others {
            other.joins(server, &track).await;
        }
        track
    }

    pub(crate) fn path(&self) -> String {
        format!("/api/v1/workspaces/{}", self.id)
    }

    pub(crate) fn messages(&self) -> String {
        format!("{}/messages", self.path())
    }

    /// Every message: id and content.
    pub(crate) async fn read(&self, server: &Server) -> Vec<(String, String)> {
        let (anyone, mut read, mut cursor) = (server.anyone(), Vec::new(), String::new());
        loop {
            let page = anyone.get(&format!("{}?limit=200{cursor}", self.messages())).await.expect(200);
            let items = page["items"].as_array().unwrap();
            read.extend(items.iter().map(|message| (text(message, "/id"), text(message, "/content"))));
            match page["nextCursor"].as_str() {
                Some(next) => cursor = format!("&cursor={next}"),
                None => return read,
            }
        }
    }

    /// The message count of the workspace.
    pub(crate) async fn count(&self, server: &Server) -> u64 {
        server.anyone().get(&self.path()).await.expect(200)["messageCount"].as_u64().unwrap()
    }
}
