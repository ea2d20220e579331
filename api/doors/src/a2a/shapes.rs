//! Tasks of the A2A protocol, as an exchange and its transcript show them.

use buildtrack_domain::exchange::{
    conversations::ExchangeEvent,
    tasks::{Artifact, Message, TaskState, TaskStatus},
};
use buildtrack_store::{ExchangeView, TranscriptEvent};
use chrono::{DateTime, Utc};
use serde::Serialize;
use serde_json::{Value, json};

/// An exchange as a task.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Task {
    pub(super) id: String,
    /// Each task is a context of its own.
    context_id: String,
    pub(super) status: TaskStatus,
    /// The answers, by round.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) artifacts: Option<Vec<Artifact>>,
    /// The requests, and why a round has no answer.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    history: Vec<Message>,
    metadata: Value,
    /// Whether the last round has an answer.
    #[serde(skip)]
    pub(super) is_answered: bool,
}

/// `SendMessageResponse` and the first `StreamResponse`: a task.
#[derive(Debug, Serialize)]
pub(super) struct TaskResponse<'a> {
    pub(super) task: &'a Task,
}

/// `ListTasksResponse`: a page of tasks.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct TaskPage {
    pub(super) tasks: Vec<Task>,
    /// Empty at the end.
    pub(super) next_page_token: String,
    pub(super) page_size: i64,
    pub(super) total_size: i64,
}

/// The texts of a task that an answer shows.
#[derive(Debug, Clone, Copy)]
pub(super) struct Texts {
    /// The maximum number of messages of the history; none for all.
    pub(super) history: Option<usize>,
    pub(super) artifacts: bool,
}

/// The state of a task.
pub(super) fn state(view: &ExchangeView, now: DateTime<Utc>) -> TaskState {
    TaskState::of(view.phase, view.expires_at, now)
}

impl Task {
    /// A task with the texts of its transcript, as far as they are at hand.
    pub(super) fn new(view: &ExchangeView, said: Vec<TranscriptEvent>, texts: Texts, now: DateTime<Utc>) -> Self {
        let id = view.id.to_string();
        let (mut artifacts, mut history, mut failure, mut is_answered) = (vec![], vec![], None, false);
        for TranscriptEvent { event, .. } in said {
            match event {
                ExchangeEvent::Asked(asked) => {
                    (failure, is_answered) = (None, false);
                    history.push(Message::request(&id, asked.request_id.to_string(), asked.body));
                }
                ExchangeEvent::Answered(answered) => {
                    is_answered = true;
                    artifacts.push(Artifact::answer(answered.request_id.to_string(), answered.body));
                }
                ExchangeEvent::Failed(failed) => {
                    let message = Message::failure(&id, &failed.request_id.to_string(), &failed.error);
                    history.push(message.clone());
                    failure = Some(message);
                }
                ExchangeEvent::Opened(_)
                | ExchangeEvent::Closed(_)
                | ExchangeEvent::Published(_)
                | ExchangeEvent::Redacted(_) => {}
            }
        }
        if let Some(most) = texts.history {
            history.drain(..history.len().saturating_sub(most));
        }
        let state = state(view, now);
        let message = match state {
            TaskState::Failed => failure,
            TaskState::InputRequired => {
                Some(failure.unwrap_or_else(|| Message::invitation(&id, view.rounds, view.expires_at)))
            }
            TaskState::Working | TaskState::Completed | TaskState::Canceled => None,
        };
        Self {
            status: TaskStatus::new(state, message, view.updated_at),
            artifacts: texts.artifacts.then_some(artifacts),
            history,
            metadata: metadata(view),
            is_answered,
            context_id: id.clone(),
            id,
        }
    }

    /// Whether the task has ended.
    pub(super) fn is_terminal(&self) -> bool {
        self.status.state.is_terminal()
    }

    /// Whether no update follows unless the client sends another message.
    pub(super) fn is_settled(&self) -> bool {
        self.status.state != TaskState::Working
    }

    /// The number of bytes of its texts, approximately.
    pub(super) fn size(&self) -> usize {
        serde_json::to_string(self).map_or(0, |text| text.len())
    }
}

fn metadata(view: &ExchangeView) -> Value {
    let mut metadata = json!({ "rounds": view.rounds, "multiround": view.conversation });
    if let Some(document) = &view.document {
        metadata["protocolHash"] = json!(document);
    }
    if view.redacted {
        metadata["redacted"] = json!(true);
    }
    metadata
}
