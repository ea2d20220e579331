//! The side table of sessions.

use buildtrack_domain::ids::{KeyId, OwnerId, SessionId};
use chrono::{DateTime, Utc};

use crate::{
    StoreError,
    database::{Db, Tx, values},
};

/// The most sessions of an agent or owner. A new session ends the oldest of the others, and never itself, because several may be
/// created within one clock tick.
const SESSIONS_MAX: i64 = 100;

/// A session to create.
pub(in crate::identity) struct NewSession<'c> {
    pub(in crate::identity) id: SessionId,
    pub(in crate::identity) token_hash: &'c str,
    pub(in crate::identity) holder: &'c str,
    pub(in crate::identity) scopes: &'c str,
    pub(in crate::identity) key_id: Option<KeyId>,
    pub(in crate::identity) expires_at: DateTime<Utc>,
}

/// Creates a session, and ends the oldest ones of a holder with too many.
pub(in crate::identity) async fn create(
    tx: &mut Tx<'_>,
    session: &NewSession<'_>,
    now: DateTime<Utc>,
) -> Result<(), StoreError> {
    let NewSession { id, token_hash, holder, scopes, key_id, expires_at } = session;
    tx.execute(
        "INSERT INTO sessions (id, token_hash, holder, scopes, created_at, expires_at, key_id) \
         VALUES ($1, $2, $3, $4, $5, $6, $7)",
        values![id.to_string(), token_hash, holder, scopes, now, *expires_at, key_id.map(|id| id.to_string())],
    )
    .await?;
    tx.execute(
        "DELETE FROM sessions WHERE id IN (SELECT id FROM sessions WHERE holder = $1 AND id <> $2 \
         ORDER BY created_at DESC, id DESC LIMIT $4 OFFSET $3)",
        values![holder, id.to_string(), SESSIONS_MAX - 1, SESSIONS_MAX],
    )
    .await?;
    Ok(())
}

/// Ends all sessions of a holder except one.
pub(in crate::identity) async fn end_others(tx: &mut Tx<'_>, holder: &str, but: SessionId) -> Result<(), StoreError> {
    tx.execute("DELETE FROM sessions WHERE holder = $1 AND id <> $2", values![holder, but.to_string()]).await?;
    Ok(())
}

/// Ends all sessions of an owner and of the owner's agents.
pub(in crate::identity) async fn end_of_owner(tx: &mut Tx<'_>, owner_id: OwnerId) -> Result<(), StoreError> {
    tx.execute(
        "DELETE FROM sessions WHERE holder = $1 OR holder IN (SELECT id FROM agents WHERE owner_id = $1)",
        values![owner_id.to_string()],
    )
    .await?;
    Ok(())
}

/// Deletes up to `limit` expired sessions.
pub(in crate::identity) async fn prune(tx: &mut Tx<'_>, now: DateTime<Utc>, limit: i64) -> Result<(), StoreError> {
    tx.execute(
        "DELETE FROM sessions WHERE id IN (SELECT id FROM sessions WHERE expires_at <= $1 LIMIT $2)",
        values![now, limit],
    )
    .await?;
    Ok(())
}

pub(in crate::identity) async fn has_expired(db: &Db, now: DateTime<Utc>) -> Result<bool, StoreError> {
    let statement = "SELECT EXISTS (SELECT 1 FROM sessions WHERE expires_at <= $1)";
    db.one(statement, values![now]).await
}
