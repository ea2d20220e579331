//! A cache of streams' states between requests. A cached state may be stale: a commit names the version that it read, so a stale
//! state costs a retry and never causes a wrong decision.

use std::{any::Any, sync::Arc};

use buildtrack_domain::{decide::State, event::EventSet};
use buildtrack_macros::boxed;

use super::{Log, changes::Changes, unit::Loaded};
use crate::{StoreError, database::values};

/// How many streams' states are cached.
const CAPACITY: usize = 4096;

#[derive(Clone)]
struct CachedState {
    version: i64,
    /// The change number at which the state was read.
    read_at: u64,
    state: Arc<dyn Any + Send + Sync>,
}

/// Stream name → its last known state. **Invariant:** the cache returns no state from before something was hidden or erased: states
/// contain names as recorded, and an erasure changes no version.
#[derive(Clone)]
pub(crate) struct States {
    states: Arc<quick_cache::sync::Cache<Arc<str>, CachedState>>,
    changes: Changes,
}

impl States {
    pub(crate) fn new(changes: Changes) -> Self {
        Self { states: Arc::new(quick_cache::sync::Cache::new(CAPACITY)), changes }
    }

    fn cached(&self, stream: &str) -> Option<CachedState> {
        self.states.get(stream).filter(|known| self.changes.none_hidden_since(known.read_at))
    }

    /// Drops all cached states.
    pub(crate) fn clear(&self) {
        self.states.clear();
    }

    fn get<S: State>(&self, stream: &str) -> Option<Loaded<S>> {
        let CachedState { version, state, .. } = self.cached(stream)?;
        state.downcast::<S>().ok().map(|state| Loaded { state, version })
    }

    fn put<S: State>(&self, stream: Arc<str>, loaded: Loaded<S>) {
        if self.cached(&stream).is_none_or(|known| known.version < loaded.version) {
            let read_at = self.changes.now();
            self.states.insert(stream, CachedState { version: loaded.version, read_at, state: loaded.state });
        }
    }
}

impl Log {
    /// A stream's state: from the cache, or (`fresh`) updated from the log.
    pub(crate) async fn state<S: State>(&self, stream: &Arc<str>, fresh: bool) -> Result<Loaded<S>, StoreError> {
        let known = self.states.get::<S>(stream);
        if let (Some(known), false) = (&known, fresh) {
            return Ok(known.clone());
        }
        let read_at = self.changes.now();
        let known = known.unwrap_or(Loaded { state: Arc::new(S::default()), version: 0 });
        let rows = self.events_beyond(stream, known.version).await?;
        let Some((version, ..)) = rows.last() else { return Ok(known) };
        let version = *version;
        let mut state = S::clone(&known.state);
        for (_, event_type, data) in &rows {
            if let Some(data) = data {
                state = state.apply(&S::Event::decode(event_type, data)?);
            }
        }
        let loaded = Loaded { state: Arc::new(state), version };
        if self.changes.none_hidden_since(read_at) {
            self.cache(stream.clone(), loaded.clone());
        }
        Ok(loaded)
    }

    /// The version, type and data of a stream's events beyond a version. Redacted events have no data: the redaction event that follows
    /// contains the remaining facts.
    #[boxed]
    async fn events_beyond(
        &self,
        stream: &str,
        version: i64,
    ) -> Result<Vec<(i64, String, Option<String>)>, StoreError> {
        self.db
            .all(
                "SELECT version, type, data FROM events WHERE stream = $1 AND version > $2 ORDER BY version",
                values![stream, version],
            )
            .await
    }

    pub(crate) fn cache<S: State>(&self, stream: Arc<str>, loaded: Loaded<S>) {
        if S::CACHED {
            self.states.put(stream, loaded);
        }
    }
}
