//! Endpoints whose circuit breaker is open, for operators.

use buildtrack_domain::ids::{AgentId, WebhookId};
use buildtrack_macros::boxed;
use chrono::{DateTime, Utc};

use crate::{
    StoreError,
    database::{FromRow, values},
    webhooks::Webhooks,
};

/// An endpoint whose circuit breaker is open.
#[derive(Debug, Clone, PartialEq, Eq, FromRow)]
pub struct OpenBreaker {
    /// The endpoint.
    #[column(from = String)]
    pub webhook_id: WebhookId,
    /// The agent that owns it.
    #[column(from = String)]
    pub agent_id: AgentId,
    /// The address for pushes. Its path may hold a secret of the owner.
    pub url: Option<String>,
    /// Number of consecutive failed attempts.
    pub failures: i64,
    /// When the first of them began.
    pub failing_since: Option<DateTime<Utc>>,
    /// The HTTP status of the last failed attempt, if the endpoint responded.
    pub last_status: Option<i64>,
    /// The error of the last failed attempt, if the endpoint did not respond.
    pub last_error: Option<String>,
    /// After this time, the next attempt decides.
    pub open_until: DateTime<Utc>,
}

#[boxed]
impl Webhooks {
    /// Endpoints whose breaker is open, in the order of their ids, after this one.
    pub async fn open_breakers(&self, after: Option<WebhookId>, limit: i64) -> Result<Vec<OpenBreaker>, StoreError> {
        self.db
            .all(
                "SELECT webhook_progress.webhook_id AS webhook_id, agent_id, url, failures, failing_since, \
                 last_status, last_error, open_until FROM webhook_progress \
                 JOIN webhooks ON webhooks.id = webhook_progress.webhook_id \
                 WHERE open_until IS NOT NULL AND webhook_progress.webhook_id > $1 \
                 ORDER BY webhook_progress.webhook_id LIMIT $2",
                values![after.map(|id| id.to_string()).unwrap_or_default(), limit],
            )
            .await
    }

    /// The number of endpoints whose breaker is open, counted up to `limit`.
    pub async fn count_open_breakers(&self, limit: i64) -> Result<i64, StoreError> {
        self.db
            .one(
                "SELECT count(*) FROM (SELECT webhook_id FROM webhook_progress WHERE open_until IS NOT NULL LIMIT $1) \
                 AS open_breakers",
                values![limit],
            )
            .await
    }
}
