//! The last events that this process committed, so that its own followers need not read them back.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use buildtrack_domain::event::Event;

use crate::Recorded;

/// How many events are remembered: a follower that is further behind reads the database.
const CAPACITY: usize = 512;

impl Memory {
    fn beyond(&self, position: i64, limit: usize) -> Option<impl Iterator<Item = &Recorded>> {
        let first = self.events.front()?.position;
        let skipped = usize::try_from(position + 1 - first).ok()?;
        // Where the log was seen to end, it is known that nothing is beyond.
        let known = skipped < self.events.len() || skipped == self.events.len() && self.reached == position;
        if !known {
            return None;
        }
        Some(self.events.range(skipped..).take(limit))
    }
}

/// Cheap to clone.
#[derive(Debug, Clone, Default)]
pub(crate) struct Recent(Arc<Mutex<Memory>>);

/// **Invariant:** positions are consecutive; what was redacted has no event any more, and nothing is
/// remembered from before something was hidden or shown again.
#[derive(Debug, Default)]
struct Memory {
    events: VecDeque<Recorded>,
    /// Where this process's commit under way will take the log; nobody else can meanwhile.
    committing: i64,
    /// Where the log was seen to end.
    reached: i64,
    /// The last position that this process committed, and the last one that others are known to have.
    own: i64,
    others: i64,
}

impl Recent {
    /// A commit that takes the log to `position` is about to be made. The news of it may come back before its answer.
    pub(crate) fn committing(&self, position: i64) {
        self.memory().committing = position;
    }

    /// Nobody knows what became of the commit that was announced.
    pub(crate) fn lost(&self) {
        self.memory().events.clear();
    }

    /// Remembers what was just committed, in order. What others committed in between makes it begin anew.
    pub(crate) fn remember<'r>(&self, committed: impl Iterator<Item = &'r Recorded>) {
        let mut memory = self.memory();
        let Memory { events, committing, reached, own, others } = &mut *memory;
        if *reached > *committing {
            // Others have gone on already, and may have redacted what was committed here.
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
            if recorded.event.as_ref().is_some_and(Event::is_redaction) {
                events.iter_mut().filter(|known| known.stream == recorded.stream).for_each(|known| known.event = None);
            }
            if recorded.event.as_ref().is_some_and(Event::is_hiding) {
                // Whoever looks for what came before asks the database, which knows what is hidden now.
                events.clear();
            }
            if events.len() == CAPACITY {
                events.pop_front();
            }
            events.push_back(recorded.clone());
        }
    }

    /// The log has reached `position`. Where others have taken it there, they may have redacted what is remembered.
    pub(crate) fn reached(&self, position: i64) {
        let mut memory = self.memory();
        memory.reached = memory.reached.max(position);
        if position > memory.committing {
            memory.others = memory.others.max(position);
        }
        if position > memory.committing && memory.events.back().is_some_and(|last| last.position < position) {
            memory.events.clear();
        }
    }

    /// The database has lost what was beyond a position; what was before may have been written by others.
    pub(crate) fn rewind(&self, position: i64) {
        *self.memory() = Memory { reached: position, own: position, others: position, ..Memory::default() };
    }

    /// Up to where others may have written: beyond it, all is of this process, as far as it has heard.
    pub(crate) fn others(&self) -> i64 {
        self.memory().others
    }

    /// Up to `limit` events beyond `position`; none where they are not all known here.
    pub(crate) fn beyond(&self, position: i64, limit: usize) -> Option<Vec<Recorded>> {
        self.memory().beyond(position, limit).map(|events| events.cloned().collect())
    }

    /// The event at the position, where it is remembered.
    pub(crate) fn at(&self, position: i64) -> Option<Recorded> {
        let events = &self.memory().events;
        let index = usize::try_from(position - events.front()?.position).ok()?;
        events.get(index).cloned()
    }

    fn memory(&self) -> MutexGuard<'_, Memory> {
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

    fn remember(recent: &Recent, positions: std::ops::RangeInclusive<i64>) {
        recent.committing(*positions.end());
        recent.remember(positions.map(recorded).collect::<Vec<_>>().iter());
    }

    fn positions(recent: &Recent, beyond: i64, limit: usize) -> Option<Vec<i64>> {
        recent.beyond(beyond, limit).map(|events| events.iter().map(|event| event.position).collect())
    }

    #[test]
    fn it_answers_only_for_what_it_knows_without_a_gap() {
        let recent = Recent::default();
        remember(&recent, 5..=6);
        assert_eq!(positions(&recent, 4, 10), Some(vec![5, 6]));
        assert_eq!(positions(&recent, 5, 10), Some(vec![6]));
        assert_eq!(positions(&recent, 4, 1), Some(vec![5]));
        assert_eq!(positions(&recent, 3, 10), None);
        assert_eq!(positions(&recent, 6, 10), None);
        let at = |position| recent.at(position).map(|event| event.position);
        assert_eq!([4, 5, 6, 7].map(at), [None, Some(5), Some(6), None]);
    }

    #[test]
    fn nothing_is_beyond_the_end() {
        let recent = Recent::default();
        remember(&recent, 5..=6);
        recent.reached(6);
        assert_eq!(positions(&recent, 6, 10), Some(vec![]));
        assert_eq!(positions(&recent, 7, 10), None);
        recent.reached(7);
        assert_eq!(positions(&recent, 6, 10), None);
    }

    #[test]
    fn what_others_committed_in_between_makes_it_begin_anew() {
        let recent = Recent::default();
        remember(&recent, 5..=5);
        remember(&recent, 8..=8);
        assert_eq!(positions(&recent, 4, 10), None);
        assert_eq!(positions(&recent, 7, 10), Some(vec![8]));
    }

    #[test]
    fn the_oldest_are_forgotten() {
        let recent = Recent::default();
        remember(&recent, 1..=600);
        assert_eq!(positions(&recent, 87, 1), None);
        assert_eq!(positions(&recent, 88, 1), Some(vec![89]));
    }

    #[test]
    fn news_of_an_own_commit_may_come_before_its_answer() {
        let recent = Recent::default();
        remember(&recent, 5..=6);
        recent.committing(8);
        recent.reached(8);
        recent.remember([recorded(7), recorded(8)].iter());
        assert_eq!(positions(&recent, 4, 10), Some(vec![5, 6, 7, 8]));
    }

    #[test]
    fn what_others_have_gone_beyond_is_not_remembered() {
        let recent = Recent::default();
        remember(&recent, 5..=6);
        recent.reached(7);
        assert_eq!(positions(&recent, 5, 10), None);
        recent.committing(8);
        recent.reached(9);
        recent.remember([recorded(8)].iter());
        assert_eq!(positions(&recent, 7, 10), None);
    }
}
