//! Sessions of owners and agents, and their cache.
//!
//! **Invariant:** a cached session is used only while this process follows the log. Every change of a session is an event on the
//! stream of the session, its holder or its holder's owner, and invalidates the cached session in every process.

use std::{sync::Arc, time::Duration};

use buildtrack_domain::{
    actors::{Actor, ActorId, ActorKind},
    ids::{AgentId, OwnerId, SessionId},
    limits::Tier,
};
use chrono::{DateTime, TimeDelta, Utc};

use crate::{
    Store, StoreError,
    database::read,
    kept::Kept,
    log::changes::{Changes, REMEMBERED},
};

const CAPACITY: u64 = 20_000;
/// How many tokens are cached as valid or as unknown, by their SHA-256 alone.
const TOKENS: u64 = 100_000;
/// How long a token is cached as valid: as long as a session lasts.
const VALID: Duration = Duration::from_hours(24);
/// Precision of a session's time of last use.
const USE_PRECISION: TimeDelta = TimeDelta::minutes(10);

/// A permission of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// Read the caller's own data.
    Read,
    /// Write.
    Write,
    /// Manage webhooks.
    Webhooks,
}

impl Scope {
    /// All scopes.
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

/// A valid session with its holder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    /// The session's id.
    pub id: SessionId,
    /// The agent or owner that holds it, with the current name.
    pub actor: Actor,
    /// The agent's owner, or the owner.
    pub owner_id: OwnerId,
    /// The rate limit class; that of owners is `pro`.
    pub tier: Tier,
    /// The session's permissions.
    pub scopes: Vec<Scope>,
    /// Whether its holder may moderate.
    pub operator: bool,
    /// The suspended actor: the holder or its owner. A suspended session permits no request.
    pub suspended: Option<ActorId>,
    /// The version of the holder's stream when the session was read.
    pub version: i64,
    /// The version of the stream of the holder's owner when the session was read; equal to `version` where an owner is the holder.
    pub owner_version: i64,
    /// When it expires.
    pub expires_at: DateTime<Utc>,
}

/// A session, as listed for its holder.
#[derive(Debug, Clone, sqlx::FromRow)]
pub struct SessionView {
    /// The session's id.
    #[sqlx(try_from = "String")]
    pub id: SessionId,
    /// The scopes, separated by spaces.
    pub scopes: String,
    /// When it was opened.
    pub created_at: DateTime<Utc>,
    /// When it was used last, to within ten minutes; none before its first request.
    pub last_used_at: Option<DateTime<Utc>>,
    /// When it expires.
    pub expires_at: DateTime<Utc>,
}

#[derive(Clone)]
struct Cached {
    session: Arc<Session>,
    /// The count of changes when it was read.
    read_at: u64,
}

/// The cache's information about a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CachedToken {
    /// The database knew it at the last lookup, up to a day ago.
    Valid,
    /// The database did not know it at a recent lookup.
    Invalid,
    /// It has not been looked up, or not for a long time.
    Unknown,
}

/// Cache: token hash → session. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Sessions {
    cached: moka::sync::Cache<String, Cached>,
    /// Tokens that were valid, and tokens that the database did not know.
    valid: moka::sync::Cache<String, ()>,
    invalid: moka::sync::Cache<String, ()>,
    changes: Changes,
}

impl Sessions {
    pub(crate) fn new(changes: Changes) -> Self {
        let cached = moka::sync::Cache::builder().max_capacity(CAPACITY).time_to_live(REMEMBERED).build();
        let valid = moka::sync::Cache::builder().max_capacity(TOKENS).time_to_live(VALID).build();
        let invalid = moka::sync::Cache::builder().max_capacity(TOKENS).time_to_live(REMEMBERED).build();
        Self { cached, valid, invalid, changes }
    }

    /// Caches whether the database knew a token.
    fn cache_validity(&self, token_hash: &str, valid: bool) {
        let (cache, opposite) = if valid { (&self.valid, &self.invalid) } else { (&self.invalid, &self.valid) };
        cache.insert(token_hash.to_owned(), ());
        opposite.invalidate(token_hash);
    }

    fn cached(&self, token_hash: &str) -> CachedToken {
        if self.invalid.contains_key(token_hash) {
            return CachedToken::Invalid;
        }
        if self.valid.contains_key(token_hash) { CachedToken::Valid } else { CachedToken::Unknown }
    }

    fn get(&self, token_hash: &str) -> Option<Arc<Session>> {
        let Cached { session, read_at } = self.cached.get(token_hash)?;
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
    /// The cache's information about the token with this SHA-256, without a database query.
    pub fn cached_token(&self, token_hash: &str) -> CachedToken {
        self.sessions.cached(token_hash)
    }

    /// Caches a token that this process has just issued as valid, so that its first use does not count as a guess.
    pub fn remember_issued(&self, token_hash: &str) {
        self.sessions.cache_validity(token_hash, true);
    }

    /// The session of the token with this SHA-256; none where it is not valid now. `fresh` bypasses the cache.
    pub async fn session(&self, token_hash: &str, fresh: bool) -> Result<Option<Arc<Session>>, StoreError> {
        let now = self.clock.now();
        if !fresh
            && self.tail.is_current()
            && let Some(session) = self.sessions.get(token_hash)
        {
            return Ok((session.expires_at > now).then_some(session));
        }
        // A token is random and committed before its holder receives it, so an unknown token stays unknown.
        if !fresh && self.cached_token(token_hash) == CachedToken::Invalid {
            return Ok(None);
        }
        let read_at = self.sessions.changes.now();
        let found = self.stored_session(token_hash, now).await?.map(Arc::new);
        self.sessions.cache_validity(token_hash, found.is_some());
        let Some(session) = found else { return Ok(None) };
        self.sessions.cached.insert(token_hash.to_owned(), Cached { session: session.clone(), read_at });
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
        if last_used_at.is_none_or(|last| now - last >= USE_PRECISION) {
            self.record_use(id);
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

    /// The unexpired sessions of an agent or owner, newest first.
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

    /// Records the use of a session in the background, because the request need not wait for it.
    fn record_use(&self, id: SessionId) {
        let store = self.clone();
        tokio::spawn(async move {
            if let Err(error) = store.keep(vec![Kept::SessionUsed { id }]).await {
                tracing::debug!(%error, "could not record the use of a session");
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
