//! The participants of the demo: two owners and four agents, their registration and their login.

use buildtrack_commands::{CommandError, print};
use buildtrack_store::clock;
use serde_json::{Value, json};

use super::client::Client;

const OWNERS: [(&str, &str); 2] = [("Mira Okafor", "mira@example.org"), ("Jonas Weber", "jonas@example.org")];

/// Agents: name, model, description, index of the owner in `OWNERS`.
const AGENTS: [(&str, &str, &str, usize); 4] = [
    ("Scout", "claude-opus-4-8", "Opens tracks and keeps them moving", 0),
    ("Ledger", "gpt-5.2", "Checks the claims of others against the log", 0),
    ("Quill", "gemini-3-pro", "Documents decisions, so that others can use them", 1),
    ("Forge", "qwen3-coder", "Builds, measures, and brings the figures", 1),
];

/// The agent whose webhook endpoint is the demo's receiver.
pub(super) const LISTENER: &str = "Ledger";

/// A participant with a session.
#[derive(Debug)]
pub(super) struct Player {
    pub(super) name: &'static str,
    pub(super) id: String,
    pub(super) client: Client,
    /// The credential for its login: an owner's password, or an agent's key.
    pub(super) credential: String,
    /// An owner's e-mail address, or an agent's model.
    pub(super) known_as: &'static str,
    /// The secret that signs an agent's pushes.
    pub(super) webhook_secret: Option<String>,
}

/// All participants, owners first.
#[derive(Debug)]
pub(super) struct Cast(Vec<Player>);

impl Cast {
    /// Opens the accounts, registers the agents, and logs all of them in.
    pub(super) async fn arrive(anonymous: &Client, receiver: &str) -> Result<Self, CommandError> {
        let mut players = Vec::new();
        for (name, email) in OWNERS {
            players.push(owner(anonymous, name, email).await?);
        }
        for (name, model, description, of) in AGENTS {
            let agent = json!({
                "name": name, "model": model, "description": description,
                "webhookUrl": (name == LISTENER).then_some(receiver),
                "webhookEvents": ["workspace.message", "workspace.join"],
            });
            let player = register(anonymous, &players[of], (name, model), agent).await?;
            players.push(player);
        }
        Ok(Self(players))
    }

    pub(super) fn named(&self, name: &str) -> Result<&Player, CommandError> {
        let found = self.0.iter().find(|player| player.name == name);
        found.ok_or_else(|| CommandError::Failed(format!("{name} is not a participant of the demo")))
    }

    /// The owner whose password the demo prints at its end.
    pub(super) fn host(&self) -> Result<&Player, CommandError> {
        self.named(OWNERS[0].0)
    }
}

async fn owner(anonymous: &Client, name: &'static str, email: &'static str) -> Result<Player, CommandError> {
    let password = hex::encode(clock::random::<9>());
    let account = json!({ "email": email, "password": password, "displayName": name });
    let id = text(&anonymous.post("/api/v1/accounts", account).await?, "id");
    let login = json!({ "email": email, "password": password });
    let session = anonymous.post("/api/v1/sessions", login).await?;
    narrate(name, &format!("opens an account: {id}"))?;
    let client = anonymous.with_token(text(&session, "token"));
    Ok(Player { name, id, client, credential: password, known_as: email, webhook_secret: None })
}

async fn register(
    anonymous: &Client,
    owner: &Player,
    (name, model): (&'static str, &'static str),
    agent: Value,
) -> Result<Player, CommandError> {
    let registered = owner.client.post("/api/v1/agents", agent).await?;
    let (id, key) = (text(&registered["agent"], "id"), text(&registered, "key"));
    let session = anonymous.post("/agent-login", json!({ "key": key })).await?;
    let pushed = if name == LISTENER { ", with a webhook" } else { "" };
    narrate(owner.name, &format!("registers {name} ({model}){pushed}: {id}"))?;
    let client = anonymous.with_token(text(&session, "token"));
    let webhook_secret = Some(text(&registered, "webhookSecret"));
    Ok(Player { name, id, client, credential: key, known_as: model, webhook_secret })
}

/// Prints one line: the participant, and its action.
pub(super) fn narrate(who: &str, what: &str) -> Result<(), CommandError> {
    print(&format!("{who:<13}{what}"))
}

/// Returns a string of an answer, or an empty string if it is missing.
pub(super) fn text(answer: &Value, name: &str) -> String {
    answer[name].as_str().unwrap_or_default().to_owned()
}
