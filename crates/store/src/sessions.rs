//! Sessions of owners and agents, and the memory of them.
//!
//! **Invariant:** a remembered session counts only while this process follows the log; whatever ends or changes a
//! session is an event of its holder's, its holder's owner's or its own stream, and makes every process forget it.

use std::{sync::Arc, time::Duration};

use buildtrack_domain::{
    actors::{Actor, ActorId, ActorKind},
    ids::{AgentId, OwnerId, SessionId},
    limits::Tier,
};
use chrono::{DateTime, TimeDelta, Utc};

use crate::{
    Kept, Store, StoreError,
    changes::{Changes, REMEMBERED},
    db::read,
};

const CAPACITY: u64 = 20_000;
/// How many tokens are remembered as valid or as unknown, by their SHA-256 alone.
const TOKENS: u64 = 100_000;
/// How long a token is remembered to have been valid: as long as a session lasts.
const VALID: Duration = Duration::from_hours(24);
/// How exactly it is known when a session was used last.
const USE_NOTED: TimeDelta = TimeDelta::minutes(10);

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
    /// Who of them operators keep out, if either: the holder or its owner. Then it is good for nothing.
    pub suspended: Option<ActorId>,
    /// The version of the holder's stream that this was read from.
    pub version: i64,
    /// The version of its owner's stream that this was read from; the same as `version` where an owner holds it.
    pub owner_version: i64,
    /// When it ends by itself.
    pub expires_at: DateTime<Utc>,
}

/// A session, as its holder sees it.
#[derive(Debug, Clone, sqlx::FromRow)]
pub struct SessionView {
    /// The session.
    #[sqlx(try_from = "String")]
    pub id: SessionId,
    /// What it may be used for, separated by spaces.
    pub scopes: String,
    /// When it was opened.
    pub created_at: DateTime<Utc>,
    /// When it was used last, to within ten minutes; none before its first request.
    pub last_used_at: Option<DateTime<Utc>>,
    /// When it ends by itself.
    pub expires_at: DateTime<Utc>,
}

#[derive(Clone)]
struct Remembered {
    session: Arc<Session>,
    /// The count of changes when it was read.
    read_at: u64,
}

/// What this process knows of a token without the database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenMemory {
    /// It was valid when it was looked up last, up to a day ago.
    Valid,
    /// The database did not know it a moment ago.
    Invalid,
    /// It was not looked up yet, or long ago.
    Unknown,
}

/// Token hash → session.
#[derive(Clone)]
pub(crate) struct Sessions {
    known: moka::sync::Cache<String, Remembered>,
    /// Tokens that were valid, and tokens that the database did not know.
    valid: moka::sync::Cache<String, ()>,
    invalid: moka::sync::Cache<String, ()>,
    changes: Changes,
}

impl Sessions {
    pub(crate) fn new(changes: Changes) -> Self {
        let known = moka::sync::Cache::builder().max_capacity(CAPACITY).time_to_live(REMEMBERED).build();
        let valid = moka::sync::Cache::builder().max_capacity(TOKENS).time_to_live(VALID).build();
        let invalid = moka::sync::Cache::builder().max_capacity(TOKENS).time_to_live(REMEMBERED).build();
        Self { known, valid, invalid, changes }
    }

    /// Remembers what the database said of a token.
    fn remember(&self, token_hash: &str, valid: bool) {
        let (now, no_longer) = if valid { (&self.valid, &self.invalid) } else { (&self.invalid, &self.valid) };
        now.insert(token_hash.to_owned(), ());
        no_longer.invalidate(token_hash);
    }

    fn memory_of(&self, token_hash: &str) -> TokenMemory {
        if self.invalid.contains_key(token_hash) {
            return TokenMemory::Invalid;
        }
        if self.valid.contains_key(token_hash) { TokenMemory::Valid } else { TokenMemory::Unknown }
    }

    fn get(&self, token_hash: &str) -> Option<Arc<Session>> {
        let Remembered { session, read_at } = self.known.get(token_hash)?;
        let (holder, id) = (session.actor.id.to_string(), session.id.to_string());
        let owner = session.owner_id.to_string();
        self.changes.none_since(read_at, &[&holder, &id, &owner]).then_some(session)
    }
}

#[derive(sqlx::FromRow)]
struct SessionRow {
    #[sqlx(try_from = "String")]
    id: SessionId,
    #[sqlx(try_from = "String")]
    holder: ActorId,
    scopes: String,
    last_used_at: Option<DateTime<Utc>>,
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
    suspended: bool,
    owner_suspended: bool,
    version: i64,
    owner_version: i64,
}

impl Store {
    /// What this process knows of the token with this SHA-256; the database is not asked.
    pub fn token_memory(&self, token_hash: &str) -> TokenMemory {
        self.sessions.memory_of(token_hash)
    }

    /// Remembers a token that this process has just issued as valid, so that its first use is not taken for a guess.
    pub fn remember_issued(&self, token_hash: &str) {
        self.sessions.remember(token_hash, true);
    }

    /// Who holds the token with this SHA-256, if it is valid now. `fresh` asks the database in any case.
    pub async fn session(&self, token_hash: &str, fresh: bool) -> Result<Option<Arc<Session>>, StoreError> {
        let now = self.clock.now();
        if !fresh
            && self.tail.is_current()
            && let Some(session) = self.sessions.get(token_hash)
        {
            return Ok((session.expires_at > now).then_some(session));
        }
        // A token is random, and committed before anyone has it: one that was unknown stays unknown.
        if !fresh && self.token_memory(token_hash) == TokenMemory::Invalid {
            return Ok(None);
        }
        let read_at = self.sessions.changes.now();
        let found = self.stored_session(token_hash, now).await?.map(Arc::new);
        self.sessions.remember(token_hash, found.is_some());
        let Some(session) = found else { return Ok(None) };
        self.sessions.known.insert(token_hash.to_owned(), Remembered { session: session.clone(), read_at });
        Ok(Some(session))
    }

    async fn stored_session(&self, token_hash: &str, now: DateTime<Utc>) -> Result<Option<Session>, StoreError> {
        let row: Option<SessionRow> = read!(&self.db, |pool| {
            sqlx::query_as(
                "SELECT id, holder, scopes, last_used_at, expires_at FROM sessions WHERE token_hash = $1 AND expires_at > $2",
            )
            .bind(token_hash)
            .bind(now)
            .fetch_optional(pool)
            .await?
        });
        let Some(SessionRow { id, holder, scopes, last_used_at, expires_at }) = row else { return Ok(None) };
        if last_used_at.is_none_or(|last| now - last >= USE_NOTED) {
            self.note_use(id);
        }
        let scopes =
            Scope::ALL.into_iter().filter(|scope| scopes.split(' ').any(|name| name == scope.as_str())).collect();
        match holder {
            ActorId::Agent(agent_id) => {
                let Some(holder) = self.agent_holder(agent_id).await? else { return Ok(None) };
                let AgentHolder { owner_id, name, model, tier, suspended, owner_suspended, version, owner_version } =
                    holder;
                let own = suspended.then_some(ActorId::from(agent_id));
                let suspended = own.or(owner_suspended.then_some(owner_id.into()));
                let actor = Actor { id: agent_id.into(), name, kind: ActorKind::AiAgent, model: Some(model) };
                let operator = false;
                Ok(Some(Session {
                    id,
                    actor,
                    owner_id,
                    tier,
                    scopes,
                    operator,
                    suspended,
                    version,
                    owner_version,
                    expires_at,
                }))
            }
            ActorId::Owner(owner_id) => {
                let Some(owner) = self.owner(owner_id).await? else { return Ok(None) };
                let actor =
                    Actor { id: owner_id.into(), name: owner.display_name, kind: ActorKind::Human, model: None };
                let (operator, version) = (owner.operator, owner.version);
                let suspended = owner.suspended.then_some(ActorId::from(owner_id));
                Ok(Some(Session {
                    id,
                    actor,
                    owner_id,
                    tier: Tier::Pro,
                    scopes,
                    operator,
                    suspended,
                    version,
                    owner_version: version,
                    expires_at,
                }))
            }
        }
    }

    /// The sessions of an agent or owner that run now, the newest first.
    pub async fn sessions_of(&self, holder: ActorId) -> Result<Vec<SessionView>, StoreError> {
        Ok(read!(&self.db, |pool| {
            sqlx::query_as(
                "SELECT id, scopes, created_at, last_used_at, expires_at FROM sessions \
                 WHERE holder = $1 AND expires_at > $2 ORDER BY created_at DESC, id DESC",
            )
            .bind(holder.to_string())
            .bind(self.clock.now())
            .fetch_all(pool)
            .await?
        }))
    }

    /// Notes that a session is in use, beside the request that uses it: that is worth no wait.
    fn note_use(&self, id: SessionId) {
        let store = self.clone();
        tokio::spawn(async move {
            if let Err(error) = store.keep(vec![Kept::SessionUsed { id }]).await {
                tracing::debug!(%error, "the use of a session was not noted");
            }
        });
    }

    async fn agent_holder(&self, agent_id: AgentId) -> Result<Option<AgentHolder>, StoreError> {
        Ok(read!(&self.db, |pool| {
            sqlx::query_as(
                "SELECT owner_id, name, model, tier, agents.suspended, owners.suspended AS owner_suspended, \
                 agents.version, owners.version AS owner_version FROM agents JOIN owners ON owners.id = owner_id \
                 WHERE agents.id = $1 AND NOT agents.deactivated",
            )
            .bind(agent_id.to_string())
            .fetch_optional(pool)
            .await?
        }))
    }
}
