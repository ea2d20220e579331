//! Consumers of the log: each one's offset, and the ranges that it has processed beyond the offset.
//!
//! **Invariant:** a consumer's effects for an event commit together with the record that it processed the event, and only if it had
//! not processed it before. However often a consumer receives an event, its effects occur once.

use std::{
    collections::{BTreeSet, HashMap},
    ops::RangeInclusive,
};

use buildtrack_macros::boxed;

use super::{Change, Log, head::StoredProgress};
use crate::{StoreError, database::values, log::context::SideChange};

/// A consumer's progress: everything up to `position`, and these ranges beyond the offset.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Progress {
    pub(crate) position: i64,
    /// First and last position of each range, in order, with gaps between the ranges.
    pub(crate) beyond: Vec<(i64, i64)>,
    /// Whether the database stores some of the ranges.
    pub(crate) stored: bool,
}

impl Progress {
    fn has(&self, position: i64) -> bool {
        position <= self.position || self.beyond.iter().any(|(first, last)| (*first..=*last).contains(&position))
    }

    /// The ranges up to `last` that the consumer has not processed, in order.
    fn missing(&self, last: i64) -> Vec<RangeInclusive<i64>> {
        let starts = [self.position + 1].into_iter().chain(self.beyond.iter().map(|(_, last)| last + 1));
        let ends = self.beyond.iter().map(|(first, _)| first - 1).chain([i64::MAX]);
        let stretches = starts.zip(ends).map(|(first, end)| first..=end.min(last));
        stretches.filter(|stretch| !stretch.is_empty()).collect()
    }

    /// Adds newly processed positions.
    fn add(&mut self, positions: &[i64]) {
        self.beyond.extend(positions.iter().map(|position| (*position, *position)));
        self.beyond.sort_unstable();
        let mut folded: Vec<(i64, i64)> = Vec::with_capacity(self.beyond.len());
        for (first, last) in self.beyond.drain(..) {
            match folded.last_mut() {
                Some(before) if before.1 + 1 == first => before.1 = last,
                _ => folded.push((first, last)),
            }
        }
        if let Some((_, last)) = folded.first().copied().filter(|(first, _)| *first == self.position + 1) {
            self.position = last;
            folded.remove(0);
        }
        self.beyond = folded;
    }
}

/// The consumers that these changes advance, in the order of their names, in which every writer locks them.
pub(crate) fn moved<'c>(changes: impl Iterator<Item = &'c SideChange>) -> BTreeSet<&'static str> {
    changes
        .filter_map(|change| match change.of() {
            Some(Change::Consumed { consumer, .. } | Change::Handled { consumer, .. }) => Some(*consumer),
            _ => None,
        })
        .collect()
}

/// Each consumer's progress, as read from the database.
pub(crate) fn progress(found: HashMap<&'static str, StoredProgress>) -> HashMap<&'static str, Progress> {
    let progress = |(position, beyond): StoredProgress| Progress { position, stored: !beyond.is_empty(), beyond };
    found.into_iter().map(|(consumer, found)| (consumer, progress(found))).collect()
}

const BEYOND: &str = "SELECT first, last FROM consumed WHERE consumer = $1 ORDER BY first";

/// The consumer that another process has advanced, if any. Otherwise adds these changes to `progress`.
pub(crate) fn find_conflict(changes: &[SideChange], progress: &mut HashMap<&'static str, Progress>) -> Option<String> {
    let changes = changes.iter().filter_map(SideChange::of::<Change>);
    let taken = |change: &&Change| match change {
        Change::Consumed { consumer, from, .. } => progress.get(consumer).is_none_or(|known| known.position != *from),
        Change::Handled { consumer, positions } => {
            progress.get(consumer).is_none_or(|known| positions.iter().any(|position| known.has(*position)))
        }
        _ => false,
    };
    if let Some(Change::Consumed { consumer, .. } | Change::Handled { consumer, .. }) = changes.clone().find(taken) {
        return Some(format!("consumer:{consumer}"));
    }
    for change in changes {
        match change {
            Change::Consumed { consumer, to, .. } => {
                progress.entry(consumer).or_default().position = *to;
            }
            Change::Handled { consumer, positions } => progress.entry(consumer).or_default().add(positions),
            _ => {}
        }
    }
    None
}

#[boxed]
impl Log {
    /// A consumer's offset: the position up to which it has processed every event.
    pub async fn consumer_position(&self, consumer: &str) -> Result<i64, StoreError> {
        let position: Option<i64> =
            self.db.optional("SELECT position FROM consumers WHERE name = $1", values![consumer]).await?;
        Ok(position.unwrap_or(0))
    }

    /// Those of the positions that a consumer has not processed.
    pub async fn unhandled(&self, consumer: &str, positions: &[i64]) -> Result<Vec<i64>, StoreError> {
        let progress = self.progress(consumer).await?;
        Ok(positions.iter().copied().filter(|position| !progress.has(*position)).collect())
    }

    /// The ranges of the log up to `last` that a consumer has not processed, in order.
    pub async fn missing(&self, consumer: &str, last: i64) -> Result<Vec<RangeInclusive<i64>>, StoreError> {
        Ok(self.progress(consumer).await?.missing(last))
    }

    async fn progress(&self, consumer: &str) -> Result<Progress, StoreError> {
        let beyond: Vec<(i64, i64)> = self.db.all(BEYOND, values![consumer]).await?;
        // Read the position last: ranges that are merged in between count either way.
        let position = self.consumer_position(consumer).await?;
        let beyond = beyond.into_iter().filter(|(_, last)| *last > position).collect();
        Ok(Progress { position, beyond, stored: true })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_without_gaps_are_merged_into_the_offset() {
        let mut progress = Progress { position: 4, ..Progress::default() };
        progress.add(&[7, 8, 10]);
        assert_eq!((progress.position, &*progress.beyond), (4, &[(7, 8), (10, 10)][..]));
        assert_eq!((4..=11).filter(|position| progress.has(*position)).collect::<Vec<_>>(), [4, 7, 8, 10]);
        progress.add(&[5, 9]);
        assert_eq!((progress.position, &*progress.beyond), (5, &[(7, 10)][..]));
        progress.add(&[6]);
        assert_eq!((progress.position, &*progress.beyond), (10, &[][..]));
    }

    #[test]
    fn missing_ranges_lie_between_processed_ranges() {
        let mut progress = Progress { position: 4, ..Progress::default() };
        assert_eq!(progress.missing(4), []);
        assert_eq!(progress.missing(6), [5..=6]);
        progress.add(&[7, 8, 10]);
        assert_eq!(progress.missing(8), [5..=6]);
        assert_eq!(progress.missing(12), [5..=6, 9..=9, 11..=12]);
        progress.add(&[5, 6, 9]);
        assert_eq!(progress.missing(10), []);
    }
}
