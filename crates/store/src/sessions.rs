//! Sessions of owners and agents, and the memory of them.
//!
//! **Invariant:** a remembered session counts only while this process follows the log; whatever ends or changes a
//! session is an event of its holder's or its own stream, and makes every process forget it.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use buildtrack_domain::{
    actors::{Actor, ActorId, ActorKind},
    ids::{AgentId, OwnerId, SessionId},
    limits::Tier,
};
use chrono::{DateTime, Utc};

use crate::{Store, StoreError, db::read};

const REMEMBERED: Duration = Duration::from_mins(1);
const CAPACITY: u64 = 20_000;

/// What a session may be used for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// See what is the caller's own.
    Read,
    /// Act.
    Write,
    /// Manage webhooks.
    Webhooks,
}

impl Scope {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Read, Self::Write, Self::Webhooks];

    /// The wire name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Webhooks => "webhooks",
        }
    }
}

/// Who holds a valid token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    /// The session.
    pub id: SessionId,
    /// The agent or owner, as shown now.
    pub actor: Actor,
    /// The agent's owner, or the owner.
    pub owner_id: OwnerId,
    /// The allowance; owners have that of `pro`.
    pub tier: Tier,
    /// What it may be used for.
    pub scopes: Vec<Scope>,
    /// Whether its holder may moderate.
    pub operator: bool,
    /// The version of the holder's stream that this was read from.
    pub version: i64,
    /// When it ends by itself.
    pub expires_at: DateTime<Utc>,
}

#[derive(Clone)]
struct Remembered {
    session: Arc<Session>,
    /// The count of changes when it was read.
    read_at: u64,
}

/// Token hash → session, and when which stream changed last.
#[derive(Clone)]
pub(crate) struct Sessions {
    known: moka::sync::Cache<String, Remembered>,
    changed: moka::sync::Cache<String, u64>,
    changes: Arc<AtomicU64>,
}

impl Sessions {
    pub(crate) fn new() -> Self {
        Self {
            known: moka::sync::Cache::builder().max_capacity(CAPACITY).time_to_live(REMEMBERED).build(),
            // A change is remembered longer than any session that was read before it.
            changed: moka::sync::Cache::builder().time_to_live(REMEMBERED * 2).build(),
            changes: Arc::new(AtomicU64::new(1)),
        }
    }

    pub(crate) fn forget(&self, stream: &str) {
        let change = self.changes.fetch_add(1, Ordering::SeqCst) + 1;
        self.changed.insert(stream.to_owned(), change);
    }

    pub(crate) fn forget_all(&self) {
        self.known.invalidate_all();
        self.forget("*");
    }

    fn get(&self, token_hash: &str) -> Option<Arc<Session>> {
        let Remembered { session, read_at } = self.known.get(token_hash)?;
        let unchanged = |stream: &str| self.changed.get(stream).is_none_or(|change| change <= read_at);
        let valid = unchanged("*") && unchanged(&session.actor.id.to_string()) && unchanged(&session.id.to_string());
        valid.then_some(session)
    }
}

#[derive(sqlx::FromRow)]
struct SessionRow {
    #[sqlx(try_from = "String")]
    id: SessionId,
    #[sqlx(try_from = "String")]
    holder: ActorId,
    scopes: String,
    expires_at: DateTime<Utc>,
}

#[derive(sqlx::FromRow)]
struct AgentHolder {
    #[sqlx(try_from = "String")]
    owner_id: OwnerId,
    name: String,
    model: String,
    #[sqlx(try_from = "String")]
    tier: Tier,
    version: i64,
}

impl Store {
    /// Who holds the token with this SHA-256, if it is valid now. `fresh` asks the database in any case.
    pub async fn session(&self, token_hash: &str, fresh: bool) -> Result<Option<Arc<Session>>, StoreError> {
        let now = self.clock.now();
        if !fresh
            && self.tail.is_current()
            && let Some(session) = self.sessions.get(token_hash)
        {
            return Ok((session.expires_at > now).then_some(session));
        }
        let read_at = self.sessions.changes.load(Ordering::SeqCst);
        let Some(session) = self.stored_session(token_hash, now).await?.map(Arc::new) else { return Ok(None) };
        self.sessions.known.insert(token_hash.to_owned(), Remembered { session: session.clone(), read_at });
        Ok(Some(session))
    }

    async fn stored_session(&self, token_hash: &str, now: DateTime<Utc>) -> Result<Option<Session>, StoreError> {
        let row: Option<SessionRow> = read!(&self.db, |pool| {
            sqlx::query_as(
                "SELECT id, holder, scopes, expires_at FROM sessions WHERE token_hash = $1 AND expires_at > $2",
            )
            .bind(token_hash)
            .bind(now)
            .fetch_optional(pool)
            .await?
        });
        let Some(SessionRow { id, holder, scopes, expires_at }) = row else { return Ok(None) };
        let scopes =
            Scope::ALL.into_iter().filter(|scope| scopes.split(' ').any(|name| name == scope.as_str())).collect();
        match holder {
            ActorId::Agent(agent_id) => {
                let Some(holder) = self.agent_holder(agent_id).await? else { return Ok(None) };
                let AgentHolder { owner_id, name, model, tier, version } = holder;
                let actor = Actor { id: agent_id.into(), name, kind: ActorKind::AiAgent, model: Some(model) };
                Ok(Some(Session { id, actor, owner_id, tier, scopes, operator: false, version, expires_at }))
            }
            ActorId::Owner(owner_id) => {
                let Some(owner) = self.owner(owner_id).await? else { return Ok(None) };
                let actor =
                    Actor { id: owner_id.into(), name: owner.display_name, kind: ActorKind::Human, model: None };
                let (operator, version) = (owner.operator, owner.version);
                Ok(Some(Session { id, actor, owner_id, tier: Tier::Pro, scopes, operator, version, expires_at }))
            }
        }
    }

    async fn agent_holder(&self, agent_id: AgentId) -> Result<Option<AgentHolder>, StoreError> {
        Ok(read!(&self.db, |pool| {
            sqlx::query_as("SELECT owner_id, name, model, tier, version FROM agents WHERE id = $1 AND active")
                .bind(agent_id.to_string())
                .fetch_optional(pool)
                .await?
        }))
    }

    /// Removes up to `limit` sessions and as many stored answers whose time is over.
    pub async fn prune(&self, limit: i64) -> Result<(), StoreError> {
        self.keep(vec![crate::Kept::Expired { limit }]).await
    }
}
