//! When which stream changed last, as far as this process has heard: what was read before that no longer counts.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

/// How long what was read may be remembered at most. Changes are remembered twice as long.
pub(crate) const REMEMBERED: Duration = Duration::from_mins(1);

/// Cheap to clone.
#[derive(Clone)]
pub(crate) struct Changes {
    changed: moka::sync::Cache<String, u64>,
    count: Arc<AtomicU64>,
}

impl Changes {
    pub(crate) fn new() -> Self {
        let changed = moka::sync::Cache::builder().time_to_live(REMEMBERED * 2).build();
        Self { changed, count: Arc::new(AtomicU64::new(1)) }
    }

    /// Now, in changes. It is asked for before the database is read.
    pub(crate) fn now(&self) -> u64 {
        self.count.load(Ordering::SeqCst)
    }

    pub(crate) fn forget(&self, stream: &str) {
        let change = self.count.fetch_add(1, Ordering::SeqCst) + 1;
        self.changed.insert(stream.to_owned(), change);
    }

    /// Changes may have gone unheard.
    pub(crate) fn forget_all(&self) {
        self.forget("*");
    }

    /// Whether none of the streams has changed since then.
    pub(crate) fn none_since(&self, read_at: u64, streams: &[&str]) -> bool {
        let unchanged = |stream: &str| self.changed.get(stream).is_none_or(|change| change <= read_at);
        unchanged("*") && streams.iter().all(|stream| unchanged(stream))
    }
}
