//! Pruning of deliveries, some time after they reached a final status.

use chrono::{DateTime, Utc};

use crate::{
    StoreError,
    database::{Db, Tx, values},
};

/// Whether a delivery reached a final status at or before `until`.
pub(crate) async fn has_settled(db: &Db, until: DateTime<Utc>) -> Result<bool, StoreError> {
    let settled: Option<i64> =
        db.optional("SELECT CAST(1 AS BIGINT) FROM deliveries WHERE settled_at <= $1 LIMIT 1", values![until]).await?;
    Ok(settled.is_some())
}

/// Deletes up to `limit` deliveries that reached a final status at or before `until`, with their attempts.
pub(crate) async fn prune(tx: &mut Tx<'_>, until: DateTime<Utc>, limit: i64) -> Result<(), StoreError> {
    let ids: Vec<String> = tx
        .all(
            "DELETE FROM deliveries WHERE id IN (SELECT id FROM deliveries WHERE settled_at <= $1 \
             ORDER BY settled_at LIMIT $2) RETURNING id",
            values![until, limit],
        )
        .await?;
    match tx {
        Tx::Postgres(connection) => {
            let statement = sqlx::query("DELETE FROM attempts WHERE delivery_id = ANY($1)");
            statement.bind(ids).execute(&mut **connection).await?;
        }
        Tx::Sqlite(script) => {
            let statement = sqlx::query("DELETE FROM attempts WHERE delivery_id IN (SELECT value FROM json_each($1))");
            let ids = serde_json::to_string(&ids).unwrap_or_default();
            statement.bind(ids).execute(script.connection().await?).await?;
        }
    }
    Ok(())
}
