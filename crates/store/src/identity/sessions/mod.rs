//! Sessions of owners and agents.

mod cache;
mod rows;

pub use cache::CachedToken;
pub(crate) use cache::Sessions;
pub(super) use rows::{NewSession, create, end_of_owner, end_others, has_expired, prune};

use std::sync::Arc;

use buildtrack_domain::{
    actors::{Actor, ActorId, ActorKind},
    ids::{AgentId, OwnerId, SessionId},
    limits::Tier,
    words,
};
use buildtrack_macros::boxed;
use chrono::{DateTime, TimeDelta, Utc};

use super::Change;
use crate::{
    StoreError,
    database::{FromRow, values},
    identity::Identity,
};

/// Precision of a session's time of last use.
const USE_PRECISION: TimeDelta = TimeDelta::minutes(10);

words! {
    /// A permission of a session.
    pub enum Scope {
        /// Read the caller's own data.
        Read = "read",
        /// Write.
        Write = "write",
        /// Manage webhooks.
        Webhooks = "webhooks",
    }
}

impl Scope {
    /// The scopes whose wire names a text lists, separated by spaces.
    pub(super) fn listed(text: &str) -> Vec<Self> {
        Self::ALL.into_iter().filter(|scope| text.split(' ').any(|name| name == scope.as_str())).collect()
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
#[derive(Debug, Clone, FromRow)]
pub struct SessionView {
    /// The session's id.
    #[column(from = String)]
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

#[derive(FromRow)]
struct SessionRow {
    #[column(from = String)]
    id: SessionId,
    #[column(from = String)]
    holder: ActorId,
    scopes: String,
    last_used_at: Option<DateTime<Utc>>,
    expires_at: DateTime<Utc>,
}

#[derive(FromRow)]
struct AgentHolder {
    #[column(from = String)]
    owner_id: OwnerId,
    name: String,
    model: String,
    #[column(from = String)]
    tier: Tier,
    suspended: bool,
    owner_suspended: bool,
    version: i64,
    owner_version: i64,
}

#[boxed]
impl Identity {
    /// The cache's information about the token with this SHA-256, without a database query.
    pub fn cached_token(&self, token_hash: &str) -> CachedToken {
        self.sessions.cached(token_hash)
    }

    /// Caches a token that this process has just issued as valid, so that its first use does not count as a guess.
    pub fn cache_issued_token(&self, token_hash: &str) {
        self.sessions.cache_validity(token_hash, true);
    }

    /// Forgets that a token was valid, so that its next use counts as a guess.
    pub fn cache_refused_token(&self, token_hash: &str) {
        self.sessions.cache_validity(token_hash, false);
    }

    /// The session of the token with this SHA-256; none where it is not valid now. `fresh` bypasses the cache.
    pub async fn session(&self, token_hash: &str, fresh: bool) -> Result<Option<Arc<Session>>, StoreError> {
        let now = self.clock.now();
        if !fresh
            && self.log.tail.is_current()
            && let Some(session) = self.sessions.get(token_hash)
        {
            return Ok((session.expires_at > now).then_some(session));
        }
        // A token is random and committed before its holder receives it, so an unknown token stays unknown.
        if !fresh && self.cached_token(token_hash) == CachedToken::Invalid {
            return Ok(None);
        }
        let read_at = self.sessions.count_changes();
        let found = self.stored_session(token_hash, now).await?.map(Arc::new);
        self.sessions.cache_validity(token_hash, found.is_some());
        let Some(session) = found else { return Ok(None) };
        self.sessions.insert(token_hash, session.clone(), read_at);
        Ok(Some(session))
    }

    async fn stored_session(&self, token_hash: &str, now: DateTime<Utc>) -> Result<Option<Session>, StoreError> {
        let row: Option<SessionRow> = self
            .db
            .optional(
                "SELECT id, holder, scopes, last_used_at, expires_at FROM sessions WHERE token_hash = $1 AND expires_at > $2",
                values![token_hash, now],
            )
            .await?;
        let Some(SessionRow { id, holder, scopes, last_used_at, expires_at }) = row else { return Ok(None) };
        if last_used_at.is_none_or(|last| now - last >= USE_PRECISION) {
            self.record_use(id);
        }
        let scopes = Scope::listed(&scopes);
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
        self.db
            .all(
                "SELECT id, scopes, created_at, last_used_at, expires_at FROM sessions \
                 WHERE holder = $1 AND expires_at > $2 ORDER BY created_at DESC, id DESC",
                values![holder.to_string(), self.clock.now()],
            )
            .await
    }

    /// Records the use of a session in the background, because the request need not wait for it.
    fn record_use(&self, id: SessionId) {
        let log = self.log.clone();
        tokio::spawn(async move {
            if let Err(error) = log.write_side([Change::SessionUsed { id }]).await {
                tracing::debug!(%error, "could not record the use of a session");
            }
        });
    }

    async fn agent_holder(&self, agent_id: AgentId) -> Result<Option<AgentHolder>, StoreError> {
        self.db
            .optional(
                "SELECT owner_id, name, model, tier, agents.suspended, owners.suspended AS owner_suspended, \
                 agents.version, owners.version AS owner_version FROM agents JOIN owners ON owners.id = owner_id \
                 WHERE agents.id = $1 AND NOT agents.deactivated",
                values![agent_id.to_string()],
            )
            .await
    }
}
