//! Reads and writes the settings of endpoints: the table `webhooks`.

use buildtrack_domain::{
    ids::{AgentId, WebhookId},
    webhooks::DisabledReason,
};
use buildtrack_macros::boxed;
use chrono::{DateTime, Utc};

use super::WebhookView;
use crate::{
    StoreError,
    database::{
        FromRow, Tx,
        columns::{constcat, parse},
        values,
    },
    webhooks::Webhooks,
};

#[derive(FromRow)]
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
    tx.execute(
        "INSERT INTO webhooks (id, agent_id, further, description, url, events, filter, ordered, batch, \
         disabled_reason, disabled_at, secret_sealed, next_secret_sealed, overlap_ends_at, created_at) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15) \
         ON CONFLICT (id) DO UPDATE SET description = excluded.description, url = excluded.url, \
         verified_at = CASE WHEN webhooks.url = excluded.url THEN webhooks.verified_at END, \
         events = excluded.events, filter = excluded.filter, ordered = excluded.ordered, batch = excluded.batch, \
         disabled_reason = excluded.disabled_reason, disabled_at = excluded.disabled_at, \
         secret_sealed = excluded.secret_sealed, next_secret_sealed = excluded.next_secret_sealed, \
         overlap_ends_at = excluded.overlap_ends_at",
        values![
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
            now
        ],
    )
    .await?;
    Ok(())
}

/// Deletes an endpoint, its origin and its progress. Its deliveries remain visible.
pub(crate) async fn delete(tx: &mut Tx<'_>, id: WebhookId) -> Result<(), StoreError> {
    tx.execute("DELETE FROM webhooks WHERE id = $1", values![id.to_string()]).await?;
    tx.execute("DELETE FROM webhook_progress WHERE webhook_id = $1", values![id.to_string()]).await?;
    tx.execute("DELETE FROM origins WHERE kind = 'webhook' AND subject = $1", values![id.to_string()]).await?;
    Ok(())
}

/// Records that an endpoint responded at this address, unless it has another address by now.
pub(crate) async fn verify(tx: &mut Tx<'_>, id: WebhookId, url: &str, now: DateTime<Utc>) -> Result<(), StoreError> {
    tx.execute(
        "UPDATE webhooks SET verified_at = $3 WHERE id = $1 AND url = $2 AND verified_at IS NULL",
        values![id.to_string(), url, now],
    )
    .await?;
    Ok(())
}

#[boxed]
impl Webhooks {
    /// One endpoint.
    pub async fn webhook(&self, id: WebhookId) -> Result<Option<WebhookView>, StoreError> {
        let row: Option<WebhookRow> =
            self.db.optional(&constcat(WEBHOOK, "WHERE id = $1"), values![id.to_string()]).await?;
        row.map(WebhookRow::view).transpose()
    }

    /// The endpoint that an agent was registered with.
    pub async fn webhook_of(&self, agent_id: AgentId) -> Result<Option<WebhookView>, StoreError> {
        let row: Option<WebhookRow> = self
            .db
            .optional(&constcat(WEBHOOK, "WHERE agent_id = $1 AND NOT further"), values![agent_id.to_string()])
            .await?;
        row.map(WebhookRow::view).transpose()
    }

    /// An agent's endpoints: the first one, then the others in the order of creation.
    pub async fn webhooks_of(&self, agent_id: AgentId) -> Result<Vec<WebhookView>, StoreError> {
        let rows: Vec<WebhookRow> = self
            .db
            .all(
                &constcat(WEBHOOK, "WHERE agent_id = $1 ORDER BY further, created_at, id"),
                values![agent_id.to_string()],
            )
            .await?;
        rows.into_iter().map(WebhookRow::view).collect()
    }

    /// Up to `limit` endpoints of these agents, by agent; an agent's first one, then the others in the order of creation.
    pub async fn webhooks_of_agents(&self, agents: &[AgentId], limit: i64) -> Result<Vec<WebhookView>, StoreError> {
        let listed = self.db.dialect().listed(1);
        let statement = format!(
            "{WEBHOOK} WHERE agent_id IN (SELECT value FROM {listed}) ORDER BY agent_id, further, created_at, id LIMIT $2"
        );
        let agents = serde_json::to_string(agents).unwrap_or_default();
        let rows: Vec<WebhookRow> = self.db.all(&statement, values![agents, limit]).await?;
        rows.into_iter().map(WebhookRow::view).collect()
    }
}
