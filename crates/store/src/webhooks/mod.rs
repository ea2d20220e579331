//! Webhook endpoints: addresses, filters and secrets. The addresses and secrets are in a side table, not on the log.

pub(crate) mod deliveries;
pub(crate) mod endpoints;
mod notices;
mod postgres;
mod pushed_events;
mod replays;
mod side_tables;
mod sqlite;
pub(crate) mod subscribers;
mod subscriptions;

pub use deliveries::{
    Attempt, AttemptView, Delivery, DeliveryFilter, DeliveryStatus, DeliveryView, EndpointHealth, FirstPending,
    NewDelivery, Outcome, QueueDepth, StoredBreaker, Verdict, WaitsFor,
};
pub use endpoints::Endpoint;
pub use notices::{NewNotice, NoticeFilter, NoticeKind, NoticeView};
pub use replays::{ReplayStatus, ReplayStep, ReplayView, Replayed};
pub use subscribers::{PushedEvent, Subscriber};
pub use subscriptions::{EventPage, Subscription};

use buildtrack_domain::{
    ids::{AgentId, WebhookId},
    webhooks::{DisabledReason, Filter, PushType},
};
use chrono::{DateTime, Utc};

pub(crate) use crate::read_tables::has_no_event_texts as rewrite_text;
use crate::{
    Store, StoreError,
    database::{
        Tx,
        columns::{constcat, parse},
        execute, read,
    },
    read_tables::ReadTable,
};
pub(crate) use pushed_events::project;
pub use side_tables::Change;
pub(crate) use side_tables::{has_expired, prune, remove_texts};

/// The read tables of this context.
pub(crate) const READ_TABLES: &[ReadTable] = &[ReadTable::new("pushed_events", "position", &[])];

/// A webhook endpoint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebhookView {
    /// The endpoint's id.
    pub id: WebhookId,
    /// The agent that owns it.
    pub agent_id: AgentId,
    /// Whether it was added to the endpoint that its agent was registered with.
    pub further: bool,
    /// The owner's description.
    pub description: Option<String>,
    /// The address for pushes, if there is one.
    pub url: Option<String>,
    /// The subscribed event types.
    pub events: Vec<PushType>,
    /// The filter that events of these types must match.
    pub filter: Filter,
    /// Whether delivery is ordered: each push waits until the previous one has succeeded.
    pub ordered: bool,
    /// The most events in one push.
    pub batch: i64,
    /// Why the endpoint is disabled, if it is.
    pub disabled_reason: Option<DisabledReason>,
    /// When the endpoint was disabled.
    pub disabled_at: Option<DateTime<Utc>>,
    /// The current secret, sealed; see [`crate::Secret::open`] and [`WebhookView::secrets`].
    pub secret_sealed: String,
    /// The secret that replaces the current one, sealed.
    pub next_secret_sealed: Option<String>,
    /// When the next secret replaces the current one.
    pub overlap_ends_at: Option<DateTime<Utc>>,
    /// When the endpoint first responded with 2xx at its present address. Only [`Change::Verified`] and a new address change
    /// it.
    pub verified_at: Option<DateTime<Utc>>,
}

impl WebhookView {
    /// An agent's first endpoint, which subscribes to these types without a filter.
    pub fn new(
        id: WebhookId,
        agent_id: AgentId,
        url: Option<String>,
        events: Vec<PushType>,
        secret_sealed: String,
    ) -> Self {
        Self {
            id,
            agent_id,
            further: false,
            description: None,
            url,
            events,
            filter: Filter::default(),
            ordered: false,
            batch: 1,
            disabled_reason: None,
            disabled_at: None,
            secret_sealed,
            next_secret_sealed: None,
            overlap_ends_at: None,
            verified_at: None,
        }
    }

    /// Whether the endpoint receives pushes.
    pub fn is_on(&self) -> bool {
        self.url.is_some() && self.disabled_reason.is_none()
    }

    /// The current sealed secret and, during a rotation, the next one.
    pub fn secrets(&self, now: DateTime<Utc>) -> (&str, Option<&str>) {
        match (&self.next_secret_sealed, self.overlap_ends_at) {
            (Some(next), Some(ends_at)) if now < ends_at => (&self.secret_sealed, Some(next)),
            (Some(next), _) => (next, None),
            (None, _) => (&self.secret_sealed, None),
        }
    }

    /// Rotates the secret (sealed). Both secrets are valid until the overlap ends, then only the new one.
    pub fn rotated(self, secret_sealed: String, now: DateTime<Utc>, overlap_ends_at: DateTime<Utc>) -> Self {
        if overlap_ends_at <= now {
            return Self { secret_sealed, next_secret_sealed: None, overlap_ends_at: None, ..self };
        }
        let current = self.secrets(now).0.to_owned();
        let (next_secret_sealed, overlap_ends_at) = (Some(secret_sealed), Some(overlap_ends_at));
        Self { secret_sealed: current, next_secret_sealed, overlap_ends_at, ..self }
    }

    /// Ends a rotation: only the newest secret remains valid.
    pub fn activated(self) -> Self {
        let secret_sealed = self.next_secret_sealed.unwrap_or(self.secret_sealed);
        Self { secret_sealed, next_secret_sealed: None, overlap_ends_at: None, ..self }
    }

    /// Disables the endpoint.
    pub fn disabled(self, reason: DisabledReason, now: DateTime<Utc>) -> Self {
        Self { disabled_reason: Some(reason), disabled_at: Some(now), ..self }
    }

    /// Enables the endpoint.
    pub fn enabled(self) -> Self {
        Self { disabled_reason: None, disabled_at: None, ..self }
    }
}

#[derive(sqlx::FromRow)]
struct WebhookRow {
    id: String,
    agent_id: String,
    further: bool,
    description: Option<String>,
    url: Option<String>,
    events: String,
    filter: String,
    ordered: bool,
    batch: i64,
    disabled_reason: Option<String>,
    disabled_at: Option<DateTime<Utc>>,
    secret_sealed: String,
    next_secret_sealed: Option<String>,
    overlap_ends_at: Option<DateTime<Utc>>,
    verified_at: Option<DateTime<Utc>>,
}

const WEBHOOK: &str = "SELECT id, agent_id, further, description, url, events, filter, ordered, batch, disabled_reason, \
                       disabled_at, secret_sealed, next_secret_sealed, overlap_ends_at, verified_at FROM webhooks ";

impl WebhookRow {
    fn view(self) -> Result<WebhookView, StoreError> {
        let damaged = |error: serde_json::Error| StoreError::Damaged(error.to_string());
        Ok(WebhookView {
            id: parse(&self.id)?,
            agent_id: parse(&self.agent_id)?,
            further: self.further,
            description: self.description,
            url: self.url,
            events: serde_json::from_str(&self.events).map_err(damaged)?,
            filter: serde_json::from_str(&self.filter).map_err(damaged)?,
            ordered: self.ordered,
            batch: self.batch,
            disabled_reason: self.disabled_reason.as_deref().map(parse).transpose()?,
            disabled_at: self.disabled_at,
            secret_sealed: self.secret_sealed,
            next_secret_sealed: self.next_secret_sealed,
            overlap_ends_at: self.overlap_ends_at,
            verified_at: self.verified_at,
        })
    }
}

/// Writes an endpoint's settings. A new address must be verified again.
pub(crate) async fn write(tx: &mut Tx<'_>, webhook: &WebhookView, now: DateTime<Utc>) -> Result<(), StoreError> {
    execute!(
        tx,
        "INSERT INTO webhooks (id, agent_id, further, description, url, events, filter, ordered, batch, \
         disabled_reason, disabled_at, secret_sealed, next_secret_sealed, overlap_ends_at, created_at) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15) \
         ON CONFLICT (id) DO UPDATE SET description = excluded.description, url = excluded.url, \
         verified_at = CASE WHEN webhooks.url = excluded.url THEN webhooks.verified_at END, \
         events = excluded.events, filter = excluded.filter, ordered = excluded.ordered, batch = excluded.batch, \
         disabled_reason = excluded.disabled_reason, disabled_at = excluded.disabled_at, \
         secret_sealed = excluded.secret_sealed, next_secret_sealed = excluded.next_secret_sealed, \
         overlap_ends_at = excluded.overlap_ends_at",
        webhook.id.to_string(),
        webhook.agent_id.to_string(),
        webhook.further,
        &webhook.description,
        &webhook.url,
        serde_json::to_string(&webhook.events).unwrap_or_default(),
        serde_json::to_string(&webhook.filter).unwrap_or_default(),
        webhook.ordered,
        webhook.batch,
        webhook.disabled_reason.map(DisabledReason::as_str),
        webhook.disabled_at,
        &webhook.secret_sealed,
        &webhook.next_secret_sealed,
        webhook.overlap_ends_at,
        now,
    );
    Ok(())
}

/// Deletes an endpoint and its progress. Its deliveries remain visible.
pub(crate) async fn delete(tx: &mut Tx<'_>, id: WebhookId) -> Result<(), StoreError> {
    execute!(tx, "DELETE FROM webhooks WHERE id = $1", id.to_string());
    execute!(tx, "DELETE FROM webhook_progress WHERE webhook_id = $1", id.to_string());
    Ok(())
}

/// Records that an endpoint responded at this address, unless it has another address by now.
pub(crate) async fn verify(tx: &mut Tx<'_>, id: WebhookId, url: &str, now: DateTime<Utc>) -> Result<(), StoreError> {
    execute!(
        tx,
        "UPDATE webhooks SET verified_at = $3 WHERE id = $1 AND url = $2 AND verified_at IS NULL",
        id.to_string(),
        url,
        now,
    );
    Ok(())
}

/// Cancels an endpoint's pending deliveries. The events stay on the log, and can be replayed.
pub(crate) async fn cancel(tx: &mut Tx<'_>, id: WebhookId, now: DateTime<Utc>) -> Result<(), StoreError> {
    execute!(
        tx,
        "UPDATE deliveries SET status = 'cancelled', settled_at = $2 WHERE webhook_id = $1 AND status = 'pending'",
        id.to_string(),
        now,
    );
    Ok(())
}

impl Store {
    /// One endpoint.
    pub async fn webhook(&self, id: WebhookId) -> Result<Option<WebhookView>, StoreError> {
        let row: Option<WebhookRow> = read!(&self.db, |pool| {
            sqlx::query_as(&constcat(WEBHOOK, "WHERE id = $1")).bind(id.to_string()).fetch_optional(pool).await?
        });
        row.map(WebhookRow::view).transpose()
    }

    /// The endpoint that an agent was registered with.
    pub async fn webhook_of(&self, agent_id: AgentId) -> Result<Option<WebhookView>, StoreError> {
        let row: Option<WebhookRow> = read!(&self.db, |pool| {
            sqlx::query_as(&constcat(WEBHOOK, "WHERE agent_id = $1 AND NOT further"))
                .bind(agent_id.to_string())
                .fetch_optional(pool)
                .await?
        });
        row.map(WebhookRow::view).transpose()
    }

    /// An agent's endpoints: the first one, then the others in the order of creation.
    pub async fn webhooks_of(&self, agent_id: AgentId) -> Result<Vec<WebhookView>, StoreError> {
        let rows: Vec<WebhookRow> = read!(&self.db, |pool| {
            sqlx::query_as(&constcat(WEBHOOK, "WHERE agent_id = $1 ORDER BY further, created_at, id"))
                .bind(agent_id.to_string())
                .fetch_all(pool)
                .await?
        });
        rows.into_iter().map(WebhookRow::view).collect()
    }
}
