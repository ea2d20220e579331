//! Side table of open conversations for each holder, which bounds how many conversations one holder has open.

use buildtrack_domain::ids::ExchangeId;
use chrono::{DateTime, Utc};

use crate::{
    StoreError,
    database::{Db, Tx, values},
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
    tx.execute(
        "INSERT INTO held_conversations (exchange_id, holder, expires_at) VALUES ($1, $2, $3) \
         ON CONFLICT (exchange_id) DO UPDATE SET expires_at = excluded.expires_at",
        values![exchange_id.to_string(), holder, expires_at],
    )
    .await?;
    Ok(())
}

pub(crate) async fn release(tx: &mut Tx<'_>, exchange_id: ExchangeId) -> Result<(), StoreError> {
    tx.execute("DELETE FROM held_conversations WHERE exchange_id = $1", values![exchange_id.to_string()]).await?;
    Ok(())
}

/// Deletes up to `limit` expired rows.
pub(crate) async fn prune_holds(tx: &mut Tx<'_>, now: DateTime<Utc>, limit: i64) -> Result<(), StoreError> {
    tx.execute(
        "DELETE FROM held_conversations WHERE exchange_id IN \
         (SELECT exchange_id FROM held_conversations WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2)",
        values![now, limit],
    )
    .await?;
    Ok(())
}

pub(crate) async fn has_expired_holds(db: &Db, now: DateTime<Utc>) -> Result<bool, StoreError> {
    let statement = "SELECT EXISTS (SELECT 1 FROM held_conversations WHERE expires_at <= $1)";
    db.one(statement, values![now]).await
}
