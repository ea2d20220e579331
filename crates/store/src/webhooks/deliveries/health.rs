//! Endpoint health: an endpoint's circuit breaker, shared by all processes and visible to its owner.
//!
//! **Invariant:** every operation that closes a breaker increments `resets` and makes the deliveries that wait for it due, in the
//! same transaction. Each process thus learns of it with the next delivery that it claims.

use std::collections::HashMap;

use buildtrack_domain::ids::WebhookId;
use buildtrack_macros::boxed;
use chrono::{DateTime, TimeDelta, Utc};

use super::StoredBreaker;
use crate::{
    StoreError,
    database::{FromRow, Tx, columns::parse, values},
    webhooks::Webhooks,
};

/// The longest time for which a process leases a delivery without renewal. A delivery that is due later is not leased.
const LEASED_AT_MOST: TimeDelta = TimeDelta::seconds(60);

/// How many pending deliveries are examined to find the next attempt.
const LOOKED_AT: i64 = 100;

/// An endpoint's recent failures, and its pending deliveries.
#[derive(Debug, Clone, Default, PartialEq, Eq, FromRow)]
pub struct EndpointHealth {
    /// Number of consecutive failed attempts.
    pub failures: i64,
    /// When the first of the consecutive failures began; `None` if the last attempt succeeded.
    pub failing_since: Option<DateTime<Utc>>,
    /// The HTTP status of the last failed attempt, if the endpoint responded.
    pub last_status: Option<i64>,
    /// The error of the last failed attempt, if the endpoint did not respond.
    pub last_error: Option<String>,
    /// Until when the breaker is open. After that time, the next attempt decides. `None` if the breaker is closed.
    pub open_until: Option<DateTime<Utc>>,
    /// When the sender next attempts one of the pending deliveries.
    pub next_at: Option<DateTime<Utc>>,
    /// The position of the first pending delivery in log order.
    pub first_position: Option<i64>,
}

#[boxed]
impl Webhooks {
    /// An endpoint's health.
    pub async fn endpoint_health(&self, id: WebhookId) -> Result<EndpointHealth, StoreError> {
        let health: Option<EndpointHealth> = self
            .db
            .optional(
                "SELECT failures, failing_since, last_status, last_error, open_until, \
                 (SELECT min(next_at) FROM (SELECT next_at FROM deliveries WHERE webhook_id = $1 \
                 AND status = 'pending' ORDER BY position LIMIT $2) AS waiting) AS next_at, \
                 (SELECT min(position) FROM deliveries WHERE webhook_id = $1 AND status = 'pending') AS first_position \
                 FROM webhook_progress WHERE webhook_id = $1",
                values![id.to_string(), LOOKED_AT],
            )
            .await?;
        Ok(health.unwrap_or_default())
    }

    /// The recent failures of these endpoints, without their pending deliveries. An endpoint without a push has none.
    pub async fn endpoint_failures(&self, ids: &[WebhookId]) -> Result<HashMap<WebhookId, EndpointHealth>, StoreError> {
        type Row = (String, i64, Option<DateTime<Utc>>, Option<i64>, Option<String>, Option<DateTime<Utc>>);
        let statement = format!(
            "SELECT webhook_id, failures, failing_since, last_status, last_error, open_until FROM webhook_progress \
             WHERE webhook_id IN (SELECT value FROM {})",
            self.db.dialect().listed(1)
        );
        let ids = serde_json::to_string(ids).unwrap_or_default();
        let rows: Vec<Row> = self.db.all(&statement, values![ids]).await?;
        let health = rows.into_iter().map(|(id, failures, failing_since, last_status, last_error, open_until)| {
            let (next_at, first_position) = (None, None);
            let health = EndpointHealth {
                failures,
                failing_since,
                last_status,
                last_error,
                open_until,
                next_at,
                first_position,
            };
            Ok((parse(&id)?, health))
        });
        health.collect()
    }

    /// An endpoint's breaker, as all processes share it.
    pub async fn stored_breaker(&self, id: WebhookId) -> Result<StoredBreaker, StoreError> {
        let breaker: Option<(i64, Option<DateTime<Utc>>)> = self
            .db
            .optional("SELECT resets, open_until FROM webhook_progress WHERE webhook_id = $1", values![id.to_string()])
            .await?;
        let (resets, open_until) = breaker.unwrap_or_default();
        Ok(StoredBreaker { resets, open_until })
    }
}

/// Closes an endpoint's breaker, and makes the deliveries that wait for it due.
pub(crate) async fn close_breaker(tx: &mut Tx<'_>, id: WebhookId, now: DateTime<Utc>) -> Result<(), StoreError> {
    tx.execute(
        "UPDATE webhook_progress SET failures = 0, open_until = NULL, resets = resets + 1 WHERE webhook_id = $1",
        values![id.to_string()],
    )
    .await?;
    tx.execute(
        "UPDATE deliveries SET next_at = $2, waits_for = NULL \
         WHERE webhook_id = $1 AND status = 'pending' AND waits_for = 'breaker' AND next_at > $2",
        values![id.to_string(), now],
    )
    .await?;
    Ok(())
}

/// Clears an endpoint's failures: closes its breaker, and makes retries due whose due time is beyond any process's lease.
pub(crate) async fn clear_failures(tx: &mut Tx<'_>, id: WebhookId, now: DateTime<Utc>) -> Result<(), StoreError> {
    close_breaker(tx, id, now).await?;
    tx.execute("UPDATE webhook_progress SET failing_since = NULL WHERE webhook_id = $1", values![id.to_string()])
        .await?;
    tx.execute(
        "UPDATE deliveries SET next_at = $2 \
         WHERE webhook_id = $1 AND status = 'pending' AND step > 0 AND next_at > $3",
        values![id.to_string(), now, now + LEASED_AT_MOST],
    )
    .await?;
    Ok(())
}
