//! Endpoint health: an endpoint's circuit breaker, shared by all processes and visible to its owner.
//!
//! **Invariant:** every operation that closes a breaker increments `resets` and makes the deliveries that wait for it due, in the
//! same transaction. Each process thus learns of it with the next delivery that it claims.

use std::collections::HashMap;

use buildtrack_macros::boxed;
use buildtrack_domain::ids::WebhookId;
use chrono::{DateTime, TimeDelta, Utc};

use super::StoredBreaker;
use crate::{
    Store, StoreError,
    database::{Tx, columns::parse, execute, read},
};

/// The longest time for which a process leases a delivery without renewal. A delivery that is due later is not leased.
const LEASED_AT_MOST: TimeDelta = TimeDelta::seconds(60);

/// How many pending deliveries are examined to find the next attempt.
const LOOKED_AT: i64 = 100;

/// An endpoint's recent failures, and its pending deliveries.
#[derive(Debug, Clone, Default, PartialEq, Eq, sqlx::FromRow)]
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
impl Store {
    /// An endpoint's health.
    pub async fn endpoint_health(&self, id: WebhookId) -> Result<EndpointHealth, StoreError> {
        let health: Option<EndpointHealth> = read!(&self.db, |pool| {
            sqlx::query_as(
                "SELECT failures, failing_since, last_status, last_error, open_until, \
                 (SELECT min(next_at) FROM (SELECT next_at FROM deliveries WHERE webhook_id = $1 \
                 AND status = 'pending' ORDER BY position LIMIT $2) AS waiting) AS next_at, \
                 (SELECT min(position) FROM deliveries WHERE webhook_id = $1 AND status = 'pending') AS first_position \
                 FROM webhook_progress WHERE webhook_id = $1",
            )
            .bind(id.to_string())
            .bind(LOOKED_AT)
            .fetch_optional(pool)
            .await?
        });
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
        let rows: Vec<Row> = read!(&self.db, |pool| sqlx::query_as(&statement).bind(ids).fetch_all(pool).await?);
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
        let breaker: Option<(i64, Option<DateTime<Utc>>)> = read!(&self.db, |pool| {
            sqlx::query_as("SELECT resets, open_until FROM webhook_progress WHERE webhook_id = $1")
                .bind(id.to_string())
                .fetch_optional(pool)
                .await?
        });
        let (resets, open_until) = breaker.unwrap_or_default();
        Ok(StoredBreaker { resets, open_until })
    }
}

/// Closes an endpoint's breaker, and makes the deliveries that wait for it due.
pub(crate) async fn close_breaker(tx: &mut Tx<'_>, id: WebhookId, now: DateTime<Utc>) -> Result<(), StoreError> {
    execute!(
        tx,
        "UPDATE webhook_progress SET failures = 0, open_until = NULL, resets = resets + 1 WHERE webhook_id = $1",
        id.to_string(),
    );
    execute!(
        tx,
        "UPDATE deliveries SET next_at = $2, waits_for = NULL \
         WHERE webhook_id = $1 AND status = 'pending' AND waits_for = 'breaker' AND next_at > $2",
        id.to_string(),
        now,
    );
    Ok(())
}

/// Clears an endpoint's failures: closes its breaker, and makes retries due whose due time is beyond any process's lease.
pub(crate) async fn clear_failures(tx: &mut Tx<'_>, id: WebhookId, now: DateTime<Utc>) -> Result<(), StoreError> {
    close_breaker(tx, id, now).await?;
    execute!(tx, "UPDATE webhook_progress SET failing_since = NULL WHERE webhook_id = $1", id.to_string());
    execute!(
        tx,
        "UPDATE deliveries SET next_at = $2 \
         WHERE webhook_id = $1 AND status = 'pending' AND step > 0 AND next_at > $3",
        id.to_string(),
        now,
        now + LEASED_AT_MOST,
    );
    Ok(())
}
