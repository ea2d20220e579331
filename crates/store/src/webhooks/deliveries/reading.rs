//! Queries of the worker on deliveries.

use buildtrack_domain::ids::{DeliveryId, WebhookId};
use buildtrack_macros::boxed;
use chrono::{DateTime, Utc};

use super::{FirstPending, QueueDepth};
use crate::{
    StoreError,
    database::{columns::parse, values},
    webhooks::Webhooks,
};

#[boxed]
impl Webhooks {
    /// The position of the previous delivery of the same endpoint.
    pub async fn previous(&self, id: DeliveryId) -> Result<Option<i64>, StoreError> {
        let previous: Option<Option<i64>> =
            self.db.optional("SELECT previous FROM deliveries WHERE id = $1", values![id.to_string()]).await?;
        Ok(previous.flatten())
    }

    /// The first `limit` pending deliveries of an endpoint, in log order.
    pub async fn first_pending(&self, id: WebhookId, limit: i64) -> Result<Vec<FirstPending>, StoreError> {
        let rows: Vec<(String, DateTime<Utc>)> = self
            .db
            .all(
                "SELECT id, next_at FROM deliveries WHERE webhook_id = $1 AND status = 'pending' \
                 ORDER BY position LIMIT $2",
                values![id.to_string(), limit],
            )
            .await?;
        rows.into_iter().map(|(id, next_at)| Ok(FirstPending { id: parse(&id)?, next_at })).collect()
    }

    /// Since when an endpoint has been failing without a success; `None` if it is not failing.
    pub async fn failing_since(&self, id: WebhookId) -> Result<Option<DateTime<Utc>>, StoreError> {
        let since: Option<Option<DateTime<Utc>>> = self
            .db
            .optional("SELECT failing_since FROM webhook_progress WHERE webhook_id = $1", values![id.to_string()])
            .await?;
        Ok(since.flatten())
    }

    /// When the next delivery is due; `None` if none is pending.
    pub async fn next_due(&self) -> Result<Option<DateTime<Utc>>, StoreError> {
        self.db.one("SELECT min(next_at) FROM deliveries WHERE status = 'pending'", &[]).await
    }

    /// The number of pending deliveries, and the consumer's lag behind the log.
    pub async fn queue_depth(&self, consumer: &str) -> Result<QueueDepth, StoreError> {
        let pending: i64 = self.db.one("SELECT count(*) FROM deliveries WHERE status = 'pending'", &[]).await?;
        let behind = self.log.tail.head() - self.log.consumer_position(consumer).await?;
        Ok(QueueDepth { pending, behind })
    }
}
