//! Webhook endpoints: where an agent is pushed to. Addresses and secrets are kept beside the log.

use buildtrack_domain::{
    ids::{AgentId, WebhookId, WorkspaceId},
    webhooks::PushType,
};

use crate::{Store, StoreError, db::read, identity::parse};

/// An endpoint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebhookView {
    /// The endpoint.
    pub id: WebhookId,
    /// Whose.
    pub agent_id: AgentId,
    /// Where pushes go.
    pub url: Option<String>,
    /// What it wants to hear of.
    pub events: Vec<PushType>,
    /// Sealed; see [`crate::Secret::open`].
    pub secret_sealed: String,
}

/// An endpoint that is to hear of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Subscriber {
    /// The endpoint.
    pub webhook_id: WebhookId,
    /// Whose.
    pub agent_id: AgentId,
}

#[derive(sqlx::FromRow)]
struct WebhookRow {
    id: String,
    agent_id: String,
    url: Option<String>,
    events: String,
    secret_sealed: String,
}

impl WebhookRow {
    fn view(self) -> Result<WebhookView, StoreError> {
        let events = serde_json::from_str(&self.events).map_err(|error| StoreError::Damaged(error.to_string()))?;
        let (id, agent_id) = (parse(&self.id)?, parse(&self.agent_id)?);
        Ok(WebhookView { id, agent_id, url: self.url, events, secret_sealed: self.secret_sealed })
    }
}

impl Store {
    /// One endpoint.
    pub async fn webhook(&self, id: WebhookId) -> Result<Option<WebhookView>, StoreError> {
        let row: Option<WebhookRow> = read!(&self.db, |pool| {
            sqlx::query_as("SELECT id, agent_id, url, events, secret_sealed FROM webhooks WHERE id = $1")
                .bind(id.to_string())
                .fetch_optional(pool)
                .await?
        });
        row.map(WebhookRow::view).transpose()
    }

    /// An agent's endpoint.
    pub async fn webhook_of(&self, agent_id: AgentId) -> Result<Option<WebhookView>, StoreError> {
        let row: Option<WebhookRow> = read!(&self.db, |pool| {
            sqlx::query_as(
                "SELECT id, agent_id, url, events, secret_sealed FROM webhooks WHERE agent_id = $1 ORDER BY id LIMIT 1",
            )
            .bind(agent_id.to_string())
            .fetch_optional(pool)
            .await?
        });
        row.map(WebhookRow::view).transpose()
    }

    /// The endpoints of those who were members of the workspace at the position, want to hear of such events, and did
    /// not cause it.
    pub async fn subscribers(
        &self,
        workspace_id: WorkspaceId,
        position: i64,
        push_type: PushType,
        actor: &str,
    ) -> Result<Vec<Subscriber>, StoreError> {
        let rows: Vec<(String, String)> = read!(&self.db, |pool| {
            sqlx::query_as(
                "SELECT webhooks.id, webhooks.agent_id FROM memberships \
                 JOIN webhooks ON webhooks.agent_id = memberships.member_id \
                 JOIN agents ON agents.id = webhooks.agent_id \
                 WHERE workspace_id = $1 AND joined_position <= $2 \
                 AND (left_position IS NULL OR left_position > $2) AND member_id <> $3 \
                 AND url IS NOT NULL AND events LIKE $4 AND agents.active",
            )
            .bind(workspace_id.to_string())
            .bind(position)
            .bind(actor)
            .bind(format!("%\"{}\"%", push_type.as_str()))
            .fetch_all(pool)
            .await?
        });
        rows.iter().map(|(id, agent)| Ok(Subscriber { webhook_id: parse(id)?, agent_id: parse(agent)? })).collect()
    }
}
