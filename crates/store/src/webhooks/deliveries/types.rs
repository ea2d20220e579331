//! Types of deliveries: statuses, attempts, outcomes, claims.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
};

use buildtrack_domain::{
    ids::{AgentId, DeliveryId, WebhookId},
    webhooks::PushType,
    words,
};
use chrono::{DateTime, Utc};

use crate::{
    StoreError,
    database::{FromRow, columns::parse},
};

words! {
    /// A delivery's status.
    pub enum DeliveryStatus {
        /// The sender has to attempt it, or to retry it.
        Pending = "pending",
        /// The endpoint responded with 2xx.
        Delivered = "delivered",
        /// All attempts failed.
        Failed = "failed",
        /// The delivery was withdrawn before it succeeded.
        Cancelled = "cancelled",
    }
}

/// A delivery to insert. Each event has at most one delivery for each endpoint, however often it is enqueued.
#[derive(Debug, Clone)]
pub struct NewDelivery {
    /// The delivery's id.
    pub id: DeliveryId,
    /// The endpoint.
    pub webhook_id: WebhookId,
    /// The agent that owns the endpoint.
    pub agent_id: AgentId,
    /// The event's position.
    pub position: i64,
    /// The type sent with the push.
    pub push_type: PushType,
    /// When another process may lease it.
    pub next_at: DateTime<Utc>,
}

/// A delivery that this process has leased.
#[derive(Debug, Clone)]
pub struct Delivery {
    /// The delivery's id.
    pub id: DeliveryId,
    /// The endpoint.
    pub webhook_id: WebhookId,
    /// The agent that owns the endpoint.
    pub agent_id: AgentId,
    /// The event's position.
    pub position: i64,
    /// The type sent with the push.
    pub push_type: PushType,
    /// Number of attempts made.
    pub attempts: i64,
    /// Number of failed attempts since it was last enqueued. Selects the retry delay.
    pub step: i64,
    /// The position of the previous delivery of the same endpoint, or `Some(None)` for the first one. `None` if unknown;
    /// [`Webhooks::previous`](crate::Webhooks::previous) reads it.
    pub previous: Option<Option<i64>>,
    /// When retries end; `None` before the first failure.
    pub expires_at: Option<DateTime<Utc>>,
    /// The endpoint's breaker at the time of the claim; `None` if it was not read.
    pub breaker: Option<StoredBreaker>,
}

/// An endpoint's circuit breaker, as all processes share it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StoredBreaker {
    /// How often the breaker was closed. A process whose cached number is lower drops its cached failures.
    pub resets: i64,
    /// The sender makes no attempt before this time.
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
    /// When the attempt began.
    pub started_at: DateTime<Utc>,
    /// How long the attempt took, in milliseconds.
    pub duration_ms: i64,
    /// The HTTP status of the response.
    pub status_code: Option<i64>,
    /// Why there was no response.
    pub error: Option<String>,
    /// The beginning of the response's body.
    pub response: Option<String>,
}

/// The result of an attempt as evidence of the endpoint's health.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// The endpoint works.
    Works,
    /// The endpoint fails.
    Fails,
    /// No evidence: the endpoint was not called.
    Silent,
}

/// The outcome of an attempt.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// The delivery.
    pub delivery_id: DeliveryId,
    /// The endpoint.
    pub webhook_id: WebhookId,
    /// The attempt; `None` if no request was sent.
    pub attempt: Option<Attempt>,
    /// Its evidence of the endpoint's health.
    pub verdict: Verdict,
    /// Number of failed attempts since the delivery was last enqueued.
    pub step: i64,
    /// The delivery's new status.
    pub status: DeliveryStatus,
    /// When the next attempt is due, if the delivery is pending.
    pub next_at: DateTime<Utc>,
    /// When retries end; `None` leaves the stored time.
    pub expires_at: Option<DateTime<Utc>>,
    /// When the delivery reached a final status; `None` while it is pending.
    pub settled_at: Option<DateTime<Utc>>,
}

/// Since when an endpoint has been failing without a success. `anew` if the batch contained a success.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Streak {
    pub(crate) webhook_id: WebhookId,
    pub(crate) since: Option<DateTime<Utc>>,
    pub(crate) anew: bool,
    /// Number of failed attempts after the batch's last success, and the result of the last one.
    pub(crate) failures: i64,
    pub(crate) last_status: Option<i64>,
    pub(crate) last_error: Option<String>,
}

impl Streak {
    pub(super) fn new(webhook_id: WebhookId, anew: bool) -> Self {
        Self { webhook_id, since: None, anew, failures: 0, last_status: None, last_error: None }
    }
}

/// The first pending delivery of an endpoint, which later ones must not overtake under ordered delivery.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FirstPending {
    /// The delivery's id.
    pub id: DeliveryId,
    /// When the delivery is due, or when its lease expires.
    pub next_at: DateTime<Utc>,
}

/// The amount of waiting work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QueueDepth {
    /// Number of pending deliveries.
    pub pending: i64,
    /// Number of events that the webhook consumer has not processed.
    pub behind: i64,
}

/// A row of the table `deliveries`.
#[derive(Debug, FromRow)]
pub(crate) struct DeliveryRow {
    id: String,
    webhook_id: String,
    agent_id: String,
    position: i64,
    #[column(name = "type")]
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

/// How many due deliveries a claim takes.
#[derive(Debug, Clone, Default)]
pub struct ClaimLimits {
    /// Of all endpoints together.
    pub all: usize,
    /// Of single endpoints. The other endpoints have no limit of their own.
    pub endpoints: HashMap<WebhookId, usize>,
}

impl ClaimLimits {
    /// The limit of one endpoint.
    pub fn of(&self, webhook_id: WebhookId) -> usize {
        self.endpoints.get(&webhook_id).copied().unwrap_or(self.all).min(self.all)
    }

    /// Endpoints of which nothing is taken.
    pub(super) fn excluded(&self) -> Vec<String> {
        self.endpoints.iter().filter(|(_, limit)| **limit == 0).map(|(id, _)| id.to_string()).collect()
    }

    /// Those of the due deliveries (id and endpoint) that are within the limits.
    pub(super) fn choose(&self, due: Vec<(String, String)>) -> Vec<String> {
        let mut taken: HashMap<String, usize> = HashMap::new();
        let mut within = |webhook_id: String| {
            // An unreadable id has no limit, so that the claim reaches the row and reports it.
            let limit = webhook_id.parse().map_or(self.all, |id| self.of(id));
            let taken = taken.entry(webhook_id).or_default();
            *taken += 1;
            *taken <= limit
        };
        due.into_iter().filter_map(|(id, webhook_id)| within(webhook_id).then_some(id)).collect()
    }
}

/// Deliveries that a process has leased.
#[derive(Debug, Clone, Default)]
pub struct ClaimedDeliveries {
    /// In log order.
    pub deliveries: Vec<Delivery>,
    /// Whether more may be due: the claim looked at no more than its limit.
    pub is_partial: bool,
}

/// A worker's request to lease deliveries until `until`. Its clones share the result.
#[derive(Debug, Clone)]
pub struct Claim {
    pub(super) until: DateTime<Utc>,
    pub(super) choice: Choice,
    pub(super) claimed: Arc<Mutex<ClaimedRows>>,
}

/// The rows that a claim has leased, and whether more may be due.
#[derive(Debug, Default)]
pub(super) struct ClaimedRows {
    pub(super) rows: Vec<DeliveryRow>,
    pub(super) is_partial: bool,
}

/// The due deliveries to lease.
#[derive(Debug, Clone)]
pub(crate) enum Choice {
    /// Those due first, within these limits.
    Next(ClaimLimits),
    /// The delivery with this id.
    One(String),
}

words! {
    /// Why a pending delivery was postponed.
    pub enum WaitsFor {
        /// Its endpoint's circuit breaker is open.
        Breaker = "breaker",
        /// Its target has reached its rate limit.
        Target = "target",
    }
}
