//! The cache of sessions.
//!
//! **Invariant:** a cached session is used only while this process follows the log. Every change of a session is an event on the
//! stream of the session, its holder or its holder's owner, and invalidates the cached session in every process.

use std::{sync::Arc, time::Duration};

use super::Session;
use crate::log::changes::{CACHE_LIFETIME, Changes};

const CAPACITY: u64 = 20_000;
/// How many tokens are cached as valid or as unknown, by their SHA-256 alone.
const TOKENS: u64 = 100_000;
/// How long a token is cached as valid: as long as a session lasts.
const VALID: Duration = Duration::from_hours(24);

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
        let cached = moka::sync::Cache::builder().max_capacity(CAPACITY).time_to_live(CACHE_LIFETIME).build();
        let valid = moka::sync::Cache::builder().max_capacity(TOKENS).time_to_live(VALID).build();
        let invalid = moka::sync::Cache::builder().max_capacity(TOKENS).time_to_live(CACHE_LIFETIME).build();
        Self { cached, valid, invalid, changes }
    }

    /// The count of changes, to be read before a session that [`Sessions::insert`] caches.
    pub(super) fn count_changes(&self) -> u64 {
        self.changes.now()
    }

    /// Caches a session that was read when the count of changes was `read_at`.
    pub(super) fn insert(&self, token_hash: &str, session: Arc<Session>, read_at: u64) {
        self.cached.insert(token_hash.to_owned(), Cached { session, read_at });
    }

    /// Caches whether the database knew a token.
    pub(super) fn cache_validity(&self, token_hash: &str, valid: bool) {
        let (cache, opposite) = if valid { (&self.valid, &self.invalid) } else { (&self.invalid, &self.valid) };
        cache.insert(token_hash.to_owned(), ());
        opposite.invalidate(token_hash);
    }

    pub(super) fn cached(&self, token_hash: &str) -> CachedToken {
        if self.invalid.contains_key(token_hash) {
            return CachedToken::Invalid;
        }
        if self.valid.contains_key(token_hash) { CachedToken::Valid } else { CachedToken::Unknown }
    }

    pub(super) fn get(&self, token_hash: &str) -> Option<Arc<Session>> {
        let Cached { session, read_at } = self.cached.get(token_hash)?;
        let (holder, id) = (session.actor.id.to_string(), session.id.to_string());
        let owner = session.owner_id.to_string();
        self.changes.none_since(read_at, &[&holder, &id, &owner]).then_some(session)
    }
}
