//! The updates of a task: what its client learns from each event of the exchange.

use chrono::{DateTime, Utc};
use serde::Serialize;

use super::{Artifact, Message, TaskState, TaskStatus};
use crate::exchange::conversations::{ExchangeEvent, Phase};

/// The exclusive maximum size of an update in bytes: that of all pushes.
pub const UPDATE_MAX: usize = 100_000;

/// The updates that one event causes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskUpdate {
    /// The state of the task since the event.
    pub state: TaskState,
    /// Each a `StreamResponse` of the protocol as JSON, shorter than [`UPDATE_MAX`]: the artifact, and then the status. A larger
    /// artifact is left out; the task shows it.
    pub bodies: Vec<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
enum StreamResponse<'a> {
    #[serde(rename_all = "camelCase")]
    ArtifactUpdate { task_id: &'a str, context_id: &'a str, artifact: &'a Artifact, last_chunk: bool },
    #[serde(rename_all = "camelCase")]
    StatusUpdate { task_id: &'a str, context_id: &'a str, status: &'a TaskStatus },
}

impl StreamResponse<'_> {
    // The parts are plain structs, so that encoding cannot fail.
    fn text(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }
}

/// A new artifact: a `StreamResponse` as JSON. An object in it is as its author wrote it, perhaps with line breaks.
pub fn artifact_update(task_id: &str, artifact: &Artifact) -> String {
    StreamResponse::ArtifactUpdate { task_id, context_id: task_id, artifact, last_chunk: true }.text()
}

/// A new status: a `StreamResponse` as JSON.
pub fn status_update(task_id: &str, status: &TaskStatus) -> String {
    StreamResponse::StatusUpdate { task_id, context_id: task_id, status }.text()
}

/// What an event changes in a task; none if it changes nothing. `expires_at` is when the conversation expires; an exchange of one
/// round has none.
pub fn update_of(
    task_id: &str,
    event: &ExchangeEvent,
    recorded_at: DateTime<Utc>,
    expires_at: Option<DateTime<Utc>>,
) -> Option<TaskUpdate> {
    let is_conversation = expires_at.is_some();
    let (mut bodies, mut message) = (vec![], None);
    let state = match event {
        ExchangeEvent::Asked(_) => TaskState::Working,
        ExchangeEvent::Answered(answered) => {
            let artifact = Artifact::answer(answered.request_id.to_string(), answered.body.clone());
            bodies.push(artifact_update(task_id, &artifact));
            message = is_conversation.then(|| Message::invitation(task_id, answered.round.into(), expires_at));
            if is_conversation { TaskState::InputRequired } else { TaskState::Completed }
        }
        ExchangeEvent::Failed(failed) => {
            message = Some(Message::failure(task_id, &failed.request_id.to_string(), &failed.error));
            if is_conversation && failed.round > 1 { TaskState::InputRequired } else { TaskState::Failed }
        }
        ExchangeEvent::Closed(_) => TaskState::Canceled,
        ExchangeEvent::Redacted(redacted) => TaskState::of(redacted.phase, redacted.expires_at, recorded_at),
        ExchangeEvent::Opened(_) | ExchangeEvent::Published(_) => return None,
    };
    bodies.push(status_update(task_id, &TaskStatus::new(state, message, recorded_at)));
    bodies.retain(|body| body.len() < UPDATE_MAX);
    Some(TaskUpdate { state, bodies })
}

/// The update of a conversation that has expired; none before that.
pub fn expired(
    task_id: &str,
    phase: Phase,
    expires_at: Option<DateTime<Utc>>,
    now: DateTime<Utc>,
) -> Option<TaskUpdate> {
    let expired_at = expires_at.filter(|expires_at| phase == Phase::Open && *expires_at <= now)?;
    let status = TaskStatus::new(TaskState::Completed, None, expired_at);
    Some(TaskUpdate { state: status.state, bodies: vec![status_update(task_id, &status)] })
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use uuid::Uuid;

    use super::*;
    use crate::{
        exchange::conversations::{Body, ExchangeAnswered, ExchangeClosed, ExchangeFailed, FailureReason},
        ids::{ExchangeId, RequestId},
    };

    const LATER: Option<DateTime<Utc>> = Some(DateTime::<Utc>::MAX_UTC);

    fn answered(text: &str) -> ExchangeEvent {
        let (exchange_id, request_id) = (ExchangeId::new(Uuid::from_u128(1)), RequestId::new(Uuid::from_u128(2)));
        ExchangeAnswered { exchange_id, request_id, round: 1, body: Body::from(text) }.into()
    }

    fn failed(round: u32) -> ExchangeEvent {
        let (exchange_id, request_id) = (ExchangeId::new(Uuid::from_u128(1)), RequestId::new(Uuid::from_u128(2)));
        let (reason, error) = (FailureReason::Refused, "No".to_owned());
        ExchangeFailed { exchange_id, request_id, round, reason, error }.into()
    }

    fn update(event: &ExchangeEvent, expires_at: Option<DateTime<Utc>>) -> (TaskState, Vec<Value>) {
        let update = update_of("t", event, DateTime::UNIX_EPOCH, expires_at).unwrap();
        (update.state, update.bodies.iter().map(|body| serde_json::from_str(body).unwrap()).collect())
    }

    #[test]
    fn an_answer_is_an_artifact_and_a_status() {
        let (state, bodies) = update(&answered("Hi"), None);
        assert_eq!(state, TaskState::Completed);
        assert_eq!(bodies[0]["artifactUpdate"]["artifact"]["parts"][0]["text"], "Hi");
        let status = json!({ "state": "TASK_STATE_COMPLETED", "timestamp": "1970-01-01T00:00:00.000Z" });
        assert_eq!(bodies[1], json!({ "statusUpdate": { "taskId": "t", "contextId": "t", "status": status } }));
        let (state, bodies) = update(&answered("Hi"), LATER);
        assert_eq!((state, bodies.len()), (TaskState::InputRequired, 2));
    }

    #[test]
    fn an_artifact_that_is_too_large_is_left_out() {
        let (_, bodies) = update(&answered(&"x".repeat(UPDATE_MAX)), None);
        assert_eq!((bodies.len(), &bodies[0]["statusUpdate"]["taskId"]), (1, &json!("t")));
    }

    #[test]
    fn only_the_first_round_of_a_conversation_fails_the_task() {
        let states =
            [(1, None), (1, LATER), (2, LATER)].map(|(round, expires_at)| update(&failed(round), expires_at).0);
        assert_eq!(states, [TaskState::Failed, TaskState::Failed, TaskState::InputRequired]);
        let (_, bodies) = update(&failed(1), None);
        assert_eq!(bodies[0]["statusUpdate"]["status"]["message"]["parts"][0]["text"], "No");
    }

    #[test]
    fn a_conversation_that_expires_is_completed() {
        let closed = ExchangeEvent::from(ExchangeClosed { exchange_id: ExchangeId::new(Uuid::from_u128(1)) });
        assert_eq!(update(&closed, LATER).0, TaskState::Canceled);
        let (at, before) = (DateTime::UNIX_EPOCH, DateTime::<Utc>::MIN_UTC);
        assert_eq!(expired("t", Phase::Open, Some(at), before), None);
        assert_eq!(expired("t", Phase::Waiting, Some(at), at), None);
        assert_eq!(expired("t", Phase::Open, Some(at), at).map(|update| update.state), Some(TaskState::Completed));
    }
}
