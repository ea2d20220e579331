//! The last events that this process committed, so that its own followers need not read them back.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use buildtrack_domain::{event::Event, workspaces::MessageEvent};

use crate::Recorded;

/// How many events are remembered: a follower that is further behind reads the database.
const CAPACITY: usize = 512;

/// **Invariant:** positions are consecutive; what was redacted has no event any more.
#[derive(Debug, Clone, Default)]
pub(crate) struct Recent(Arc<Mutex<VecDeque<Recorded>>>);

impl Recent {
    /// Remembers what was just committed, in order. What others committed in between makes it begin anew.
    pub(crate) fn remember<'r>(&self, committed: impl Iterator<Item = &'r Recorded>) {
        let mut events = self.events();
        for recorded in committed {
            if events.back().is_some_and(|last| last.position + 1 != recorded.position) {
                events.clear();
            }
            if let Some(Event::Message(MessageEvent::Redacted(_))) = recorded.event {
                events.iter_mut().filter(|known| known.stream == recorded.stream).for_each(|known| known.event = None);
            }
            if events.len() == CAPACITY {
                events.pop_front();
            }
            events.push_back(recorded.clone());
        }
    }

    /// The log has reached `position`. Where others have taken it there, they may have redacted what is remembered.
    pub(crate) fn reached(&self, position: i64) {
        let mut events = self.events();
        if events.back().is_some_and(|last| last.position < position) {
            events.clear();
        }
    }

    /// Up to `limit` events beyond `position`; none where they are not all known here.
    pub(crate) fn beyond(&self, position: i64, limit: usize) -> Option<Vec<Recorded>> {
        let events = self.events();
        let first = events.front()?.position;
        let skipped = usize::try_from(position + 1 - first).ok().filter(|skipped| *skipped < events.len())?;
        Some(events.range(skipped..).take(limit).cloned().collect())
    }

    fn events(&self) -> MutexGuard<'_, VecDeque<Recorded>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::DateTime;

    fn recorded(position: i64) -> Recorded {
        Recorded { position, stream: "ws_x".into(), version: position, event: None, recorded_at: DateTime::UNIX_EPOCH }
    }

    fn positions(recent: &Recent, beyond: i64, limit: usize) -> Option<Vec<i64>> {
        recent.beyond(beyond, limit).map(|events| events.iter().map(|event| event.position).collect())
    }

    #[test]
    fn it_answers_only_for_what_it_knows_without_a_gap() {
        let recent = Recent::default();
        recent.remember([recorded(5), recorded(6)].iter());
        assert_eq!(positions(&recent, 4, 10), Some(vec![5, 6]));
        assert_eq!(positions(&recent, 5, 10), Some(vec![6]));
        assert_eq!(positions(&recent, 4, 1), Some(vec![5]));
        assert_eq!(positions(&recent, 3, 10), None);
        assert_eq!(positions(&recent, 6, 10), None);
    }

    #[test]
    fn what_others_committed_in_between_makes_it_begin_anew() {
        let recent = Recent::default();
        recent.remember([recorded(5), recorded(8)].iter());
        assert_eq!(positions(&recent, 4, 10), None);
        assert_eq!(positions(&recent, 7, 10), Some(vec![8]));
    }

    #[test]
    fn the_oldest_are_forgotten() {
        let recent = Recent::default();
        recent.remember((1..=600).map(recorded).collect::<Vec<_>>().iter());
        assert_eq!(positions(&recent, 87, 1), None);
        assert_eq!(positions(&recent, 88, 1), Some(vec![89]));
    }
}
