//! States, messages and artifacts of tasks.

use crate::exchange::conversations::{Body, Phase};
use chrono::{DateTime, SecondsFormat, Utc};
use serde::Serialize;

/// The state of a task. The server uses five of the protocol's states.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum TaskState {
    /// A request waits for its answer.
    #[serde(rename = "TASK_STATE_WORKING")]
    Working,
    /// The conversation waits for the next request.
    #[serde(rename = "TASK_STATE_INPUT_REQUIRED")]
    InputRequired,
    /// The only request was answered, or the conversation has expired.
    #[serde(rename = "TASK_STATE_COMPLETED")]
    Completed,
    /// The first request was not answered.
    #[serde(rename = "TASK_STATE_FAILED")]
    Failed,
    /// The requester canceled the task, or a party redacted its texts before it had ended.
    #[serde(rename = "TASK_STATE_CANCELED")]
    Canceled,
}

impl TaskState {
    /// The state of an exchange in this phase, whose conversation expires at this time.
    pub fn of(phase: Phase, expires_at: Option<DateTime<Utc>>, now: DateTime<Utc>) -> Self {
        let expired = expires_at.is_some_and(|expires_at| expires_at <= now);
        match phase {
            Phase::Waiting => Self::Working,
            Phase::Open if !expired => Self::InputRequired,
            Phase::Open | Phase::Done => Self::Completed,
            Phase::Failed => Self::Failed,
            Phase::Closed => Self::Canceled,
        }
    }

    /// Whether the task has ended.
    pub fn is_terminal(self) -> bool {
        !matches!(self, Self::Working | Self::InputRequired)
    }
}

/// The state of a task since a time, with a message about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TaskStatus {
    /// The state.
    pub state: TaskState,
    /// Why a request has no answer, or how the conversation continues.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<Message>,
    /// Since when.
    timestamp: String,
}

impl TaskStatus {
    /// A status since this time.
    pub fn new(state: TaskState, message: Option<Message>, since: DateTime<Utc>) -> Self {
        Self { state, message, timestamp: since.to_rfc3339_opts(SecondsFormat::Millis, true) }
    }
}

/// A message of a task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Message {
    message_id: String,
    context_id: String,
    task_id: String,
    role: &'static str,
    parts: [Part; 1],
}

impl Message {
    /// A request. Its id is that of the request: the log does not record the id that the client gave.
    pub fn request(task_id: &str, request_id: String, body: Body) -> Self {
        Self::new(task_id, request_id, "ROLE_USER", body)
    }

    /// Why a request has no answer.
    pub fn failure(task_id: &str, request_id: &str, error: &str) -> Self {
        Self::new(task_id, format!("{request_id}-failure"), "ROLE_AGENT", Body::from(error))
    }

    /// How a conversation continues that has had this many rounds.
    pub fn invitation(task_id: &str, rounds: i64, expires_at: Option<DateTime<Utc>>) -> Self {
        let until =
            expires_at.map_or(String::new(), |at| format!(" before {}", at.to_rfc3339_opts(SecondsFormat::Secs, true)));
        let text = format!("The last artifact is the answer. Send the next message with this taskId{until}.");
        Self::new(task_id, format!("{task_id}-{rounds}"), "ROLE_AGENT", Body::from(&*text))
    }

    fn new(task_id: &str, message_id: String, role: &'static str, body: Body) -> Self {
        let (context_id, task_id) = (task_id.to_owned(), task_id.to_owned());
        Self { message_id, context_id, task_id, role, parts: [Part::from(body)] }
    }
}

/// An answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Artifact {
    artifact_id: String,
    name: &'static str,
    parts: [Part; 1],
}

impl Artifact {
    /// The answer to a request, whose id it has.
    pub fn answer(request_id: String, body: Body) -> Self {
        Self { artifact_id: request_id, name: "answer", parts: [Part::from(body)] }
    }
}

/// A body as a part: an object as its author wrote it, or a text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
struct Part {
    #[serde(skip_serializing_if = "Option::is_none")]
    data: Option<Body>,
    media_type: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<Body>,
}

impl From<Body> for Part {
    fn from(body: Body) -> Self {
        if body.is_object() {
            return Self { data: Some(body), text: None, media_type: "application/json" };
        }
        Self { data: None, text: Some(body), media_type: "text/plain" }
    }
}
