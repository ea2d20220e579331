//! What the dispatcher has yet to enqueue before a delivery of an ordered endpoint.
//!
//! Several workers dispatch at once, and one of them may commit an event's deliveries before another has committed those of an
//! earlier event. What is pending at an endpoint is all that comes first only where everything earlier was dispatched.

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

/// How long an ordered endpoint waits for an event to be dispatched. One that cannot be goes to the dead letters after some
/// seconds, and stays undispatched until an operator replays it.
const PATIENCE: Duration = Duration::from_mins(1);
/// Events that are looked at in each stretch that was not dispatched.
const EVENTS: usize = 256;

/// Events that were not dispatched, and since when this process knows.
#[derive(Debug, Default)]
pub(crate) struct Gaps {
    known: Mutex<BTreeMap<i64, Instant>>,
}

impl Gaps {
    /// The first event before `last` that may be pushed, is not dispatched, and is still waited for.
    pub(crate) async fn first_before(&self, store: &Store, last: i64) -> Result<Option<i64>, StoreError> {
        let missing = store.missing(CONSUMER, last - 1).await?;
        let mut undispatched = Vec::new();
        for stretch in missing {
            undispatched.extend(pushable(store, stretch).await?);
        }
        Ok(self.waited_for(&undispatched, Instant::now()))
    }

    /// The first of these, all that are missing, that this process has not known for too long.
    fn waited_for(&self, undispatched: &[i64], now: Instant) -> Option<i64> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let last = undispatched.last().copied().unwrap_or(i64::MAX);
        known.retain(|position, _| *position > last || undispatched.contains(position));
        // Of all of them, so that several are waited for at once.
        for position in undispatched {
            known.entry(*position).or_insert(now);
        }
        let is_recent = |position: &&i64| known.get(position).is_none_or(|since| now < *since + PATIENCE);
        undispatched.iter().find(is_recent).copied()
    }
}

/// The events of a stretch that may be pushed, of those at its beginning.
async fn pushable(store: &Store, stretch: RangeInclusive<i64>) -> Result<Vec<i64>, StoreError> {
    let events = store.announced(stretch.start() - 1, EVENTS).await?;
    let within = events.into_iter().filter(|(position, _)| stretch.contains(position));
    Ok(within.filter(|(_, event_type)| !is_never_pushed(event_type)).map(|(position, _)| position).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_dispatched_is_waited_for_and_not_for_ever() {
        let (gaps, now) = (Gaps::default(), Instant::now());
        assert_eq!(gaps.waited_for(&[], now), None);
        assert_eq!(gaps.waited_for(&[4, 9], now), Some(4));
        assert_eq!(gaps.waited_for(&[4, 9, 12], now + PATIENCE / 2), Some(4));
        assert_eq!(gaps.waited_for(&[4, 9, 12], now + PATIENCE), Some(12));
        assert_eq!(gaps.waited_for(&[4], now + PATIENCE), None);
    }

    #[test]
    fn what_was_dispatched_is_forgotten() {
        let (gaps, now) = (Gaps::default(), Instant::now());
        gaps.waited_for(&[4, 9], now);
        gaps.waited_for(&[9], now);
        assert_eq!(gaps.known.lock().unwrap().len(), 1);
    }
}
