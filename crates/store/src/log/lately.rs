//! Events that were read for one and are soon asked for by another: what is pushed was read a moment ago by who found out
//! to whom.
//!
//! **Invariant:** what is remembered here is given only while this process hears of redactions, and has heard of none of it
//! since it was read.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::time::Instant;

use crate::{Recorded, changes::Changes};

/// How many events are remembered, and for how long: until the first attempt to push them. Who tries again reads again, so
/// that a redaction of which this process has not heard yet still reaches it.
const CAPACITY: usize = 256;
const SOON: Duration = Duration::from_secs(2);

/// Cheap to clone.
#[derive(Debug, Clone, Default)]
pub(crate) struct Lately(Arc<Mutex<VecDeque<Read>>>);

#[derive(Debug)]
struct Read {
    recorded: Recorded,
    /// Up to where the log was known to reach before it was read.
    head: i64,
    at: Instant,
}

impl Lately {
    /// Remembers what was read when the log was known to reach `head`.
    pub(crate) fn remember<'r>(&self, events: impl Iterator<Item = &'r Recorded>, head: i64) {
        let at = Instant::now();
        let mut known = self.known();
        known.extend(events.map(|recorded| Read { recorded: recorded.clone(), head, at }));
        let over = known.len().saturating_sub(CAPACITY);
        known.drain(..over);
    }

    /// The event at this position, as it would be read now.
    pub(crate) fn at(&self, position: i64, changes: &Changes) -> Option<Recorded> {
        let known = self.known();
        let read = known.iter().rev().find(|read| read.recorded.position == position)?;
        let stands = read.at.elapsed() < SOON && changes.none_beyond(read.head, &read.recorded.stream);
        stands.then(|| read.recorded.clone())
    }

    /// Forgets all of it.
    pub(crate) fn clear(&self) {
        self.known().clear();
    }

    fn known(&self) -> MutexGuard<'_, VecDeque<Read>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
