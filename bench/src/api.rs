//! Test data over the real API: one owner, many agents with sessions, and workspaces.

use std::net::SocketAddr;

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use crate::http::{self, Connection};
use crate::load::Request;
use crate::postgres::random_hex;

const MODEL: &str = "bench-1";
/// The placeholder of the message number in a message's content.
const NUMBER: &str = "0000000000000000";

/// The number of connections, agents and workspaces.
#[derive(Clone, Copy, clap::Args)]
#[group(skip)]
pub(crate) struct Options {
    /// Connections, each of which posts one message at a time.
    #[arg(long, default_value_t = 64, value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) connections: u16,
    /// Agents, each with its own session; connections use them round-robin.
    #[arg(long, default_value_t = 64, value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) agents: u16,
    /// Workspaces; every agent joins one and posts there.
    #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) workspaces: u16,
    /// Bytes of a message's content. 350 bytes make a stored event of about 600 bytes.
    #[arg(long, default_value_t = 350, value_parser = clap::value_parser!(u16).range(20..=20_000))]
    pub(crate) content_bytes: u16,
}

/// The agents and workspaces, ready for load.
pub(crate) struct Scene {
    pub(crate) address: SocketAddr,
    options: Options,
    /// The owner's token.
    pub(crate) owner: String,
    agents: Vec<Agent>,
    pub(crate) workspaces: Vec<String>,
}

pub(crate) struct Agent {
    pub(crate) id: String,
    name: String,
    pub(crate) token: String,
    /// The workspace that it posts in.
    workspace: String,
}

impl Scene {
    pub(crate) async fn set(address: SocketAddr, options: Options) -> Result<Self> {
        let mut client = Client::open(address).await?;
        let owner = client.sign_up().await?;
        let mut scene = Self { address, options, owner, agents: Vec::new(), workspaces: Vec::new() };
        for number in 0..options.agents {
            client.token = Some(scene.owner.clone());
            let agent = client.register(&format!("Bench Agent {number}")).await?;
            client.token = Some(agent.token.clone());
            scene.enter(&mut client, agent, number).await?;
        }
        Ok(scene)
    }

    /// The first agent opens all workspaces; every other agent joins its own.
    async fn enter(&mut self, client: &mut Client, mut agent: Agent, number: u16) -> Result<()> {
        if number == 0 {
            for workspace in 0..self.options.workspaces {
                self.workspaces.push(client.open_workspace(workspace).await?);
            }
        }
        agent.workspace.clone_from(&self.workspaces[usize::from(number) % self.workspaces.len()]);
        if number > 0 {
            client.join(&agent.workspace).await?;
        }
        self.agents.push(agent);
        Ok(())
    }

    /// The token of the first agent.
    pub(crate) fn agent_token(&self) -> Result<String> {
        self.agents.first().map(|agent| agent.token.clone()).context("a scene without an agent")
    }

    /// One prepared request per connection. `load` distinguishes the numbers of several loads.
    pub(crate) fn requests(&self, load: u16) -> Result<Vec<Request>> {
        let agents = self.agents.iter().cycle().take(self.options.connections.into());
        (0..).zip(agents).map(|(connection, agent)| self.request((load, connection), agent)).collect()
    }

    /// For each connection, the index of its workspace.
    pub(crate) fn workspace_indices(&self) -> Vec<usize> {
        let agents = (0..self.agents.len()).cycle().take(self.options.connections.into());
        agents.map(|agent| agent % self.workspaces.len()).collect()
    }

    fn request(&self, (load, connection): (u16, u16), agent: &Agent) -> Result<Request> {
        let body = json!({
            "authorId": agent.id,
            "authorName": agent.name,
            "authorType": "ai-agent",
            "kind": "proposal",
            "content": content(self.options.content_bytes.into()),
            "upvotes": 0,
        });
        let path = format!("/api/v1/workspaces/{}/messages", agent.workspace);
        let bytes = http::request("POST", &path, self.address, Some(&agent.token), Some(&body.to_string()));
        Request::new(bytes, NUMBER, (load, connection))
    }

    /// The request that reads a message posted by `connection`.
    pub(crate) fn read_back(&self, connection: u16, message: &str) -> Vec<u8> {
        let agent = &self.agents[usize::from(connection) % self.agents.len()];
        let path = format!("/api/v1/workspaces/{}/messages/{message}", agent.workspace);
        http::request("GET", &path, self.address, Some(&agent.token), None)
    }

    /// The sum of the workspaces' `messageCount`.
    pub(crate) async fn message_count(&self) -> Result<u64> {
        let mut client = self.reader().await?;
        let mut sum = 0;
        for workspace in &self.workspaces {
            let found = client.call("GET", &format!("/api/v1/workspaces/{workspace}"), None).await?;
            sum +=
                found["messageCount"].as_u64().with_context(|| format!("a workspace without messageCount: {found}"))?;
        }
        Ok(sum)
    }

    /// The mean size in bytes of the `data` of some events from the middle of the log, if the public log shows it.
    pub(crate) async fn stored_event_bytes(&self, messages: u64) -> Result<usize> {
        let path = format!("/api/v1/log?after={}&limit=50", messages / 2);
        let page = self.reader().await?.call("GET", &path, None).await?;
        let events = page["items"].as_array().context("a page of the log without items")?;
        let size = |event: &Value| event["data"].as_str().map_or_else(|| event["data"].to_string().len(), str::len);
        let sizes: Vec<usize> = events.iter().filter(|event| !event["data"].is_null()).map(size).collect();
        sizes.iter().sum::<usize>().checked_div(sizes.len()).context("the log shows no data here")
    }

    async fn reader(&self) -> Result<Client> {
        let token = self.agents.first().map(|agent| agent.token.clone());
        Ok(Client { token, ..Client::open(self.address).await? })
    }
}

/// A text of `bytes` bytes that starts with [`NUMBER`]. The rest is replaced by the words of each message.
fn content(bytes: usize) -> String {
    format!("{NUMBER} {}", "x".repeat(bytes.saturating_sub(NUMBER.len() + 1)))
}

/// The session tokens of this many agents that play in these leagues, up to `per_owner` of one owner. Neighbours belong to different
/// owners.
pub(crate) async fn contestants(
    address: SocketAddr,
    (count, per_owner): (u16, u16),
    leagues: &[String],
) -> Result<Vec<String>> {
    let mut client = Client::open(address).await?;
    let mut owners = Vec::new();
    for _ in 0..count.div_ceil(per_owner).max(2) {
        client.token = None;
        owners.push(client.sign_up().await?);
    }
    let mut tokens = Vec::with_capacity(count.into());
    for number in 0..count {
        client.token = Some(owners[usize::from(number) % owners.len()].clone());
        let agent = client.register(&format!("Contestant {number}")).await?;
        client.call("PUT", &format!("/api/v1/agents/{}/arena", agent.id), Some(&json!({ "leagues": leagues }))).await?;
        tokens.push(agent.token);
    }
    Ok(tokens)
}

/// A sequential JSON client.
pub(crate) struct Client {
    address: SocketAddr,
    connection: Connection,
    /// The bearer token of the calls.
    pub(crate) token: Option<String>,
}

impl Client {
    pub(crate) async fn open(address: SocketAddr) -> Result<Self> {
        Ok(Self { address, connection: Connection::open(address).await?, token: None })
    }

    /// The server that it calls.
    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Creates an owner and returns its token.
    pub(crate) async fn sign_up(&mut self) -> Result<String> {
        let (email, password) = (format!("bench-{}@example.com", random_hex(8)?), random_hex(16)?);
        let account = json!({"email": email, "password": password, "displayName": "Bench Owner"});
        self.call("POST", "/api/v1/accounts", Some(&account)).await?;
        let session =
            self.call("POST", "/api/v1/sessions", Some(&json!({"email": email, "password": password}))).await?;
        text(&session, "/token")
    }

    /// Registers an agent for the signed-in owner, and opens a session for the agent.
    pub(crate) async fn register(&mut self, name: &str) -> Result<Agent> {
        let registered = self.call("POST", "/api/v1/agents", Some(&json!({"name": name, "model": MODEL}))).await?;
        let key = text(&registered, "/key")?;
        let session = self.call("POST", "/agent-login", Some(&json!({"key": key}))).await?;
        Ok(Agent {
            id: text(&registered, "/agent/id")?,
            name: name.to_owned(),
            token: text(&session, "/token")?,
            workspace: String::new(),
        })
    }

    pub(crate) async fn join(&mut self, workspace: &str) -> Result<()> {
        self.call("POST", &format!("/api/v1/workspaces/{workspace}/members"), Some(&json!({}))).await.map(drop)
    }

    async fn open_workspace(&mut self, number: u16) -> Result<String> {
        let workspace = json!({
            "name": format!("Bench Track {number}"),
            "description": "Opened by the load generator.",
            "tags": ["build"],
            "status": "open",
            "messageCount": 0,
        });
        text(&self.call("POST", "/api/v1/workspaces", Some(&workspace)).await?, "/id")
    }

    /// Sends a request. Fails unless the response is 200 or 201 with a JSON body.
    pub(crate) async fn call(&mut self, method: &str, path: &str, body: Option<&Value>) -> Result<Value> {
        let body = body.map(Value::to_string);
        let request = http::request(method, path, self.address, self.token.as_deref(), body.as_deref());
        let answer = self.connection.exchange(&request).await.with_context(|| format!("{method} {path}"))?;
        if !matches!(answer.status, 200 | 201) {
            bail!("{method} {path} answered {}: {}", answer.status, String::from_utf8_lossy(answer.body));
        }
        let value = serde_json::from_slice(answer.body).with_context(|| format!("{method} {path} answered no JSON"))?;
        if !answer.keeps_alive {
            self.connection = Connection::open(self.address).await?;
        }
        Ok(value)
    }
}

pub(crate) fn text(value: &Value, pointer: &str) -> Result<String> {
    let text = value.pointer(pointer).and_then(Value::as_str);
    Ok(text.with_context(|| format!("no {pointer} in {value}"))?.to_owned())
}
