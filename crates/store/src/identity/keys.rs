//! The keys with which agents log in: a primary one, in the table `credentials`, and named ones.

use buildtrack_domain::ids::{AgentId, KeyId};
use buildtrack_macros::boxed;
use chrono::{DateTime, TimeDelta, Utc};

use super::Scope;
use crate::{
    StoreError,
    database::{FromRow, Tx, columns::parse, values},
    identity::Identity,
};

/// Precision of a key's time of last use.
const USE_PRECISION: TimeDelta = TimeDelta::hours(1);

/// A key, as a login finds it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Credential {
    /// The agent that logs in with it.
    pub agent_id: AgentId,
    /// The id of a named key; none for the primary key.
    pub key_id: Option<KeyId>,
    /// The scopes that a session of the key may have.
    pub scopes: Vec<Scope>,
    /// When the key expires, if it does.
    pub expires_at: Option<DateTime<Utc>>,
    /// When it was used last, to within an hour.
    pub last_used_at: Option<DateTime<Utc>>,
}

impl Credential {
    /// Whether a use of the key at this time has to be recorded.
    pub fn is_use_due(&self, now: DateTime<Utc>) -> bool {
        self.last_used_at.is_none_or(|last| now - last >= USE_PRECISION)
    }
}

/// A key, as listed for the agent's owner.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyView {
    /// The id of a named key; none for the primary key.
    pub id: Option<KeyId>,
    /// The name of a named key; empty for the primary key.
    pub name: String,
    /// The scopes that a session of the key may have.
    pub scopes: Vec<Scope>,
    /// When it was created.
    pub created_at: Option<DateTime<Utc>>,
    /// When it expires, if it does.
    pub expires_at: Option<DateTime<Utc>>,
    /// When it was used last, to within an hour; none before the first login.
    pub last_used_at: Option<DateTime<Utc>>,
}

/// A named key to create.
#[derive(Debug, Clone)]
pub struct NewAgentKey {
    /// Its id.
    pub id: KeyId,
    /// The agent.
    pub agent_id: AgentId,
    /// SHA-256 of the key, in hex.
    pub key_hash: String,
    /// The name that the owner gave it.
    pub name: String,
    /// The scopes that a session of the key may have, separated by spaces.
    pub scopes: String,
    /// When it was created.
    pub created_at: DateTime<Utc>,
    /// When it expires, if it does.
    pub expires_at: Option<DateTime<Utc>>,
}

#[derive(FromRow)]
struct Row {
    id: Option<String>,
    agent_id: String,
    name: Option<String>,
    scopes: Option<String>,
    created_at: Option<DateTime<Utc>>,
    expires_at: Option<DateTime<Utc>>,
    last_used_at: Option<DateTime<Utc>>,
}

impl Row {
    fn id(&self) -> Result<Option<KeyId>, StoreError> {
        self.id.as_deref().map(parse).transpose()
    }

    fn scopes(&self) -> Vec<Scope> {
        self.scopes.as_deref().map_or_else(|| Scope::ALL.to_vec(), Scope::listed)
    }
}

/// The keys for which a column has the value of the parameter. The primary key has no id, name, scopes and expiry.
macro_rules! keys_by {
    ($column:literal) => {
        concat!(
            "SELECT id, agent_id, name, scopes, created_at, expires_at, last_used_at FROM agent_keys WHERE ",
            $column,
            " = $1 UNION ALL SELECT NULL, agent_id, NULL, NULL, created_at, NULL, last_used_at FROM credentials WHERE ",
            $column,
            " = $1"
        )
    };
}

#[boxed]
impl Identity {
    /// The key with this SHA-256 (in hex), expired or not.
    pub async fn credential(&self, key_hash: &str) -> Result<Option<Credential>, StoreError> {
        let row: Option<Row> = self.db.optional(keys_by!("key_hash"), values![key_hash]).await?;
        let Some(row) = row else { return Ok(None) };
        let (agent_id, key_id, scopes) = (parse(&row.agent_id)?, row.id()?, row.scopes());
        Ok(Some(Credential { agent_id, key_id, scopes, expires_at: row.expires_at, last_used_at: row.last_used_at }))
    }

    /// The keys of an agent: the primary one, then the named ones, oldest first.
    pub async fn keys_of(&self, agent_id: AgentId) -> Result<Vec<KeyView>, StoreError> {
        let rows: Vec<Row> = self.db.all(keys_by!("agent_id"), values![agent_id.to_string()]).await?;
        let keys = rows.into_iter().map(|row| {
            let (id, scopes) = (row.id()?, row.scopes());
            let Row { name, created_at, expires_at, last_used_at, .. } = row;
            Ok(KeyView { id, name: name.unwrap_or_default(), scopes, created_at, expires_at, last_used_at })
        });
        let mut keys = keys.collect::<Result<Vec<_>, StoreError>>()?;
        // Ids sort by time.
        keys.sort_by_key(|key| key.id);
        Ok(keys)
    }
}

/// Sets an agent's primary key.
pub(super) async fn set_primary(
    tx: &mut Tx<'_>,
    agent_id: AgentId,
    key_hash: &str,
    now: DateTime<Utc>,
) -> Result<(), StoreError> {
    tx.execute(
        "INSERT INTO credentials (agent_id, key_hash, created_at) VALUES ($1, $2, $3) ON CONFLICT (agent_id) \
         DO UPDATE SET key_hash = excluded.key_hash, created_at = excluded.created_at, last_used_at = NULL",
        values![agent_id.to_string(), key_hash, now],
    )
    .await?;
    Ok(())
}

/// Creates a named key.
pub(super) async fn create(tx: &mut Tx<'_>, key: &NewAgentKey) -> Result<(), StoreError> {
    tx.execute(
        "INSERT INTO agent_keys (id, agent_id, key_hash, name, scopes, created_at, expires_at) \
         VALUES ($1, $2, $3, $4, $5, $6, $7)",
        values![
            key.id.to_string(),
            key.agent_id.to_string(),
            &key.key_hash,
            &key.name,
            &key.scopes,
            key.created_at,
            key.expires_at
        ],
    )
    .await?;
    Ok(())
}

/// Deletes a named key, and ends its sessions.
pub(super) async fn revoke(tx: &mut Tx<'_>, agent_id: AgentId, key_id: KeyId) -> Result<(), StoreError> {
    let (agent_id, key_id) = (agent_id.to_string(), key_id.to_string());
    tx.execute("DELETE FROM agent_keys WHERE id = $1", values![&key_id]).await?;
    tx.execute("DELETE FROM sessions WHERE holder = $1 AND key_id = $2", values![agent_id, key_id]).await?;
    Ok(())
}

/// Ends the sessions of an agent that no named key has opened.
pub(super) async fn end_primary_sessions(tx: &mut Tx<'_>, agent_id: AgentId) -> Result<(), StoreError> {
    tx.execute("DELETE FROM sessions WHERE holder = $1 AND key_id IS NULL", values![agent_id.to_string()]).await?;
    Ok(())
}

/// Deletes all keys of an agent.
pub(super) async fn delete_all(tx: &mut Tx<'_>, agent_id: AgentId) -> Result<(), StoreError> {
    let agent_id = agent_id.to_string();
    tx.execute("DELETE FROM credentials WHERE agent_id = $1", values![&agent_id]).await?;
    tx.execute("DELETE FROM agent_keys WHERE agent_id = $1", values![&agent_id]).await?;
    Ok(())
}

/// Records that an agent has logged in with a key.
pub(super) async fn record_use(
    tx: &mut Tx<'_>,
    agent_id: AgentId,
    key_id: Option<KeyId>,
    now: DateTime<Utc>,
) -> Result<(), StoreError> {
    let named = "UPDATE agent_keys SET last_used_at = $2 WHERE id = $1";
    let primary = "UPDATE credentials SET last_used_at = $2 WHERE agent_id = $1";
    match key_id {
        Some(id) => tx.execute(named, values![id.to_string(), now]).await?,
        None => tx.execute(primary, values![agent_id.to_string(), now]).await?,
    };
    Ok(())
}
