//! Side table of open conversations for each holder, which bounds how many conversations one holder has open.

use buildtrack_domain::ids::ExchangeId;
use chrono::{DateTime, Utc};

use crate::{
    StoreError,
    database::{Db, Tx, execute, read},
    log::Cap,
};

/// The maximum number of open conversations of a holder, for the commit that opens one at this time.
pub fn conversations_cap(holder: &str, now: DateTime<Utc>, most: i64) -> Cap {
    let count = "SELECT count(*) FROM held_conversations WHERE holder = $1 AND expires_at > $2";
    Cap::of(count, holder, most).since(now)
}

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
pub(crate) async fn prune_holds(tx: &mut Tx<'_>, now: DateTime<Utc>, limit: i64) -> Result<(), StoreError> {
    execute!(
        tx,
        "DELETE FROM held_conversations WHERE exchange_id IN \
         (SELECT exchange_id FROM held_conversations WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2)",
        now,
        limit,
    );
    Ok(())
}

pub(crate) async fn has_expired_holds(db: &Db, now: DateTime<Utc>) -> Result<bool, StoreError> {
    let statement = "SELECT EXISTS (SELECT 1 FROM held_conversations WHERE expires_at <= $1)";
    Ok(read!(db, |pool| sqlx::query_scalar(statement).bind(now).fetch_one(pool).await?))
}
