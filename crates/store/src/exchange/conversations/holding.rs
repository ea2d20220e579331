//! Side table of open conversations for each holder, which bounds how many conversations one holder has open.

use buildtrack_domain::ids::ExchangeId;
use chrono::{DateTime, Utc};

use crate::{
    Store, StoreError,
    database::{Tx, execute, read},
};

pub(crate) async fn hold(
    tx: &mut Tx<'_>,
    exchange_id: ExchangeId,
    holder: &str,
    expires_at: DateTime<Utc>,
) -> Result<(), StoreError> {
    execute!(
        tx,
        "INSERT INTO held_conversations (exchange_id, holder, expires_at) VALUES ($1, $2, $3) \
         ON CONFLICT (exchange_id) DO UPDATE SET expires_at = excluded.expires_at",
        exchange_id.to_string(),
        holder,
        expires_at,
    );
    Ok(())
}

pub(crate) async fn release(tx: &mut Tx<'_>, exchange_id: ExchangeId) -> Result<(), StoreError> {
    execute!(tx, "DELETE FROM held_conversations WHERE exchange_id = $1", exchange_id.to_string());
    Ok(())
}

/// Deletes up to `limit` expired rows.
pub(crate) async fn prune(tx: &mut Tx<'_>, now: DateTime<Utc>, limit: i64) -> Result<(), StoreError> {
    execute!(
        tx,
        "DELETE FROM held_conversations WHERE exchange_id IN \
         (SELECT exchange_id FROM held_conversations WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2)",
        now,
        limit,
    );
    Ok(())
}

impl Store {
    /// Number of conversations that a holder has open. The check is not atomic: conversations that are opened at the same moment
    /// may all pass it.
    pub async fn conversations_held(&self, holder: &str) -> Result<i64, StoreError> {
        Ok(read!(&self.db, |pool| {
            sqlx::query_scalar("SELECT count(*) FROM held_conversations WHERE holder = $1 AND expires_at > $2")
                .bind(holder)
                .bind(self.clock.now())
                .fetch_one(pool)
                .await?
        }))
    }
}
