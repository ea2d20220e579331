//! When which stream changed last, as far as this process has heard: what was read before that no longer counts.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use buildtrack_domain::ids::OwnerId;

use crate::masking::HIDINGS;

/// How long what was read may be remembered at most. Changes are remembered twice as long.
pub(crate) const REMEMBERED: Duration = Duration::from_mins(1);

/// Cheap to clone.
#[derive(Clone)]
pub(crate) struct Changes {
    changed: moka::sync::Cache<String, u64>,
    /// Where on the log they changed last, or further on.
    reached: moka::sync::Cache<String, i64>,
    count: Arc<AtomicU64>,
    /// The change that last hid or erased something, or may have.
    hidden: Arc<AtomicU64>,
}

impl Changes {
    pub(crate) fn new() -> Self {
        let changed = moka::sync::Cache::builder().time_to_live(REMEMBERED * 2).build();
        let reached = moka::sync::Cache::builder().time_to_live(REMEMBERED * 2).build();
        Self { changed, reached, count: Arc::new(AtomicU64::new(1)), hidden: Arc::default() }
    }

    /// Now, in changes. It is asked for before the database is read.
    pub(crate) fn now(&self) -> u64 {
        self.count.load(Ordering::SeqCst)
    }

    /// The stream has changed, and so has what is asked for by the prefix of its id: all that are of its kind.
    pub(crate) fn forget(&self, stream: &str) {
        let change = self.count.fetch_add(1, Ordering::SeqCst) + 1;
        if let Some((kind, _)) = stream.split_once('_') {
            self.changed.insert(kind.to_owned(), change);
        }
        if [HIDINGS, "*"].contains(&stream) {
            self.hidden.fetch_max(change, Ordering::SeqCst);
        }
        self.changed.insert(stream.to_owned(), change);
    }

    /// Whether nothing is known to have been hidden or erased since then, however long ago that is.
    pub(crate) fn none_hidden_since(&self, read_at: u64) -> bool {
        self.hidden.load(Ordering::SeqCst) <= read_at
    }

    /// The stream has changed, at this position or before it. Hearing that twice is hearing it once.
    pub(crate) fn forget_at(&self, stream: &str, position: i64) {
        self.forget(stream);
        // The name of an owner who is gone stands in events of many streams.
        let owners = stream.split_once('_').map(|(kind, _)| kind).filter(|kind| *kind == OwnerId::PREFIX);
        for key in owners.into_iter().chain([stream]) {
            let known = self.reached.get(key).unwrap_or(0);
            self.reached.insert(key.to_owned(), position.max(known));
        }
    }

    /// Whether nothing is known to have happened to the stream, or to an owner, beyond this position, and nothing was hidden: a
    /// name stands in events of many streams.
    pub(crate) fn none_beyond(&self, position: i64, stream: &str) -> bool {
        let unchanged = |key: &str| self.reached.get(key).is_none_or(|reached| reached <= position);
        [stream, OwnerId::PREFIX, HIDINGS].into_iter().all(unchanged)
    }

    /// Changes may have gone unheard.
    pub(crate) fn forget_all(&self) {
        self.forget("*");
    }

    /// The log has lost its last events, so that positions that are known do not count.
    pub(crate) fn rewind(&self) {
        self.reached.invalidate_all();
        self.forget_all();
    }

    /// Whether none of the streams has changed since then.
    pub(crate) fn none_since(&self, read_at: u64, streams: &[&str]) -> bool {
        let unchanged = |stream: &str| self.changed.get(stream).is_none_or(|change| change <= read_at);
        unchanged("*") && streams.iter().all(|stream| unchanged(stream))
    }
}
