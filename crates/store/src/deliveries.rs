//! Deliveries: one event on its way to one endpoint, with every attempt.
//!
//! **Invariant:** a delivery holds no text of the event. The body is made anew from the log for each attempt, so that
//! a redaction reaches what is queued.

use std::time::Duration;

use buildtrack_domain::{
    ids::{AgentId, DeliveryId, WebhookId},
    webhooks::PushType,
};
use chrono::{DateTime, Utc};

use crate::{
    Store, StoreError,
    db::{Tx, read},
    identity::parse,
    log::writer::Commit,
    postgres, sqlite,
};

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
}

impl From<NewDelivery> for Delivery {
    fn from(NewDelivery { id, webhook_id, agent_id, position, push_type, .. }: NewDelivery) -> Self {
        Self { id, webhook_id, agent_id, position, push_type, attempts: 0 }
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
}

/// What became of an attempt.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// Of which delivery.
    pub delivery_id: DeliveryId,
    /// The attempt.
    pub attempt: Attempt,
    /// Where the delivery stands now.
    pub status: DeliveryStatus,
    /// When it is tried again, where it is pending.
    pub next_at: DateTime<Utc>,
    /// When it was settled, where it is not.
    pub settled_at: Option<DateTime<Utc>>,
}

/// How much is waiting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QueueDepth {
    /// Deliveries that are not settled.
    pub pending: i64,
    /// Events that the webhook consumer has not looked at.
    pub behind: i64,
}

#[derive(Debug, sqlx::FromRow)]
pub(crate) struct DeliveryRow {
    id: String,
    webhook_id: String,
    agent_id: String,
    position: i64,
    #[sqlx(rename = "type")]
    push_type: String,
    attempts: i64,
}

impl DeliveryRow {
    fn delivery(self) -> Result<Delivery, StoreError> {
        let Self { id, webhook_id, agent_id, position, push_type, attempts } = self;
        let (id, webhook_id, agent_id) = (parse(&id)?, parse(&webhook_id)?, parse(&agent_id)?);
        Ok(Delivery { id, webhook_id, agent_id, position, push_type: parse(&push_type)?, attempts })
    }
}

/// What a worker takes up: so many due deliveries, until then.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Claim {
    until: DateTime<Utc>,
    limit: i64,
}

pub(crate) async fn claim(tx: &mut Tx<'_>, claim: Claim, now: DateTime<Utc>) -> Result<Vec<DeliveryRow>, StoreError> {
    match tx {
        Tx::Postgres(connection) => postgres::claim_due(connection, now, claim.until, claim.limit).await,
        Tx::Sqlite(connection) => sqlite::claim_due(connection, now, claim.until, claim.limit).await,
    }
}

pub(crate) async fn write(
    tx: &mut Tx<'_>,
    deliveries: &[NewDelivery],
    outcomes: &[Outcome],
    now: DateTime<Utc>,
) -> Result<(), StoreError> {
    match tx {
        Tx::Postgres(connection) => {
            if !deliveries.is_empty() {
                postgres::insert_deliveries(connection, deliveries, now).await?;
            }
            if !outcomes.is_empty() {
                postgres::settle(connection, outcomes).await?;
            }
        }
        Tx::Sqlite(connection) => {
            sqlite::insert_deliveries(connection, deliveries, now).await?;
            sqlite::settle(connection, outcomes).await?;
        }
    }
    Ok(())
}

impl Store {
    /// Takes up to `limit` due deliveries for `lease`; after that somebody else may.
    pub async fn claim_due(&self, lease: Duration, limit: i64) -> Result<Vec<Delivery>, StoreError> {
        // The writer is asked only when there is something to take.
        if self.next_due().await?.is_none_or(|due| due > self.clock.now()) {
            return Ok(vec![]);
        }
        let claim = Some(Claim { until: self.clock.after(lease), limit });
        let committed = self.commit(Commit { claim, ..Commit::default() }).await?;
        committed.claimed.into_iter().map(DeliveryRow::delivery).collect()
    }

    /// When the next delivery is due, if any waits.
    pub async fn next_due(&self) -> Result<Option<DateTime<Utc>>, StoreError> {
        Ok(read!(&self.db, |pool| {
            sqlx::query_scalar("SELECT min(next_at) FROM deliveries WHERE status = 'pending'").fetch_one(pool).await?
        }))
    }

    /// Where a consumer stands.
    pub async fn consumer_position(&self, consumer: &str) -> Result<i64, StoreError> {
        let position: Option<i64> = read!(&self.db, |pool| {
            sqlx::query_scalar("SELECT position FROM consumers WHERE name = $1")
                .bind(consumer)
                .fetch_optional(pool)
                .await?
        });
        Ok(position.unwrap_or(0))
    }

    /// How much the given consumer and its deliveries have before them.
    pub async fn queue_depth(&self, consumer: &str) -> Result<QueueDepth, StoreError> {
        let pending: i64 = read!(&self.db, |pool| {
            sqlx::query_scalar("SELECT count(*) FROM deliveries WHERE status = 'pending'").fetch_one(pool).await?
        });
        let behind = self.tail.head() - self.consumer_position(consumer).await?;
        Ok(QueueDepth { pending, behind })
    }
}
