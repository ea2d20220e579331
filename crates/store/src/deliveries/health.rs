//! Whether an endpoint works: its circuit breaker, as all processes share it and its owner sees it.
//!
//! **Invariant:** whatever closes a breaker counts one more reset in the same transaction, and makes due what was put off
//! for the breaker, so that each process learns of it with the next delivery that it claims.

use buildtrack_domain::ids::WebhookId;
use chrono::{DateTime, TimeDelta, Utc};

use crate::{
    Store, StoreError, StoredBreaker,
    db::{Tx, execute, read},
};

/// No process holds a delivery for longer without renewing its lease: what is due later than that is not leased.
const LEASED_AT_MOST: TimeDelta = TimeDelta::seconds(60);

/// Deliveries among which the next attempt is looked for.
const LOOKED_AT: i64 = 100;

/// What an endpoint's last attempts say of it, and what waits for it.
#[derive(Debug, Clone, Default, PartialEq, Eq, sqlx::FromRow)]
pub struct EndpointHealth {
    /// Attempts that failed in a row, without one success.
    pub failures: i64,
    /// Since when there has been no success.
    pub failing_since: Option<DateTime<Utc>>,
    /// What the last attempt that failed was answered.
    pub last_status: Option<i64>,
    /// Why it has no answer.
    pub last_error: Option<String>,
    /// Until when its breaker is open; past that, the next attempt decides. None where it is closed.
    pub open_until: Option<DateTime<Utc>>,
    /// When the first of what waits for it is tried.
    pub next_at: Option<DateTime<Utc>>,
    /// The first that waits, in the order of the log.
    pub first_position: Option<i64>,
}

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

/// Closes an endpoint's breaker, and makes due what was put off for it.
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

/// Forgets that an endpoint has failed: closes its breaker, and makes retries due that wait for longer than any process
/// holds a delivery.
pub(crate) async fn forgive(tx: &mut Tx<'_>, id: WebhookId, now: DateTime<Utc>) -> Result<(), StoreError> {
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
