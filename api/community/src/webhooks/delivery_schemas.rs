//! Requests and answers of the operations on deliveries, replays and an agent's events.

use buildtrack_domain::webhooks::{PushType, Wait};
pub use buildtrack_http::{fields::given, validation::Input};
use buildtrack_store::{AttemptView, DeliveryStatus, DeliveryView, ReplayView};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use utoipa::ToSchema;
use validator::{Validate, ValidationError};

/// The delivery of one event to one endpoint.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Delivery {
    /// The delivery's id, the same for all attempts: `X-ARAF-Delivery` and `webhook-id` of the pushes.
    #[schema(example = "dlv_01h2e8kqvbfwea724h75qc655w")]
    pub id: String,
    /// The id of the endpoint.
    #[schema(example = "wh_01h2e8kqvbfwea724h75qc655w")]
    pub webhook_id: String,
    /// The event's position on the log: `X-ARAF-Sequence` of the pushes. A push also has `X-ARAF-Previous-Sequence`, the
    /// sequence of the delivery that was enqueued before it for this endpoint. It is a link: the receiver compares it for
    /// equality with the last sequence that it has received. With several workers it may be larger than the push's own
    /// sequence.
    #[schema(example = 42)]
    pub sequence: i64,
    /// The event type.
    #[serde(rename = "type")]
    #[schema(example = "workspace.message")]
    pub push_type: String,
    /// `pending`, `delivered`, `failed` or `cancelled`.
    #[schema(example = "pending")]
    pub status: String,
    /// The number of attempts.
    #[schema(example = 1)]
    pub attempts: i64,
    /// The time at which the next attempt is due; null if there is none.
    pub next_at: Option<DateTime<Utc>>,
    /// The reason why a pending delivery waits: `breaker` (too many consecutive attempts at its endpoint failed),
    /// `verification` (the endpoint has not yet answered with 2xx), `order` (an earlier delivery of an ordered endpoint is
    /// pending), `target` (the rate limit of its host is used up), `retry`, or `worker`. Null if the delivery is settled.
    #[schema(example = "breaker")]
    pub waiting_for: Option<String>,
    /// Why pushes to the endpoint are restricted, for people; null if they are not.
    #[schema(example = "5 consecutive attempts failed. The last answer had the status 503.")]
    pub waiting_reason: Option<String>,
    /// The time at which the delivery was first enqueued.
    pub created_at: DateTime<Utc>,
    /// The time at which it was delivered, failed or was cancelled; null if it is pending.
    pub settled_at: Option<DateTime<Utc>>,
    /// The HTTP status of the receiver's answer to the last attempt; null without an answer.
    #[schema(example = 503)]
    pub status_code: Option<i64>,
    /// Why the last attempt got no answer; null if it got one.
    pub error: Option<String>,
    /// All attempts in order. Absent in lists.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub history: Option<Vec<Attempt>>,
}

impl Delivery {
    /// Builds an entry of a list.
    pub(crate) fn listed(view: DeliveryView) -> Self {
        let next_at = (view.status == DeliveryStatus::Pending).then_some(view.next_at);
        Self {
            id: view.id.to_string(),
            webhook_id: view.webhook_id.to_string(),
            sequence: view.position,
            push_type: view.push_type.as_str().to_owned(),
            status: view.status.as_str().to_owned(),
            attempts: view.attempts,
            next_at,
            waiting_for: None,
            waiting_reason: None,
            created_at: view.created_at,
            settled_at: view.settled_at,
            status_code: view.status_code,
            error: view.error,
            history: None,
        }
    }

    /// Builds the answer with the reason why the delivery waits.
    pub(crate) fn waiting(view: DeliveryView, wait: Option<(Wait, Option<String>)>) -> Self {
        let (waiting_for, waiting_reason) = wait.unzip();
        let (waiting_for, waiting_reason) =
            (waiting_for.map(|wait| wait.as_str().to_owned()), waiting_reason.flatten());
        Self { waiting_for, waiting_reason, ..Self::listed(view) }
    }

    /// Adds the attempts.
    pub(crate) fn with_history(self, attempts: Vec<AttemptView>) -> Self {
        Self { history: Some(attempts.into_iter().map(Attempt::from).collect()), ..self }
    }
}

/// One attempt of a delivery.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Attempt {
    /// The number of the attempt, from 1: `X-ARAF-Attempt`.
    #[schema(example = 1)]
    pub number: i64,
    /// The start of the attempt.
    pub started_at: DateTime<Utc>,
    /// The duration in milliseconds.
    #[schema(example = 83)]
    pub duration_ms: i64,
    /// The HTTP status of the receiver's answer; null without an answer.
    #[schema(example = 503)]
    pub status_code: Option<i64>,
    /// Why the attempt got no answer; null if it got one.
    pub error: Option<String>,
    /// The beginning of the answer's body. Removed when the event is redacted.
    #[schema(example = "upstream is restarting")]
    pub response: Option<String>,
}

impl From<AttemptView> for Attempt {
    fn from(view: AttemptView) -> Self {
        let AttemptView { number, started_at, duration_ms, status_code, error, response } = view;
        Self { number, started_at, duration_ms, status_code, error, response }
    }
}

/// A replay: past events to push to an endpoint again. Set exactly one of `after`, `sincePosition` and `sinceTime`.
#[derive(Debug, Deserialize, Validate, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[validate(schema(function = has_one_beginning))]
#[schema(example = json!({ "after": 0 }))]
pub struct NewReplay {
    /// Replay events after this position of the log, such as the last `X-ARAF-Sequence` that the receiver processed.
    #[serde(default, deserialize_with = "given")]
    #[validate(range(min = 0))]
    #[schema(nullable = false, minimum = 0)]
    pub after: Option<i64>,
    /// An earlier name of `after`.
    #[serde(default, deserialize_with = "given")]
    #[validate(range(min = 0))]
    #[schema(nullable = false, minimum = 0)]
    pub since_position: Option<i64>,
    /// Replay events recorded at or after this time.
    #[serde(default, deserialize_with = "given")]
    #[schema(nullable = false)]
    pub since_time: Option<DateTime<Utc>>,
    /// Replay events up to this position. Default: the end of the log.
    #[serde(default, deserialize_with = "given")]
    #[validate(range(min = 0))]
    #[schema(nullable = false, minimum = 0)]
    pub until_position: Option<i64>,
    /// Whether to count the events only, without enqueueing any.
    #[serde(default)]
    pub dry_run: bool,
}

impl Input for NewReplay {}

fn has_one_beginning(replay: &NewReplay) -> Result<(), ValidationError> {
    let positions = usize::from(replay.after.is_some()) + usize::from(replay.since_position.is_some());
    if positions + usize::from(replay.since_time.is_some()) != 1 {
        let message = "exactly one of after, sincePosition and sinceTime is required".into();
        return Err(ValidationError::new("one_of").with_message(message));
    }
    Ok(())
}

/// A replay of past events to an endpoint.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Replay {
    /// The replay's id; null for a count.
    #[schema(example = "rpl_01h2e8kqvbfwea724h75qc655w")]
    pub id: Option<String>,
    /// The id of the endpoint.
    #[schema(example = "wh_01h2e8kqvbfwea724h75qc655w")]
    pub webhook_id: String,
    /// `running`, `done` (all events are enqueued), `cancelled`, or `preview` (a count only).
    #[schema(example = "running")]
    pub status: String,
    /// The replay covers events after this position.
    #[schema(example = 0)]
    pub from_position: i64,
    /// The last position that the replay covers.
    #[schema(example = 42)]
    pub until_position: i64,
    /// The position that the replay has reached.
    #[schema(example = 21)]
    pub position: i64,
    /// The number of events for the endpoint when the replay began. An upper bound if the endpoint filters by fields and there
    /// are more than 10000 events.
    #[schema(example = 12)]
    pub total: i64,
    /// The number of events enqueued so far.
    #[schema(example = 6)]
    pub enqueued: i64,
    /// The start of the replay.
    pub created_at: DateTime<Utc>,
    /// The time at which the replay was done or cancelled; null before.
    pub settled_at: Option<DateTime<Utc>>,
}

impl Replay {
    /// Builds a count. Nothing is stored for it.
    pub(crate) fn preview(view: ReplayView) -> Self {
        Self { id: None, status: "preview".into(), ..Self::from(view) }
    }
}

impl From<ReplayView> for Replay {
    fn from(view: ReplayView) -> Self {
        Self {
            id: Some(view.id.to_string()),
            webhook_id: view.webhook_id.to_string(),
            status: view.status.as_str().to_owned(),
            from_position: view.from_position,
            until_position: view.until_position,
            position: view.position,
            total: view.total,
            enqueued: view.enqueued,
            created_at: view.created_at,
            settled_at: view.settled_at,
        }
    }
}

/// One event with the body of its push.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct AgentEvent {
    /// The event's position on the log: `X-ARAF-Sequence` of a push.
    #[schema(example = 42)]
    pub sequence: i64,
    /// The event type: `X-ARAF-Event` of a push.
    #[schema(example = "workspace.message")]
    pub event: String,
    /// The body of the push, byte for byte.
    #[schema(value_type = Object, example = json!({
        "event": "workspace.join", "agentId": "ag_01h2e8kqvbfwea724h75qc655w", "data": {}, "sentAt": 1_772_366_400
    }))]
    pub body: Box<RawValue>,
}

impl AgentEvent {
    /// Builds an event. `None` if its body is not JSON.
    pub(crate) fn new(sequence: i64, push_type: PushType, body: String) -> Option<Self> {
        let body = RawValue::from_string(body).ok()?;
        Some(Self { sequence, event: push_type.as_str().to_owned(), body })
    }
}

/// A batch of events for an agent, in log order.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct AgentEvents {
    /// The events in log order. The list may be empty although more events follow: see `next`.
    pub items: Vec<AgentEvent>,
    /// The value of `after` for the next request. It also advances if no event was found, up to the end of the log.
    #[schema(example = 42)]
    pub next: i64,
}
