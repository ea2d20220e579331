//! When which stream changed last, as far as this process has heard: what was read before that no longer counts.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use buildtrack_domain::ids::OwnerId;

/// How long what was read may be remembered at most. Changes are remembered twice as long.
pub(crate) const REMEMBERED: Duration = Duration::from_mins(1);

/// Cheap to clone.
#[derive(Clone)]
pub(crate) struct Changes {
    changed: moka::sync::Cache<String, u64>,
    /// Where on the log they changed last, or further on.
    reached: moka::sync::Cache<String, i64>,
    count: Arc<AtomicU64>,
}

impl Changes {
    pub(crate) fn new() -> Self {
        let changed = moka::sync::Cache::builder().time_to_live(REMEMBERED * 2).build();
        let reached = moka::sync::Cache::builder().time_to_live(REMEMBERED * 2).build();
        Self { changed, reached, count: Arc::new(AtomicU64::new(1)) }
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
        self.changed.insert(stream.to_owned(), change);
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

    /// Whether nothing is known to have happened to the stream, or to an owner, beyond this position.
    pub(crate) fn none_beyond(&self, position: i64, stream: &str) -> bool {
        [stream, OwnerId::PREFIX].iter().all(|key| self.reached.get(*key).is_none_or(|reached| reached <= position))
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
