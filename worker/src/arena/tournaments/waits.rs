//! How long pairings have waited for their players, as this process has seen it.

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use buildtrack_domain::ids::TournamentId;
use chrono::{DateTime, TimeDelta, Utc};

/// A pairing that this process has not looked at for so long is not watched: another process may have had the lease.
const UNWATCHED: Duration = Duration::from_mins(1);

/// A pairing: tournament, round and board.
pub(super) type Key = (TournamentId, u16, u16);

/// The pairings that wait, of all tournaments.
#[derive(Debug, Default)]
pub(super) struct Waits(Mutex<HashMap<Key, Wait>>);

#[derive(Debug)]
struct Wait {
    since: DateTime<Utc>,
    seen: Instant,
}

impl Waits {
    /// How long a pairing has waited, which waits now too.
    pub(super) fn watch(&self, key: Key, now: DateTime<Utc>, seen: Instant) -> TimeDelta {
        let mut waits = self.lock();
        let wait = waits.entry(key).or_insert(Wait { since: now, seen });
        wait.seen = seen;
        now - wait.since
    }

    /// Forgets a pairing that does not wait for its players.
    pub(super) fn forget(&self, key: Key) {
        self.lock().remove(&key);
    }

    /// Forgets the pairings of a tournament whose matches cannot begin.
    pub(super) fn forget_tournament(&self, id: TournamentId) {
        self.lock().retain(|(tournament_id, ..), _| *tournament_id != id);
    }

    /// Forgets the pairings that this process has not looked at for a while.
    pub(super) fn forget_unwatched(&self, now: Instant) {
        self.lock().retain(|_, wait| now.saturating_duration_since(wait.seen) < UNWATCHED);
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Key, Wait>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    #[test]
    fn a_wait_that_was_not_watched_begins_anew() {
        let key = (TournamentId::new(Uuid::from_u128(1)), 1, 1);
        let (waits, begin) = (Waits::default(), Instant::now());
        let watch = |waits: &Waits, seconds: u32| {
            let seen = begin + Duration::from_secs(seconds.into());
            waits.forget_unwatched(seen);
            waits.watch(key, DateTime::UNIX_EPOCH + TimeDelta::seconds(seconds.into()), seen).num_seconds()
        };
        assert_eq!([0, 59, 118].map(|seconds| watch(&waits, seconds)), [0, 59, 118]);
        assert_eq!([178, 180].map(|seconds| watch(&waits, seconds)), [0, 2]);
        waits.forget(key);
        assert_eq!(watch(&waits, 190), 0);
    }
}
