//! The side table of sessions.

use buildtrack_domain::ids::{KeyId, OwnerId, SessionId};
use chrono::{DateTime, Utc};

use crate::{
    StoreError,
    database::{Db, Tx, execute, read},
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
    execute!(
        tx,
        "INSERT INTO sessions (id, token_hash, holder, scopes, created_at, expires_at, key_id) \
         VALUES ($1, $2, $3, $4, $5, $6, $7)",
        id.to_string(),
        token_hash,
        holder,
        scopes,
        now,
        *expires_at,
        key_id.map(|id| id.to_string()),
    );
    execute!(
        tx,
        "DELETE FROM sessions WHERE id IN (SELECT id FROM sessions WHERE holder = $1 AND id <> $2 \
         ORDER BY created_at DESC, id DESC LIMIT $4 OFFSET $3)",
        holder,
        id.to_string(),
        SESSIONS_MAX - 1,
        SESSIONS_MAX,
    );
    Ok(())
}

/// Ends all sessions of a holder except one.
pub(in crate::identity) async fn end_others(tx: &mut Tx<'_>, holder: &str, but: SessionId) -> Result<(), StoreError> {
    execute!(tx, "DELETE FROM sessions WHERE holder = $1 AND id <> $2", holder, but.to_string());
    Ok(())
}

/// Ends all sessions of an owner and of the owner's agents.
pub(in crate::identity) async fn end_of_owner(tx: &mut Tx<'_>, owner_id: OwnerId) -> Result<(), StoreError> {
    execute!(
        tx,
        "DELETE FROM sessions WHERE holder = $1 OR holder IN (SELECT id FROM agents WHERE owner_id = $1)",
        owner_id.to_string(),
    );
    Ok(())
}

/// Deletes up to `limit` expired sessions.
pub(in crate::identity) async fn prune(tx: &mut Tx<'_>, now: DateTime<Utc>, limit: i64) -> Result<(), StoreError> {
    execute!(
        tx,
        "DELETE FROM sessions WHERE id IN (SELECT id FROM sessions WHERE expires_at <= $1 LIMIT $2)",
        now,
        limit,
    );
    Ok(())
}

pub(in crate::identity) async fn has_expired(db: &Db, now: DateTime<Utc>) -> Result<bool, StoreError> {
    let statement = "SELECT EXISTS (SELECT 1 FROM sessions WHERE expires_at <= $1)";
    Ok(read!(db, |pool| sqlx::query_scalar(statement).bind(now).fetch_one(pool).await?))
}
