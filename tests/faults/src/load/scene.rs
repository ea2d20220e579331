//! Who acts, set up over the API before anything goes wrong: agents of owners of their own, workspaces, endpoints.

use std::sync::{Arc, Mutex, PoisonError};

use agora_envelope::Signer;
use anyhow::{Context, Result, ensure};
use buildtrack_store::clock::random;
use reqwest::Method;
use serde_json::{Value, json};

use crate::{client::Client, history::History, plan::Plan, random::Random, receiver::Receiver, site::Site};

const AGENTS: usize = 6;
/// Endpoints of the last agents, in turn plain and ordered.
pub(crate) const ENDPOINTS: usize = 4;
const EVENTS: [&str; 3] = ["workspace.message", "forum.reply", "reputation.changed"];

/// An agent with a session and a key at the relay.
pub(crate) struct Agent {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) client: Client,
    pub(crate) signer: Signer,
}

/// An endpoint with its receiver.
pub(crate) struct Endpoint {
    pub(crate) id: String,
    /// The agent's id.
    pub(crate) agent: String,
    pub(crate) ordered: bool,
    pub(crate) receiver: Receiver,
}

/// Something that can be answered or voted for.
#[derive(Debug, Clone)]
pub(crate) struct Text {
    pub(crate) id: String,
    /// The number of the agent that wrote it.
    pub(crate) author: usize,
    /// Of a reply in the forum, its post.
    pub(crate) post: Option<String>,
}

/// What was acknowledged so far.
#[derive(Debug, Default)]
pub(crate) struct Board {
    pub(crate) messages: Vec<Text>,
    pub(crate) solutions: Vec<Text>,
    pub(crate) posts: Vec<Text>,
    pub(crate) replies: Vec<Text>,
}

/// The scene.
pub(crate) struct Scene {
    /// Without a session.
    pub(crate) client: Client,
    pub(crate) agents: Vec<Agent>,
    /// A client of the agent with a small allowance.
    pub(crate) limited: Client,
    /// Every agent is a member of it, for good.
    pub(crate) track: String,
    /// Agents join and leave it.
    pub(crate) side_track: String,
    pub(crate) endpoints: Vec<Endpoint>,
    pub(crate) board: Mutex<Board>,
    /// The last position of the setup.
    pub(crate) begins_after: i64,
}

impl Scene {
    pub(crate) async fn set(site: &Site, plan: &Plan, history: &Arc<History>) -> Result<Self> {
        let client = Client::new(usize::MAX, site.urls.clone().into(), None, Arc::clone(history))?;
        let mut agents = Vec::new();
        for number in 0..AGENTS {
            agents.push(register(&client, number).await?);
        }
        let limited = register(&client, AGENTS).await?;
        let tier = site.run(&["admin", "set-tier", &limited.id, "enterprise", "--reason", "It is limited."]).await?;
        ensure!(tier.code == Some(0), "the tier is not set: {}", tier.printed);
        let track = open(&agents[0], "Main Track").await?;
        let side_track = open(&agents[1], "Side Track").await?;
        for agent in &agents[1..] {
            let path = format!("/api/v1/workspaces/{track}/members");
            agent.client.expect(Method::POST, &path, Some(json!({}))).await?;
        }
        let mut endpoints = Vec::new();
        for (number, agent) in agents[AGENTS - ENDPOINTS..].iter().enumerate() {
            endpoints.push(endpoint(agent, number, plan, history).await?);
        }
        let head = client.expect(Method::GET, "/api/v1/log?limit=1", None).await?;
        let begins_after = head["head"].as_i64().context("the log has a head")?;
        let (limited, board) = (limited.client, Mutex::default());
        Ok(Self { client, agents, limited, track, side_track, endpoints, board, begins_after })
    }

    /// Notes what was acknowledged, or looks at it.
    pub(crate) fn board<T>(&self, with: impl FnOnce(&mut Board) -> T) -> T {
        with(&mut self.board.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// A new agent of a new owner.
pub(crate) async fn register(client: &Client, number: usize) -> Result<Agent> {
    let (email, password) = (format!("faults-{}@example.org", hex::encode(random::<8>())), hex::encode(random::<12>()));
    let account = json!({"email": email, "password": password, "displayName": format!("Owner {number}")});
    client.expect(Method::POST, "/api/v1/accounts", Some(account)).await?;
    let login = json!({"email": email, "password": password});
    let session = client.expect(Method::POST, "/api/v1/sessions", Some(login)).await?;
    let owner = client.with(number, &text(&session, "/token")?);
    let name = format!("Agent {number}");
    let agent = json!({"name": name, "model": "faults-1"});
    let registered = owner.expect(Method::POST, "/api/v1/agents", Some(agent)).await?;
    let key = json!({"key": text(&registered, "/key")?});
    let session = client.expect(Method::POST, "/agent-login", Some(key)).await?;
    Ok(Agent {
        id: text(&registered, "/agent/id")?,
        name,
        client: client.with(number, &text(&session, "/token")?),
        signer: Signer::from_seed(&random()),
    })
}

/// A new workspace of an agent.
pub(crate) async fn open(agent: &Agent, name: &str) -> Result<String> {
    let workspace = json!({
        "name": name,
        "description": "Opened by the fault runner.",
        "tags": ["build"],
        "status": "open",
        "messageCount": 0,
    });
    text(&agent.client.expect(Method::POST, "/api/v1/workspaces", Some(workspace)).await?, "/id")
}

async fn endpoint(agent: &Agent, number: usize, plan: &Plan, history: &Arc<History>) -> Result<Endpoint> {
    let refusals = plan.refusals.get(number).copied().context("refusals for each endpoint")?;
    let random = Random::of_part(plan.seed, 200 + u64::try_from(number)?);
    let receiver = Receiver::start(number, refusals, random, Arc::clone(history)).await?;
    let ordered = number % 2 == 1;
    let webhook = json!({"url": receiver.url(), "events": EVENTS, "ordered": ordered});
    let path = format!("/api/v1/agents/{}/webhooks", agent.id);
    let added = agent.client.expect(Method::POST, &path, Some(webhook)).await?;
    receiver.knows(text(&added, "/secret")?)?;
    Ok(Endpoint { id: text(&added, "/webhook/id")?, agent: agent.id.clone(), ordered, receiver })
}

fn text(value: &Value, pointer: &str) -> Result<String> {
    let text = value.pointer(pointer).and_then(Value::as_str);
    Ok(text.with_context(|| format!("no {pointer} in {value}"))?.to_owned())
}
