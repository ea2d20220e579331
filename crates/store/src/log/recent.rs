//! The recent-event cache: the last events that this process committed, so that its own tasks do not read them back.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use buildtrack_domain::event::{Event, Fact};

use super::Recorded;

/// How many events the cache holds. A reader that is further behind queries the database.
const CAPACITY: usize = 512;

impl CachedEvents {
    fn beyond(&self, position: i64, limit: usize) -> Option<impl Iterator<Item = &Recorded>> {
        let first = self.events.front()?.position;
        let skipped = usize::try_from(position + 1 - first).ok()?;
        // If the log was seen to end at this position, no events follow it.
        let known = skipped < self.events.len() || skipped == self.events.len() && self.reached == position;
        if !known {
            return None;
        }
        Some(self.events.range(skipped..).take(limit))
    }
}

/// The cache. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub(crate) struct Recent(Arc<Mutex<CachedEvents>>);

/// **Invariant:** positions are consecutive. Redacted events have no data. The cache holds no events from before the last hiding or
/// unhiding.
#[derive(Debug, Default)]
struct CachedEvents {
    events: VecDeque<Recorded>,
    /// The position that this process's commit in progress will reach. No other process can append meanwhile.
    committing: i64,
    /// The highest position at which the log was seen to end.
    reached: i64,
    /// The last position that this process committed, and the last known position of other processes.
    own: i64,
    others: i64,
}

impl Recent {
    /// Announces a commit that will advance the log to `position`. Its notification may arrive before the database's answer.
    pub(crate) fn committing(&self, position: i64) {
        self.lock().committing = position;
    }

    /// The outcome of the announced commit is unknown.
    pub(crate) fn lost(&self) {
        self.lock().events.clear();
    }

    /// Adds committed events, in order. If other processes committed in between, the cache starts again.
    pub(crate) fn insert<'r>(&self, committed: impl Iterator<Item = &'r Recorded>) {
        let mut cached = self.lock();
        let CachedEvents { events, committing, reached, own, others } = &mut *cached;
        if *reached > *committing {
            // Other processes have already appended, and may have redacted these events.
            events.clear();
            return;
        }
        for recorded in committed {
            if recorded.position > *own + 1 {
                *others = recorded.position - 1;
            }
            *own = recorded.position;
            if events.back().is_some_and(|last| last.position + 1 != recorded.position) {
                events.clear();
            }
            if recorded.event.as_ref().is_some_and(|event| event.is(Fact::Redacts)) {
                events.iter_mut().filter(|known| known.stream == recorded.stream).for_each(|known| known.event = None);
            }
            if recorded.event.as_ref().is_some_and(Event::changes_visibility) {
                // Readers of earlier events query the database, which applies the hiding.
                events.clear();
            }
            if events.len() == CAPACITY {
                events.pop_front();
            }
            events.push_back(recorded.clone());
        }
    }

    /// The log has reached `position`. If other processes wrote there, they may have redacted cached events.
    pub(crate) fn reached(&self, position: i64) {
        let mut cached = self.lock();
        cached.reached = cached.reached.max(position);
        if position > cached.committing {
            cached.others = cached.others.max(position);
        }
        if position > cached.committing && cached.events.back().is_some_and(|last| last.position < position) {
            cached.events.clear();
        }
    }

    /// The database has lost the events after `position`. Other processes may have written those before it.
    pub(crate) fn rewind(&self, position: i64) {
        *self.lock() = CachedEvents { reached: position, own: position, others: position, ..CachedEvents::default() };
    }

    /// The last position that other processes may have written. As far as this process knows, it wrote every later event itself.
    pub(crate) fn others(&self) -> i64 {
        self.lock().others
    }

    /// Up to `limit` events after `position`; `None` unless the cache holds all of them.
    pub(crate) fn beyond(&self, position: i64, limit: usize) -> Option<Vec<Recorded>> {
        self.lock().beyond(position, limit).map(|events| events.cloned().collect())
    }

    /// The event at `position`, if cached.
    pub(crate) fn at(&self, position: i64) -> Option<Recorded> {
        let events = &self.lock().events;
        let index = usize::try_from(position - events.front()?.position).ok()?;
        events.get(index).cloned()
    }

    fn lock(&self) -> MutexGuard<'_, CachedEvents> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::DateTime;

    fn recorded(position: i64) -> Recorded {
        let recorded_at = DateTime::UNIX_EPOCH;
        Recorded { position, stream: "ws_x".into(), version: position, event: None, recorded_at, hash: [0; 32] }
    }

    fn insert(recent: &Recent, positions: std::ops::RangeInclusive<i64>) {
        recent.committing(*positions.end());
        recent.insert(positions.map(recorded).collect::<Vec<_>>().iter());
    }

    fn positions(recent: &Recent, beyond: i64, limit: usize) -> Option<Vec<i64>> {
        recent.beyond(beyond, limit).map(|events| events.iter().map(|event| event.position).collect())
    }

    #[test]
    fn the_cache_answers_only_if_it_holds_all_events_after_a_position() {
        let recent = Recent::default();
        insert(&recent, 5..=6);
        assert_eq!(positions(&recent, 4, 10), Some(vec![5, 6]));
        assert_eq!(positions(&recent, 5, 10), Some(vec![6]));
        assert_eq!(positions(&recent, 4, 1), Some(vec![5]));
        assert_eq!(positions(&recent, 3, 10), None);
        assert_eq!(positions(&recent, 6, 10), None);
        let at = |position| recent.at(position).map(|event| event.position);
        assert_eq!([4, 5, 6, 7].map(at), [None, Some(5), Some(6), None]);
    }

    #[test]
    fn no_events_follow_the_end_of_the_log() {
        let recent = Recent::default();
        insert(&recent, 5..=6);
        recent.reached(6);
        assert_eq!(positions(&recent, 6, 10), Some(vec![]));
        assert_eq!(positions(&recent, 7, 10), None);
        recent.reached(7);
        assert_eq!(positions(&recent, 6, 10), None);
    }

    #[test]
    fn commits_of_other_processes_in_between_empty_the_cache() {
        let recent = Recent::default();
        insert(&recent, 5..=5);
        insert(&recent, 8..=8);
        assert_eq!(positions(&recent, 4, 10), None);
        assert_eq!(positions(&recent, 7, 10), Some(vec![8]));
    }

    #[test]
    fn the_cache_drops_the_oldest_events() {
        let recent = Recent::default();
        insert(&recent, 1..=600);
        assert_eq!(positions(&recent, 87, 1), None);
        assert_eq!(positions(&recent, 88, 1), Some(vec![89]));
    }

    #[test]
    fn the_notification_of_an_own_commit_may_arrive_before_its_answer() {
        let recent = Recent::default();
        insert(&recent, 5..=6);
        recent.committing(8);
        recent.reached(8);
        recent.insert([recorded(7), recorded(8)].iter());
        assert_eq!(positions(&recent, 4, 10), Some(vec![5, 6, 7, 8]));
    }

    #[test]
    fn events_that_other_processes_have_followed_are_not_cached() {
        let recent = Recent::default();
        insert(&recent, 5..=6);
        recent.reached(7);
        assert_eq!(positions(&recent, 5, 10), None);
        recent.committing(8);
        recent.reached(9);
        recent.insert([recorded(8)].iter());
        assert_eq!(positions(&recent, 7, 10), None);
    }
}
