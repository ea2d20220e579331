//! When each stream last changed, as far as this process was notified. A value cached before a change is invalid.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use buildtrack_domain::ids::OwnerId;

use super::masks::HIDINGS;

/// The longest time for which values are cached. Changes are stored twice as long.
pub(crate) const CACHE_LIFETIME: Duration = Duration::from_mins(1);

/// The changes. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Changes {
    changed: moka::sync::Cache<String, u64>,
    /// The highest position known for each stream's changes, or a later one.
    reached: moka::sync::Cache<String, i64>,
    count: Arc<AtomicU64>,
    /// The last change that hid or erased something, or may have.
    hidden: Arc<AtomicU64>,
}

impl Changes {
    pub(crate) fn new() -> Self {
        let changed = moka::sync::Cache::builder().time_to_live(CACHE_LIFETIME * 2).build();
        let reached = moka::sync::Cache::builder().time_to_live(CACHE_LIFETIME * 2).build();
        Self { changed, reached, count: Arc::new(AtomicU64::new(1)), hidden: Arc::default() }
    }

    /// The current change number. Read it before querying the database.
    pub(crate) fn now(&self) -> u64 {
        self.count.load(Ordering::SeqCst)
    }

    /// Records that a stream has changed. Also invalidates values cached for all streams of its kind, by the prefix of its id.
    pub(crate) fn invalidate(&self, stream: &str) {
        let change = self.count.fetch_add(1, Ordering::SeqCst) + 1;
        if let Some((kind, _)) = stream.split_once('_') {
            self.changed.insert(kind.to_owned(), change);
        }
        if [HIDINGS, "*"].contains(&stream) {
            self.hidden.fetch_max(change, Ordering::SeqCst);
        }
        self.changed.insert(stream.to_owned(), change);
    }

    /// Whether nothing was hidden or erased since `read_at`, however long ago that is.
    pub(crate) fn none_hidden_since(&self, read_at: u64) -> bool {
        self.hidden.load(Ordering::SeqCst) <= read_at
    }

    /// Records that a stream has changed at this position or before. Repeated notifications have no further effect.
    pub(crate) fn invalidate_at(&self, stream: &str, position: i64) {
        self.invalidate(stream);
        // Events of many streams contain the name of an owner, who may have left.
        let owners = stream.split_once('_').map(|(kind, _)| kind).filter(|kind| *kind == OwnerId::PREFIX);
        for key in owners.into_iter().chain([stream]) {
            let known = self.reached.get(key).unwrap_or(0);
            self.reached.insert(key.to_owned(), position.max(known));
        }
    }

    /// Whether no change of the stream or of any owner after this position is known, and nothing was hidden. Owners matter because
    /// events of many streams contain their names.
    pub(crate) fn none_beyond(&self, position: i64, stream: &str) -> bool {
        let unchanged = |key: &str| self.reached.get(key).is_none_or(|reached| reached <= position);
        [stream, OwnerId::PREFIX, HIDINGS].into_iter().all(unchanged)
    }

    /// Notifications may have been lost: invalidates all cached values.
    pub(crate) fn invalidate_all(&self) {
        self.invalidate("*");
    }

    /// The log has lost its last events, so stored positions are invalid.
    pub(crate) fn rewind(&self) {
        self.reached.invalidate_all();
        self.invalidate_all();
    }

    /// Whether none of the streams has changed since `read_at`.
    pub(crate) fn none_since(&self, read_at: u64, streams: &[&str]) -> bool {
        let unchanged = |stream: &str| self.changed.get(stream).is_none_or(|change| change <= read_at);
        unchanged("*") && streams.iter().all(|stream| unchanged(stream))
    }
}
