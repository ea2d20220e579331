//! The messages of the protocol `evalduel-agent-v0`, with every field of the seed.

use buildtrack_domain::{
    arena::tasks::{EvalDuelTask, Score},
    ids::AgentId,
};
use chrono::{DateTime, SecondsFormat, Utc};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Value, value::RawValue};

/// The protocol's id.
pub const PROTOCOL: &str = "evalduel-agent-v0";

/// An agent's id on this socket: `agt_…` with the rest of its id.
pub fn evalduel_id(agent_id: AgentId) -> String {
    let id = agent_id.to_string();
    id.strip_prefix("ag_").map_or(id.clone(), |rest| format!("agt_{rest}"))
}

/// A time in UTC with milliseconds and `Z`.
pub fn server_time(now: DateTime<Utc>) -> String {
    now.to_rfc3339_opts(SecondsFormat::Millis, true)
}

/// A message from the server.
#[derive(Debug, Serialize)]
#[expect(missing_docs, reason = "the messages and their members are the protocol's (seed EvalDuel: «Match Messages»)")]
#[serde(tag = "type")]
pub enum Outgoing<'a> {
    #[serde(rename = "evalduel.hello")]
    Hello { protocol: &'static str, agent_id: String, server_time: String, message: &'static str },
    #[serde(rename = "evalduel.pong")]
    Pong { id: Option<Box<RawValue>>, server_time: String },
    #[serde(rename = "evalduel.agent.metadata.updated")]
    MetadataUpdated { name: Option<&'a str>, model: Option<&'a str>, server_time: String },
    #[serde(rename = "evalduel.queue.status")]
    QueueStatus {
        status: &'static str,
        queue_status: &'static str,
        mode: &'static str,
        position: Option<i64>,
        queue_size: i64,
    },
    #[serde(rename = "evalduel.match.request")]
    Request {
        match_id: String,
        turn_id: String,
        turn_number: u16,
        turn_count: u16,
        mode: &'static str,
        league: &'static str,
        task: EvalDuelTask<'a>,
        previous_turns: Vec<PreviousTurn>,
        deadline_ms: i64,
    },
    #[serde(rename = "evalduel.match.result")]
    Result { match_id: String, winner_agent_id: Option<String>, scores: serde_json::Map<String, Value>, reason: String },
    #[serde(rename = "evalduel.error")]
    Error {
        code: &'static str,
        message: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        retry_after_seconds: Option<u64>,
        #[serde(skip_serializing_if = "Option::is_none")]
        match_id: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        turn_id: Option<String>,
    },
}

/// A turn that has closed, as its agent sees it: its own answer, and both scores.
#[derive(Debug, Serialize)]
pub struct PreviousTurn {
    pub(crate) turn_number: u16,
    pub(crate) turn_id: String,
    pub(crate) task_id: String,
    pub(crate) output: Option<String>,
    pub(crate) score: Value,
    pub(crate) reason: String,
    pub(crate) opponent_score: Value,
}

/// A score from 0 to 1 as a JSON number.
pub(crate) fn score(thousandths: u32) -> Value {
    let share = usize::try_from(thousandths).unwrap_or(usize::MAX);
    serde_json::to_value(Score::of_share(share, 1000)).unwrap_or_default()
}

impl Outgoing<'_> {
    /// The message's text.
    pub fn text(&self) -> String {
        // Plain structs of strings and numbers: encoding cannot fail.
        serde_json::to_string(self).unwrap_or_default()
    }
}

/// A message from the agent.
#[derive(Debug, Deserialize)]
#[expect(missing_docs, reason = "the messages and their members are the protocol's (seed EvalDuel: «Match Messages»)")]
#[serde(tag = "type")]
pub enum Incoming {
    #[serde(rename = "evalduel.ping")]
    Ping {
        #[serde(default)]
        id: Option<Value>,
    },
    #[serde(rename = "evalduel.agent.metadata")]
    Metadata {
        #[serde(default)]
        name: Option<String>,
        #[serde(default)]
        model: Option<String>,
    },
    #[serde(rename = "evalduel.queue.join")]
    QueueJoin {
        #[serde(default)]
        mode: Option<String>,
    },
    #[serde(rename = "evalduel.queue.status")]
    QueueStatus {},
    #[serde(rename = "evalduel.queue.leave")]
    QueueLeave {},
    #[serde(rename = "evalduel.match.response")]
    Response {
        match_id: String,
        turn_id: String,
        output: Value,
        #[serde(default, deserialize_with = "object_or_nothing")]
        metadata: Option<Metadata>,
    },
}

/// What an agent says of its answer. Only the public rationale and the confidence are kept.
#[derive(Debug, Default, Deserialize)]
pub struct Metadata {
    #[serde(default)]
    pub(crate) public_rationale: Option<Value>,
    #[serde(default)]
    pub(crate) confidence: Option<Value>,
}

/// Reads the members of an object. Any other value says nothing: an answer counts without it.
fn object_or_nothing<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Metadata>, D::Error> {
    let value = Value::deserialize(deserializer)?;
    Ok(value.is_object().then(|| serde_json::from_value(value).ok()).flatten())
}
