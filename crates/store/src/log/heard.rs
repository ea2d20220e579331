//! The watermark: the position up to which this process has received every commit notification without a gap, from its own commits
//! and from other processes.
//!
//! **Invariant:** this process has invalidated the cached values of all batches up to [`Heard::reached`]. It may learn of its own
//! commit before another process's earlier one; its own then counts once the gap is filled.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// How many events' types are cached. A reader that is further behind queries the database.
const CAPACITY: usize = 4096;

/// The watermark. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct Heard(Arc<Mutex<Memory>>);

#[derive(Debug)]
struct Memory {
    reached: i64,
    /// The types of the last events up to `reached`.
    types: VecDeque<&'static str>,
}

impl Heard {
    /// Starts at a position that was read from the database.
    pub(crate) fn at(position: i64) -> Self {
        Self(Arc::new(Mutex::new(Memory { reached: position, types: VecDeque::new() })))
    }

    /// The watermark's position.
    pub(crate) fn reached(&self) -> i64 {
        self.memory().reached
    }

    /// Records a notification from position `after` to `until`, whose cached values the caller has invalidated. `types` are the
    /// events' types, or empty if unknown.
    pub(crate) fn hear(&self, after: i64, until: i64, types: &[&'static str]) {
        let mut memory = self.memory();
        let Memory { reached, types: known } = &mut *memory;
        if after > *reached || until <= *reached {
            return;
        }
        let new = usize::try_from(until - *reached).unwrap_or(usize::MAX);
        let is_known = i64::try_from(types.len()) == Ok(until - after);
        match types.len().checked_sub(new).filter(|_| is_known) {
            Some(old) => known.extend(&types[old..]),
            None => known.clear(),
        }
        let over = known.len().saturating_sub(CAPACITY);
        known.drain(..over);
        *reached = until;
    }

    /// The database has lost the events after `position`.
    pub(crate) fn rewind(&self, position: i64) {
        *self.memory() = Memory { reached: position, types: VecDeque::new() };
    }

    /// Position and type of up to `limit` events after `after`, in log order. `None` unless all of them are cached and there is at
    /// least one.
    pub(crate) fn beyond(&self, after: i64, limit: usize) -> Option<Vec<(i64, &'static str)>> {
        let memory = self.memory();
        let behind = usize::try_from(memory.reached - after).ok().filter(|behind| *behind > 0)?;
        let skipped = memory.types.len().checked_sub(behind)?;
        Some((after + 1..).zip(memory.types.range(skipped..).copied()).take(limit).collect())
    }

    fn memory(&self) -> MutexGuard<'_, Memory> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const POSTED: &str = "message.posted";
    const JOINED: &str = "workspace.joined";

    #[test]
    fn the_watermark_lists_the_events_after_a_position_if_it_knows_all_of_them() {
        let heard = Heard::at(4);
        assert_eq!((heard.reached(), heard.beyond(4, 9)), (4, None));
        heard.hear(4, 6, &[JOINED, POSTED]);
        heard.hear(6, 7, &[POSTED]);
        assert_eq!(heard.beyond(4, 9), Some(vec![(5, JOINED), (6, POSTED), (7, POSTED)]));
        assert_eq!(heard.beyond(5, 1), Some(vec![(6, POSTED)]));
        assert_eq!([heard.beyond(3, 9), heard.beyond(7, 9), heard.beyond(8, 9)], [None, None, None]);
    }

    #[test]
    fn a_notification_ahead_of_a_gap_counts_once_the_gap_is_filled() {
        let heard = Heard::at(4);
        heard.hear(5, 6, &[POSTED]);
        assert_eq!(heard.reached(), 4);
        heard.hear(4, 5, &[JOINED]);
        heard.hear(5, 6, &[POSTED]);
        assert_eq!((heard.reached(), heard.beyond(4, 9)), (6, Some(vec![(5, JOINED), (6, POSTED)])));
    }

    #[test]
    fn a_repeated_notification_counts_once() {
        let heard = Heard::at(4);
        heard.hear(4, 6, &[JOINED, POSTED]);
        heard.hear(4, 6, &[JOINED, POSTED]);
        heard.hear(4, 7, &[JOINED, POSTED, JOINED]);
        assert_eq!(heard.beyond(4, 9), Some(vec![(5, JOINED), (6, POSTED), (7, JOINED)]));
    }

    #[test]
    fn a_notification_without_types_empties_the_cached_types() {
        let heard = Heard::at(4);
        heard.hear(4, 5, &[POSTED]);
        heard.hear(5, 7, &[]);
        heard.hear(7, 8, &[JOINED]);
        assert_eq!((heard.beyond(4, 9), heard.beyond(6, 9)), (None, None));
        assert_eq!((heard.reached(), heard.beyond(7, 9)), (8, Some(vec![(8, JOINED)])));
    }

    #[test]
    fn the_oldest_types_are_dropped() {
        let heard = Heard::at(0);
        (0..5000).for_each(|position| heard.hear(position, position + 1, &[POSTED]));
        assert_eq!((heard.beyond(903, 1), heard.beyond(904, 1)), (None, Some(vec![(905, POSTED)])));
    }
}
