//! Lists of deliveries for their owner.
//!
//! **Invariant:** an index serves every list in the order of the ids, which is the order of time. Rare statuses and types have
//! partial indexes. The statement contains them as literals, because a partial index requires that.

use buildtrack_domain::{
    ids::{AgentId, DeliveryId, WebhookId},
    webhooks::PushType,
};
use buildtrack_macros::boxed;
use chrono::{DateTime, TimeDelta, Utc};
use uuid::Uuid;

use super::DeliveryStatus;
use crate::{
    StoreError,
    database::{FromRow, values},
    webhooks::Webhooks,
};

/// A delivery with the result of its last attempt.
#[derive(Debug, Clone, PartialEq, Eq, FromRow)]
pub struct DeliveryView {
    /// The delivery's id.
    #[column(from = String)]
    pub id: DeliveryId,
    /// The endpoint.
    #[column(from = String)]
    pub webhook_id: WebhookId,
    /// The event's position.
    pub position: i64,
    /// The type sent with the push.
    #[column(name = "type", from = String)]
    pub push_type: PushType,
    /// The status.
    #[column(from = String)]
    pub status: DeliveryStatus,
    /// Number of attempts made.
    pub attempts: i64,
    /// When the next attempt is due, if the delivery is pending.
    pub next_at: DateTime<Utc>,
    /// When the delivery was enqueued.
    pub created_at: DateTime<Utc>,
    /// When the delivery reached a final status.
    pub settled_at: Option<DateTime<Utc>>,
    /// The HTTP status of the last response.
    pub status_code: Option<i64>,
    /// Why the last attempt had no response.
    pub error: Option<String>,
    /// Why a pending delivery was postponed.
    pub waits_for: Option<String>,
}

/// One attempt of a delivery.
#[derive(Debug, Clone, PartialEq, Eq, FromRow)]
pub struct AttemptView {
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
    /// The beginning of the response's body. `None` without a response, or if the event was redacted since.
    pub response: Option<String>,
}

/// A filter for an agent's deliveries. Lists are ordered newest first.
#[derive(Debug, Clone, Default)]
pub struct DeliveryFilter {
    /// Only to this endpoint.
    pub webhook_id: Option<WebhookId>,
    /// Only with this status.
    pub status: Option<DeliveryStatus>,
    /// Only of events of this type.
    pub push_type: Option<PushType>,
    /// Only enqueued at this time or later.
    pub after: Option<DateTime<Utc>>,
    /// Only enqueued before this time.
    pub before: Option<DateTime<Utc>>,
    /// Only deliveries older than this one.
    pub beyond: Option<DeliveryId>,
    /// The most deliveries to return.
    pub limit: i64,
}

const DELIVERY: &str = "SELECT deliveries.id, webhook_id, position, type, status, deliveries.attempts, next_at, \
                        created_at, settled_at, status_code, error, waits_for FROM deliveries \
                        LEFT JOIN attempts ON delivery_id = deliveries.id AND number = deliveries.attempts";

/// The last second of the year 9999, in Unix seconds.
const LATEST: i64 = 253_402_300_799;

/// The longest time between creating a delivery's id and committing it.
const COMMIT: TimeDelta = TimeDelta::minutes(1);

impl DeliveryFilter {
    /// The statement for this combination of filters. Its parameters are agent, first and last id, first and last time, endpoint,
    /// limit. A condition on `x || ''` keeps the database from using that column's index.
    fn statement(&self) -> String {
        let rare_type = self.push_type.filter(|push_type| *push_type != PushType::WorkspaceMessage);
        let rare = rare_type.is_some() || self.status.is_some_and(|status| status != DeliveryStatus::Delivered);
        let condition = match self.webhook_id {
            None => "deliveries.agent_id = $1 AND CAST($6 AS TEXT) IS NULL",
            Some(_) if rare => "deliveries.agent_id = $1 AND webhook_id || '' = $6",
            Some(_) => "agent_id || '' = $1 AND deliveries.webhook_id = $6",
        };
        let status = self.status.map(|status| format!(" AND status = '{}'", status.as_str())).unwrap_or_default();
        let common = PushType::WorkspaceMessage.as_str();
        let push_type = match self.push_type.map(PushType::as_str) {
            Some(name) if name != common => format!(" AND type = '{name}' AND type <> '{common}'"),
            Some(name) => format!(" AND type = '{name}'"),
            None => String::new(),
        };
        format!(
            "{DELIVERY} WHERE {condition} AND deliveries.id >= $2 AND deliveries.id < $3 AND created_at >= $4 \
             AND created_at < $5{status}{push_type} ORDER BY deliveries.id DESC LIMIT $7"
        )
    }

    /// The range of ids to search: an id begins with its creation time.
    fn ids(&self) -> (String, String) {
        let from = self.after.map(|after| first_id(after - COMMIT)).unwrap_or_default();
        let to = self.before.map_or_else(|| format!("{}_{}", DeliveryId::PREFIX, "z".repeat(26)), first_id);
        let beyond = self.beyond.map(|id| id.to_string());
        (from, beyond.filter(|beyond| *beyond < to).unwrap_or(to))
    }
}

/// The lowest id that can be created at a time.
fn first_id(time: DateTime<Utc>) -> String {
    let millis = u128::try_from(time.timestamp_millis()).unwrap_or(0);
    DeliveryId::new(Uuid::from_u128(millis << 80)).to_string()
}

#[boxed]
impl Webhooks {
    /// An agent's deliveries, newest first.
    pub async fn deliveries(
        &self,
        agent_id: AgentId,
        filter: &DeliveryFilter,
    ) -> Result<Vec<DeliveryView>, StoreError> {
        let (statement, (from, to)) = (filter.statement(), filter.ids());
        let after = filter.after.unwrap_or(DateTime::UNIX_EPOCH);
        let before = filter.before.or(DateTime::from_timestamp(LATEST, 0)).unwrap_or_default();
        self.db
            .all(
                &statement,
                values![
                    agent_id.to_string(),
                    from,
                    to,
                    after,
                    before,
                    filter.webhook_id.map(|id| id.to_string()),
                    filter.limit
                ],
            )
            .await
    }

    /// One of an agent's deliveries.
    pub async fn delivery(&self, agent_id: AgentId, id: DeliveryId) -> Result<Option<DeliveryView>, StoreError> {
        let statement = format!("{DELIVERY} WHERE deliveries.id = $1 AND agent_id = $2");
        self.db.optional(&statement, values![id.to_string(), agent_id.to_string()]).await
    }

    /// All attempts of a delivery, in order.
    pub async fn attempts(&self, id: DeliveryId) -> Result<Vec<AttemptView>, StoreError> {
        self.db
            .all(
                "SELECT number, started_at, duration_ms, status_code, error, response FROM attempts \
                 WHERE delivery_id = $1 ORDER BY number",
                values![id.to_string()],
            )
            .await
    }

    /// The number of an endpoint's pending deliveries, counted up to `limit`.
    pub async fn waiting(&self, agent_id: AgentId, webhook_id: WebhookId, limit: i64) -> Result<i64, StoreError> {
        self.db
            .one(
                "SELECT count(*) FROM (SELECT 1 FROM deliveries WHERE agent_id = $1 AND webhook_id || '' = $2 \
                 AND status = 'pending' LIMIT $3) AS waiting",
                values![agent_id.to_string(), webhook_id.to_string(), limit],
            )
            .await
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sqlx::{Connection, SqliteConnection};

    const MIGRATIONS: [&str; 4] = [
        include_str!("../../../../../migrations/sqlite/0001_main_job.sql"),
        include_str!("../../../../../migrations/sqlite/0002_delivery.sql"),
        include_str!("../../../../../migrations/sqlite/0003_delivery_lists.sql"),
        include_str!("../../../../../migrations/sqlite/0022_endpoint_health.sql"),
    ];

    #[tokio::test]
    async fn an_index_serves_every_list_in_its_order() {
        let mut connection = SqliteConnection::connect("sqlite::memory:").await.unwrap();
        for migration in MIGRATIONS {
            sqlx::raw_sql(migration).execute(&mut connection).await.unwrap();
        }
        let webhook = WebhookId::new(Uuid::from_u128(1));
        let statuses = ["pending", "delivered", "failed", "cancelled"].map(|name| name.parse().ok());
        for (webhook_id, status) in [None, Some(webhook)].into_iter().flat_map(|id| statuses.map(|status| (id, status)))
        {
            for push_type in [None, Some(PushType::WorkspaceMessage), Some(PushType::WorkspaceJoin)] {
                for status in [None, status] {
                    let filter = DeliveryFilter { webhook_id, status, push_type, ..DeliveryFilter::default() };
                    let statement = format!("EXPLAIN QUERY PLAN {}", filter.statement());
                    let plan: Vec<(i64, i64, i64, String)> =
                        sqlx::query_as(&statement).fetch_all(&mut connection).await.unwrap();
                    let plan: Vec<_> = plan.into_iter().map(|(.., step)| step).collect();
                    assert!(plan[0].contains("USING INDEX deliveries_"), "{filter:?}: {plan:?}");
                    assert!(plan.iter().all(|step| !step.contains("TEMP B-TREE")), "{filter:?}: {plan:?}");
                    let rare = match (status, push_type) {
                        (Some(DeliveryStatus::Failed), None) => "deliveries_failed",
                        (Some(DeliveryStatus::Cancelled), None) => "deliveries_cancelled",
                        (None, Some(PushType::WorkspaceJoin)) => "deliveries_by_rare_type",
                        (None, None) if webhook_id.is_some() => "deliveries_by_webhook",
                        _ => "deliveries_",
                    };
                    assert!(plan[0].contains(rare), "{filter:?}: {plan:?}");
                }
            }
        }
    }
}
