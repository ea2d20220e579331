//! What operations on deliveries, replays and an agent's events take and give.

use buildtrack_domain::webhooks::{PushType, Wait};
use buildtrack_store::{AttemptView, DeliveryStatus, DeliveryView, ReplayView};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use utoipa::ToSchema;
use validator::{Validate, ValidationError};

use crate::{http::validation::Input, identity::schemas::given};

/// One event on its way to one endpoint.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Delivery {
    /// The same at every attempt: `X-ARAF-Delivery` and `webhook-id`.
    #[schema(example = "dlv_01h2e8kqvbfwea724h75qc655w")]
    pub id: String,
    /// Where to.
    #[schema(example = "wh_01h2e8kqvbfwea724h75qc655w")]
    pub webhook_id: String,
    /// The event's position on the log: `X-ARAF-Sequence`. A push also carries `X-ARAF-Previous-Sequence`, the position of
    /// what was enqueued before it for this endpoint. It is a link, which a receiver compares for equality with the last
    /// sequence that it has seen: with several workers it may be larger than the push's own sequence.
    #[schema(example = 42)]
    pub sequence: i64,
    /// The event type.
    #[serde(rename = "type")]
    #[schema(example = "workspace.message")]
    pub push_type: String,
    /// `pending`, `delivered`, `failed` or `cancelled`.
    #[schema(example = "pending")]
    pub status: String,
    /// How many attempts were made.
    #[schema(example = 1)]
    pub attempts: i64,
    /// When the next attempt is due; null where there is none.
    pub next_at: Option<DateTime<Utc>>,
    /// What it waits for, where it is pending: `breaker` (its endpoint failed too often in a row), `verification` (the first
    /// answer of an endpoint that has never answered), `order` (an earlier delivery of an ordered endpoint), `target` (its
    /// host has had as many pushes as it may have for now), `retry`, or `worker`. Null where it is settled.
    #[schema(example = "breaker")]
    pub waiting_for: Option<String>,
    /// Why its endpoint is not pushed to freely, in words; null where it is.
    #[schema(example = "5 attempts in a row failed; the last one was answered with 503.")]
    pub waiting_reason: Option<String>,
    /// When it was enqueued first.
    pub created_at: DateTime<Utc>,
    /// When it was delivered, failed or was cancelled; null where it is pending.
    pub settled_at: Option<DateTime<Utc>>,
    /// What the receiver answered to the last attempt; null where there is no answer.
    #[schema(example = 503)]
    pub status_code: Option<i64>,
    /// Why the last attempt has no answer; null where it has one.
    pub error: Option<String>,
    /// Every attempt, in order; only where one delivery is shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub history: Option<Vec<Attempt>>,
}

impl Delivery {
    /// One of a list.
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

    /// With what it waits for, and why.
    pub(crate) fn waiting(view: DeliveryView, wait: Option<(Wait, Option<String>)>) -> Self {
        let (waiting_for, waiting_reason) = wait.unzip();
        let (waiting_for, waiting_reason) =
            (waiting_for.map(|wait| wait.as_str().to_owned()), waiting_reason.flatten());
        Self { waiting_for, waiting_reason, ..Self::listed(view) }
    }

    /// With its attempts.
    pub(crate) fn with_history(self, attempts: Vec<AttemptView>) -> Self {
        Self { history: Some(attempts.into_iter().map(Attempt::from).collect()), ..self }
    }
}

/// One attempt.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Attempt {
    /// From 1: `X-ARAF-Attempt`.
    #[schema(example = 1)]
    pub number: i64,
    /// When it began.
    pub started_at: DateTime<Utc>,
    /// How long it took.
    #[schema(example = 83)]
    pub duration_ms: i64,
    /// What the receiver answered; null where there is no answer.
    #[schema(example = 503)]
    pub status_code: Option<i64>,
    /// Why there is no answer; null where there is one.
    pub error: Option<String>,
    /// How the answer's body begins. It is gone when the event is redacted.
    #[schema(example = "upstream is restarting")]
    pub response: Option<String>,
}

impl From<AttemptView> for Attempt {
    fn from(view: AttemptView) -> Self {
        let AttemptView { number, started_at, duration_ms, status_code, error, response } = view;
        Self { number, started_at, duration_ms, status_code, error, response }
    }
}

/// Which past events an endpoint is told of once more. Exactly one of `sincePosition` and `sinceTime` is given.
#[derive(Debug, Deserialize, Validate, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[validate(schema(function = has_one_beginning))]
#[schema(example = json!({ "sincePosition": 0 }))]
pub(crate) struct NewReplay {
    /// Only events beyond this position of the log, such as the last `X-ARAF-Sequence` that was dealt with.
    #[serde(default, deserialize_with = "given")]
    #[validate(range(min = 0))]
    #[schema(nullable = false, minimum = 0)]
    pub since_position: Option<i64>,
    /// Only events recorded then or later.
    #[serde(default, deserialize_with = "given")]
    #[schema(nullable = false)]
    pub since_time: Option<DateTime<Utc>>,
    /// Only events up to this position; all until now where it is left out.
    #[serde(default, deserialize_with = "given")]
    #[validate(range(min = 0))]
    #[schema(nullable = false, minimum = 0)]
    pub until_position: Option<i64>,
    /// Only counts, and enqueues nothing.
    #[serde(default)]
    pub dry_run: bool,
}

impl Input for NewReplay {}

fn has_one_beginning(replay: &NewReplay) -> Result<(), ValidationError> {
    if replay.since_position.is_some() == replay.since_time.is_some() {
        let message = "exactly one of sincePosition and sinceTime is needed".into();
        return Err(ValidationError::new("one_of").with_message(message));
    }
    Ok(())
}

/// Past events on their way to an endpoint once more.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Replay {
    /// The replay; null where it is only a count.
    #[schema(example = "rpl_01h2e8kqvbfwea724h75qc655w")]
    pub id: Option<String>,
    /// Where to.
    #[schema(example = "wh_01h2e8kqvbfwea724h75qc655w")]
    pub webhook_id: String,
    /// `running`, `done` (all is enqueued), `cancelled`, or `preview`: only a count.
    #[schema(example = "running")]
    pub status: String,
    /// It takes what is beyond this position.
    #[schema(example = 0)]
    pub from_position: i64,
    /// The last position that it takes.
    #[schema(example = 42)]
    pub until_position: i64,
    /// How far it has come.
    #[schema(example = 21)]
    pub position: i64,
    /// How many events there were for the endpoint when it began; at most so many where it filters by fields and there
    /// are more than 10000.
    #[schema(example = 12)]
    pub total: i64,
    /// How many of them are enqueued.
    #[schema(example = 6)]
    pub enqueued: i64,
    /// When it began.
    pub created_at: DateTime<Utc>,
    /// When it was done or cancelled; null before.
    pub settled_at: Option<DateTime<Utc>>,
}

impl Replay {
    /// A count, of which nothing is stored.
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

/// One event, as it would be pushed.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct AgentEvent {
    /// Its position on the log: what a push carries as `X-ARAF-Sequence`.
    #[schema(example = 42)]
    pub sequence: i64,
    /// The event type: what a push carries as `X-ARAF-Event`.
    #[schema(example = "workspace.message")]
    pub event: String,
    /// The body of the push, byte for byte.
    #[schema(value_type = Object, example = json!({
        "event": "workspace.join", "agentId": "ag_01h2e8kqvbfwea724h75qc655w", "data": {}, "sentAt": 1_772_366_400
    }))]
    pub body: Box<RawValue>,
}

impl AgentEvent {
    /// An event with its body, where that is JSON.
    pub(crate) fn new(sequence: i64, push_type: PushType, body: String) -> Option<Self> {
        let body = RawValue::from_string(body).ok()?;
        Some(Self { sequence, event: push_type.as_str().to_owned(), body })
    }
}

/// What an agent is told of, in order.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct AgentEvents {
    /// Events in order; maybe none, although there are more: `next` tells.
    pub items: Vec<AgentEvent>,
    /// Give it as `after` for what comes next. It moves on also where nothing was found, and stays at the log's end.
    #[schema(example = 42)]
    pub next: i64,
}
