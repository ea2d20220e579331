//! A cache of events that this process read a moment ago. The dispatcher reads an event to find its audience; the sender reads the
//! same event shortly afterwards to push it.
//!
//! **Invariant:** the cache returns an event only while this process receives redactions, and has received none for the event's
//! stream since it read the event.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::time::Instant;

use super::{Recorded, changes::Changes};

/// How many events the cache holds, and for how long. The time covers the first attempt of a push. Later attempts read the event
/// again, so that they see a redaction that had not reached this process before.
const CAPACITY: usize = 256;
const TIME_TO_LIVE: Duration = Duration::from_secs(2);

/// The cache. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub(crate) struct RecentReads(Arc<Mutex<VecDeque<Read>>>);

#[derive(Debug)]
struct Read {
    recorded: Recorded,
    /// The tail's position before the event was read.
    head: i64,
    at: Instant,
}

impl RecentReads {
    /// Caches events that were read when the tail was at `head`.
    pub(crate) fn insert<'r>(&self, events: impl Iterator<Item = &'r Recorded>, head: i64) {
        let at = Instant::now();
        let mut cached = self.lock();
        cached.extend(events.map(|recorded| Read { recorded: recorded.clone(), head, at }));
        let over = cached.len().saturating_sub(CAPACITY);
        cached.drain(..over);
    }

    /// The event at this position, if the cached value is still current.
    pub(crate) fn at(&self, position: i64, changes: &Changes) -> Option<Recorded> {
        let cached = self.lock();
        let read = cached.iter().rev().find(|read| read.recorded.position == position)?;
        let is_current = read.at.elapsed() < TIME_TO_LIVE && changes.none_beyond(read.head, &read.recorded.stream);
        is_current.then(|| read.recorded.clone())
    }

    /// Drops all cached events.
    pub(crate) fn clear(&self) {
        self.lock().clear();
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<Read>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
