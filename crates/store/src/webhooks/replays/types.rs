//! Types of replays: statuses, steps, events to enqueue again.

use buildtrack_domain::{
    ids::{AgentId, DeliveryId, ReplayId, WebhookId},
    webhooks::PushType,
    words,
};
use chrono::{DateTime, Utc};

use crate::database::FromRow;

words! {
    /// A replay's status.
    pub enum ReplayStatus {
        /// Some events are not enqueued yet.
        Running = "running",
        /// All events are enqueued.
        Done = "done",
        /// The replay was cancelled. Deliveries that it had enqueued remain.
        Cancelled = "cancelled",
    }
}

/// A stored replay.
#[derive(Debug, Clone, PartialEq, Eq, FromRow)]
pub struct ReplayView {
    /// The replay's id.
    #[column(from = String)]
    pub id: ReplayId,
    /// The endpoint.
    #[column(from = String)]
    pub webhook_id: WebhookId,
    /// The agent that owns the endpoint.
    #[column(from = String)]
    pub agent_id: AgentId,
    /// The replay covers events after this position.
    pub from_position: i64,
    /// The last position that the replay covers.
    pub until_position: i64,
    /// The last position that the replay has processed.
    pub position: i64,
    /// An upper bound for the number of events, counted at the start.
    pub total: i64,
    /// Number of events enqueued so far.
    pub enqueued: i64,
    /// The status.
    #[column(from = String)]
    pub status: ReplayStatus,
    /// When the replay began.
    pub created_at: DateTime<Utc>,
    /// When the replay finished or was cancelled.
    pub settled_at: Option<DateTime<Utc>>,
}

/// A step of a replay.
#[derive(Debug, Clone)]
pub struct ReplayStep {
    /// The replay before the step. If its position has changed since, nothing is written.
    pub replay: ReplayView,
    /// The position that this step reaches.
    pub to: i64,
    /// The events to enqueue. If an event already has a delivery to the endpoint, it is delivered again under the same id.
    pub deliveries: Vec<Replayed>,
}

/// An event to enqueue again.
#[derive(Debug, Clone)]
pub struct Replayed {
    /// The id of the new delivery, used if the event has none to this endpoint.
    pub id: DeliveryId,
    /// The event's position.
    pub position: i64,
    /// The type sent with the push.
    pub push_type: PushType,
    /// The position of the previous event of this replay.
    pub previous: Option<i64>,
}
