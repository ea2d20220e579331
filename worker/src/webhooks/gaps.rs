//! Gaps before a delivery of an ordered endpoint: earlier events that no dispatcher has processed yet.
//!
//! Several workers dispatch at once. One of them may commit an event's deliveries before another has committed those of an earlier
//! event, so the pending deliveries alone do not tell which comes first.

use std::{
    collections::BTreeMap,
    ops::RangeInclusive,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use buildtrack_domain::webhooks::is_never_pushed;
use buildtrack_store::{Store, StoreError};
use tokio::time::Instant;

use super::CONSUMER;

/// How long an ordered endpoint waits for an event to be dispatched. An event that cannot be dispatched goes to the dead letters after
/// some seconds, and stays undispatched until an operator replays it.
const WAIT_MAX: Duration = Duration::from_mins(1);
/// The number of events examined in each range of undispatched positions.
const EVENTS: usize = 256;

/// Undispatched events, and when this process first saw each.
#[derive(Debug, Default)]
pub(crate) struct Gaps {
    first_seen: Mutex<BTreeMap<i64, Instant>>,
}

impl Gaps {
    /// The position of the first event before `last` that may be pushed, is not dispatched, and that deliveries still wait for.
    pub(crate) async fn first_before(&self, store: &Store, last: i64) -> Result<Option<i64>, StoreError> {
        let missing = store.log().missing(CONSUMER, last - 1).await?;
        let mut undispatched = Vec::new();
        for range in missing {
            undispatched.extend(pushable(store, range).await?);
        }
        Ok(self.waited_for(&undispatched, Instant::now()))
    }

    /// The first of the undispatched events that this process has seen for less than [`WAIT_MAX`].
    fn waited_for(&self, undispatched: &[i64], now: Instant) -> Option<i64> {
        let mut first_seen = self.first_seen.lock().unwrap_or_else(PoisonError::into_inner);
        let last = undispatched.last().copied().unwrap_or(i64::MAX);
        first_seen.retain(|position, _| *position > last || undispatched.contains(position));
        // The wait of every event begins when it is first seen, so that the waits run at the same time.
        for position in undispatched {
            first_seen.entry(*position).or_insert(now);
        }
        let is_recent = |position: &&i64| first_seen.get(position).is_none_or(|since| now < *since + WAIT_MAX);
        undispatched.iter().find(is_recent).copied()
    }
}

/// The events at the beginning of a range that may be pushed.
async fn pushable(store: &Store, range: RangeInclusive<i64>) -> Result<Vec<i64>, StoreError> {
    let events = store.log().announced(range.start() - 1, EVENTS).await?;
    let within = events.into_iter().filter(|(position, _)| range.contains(position));
    Ok(within.filter(|(_, event_type)| !is_never_pushed(event_type)).map(|(position, _)| position).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_undispatched_event_is_waited_for_a_bounded_time() {
        let (gaps, now) = (Gaps::default(), Instant::now());
        assert_eq!(gaps.waited_for(&[], now), None);
        assert_eq!(gaps.waited_for(&[4, 9], now), Some(4));
        assert_eq!(gaps.waited_for(&[4, 9, 12], now + WAIT_MAX / 2), Some(4));
        assert_eq!(gaps.waited_for(&[4, 9, 12], now + WAIT_MAX), Some(12));
        assert_eq!(gaps.waited_for(&[4], now + WAIT_MAX), None);
        assert_eq!(gaps.waited_for(&[4, 9], now + WAIT_MAX), None, "the wait for a later event goes on meanwhile");
    }

    #[test]
    fn a_dispatched_event_is_removed() {
        let (gaps, now) = (Gaps::default(), Instant::now());
        gaps.waited_for(&[4, 9], now);
        gaps.waited_for(&[9], now);
        assert_eq!(gaps.first_seen.lock().unwrap().len(), 1);
    }
}
