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

use crate::{Recorded, changes::Changes};

/// How many events the cache holds, and for how long. The time covers the first attempt of a push. Later attempts read the event
/// again, so that they see a redaction that had not reached this process before.
const CAPACITY: usize = 256;
const SOON: Duration = Duration::from_secs(2);

/// The cache. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub(crate) struct Lately(Arc<Mutex<VecDeque<Read>>>);

#[derive(Debug)]
struct Read {
    recorded: Recorded,
    /// The tail's position before the event was read.
    head: i64,
    at: Instant,
}

impl Lately {
    /// Caches events that were read when the tail was at `head`.
    pub(crate) fn remember<'r>(&self, events: impl Iterator<Item = &'r Recorded>, head: i64) {
        let at = Instant::now();
        let mut known = self.known();
        known.extend(events.map(|recorded| Read { recorded: recorded.clone(), head, at }));
        let over = known.len().saturating_sub(CAPACITY);
        known.drain(..over);
    }

    /// The event at this position, if the cached value is still current.
    pub(crate) fn at(&self, position: i64, changes: &Changes) -> Option<Recorded> {
        let known = self.known();
        let read = known.iter().rev().find(|read| read.recorded.position == position)?;
        let stands = read.at.elapsed() < SOON && changes.none_beyond(read.head, &read.recorded.stream);
        stands.then(|| read.recorded.clone())
    }

    /// Drops all cached events.
    pub(crate) fn clear(&self) {
        self.known().clear();
    }

    fn known(&self) -> MutexGuard<'_, VecDeque<Read>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
