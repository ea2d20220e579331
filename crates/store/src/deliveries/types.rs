//! What deliveries are made of.

use buildtrack_domain::{
    ids::{AgentId, DeliveryId, WebhookId},
    webhooks::PushType,
};
use chrono::{DateTime, Utc};

use crate::{StoreError, identity::parse};

/// Where a delivery stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeliveryStatus {
    /// To be tried, or tried again.
    Pending,
    /// The receiver answered with 2xx.
    Delivered,
    /// All attempts failed.
    Failed,
    /// There is nothing to deliver any more.
    Cancelled,
}

impl DeliveryStatus {
    /// The name it is stored under.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Delivered => "delivered",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }
}

/// A delivery to be written. One event goes to one endpoint once, whoever asks how often.
#[derive(Debug, Clone)]
pub struct NewDelivery {
    /// The delivery.
    pub id: DeliveryId,
    /// Where to.
    pub webhook_id: WebhookId,
    /// Whose endpoint it is.
    pub agent_id: AgentId,
    /// Which event.
    pub position: i64,
    /// What it is called.
    pub push_type: PushType,
    /// When somebody else may take it up.
    pub next_at: DateTime<Utc>,
}

/// A delivery that this process has taken up.
#[derive(Debug, Clone)]
pub struct Delivery {
    /// The delivery.
    pub id: DeliveryId,
    /// Where to.
    pub webhook_id: WebhookId,
    /// Whose endpoint it is.
    pub agent_id: AgentId,
    /// Which event.
    pub position: i64,
    /// What it is called.
    pub push_type: PushType,
    /// How many attempts were made.
    pub attempts: i64,
    /// How many of them failed since it was last enqueued; the schedule of retries goes by it.
    pub step: i64,
    /// The position of the delivery that was enqueued before it for the same endpoint, unless it was the first; none
    /// where that is not known here and [`Store::previous`](crate::Store::previous) has to be asked.
    pub previous: Option<Option<i64>>,
    /// Until when it is tried again; none before its first failure.
    pub expires_at: Option<DateTime<Utc>>,
    /// Its endpoint's breaker, as it was found when the delivery was claimed; none where it was not looked at.
    pub breaker: Option<StoredBreaker>,
}

/// The circuit breaker of an endpoint, as all processes share it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StoredBreaker {
    /// How often it was closed. A process that remembers fewer forgets what it remembers.
    pub resets: i64,
    /// Nothing is tried before then.
    pub open_until: Option<DateTime<Utc>>,
}

impl From<NewDelivery> for Delivery {
    fn from(NewDelivery { id, webhook_id, agent_id, position, push_type, .. }: NewDelivery) -> Self {
        let (attempts, step, previous, expires_at, breaker) = (0, 0, None, None, None);
        Self { id, webhook_id, agent_id, position, push_type, attempts, step, previous, expires_at, breaker }
    }
}

/// One attempt.
#[derive(Debug, Clone)]
pub struct Attempt {
    /// From 1.
    pub number: i64,
    /// When it began.
    pub started_at: DateTime<Utc>,
    /// How long it took.
    pub duration_ms: i64,
    /// What the receiver answered.
    pub status_code: Option<i64>,
    /// Why there was no answer.
    pub error: Option<String>,
    /// How the answer's body begins.
    pub response: Option<String>,
}

/// What an attempt says of the endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// It works.
    Works,
    /// It does not.
    Fails,
    /// Nothing: it was not called.
    Silent,
}

/// What became of an attempt.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// Of which delivery.
    pub delivery_id: DeliveryId,
    /// Of which endpoint.
    pub webhook_id: WebhookId,
    /// The attempt; none where nothing was sent.
    pub attempt: Option<Attempt>,
    /// What it says of the endpoint.
    pub verdict: Verdict,
    /// How many attempts have failed since the delivery was last enqueued.
    pub step: i64,
    /// Where the delivery stands now.
    pub status: DeliveryStatus,
    /// When it is tried again, where it is pending.
    pub next_at: DateTime<Utc>,
    /// Until when; none leaves it as it is.
    pub expires_at: Option<DateTime<Utc>>,
    /// When it was settled, where it is not.
    pub settled_at: Option<DateTime<Utc>>,
}

/// Since when an endpoint has been failing without one success; `anew` where there was one within the same batch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Streak {
    pub(crate) webhook_id: WebhookId,
    pub(crate) since: Option<DateTime<Utc>>,
    pub(crate) anew: bool,
    /// How many attempts of the batch failed after its last success, and what the last of them led to.
    pub(crate) failures: i64,
    pub(crate) last_status: Option<i64>,
    pub(crate) last_error: Option<String>,
}

impl Streak {
    pub(super) fn new(webhook_id: WebhookId, anew: bool) -> Self {
        Self { webhook_id, since: None, anew, failures: 0, last_status: None, last_error: None }
    }
}

/// A delivery that others of its endpoint must not overtake.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FirstPending {
    /// The delivery.
    pub id: DeliveryId,
    /// When it is tried, or until when somebody has it.
    pub next_at: DateTime<Utc>,
}

/// How much is waiting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QueueDepth {
    /// Deliveries that are not settled.
    pub pending: i64,
    /// Events that the webhook consumer has not looked at.
    pub behind: i64,
}

/// A delivery as its table has it.
#[derive(Debug, sqlx::FromRow)]
pub(crate) struct DeliveryRow {
    id: String,
    webhook_id: String,
    agent_id: String,
    position: i64,
    #[sqlx(rename = "type")]
    push_type: String,
    attempts: i64,
    step: i64,
    previous: Option<i64>,
    expires_at: Option<DateTime<Utc>>,
    resets: Option<i64>,
    open_until: Option<DateTime<Utc>>,
}

impl DeliveryRow {
    pub(super) fn delivery(self) -> Result<Delivery, StoreError> {
        let Self { id, webhook_id, agent_id, position, push_type, attempts, step, previous, expires_at, .. } = self;
        let breaker = Some(StoredBreaker { resets: self.resets.unwrap_or(0), open_until: self.open_until });
        let (id, webhook_id, agent_id) = (parse(&id)?, parse(&webhook_id)?, parse(&agent_id)?);
        let (push_type, previous) = (parse(&push_type)?, Some(previous));
        Ok(Delivery { id, webhook_id, agent_id, position, push_type, attempts, step, previous, expires_at, breaker })
    }
}

/// What a worker takes up until then.
#[derive(Debug, Clone)]
pub(crate) struct Claim {
    pub(super) until: DateTime<Utc>,
    pub(super) choice: Choice,
}

/// Which due deliveries a worker takes up.
#[derive(Debug, Clone)]
pub(crate) enum Choice {
    /// So many, but none of these endpoints'.
    Next { limit: i64, except: Vec<String> },
    /// This one.
    One(String),
}

/// What a pending delivery was put off for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum WaitsFor {
    /// Its endpoint's breaker is open.
    Breaker,
    /// Its target has had as many pushes as it may have for now.
    Target,
}

impl WaitsFor {
    /// The name it is stored under.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Breaker => "breaker",
            Self::Target => "target",
        }
    }
}
