//! The open rights of this process: each is shared by all that a credential keeps open, and is ended once.

use std::{
    collections::{HashMap, HashSet},
    future::pending,
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak},
};

use buildtrack_domain::{actors::ActorId, ids::AgentId};
use buildtrack_store::{Store, StoreError};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

/// What a caller was admitted by. Tokens are stored as their SHA-256.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Credential {
    /// The token of a session.
    Session(Arc<str>),
    /// The arena token of an agent.
    ArenaToken(Arc<str>, AgentId),
    /// The token of a round, for an agent and until a time, in seconds.
    Round(AgentId, i64),
}

/// Why a right ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// The session ended, was replaced or has expired, or its agent is deactivated.
    SessionEnded,
    /// Operators have suspended the caller or its owner.
    Suspended(ActorId),
    /// The arena token was replaced.
    ArenaTokenReplaced,
    /// The token of a round has expired.
    RoundOver,
    /// The agent or its owner is suspended or deactivated.
    NotActive,
}

impl Ending {
    /// The reason with which the server closes a socket.
    pub fn reason(self) -> &'static str {
        match self {
            Self::SessionEnded => "the session has ended",
            Self::Suspended(_) => "operators have suspended the agent or its owner",
            Self::ArenaTokenReplaced => "the arena token was rotated",
            Self::RoundOver => "the token of the round has expired",
            Self::NotActive => "the agent or its owner is suspended or deactivated",
        }
    }

    /// The code of [`Self::problem`], for the last frame of a stream.
    pub fn code(self) -> &'static str {
        match self {
            Self::SessionEnded | Self::ArenaTokenReplaced | Self::RoundOver => "invalid_token",
            Self::Suspended(_) => "suspended",
            Self::NotActive => "agent_not_active",
        }
    }
}

/// A right, shared by all that a credential keeps open in this process.
#[derive(Debug)]
pub(super) struct Held {
    pub(super) credential: Credential,
    ending: OnceLock<Ending>,
    ended: CancellationToken,
}

impl Held {
    pub(super) fn end(&self, ending: Ending) {
        if self.ending.set(ending).is_ok() {
            metrics::counter!("buildtrack_rights_ended_total", "code" => ending.code()).increment(1);
        }
        self.ended.cancel();
    }
}

/// The right of a caller. That of an anonymous caller does not end.
#[derive(Debug, Clone)]
pub struct Right(pub(super) Option<Arc<Held>>);

impl Right {
    /// Waits until the right ends.
    pub async fn ended(&self) -> Ending {
        let Some(held) = &self.0 else { return pending().await };
        held.ended.cancelled().await;
        // The ending is set before the token is cancelled.
        self.ending().unwrap_or(Ending::SessionEnded)
    }

    /// Why the right ended, if it has, as far as this process knows.
    pub fn ending(&self) -> Option<Ending> {
        self.0.as_ref()?.ending.get().copied()
    }
}

/// The open rights of this process.
#[derive(Debug, Default)]
pub(crate) struct Rights {
    open: Mutex<HashMap<Credential, Weak<Held>>>,
    pub(super) wanted: Notify,
}

impl Rights {
    pub(super) fn open(&self, credential: Credential) -> Right {
        let mut open = self.lock();
        let known = open.get(&credential).and_then(Weak::upgrade);
        // An agent may be reinstated: what ended stays ended, and a new connection has a right of its own.
        let held = known.filter(|held| held.ending.get().is_none()).unwrap_or_else(|| {
            let (ending, ended) = (OnceLock::new(), CancellationToken::new());
            let held = Arc::new(Held { credential: credential.clone(), ending, ended });
            open.insert(credential, Arc::downgrade(&held));
            held
        });
        drop(open);
        self.wanted.notify_one();
        Right(Some(held))
    }

    /// The rights that are still in use.
    pub(super) fn used(&self) -> Vec<Arc<Held>> {
        let mut open = self.lock();
        open.retain(|_, held| held.strong_count() > 0);
        open.values().filter_map(Weak::upgrade).filter(|held| held.ending.get().is_none()).collect()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Credential, Weak<Held>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Why each of these rights ended; `None` for those in force. A fixed number of statements.
pub(super) async fn endings(store: &Store, held: &[Arc<Held>]) -> Result<Vec<Option<Ending>>, StoreError> {
    let (mut sessions, mut arena_tokens, mut agents) = (vec![], vec![], vec![]);
    for held in held {
        match &held.credential {
            Credential::Session(token_hash) => sessions.push(&**token_hash),
            Credential::ArenaToken(token_hash, agent_id) => {
                arena_tokens.push(&**token_hash);
                agents.push(*agent_id);
            }
            Credential::Round(agent_id, _) => agents.push(*agent_id),
        }
    }
    let sessions =
        if sessions.is_empty() { HashMap::new() } else { store.identity().sessions_in_force(&sessions).await? };
    let arena_tokens =
        if arena_tokens.is_empty() { HashMap::new() } else { store.arena().tokens_in_force(&arena_tokens).await? };
    let agents = if agents.is_empty() { HashSet::new() } else { store.arena().agents_in_force(&agents).await? };
    let now = store.log().clock().now().timestamp();
    let inactive = |agent_id: &AgentId| (!agents.contains(agent_id)).then_some(Ending::NotActive);
    let endings = held.iter().map(|held| match &held.credential {
        Credential::Session(token_hash) => match sessions.get(&**token_hash) {
            None => Some(Ending::SessionEnded),
            Some(suspended) => suspended.map(Ending::Suspended),
        },
        Credential::ArenaToken(token_hash, agent_id) => match arena_tokens.get(&**token_hash) {
            Some(owner) if owner == agent_id => inactive(agent_id),
            _ => Some(Ending::ArenaTokenReplaced),
        },
        Credential::Round(_, expires_at) if *expires_at <= now => Some(Ending::RoundOver),
        Credential::Round(agent_id, _) => inactive(agent_id),
    });
    Ok(endings.collect())
}
