//! The watermark: the position up to which this process has received every commit notification without a gap, from its own commits
//! and from other processes.
//!
//! **Invariant:** this process has invalidated the cached values of all batches up to [`Watermark::reached`]. It may learn of
//! its own commit before another process's earlier one; its own then counts once the gap is filled.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// How many events' types are cached. A reader that is further behind queries the database.
const CAPACITY: usize = 4096;

/// The watermark. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct Watermark(Arc<Mutex<Known>>);

#[derive(Debug)]
struct Known {
    reached: i64,
    /// The types of the last events up to `reached`.
    types: VecDeque<&'static str>,
}

impl Watermark {
    /// Starts at a position that was read from the database.
    pub(crate) fn at(position: i64) -> Self {
        Self(Arc::new(Mutex::new(Known { reached: position, types: VecDeque::new() })))
    }

    /// The watermark's position.
    pub(crate) fn reached(&self) -> i64 {
        self.lock().reached
    }

    /// Records a notification from position `after` to `until`, whose cached values the caller has invalidated. `types` are the
    /// events' types, or empty if unknown.
    pub(crate) fn record(&self, after: i64, until: i64, types: &[&'static str]) {
        let mut state = self.lock();
        let Known { reached, types: known } = &mut *state;
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
        *self.lock() = Known { reached: position, types: VecDeque::new() };
    }

    /// Position and type of up to `limit` events after `after`, in log order. `None` unless all of them are cached and there is at
    /// least one.
    pub(crate) fn beyond(&self, after: i64, limit: usize) -> Option<Vec<(i64, &'static str)>> {
        let state = self.lock();
        let behind = usize::try_from(state.reached - after).ok().filter(|behind| *behind > 0)?;
        let skipped = state.types.len().checked_sub(behind)?;
        Some((after + 1..).zip(state.types.range(skipped..).copied()).take(limit).collect())
    }

    fn lock(&self) -> MutexGuard<'_, Known> {
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
        let watermark = Watermark::at(4);
        assert_eq!((watermark.reached(), watermark.beyond(4, 9)), (4, None));
        watermark.record(4, 6, &[JOINED, POSTED]);
        watermark.record(6, 7, &[POSTED]);
        assert_eq!(watermark.beyond(4, 9), Some(vec![(5, JOINED), (6, POSTED), (7, POSTED)]));
        assert_eq!(watermark.beyond(5, 1), Some(vec![(6, POSTED)]));
        assert_eq!([watermark.beyond(3, 9), watermark.beyond(7, 9), watermark.beyond(8, 9)], [None, None, None]);
    }

    #[test]
    fn a_notification_ahead_of_a_gap_counts_once_the_gap_is_filled() {
        let watermark = Watermark::at(4);
        watermark.record(5, 6, &[POSTED]);
        assert_eq!(watermark.reached(), 4);
        watermark.record(4, 5, &[JOINED]);
        watermark.record(5, 6, &[POSTED]);
        assert_eq!((watermark.reached(), watermark.beyond(4, 9)), (6, Some(vec![(5, JOINED), (6, POSTED)])));
    }

    #[test]
    fn a_repeated_notification_counts_once() {
        let watermark = Watermark::at(4);
        watermark.record(4, 6, &[JOINED, POSTED]);
        watermark.record(4, 6, &[JOINED, POSTED]);
        watermark.record(4, 7, &[JOINED, POSTED, JOINED]);
        assert_eq!(watermark.beyond(4, 9), Some(vec![(5, JOINED), (6, POSTED), (7, JOINED)]));
    }

    #[test]
    fn a_notification_without_types_empties_the_cached_types() {
        let watermark = Watermark::at(4);
        watermark.record(4, 5, &[POSTED]);
        watermark.record(5, 7, &[]);
        watermark.record(7, 8, &[JOINED]);
        assert_eq!((watermark.beyond(4, 9), watermark.beyond(6, 9)), (None, None));
        assert_eq!((watermark.reached(), watermark.beyond(7, 9)), (8, Some(vec![(8, JOINED)])));
    }

    #[test]
    fn the_oldest_types_are_dropped() {
        let watermark = Watermark::at(0);
        (0..5000).for_each(|position| watermark.record(position, position + 1, &[POSTED]));
        assert_eq!((watermark.beyond(903, 1), watermark.beyond(904, 1)), (None, Some(vec![(905, POSTED)])));
    }
}
