//! The side table of origins: who made what acts for an agent, and under which consent.
//!
//! **Invariant:** the transaction that ends a consent marks everything that was made under it, unless the owner keeps it. Arena tokens and
//! push notification configs end in that transaction; the worker ends the rest, which changes streams. **Invariant:** the rows are bounded
//! with the things: each is written with its thing, and replaced or deleted with it. That of a webhook endpoint stays while the endpoint is
//! disabled, so that enabling it does not hide who gave it its address.

use buildtrack_domain::{
    identity::{Access, AccessKind},
    ids::{AgentId, OwnerId, SessionId},
    words,
};
use buildtrack_macros::boxed;
use chrono::{DateTime, Utc};

use crate::{
    StoreError,
    database::{Due, DueCursor, FromRow, Tx, Value, columns::parse, values},
    identity::Identity,
};

/// The maker of what a session of the primary key made.
pub const PRIMARY_KEY: &str = "primary";

words! {
    /// How something was made.
    pub enum Making {
        /// By a client, under a consent.
        Grant = "grant",
        /// By a session of one of the agent's keys.
        Key = "key",
        /// By a session of the owner.
        Session = "session",
    }
}

/// The origin of something that is made, to be stored. It replaces that of what was there before.
#[derive(Debug, Clone)]
pub struct NewOrigin {
    /// What is made.
    pub access: Access,
    /// The session that makes it. Its consent, or else its key, is the maker.
    pub session_id: SessionId,
    /// The owner, if the session is the owner's.
    pub owner_id: Option<OwnerId>,
}

/// Where something comes from, as stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OriginView {
    /// What was made.
    pub access: Access,
    /// How it was made.
    pub making: Making,
    /// The id of the consent, of the named key or of the owner, or [`PRIMARY_KEY`].
    pub maker: String,
    /// The name of the client or of the named key at that time; empty for other makers.
    pub name: String,
    /// When it was made.
    pub made_at: DateTime<Utc>,
    /// When the owner decided that it outlasts its consent, if so.
    pub kept_at: Option<DateTime<Utc>>,
    /// When its consent ended, if it falls with it.
    pub ended_at: Option<DateTime<Utc>>,
}

#[derive(FromRow)]
struct Row {
    kind: String,
    subject: String,
    agent_id: String,
    how: String,
    maker: String,
    name: String,
    made_at: DateTime<Utc>,
    kept_at: Option<DateTime<Utc>>,
    ended_at: Option<DateTime<Utc>>,
}

impl Row {
    fn view(self) -> Result<OriginView, StoreError> {
        let Self { kind, subject, agent_id, how, maker, name, made_at, kept_at, ended_at } = self;
        let access = Access { kind: parse(&kind)?, subject, agent_id: parse(&agent_id)? };
        Ok(OriginView { access, making: parse(&how)?, maker, name, made_at, kept_at, ended_at })
    }
}

#[boxed]
impl Identity {
    /// The origins of what acts for an agent. What was made before origins were recorded has none.
    pub async fn origins_of(&self, agent_id: AgentId) -> Result<Vec<OriginView>, StoreError> {
        let statement = "SELECT kind, subject, agent_id, how, maker, name, made_at, kept_at, ended_at FROM origins \
                         WHERE agent_id = $1 ORDER BY kind, subject";
        let rows: Vec<Row> = self.db.all(statement, values![agent_id.to_string()]).await?;
        rows.into_iter().map(Row::view).collect()
    }

    /// The origin of one thing.
    pub async fn origin(&self, kind: AccessKind, subject: &str) -> Result<Option<OriginView>, StoreError> {
        let statement = "SELECT kind, subject, agent_id, how, maker, name, made_at, kept_at, ended_at FROM origins \
                         WHERE kind = $1 AND subject = $2";
        let row: Option<Row> = self.db.optional(statement, values![kind.as_str(), subject]).await?;
        row.map(Row::view).transpose()
    }

    /// Whether something has fallen with its consent: it is marked, or its consent does not exist any more.
    pub async fn has_fallen(&self, origin: &OriginView) -> Result<bool, StoreError> {
        if origin.ended_at.is_some() || origin.making != Making::Grant || origin.kept_at.is_some() {
            return Ok(origin.ended_at.is_some());
        }
        let statement = "SELECT NOT EXISTS (SELECT 1 FROM consents WHERE id = $1)";
        self.db.one(statement, values![&origin.maker]).await
    }

    /// Up to `limit` things that have fallen with their consent and still act, after a cursor, longest ended first. A webhook endpoint acts
    /// while it is enabled.
    pub async fn ended_access(&self, after: Option<DueCursor>, limit: i64) -> Result<Vec<Due<Access>>, StoreError> {
        let select = "SELECT due_at, id, agent_id FROM (SELECT coalesce(ended_at, made_at) AS due_at, \
                      kind || '/' || subject AS id, agent_id FROM origins WHERE (ended_at IS NOT NULL \
                      OR how = 'grant' AND kept_at IS NULL AND NOT EXISTS (SELECT 1 FROM consents WHERE consents.id = origins.maker)) \
                      AND (kind <> 'webhook' OR EXISTS (SELECT 1 FROM webhooks WHERE webhooks.id = origins.subject \
                      AND webhooks.url IS NOT NULL AND webhooks.disabled_reason IS NULL))) AS ended WHERE due_at <= $1";
        let rows = self.db.due(self.clock.now(), select, after, limit).await?;
        let due = |(due_at, key, agent_id): (_, String, String)| Due { item: access(&key, &agent_id), due_at, key };
        Ok(rows.into_iter().map(due).collect())
    }
}

fn access(key: &str, agent_id: &str) -> Result<Access, StoreError> {
    let (kind, subject) = key.split_once('/').unwrap_or_default();
    Ok(Access { kind: parse(kind)?, subject: subject.to_owned(), agent_id: parse(agent_id)? })
}

/// Stores an origin. The consent and the key are those of the session at the time of the commit. What a session makes at the moment of its
/// end falls at once.
pub(super) async fn record(tx: &mut Tx<'_>, origin: &NewOrigin, now: DateTime<Utc>) -> Result<(), StoreError> {
    let NewOrigin { access: Access { kind, subject, agent_id }, session_id, owner_id } = origin;
    tx.execute(
        "INSERT INTO origins (kind, subject, agent_id, how, maker, name, made_at, ended_at) SELECT $1, $2, $3, \
         CASE WHEN consents.id IS NOT NULL THEN 'grant' WHEN CAST($4 AS TEXT) IS NOT NULL THEN 'session' ELSE 'key' END, \
         coalesce(consents.id, $4, sessions.key_id, $5), coalesce(consents.client_name, agent_keys.name, ''), $6, \
         CASE WHEN consents.id IS NULL AND sessions.id IS NULL THEN $6 END FROM (SELECT CAST($7 AS TEXT) AS id) AS maker LEFT JOIN consents ON consents.session_id = maker.id \
         LEFT JOIN sessions ON sessions.id = maker.id LEFT JOIN agent_keys ON agent_keys.id = sessions.key_id WHERE true \
         ON CONFLICT (kind, subject) DO UPDATE SET agent_id = excluded.agent_id, how = excluded.how, maker = excluded.maker, \
         name = excluded.name, made_at = excluded.made_at, kept_at = NULL, ended_at = excluded.ended_at",
        values![
            kind.as_str(),
            subject,
            agent_id.to_string(),
            owner_id.map(|owner_id| owner_id.to_string()),
            PRIMARY_KEY,
            now,
            session_id.to_string(),
        ],
    )
    .await?;
    Ok(())
}

/// Lets something outlast its consent, if it is what was made at this time.
pub(super) async fn keep(
    tx: &mut Tx<'_>,
    access: &Access,
    made_at: DateTime<Utc>,
    now: DateTime<Utc>,
) -> Result<(), StoreError> {
    tx.execute(
        "UPDATE origins SET kept_at = coalesce(kept_at, $4) WHERE kind = $1 AND subject = $2 AND agent_id = $3 \
         AND how = 'grant' AND ended_at IS NULL AND made_at = $5",
        values![access.kind.as_str(), &access.subject, access.agent_id.to_string(), now, made_at],
    )
    .await?;
    Ok(())
}

/// Lets something fall with its consent. It falls now if the consent has ended.
pub(super) async fn release(tx: &mut Tx<'_>, access: &Access, now: DateTime<Utc>) -> Result<(), StoreError> {
    let (kind, subject, agent_id) = (access.kind.as_str(), &access.subject, access.agent_id.to_string());
    tx.execute(
        "UPDATE origins SET ended_at = $4 WHERE kind = $1 AND subject = $2 AND agent_id = $3 AND kept_at IS NOT NULL \
         AND NOT EXISTS (SELECT 1 FROM consents WHERE consents.id = origins.maker)",
        values![kind, subject, &agent_id, now],
    )
    .await?;
    tx.execute(
        "UPDATE origins SET kept_at = NULL WHERE kind = $1 AND subject = $2 AND agent_id = $3",
        values![kind, subject, &agent_id],
    )
    .await?;
    end_marked(tx).await
}

/// Deletes the origin of something that is gone.
pub(super) async fn delete(tx: &mut Tx<'_>, access: &Access) -> Result<(), StoreError> {
    tx.execute(
        "DELETE FROM origins WHERE kind = $1 AND subject = $2 AND agent_id = $3",
        values![access.kind.as_str(), &access.subject, access.agent_id.to_string()],
    )
    .await?;
    Ok(())
}

/// Deletes the consents for which a condition with these values holds, and marks what was made under them.
pub(super) async fn end_consents(
    tx: &mut Tx<'_>,
    condition: &str,
    values: &[Value<'_>],
    now: DateTime<Utc>,
) -> Result<(), StoreError> {
    let marked = format!(
        "UPDATE origins SET ended_at = ${} WHERE how = 'grant' AND kept_at IS NULL AND ended_at IS NULL \
         AND maker IN (SELECT id FROM consents WHERE {condition})",
        values.len() + 1
    );
    let values_and_now: Vec<_> = values.iter().cloned().chain([now.into()]).collect();
    tx.execute(&marked, &values_and_now).await?;
    tx.execute(&format!("DELETE FROM consents WHERE {condition}"), values).await?;
    end_marked(tx).await
}

/// Ends what needs no event, of what is marked: arena tokens and push notification configs.
async fn end_marked(tx: &mut Tx<'_>) -> Result<(), StoreError> {
    tx.execute(
        "UPDATE arena_agents SET token_hash = NULL, token_created_at = NULL WHERE agent_id IN \
         (SELECT subject FROM origins WHERE ended_at IS NOT NULL AND kind = 'arena_token')",
        &[],
    )
    .await?;
    tx.execute("DELETE FROM task_pushes WHERE requester_id IN (SELECT agent_id FROM origins WHERE ended_at IS NOT NULL \
         AND kind = 'push_config') AND exchange_id || ':' || id IN (SELECT subject FROM origins WHERE ended_at IS NOT NULL \
         AND kind = 'push_config')", &[]).await?;
    tx.execute("DELETE FROM origins WHERE ended_at IS NOT NULL AND kind IN ('arena_token', 'push_config')", &[])
        .await?;
    Ok(())
}
