//! Queries on replays.

use buildtrack_domain::ids::{ReplayId, WebhookId};
use buildtrack_macros::boxed;

use super::ReplayView;
use crate::{
    StoreError,
    database::{FromRow, Row, RowError, columns::constcat, values},
    webhooks::Webhooks,
};

const REPLAY: &str = "SELECT id, webhook_id, agent_id, from_position, until_position, position, total, enqueued, status, \
                      created_at, settled_at FROM replays ";

#[boxed]
impl Webhooks {
    /// One of an endpoint's replays.
    pub async fn replay(&self, webhook_id: WebhookId, id: ReplayId) -> Result<Option<ReplayView>, StoreError> {
        self.db
            .optional(
                &constcat(REPLAY, "WHERE id = $1 AND webhook_id = $2"),
                values![id.to_string(), webhook_id.to_string()],
            )
            .await
    }

    /// Up to `limit` replays to an endpoint, newest first, older than `beyond`.
    pub async fn replays(
        &self,
        webhook_id: WebhookId,
        beyond: Option<ReplayId>,
        limit: i64,
    ) -> Result<Vec<ReplayView>, StoreError> {
        let last = || format!("{}_{}", ReplayId::PREFIX, "z".repeat(26));
        self.db
            .all(
                &constcat(REPLAY, "WHERE webhook_id = $1 AND id < $2 ORDER BY id DESC LIMIT $3"),
                values![webhook_id.to_string(), beyond.map_or_else(last, |id| id.to_string()), limit],
            )
            .await
    }

    /// All running replays, each with its key. An unreadable replay does not keep others from being returned.
    pub async fn running_replays(&self) -> Result<Vec<(String, Result<ReplayView, StoreError>)>, StoreError> {
        let statement = constcat(REPLAY, "WHERE status = 'running' ORDER BY id");
        let rows: Vec<Running> = self.db.all(&statement, &[]).await?;
        Ok(rows.into_iter().map(|Running { key, view }| (key, view.map_err(Into::into))).collect())
    }
}

/// A running replay, readable or not.
struct Running {
    key: String,
    view: Result<ReplayView, RowError>,
}

impl FromRow for Running {
    fn from_row(row: Row<'_>) -> Result<Self, RowError> {
        Ok(Self { key: row.get("id").unwrap_or_default(), view: ReplayView::from_row(row) })
    }
}
