//! Seeded random numbers (SplitMix64): a seed gives the same numbers on every machine and with every version.

use std::{ops::Range, time::Duration};

/// A generator. Not for secrets.
#[derive(Debug, Clone)]
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// A generator of its own for a part of the run, so that the parts do not depend on each other's pace.
    pub(crate) fn of_part(seed: u64, part: u64) -> Self {
        let mut random = Self(seed ^ part.wrapping_mul(0xD6E8_FEB8_6659_FD93));
        random.next();
        random
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number below `end`; 0 where `end` is 0.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        let end = u64::try_from(end).unwrap_or(u64::MAX).max(1);
        usize::try_from(self.next() % end).unwrap_or(0)
    }

    pub(crate) fn milliseconds(&mut self, range: Range<u64>) -> Duration {
        let span = range.end.saturating_sub(range.start).max(1);
        Duration::from_millis(range.start + self.next() % span)
    }

    /// True in so many of a hundred cases.
    pub(crate) fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// One of these; none of an empty list.
    pub(crate) fn pick<'list, T>(&mut self, list: &'list [T]) -> Option<&'list T> {
        list.get(self.below(list.len()))
    }

    /// Letters that no other text of the run has: words of four, which no check for near-duplicates takes for the same.
    pub(crate) fn marker(&mut self) -> String {
        let word = |random: &mut Self| -> String { (0..4).map(|_| char::from(b'a' + random.letter())).collect() };
        (0..6).map(|_| word(self)).collect::<Vec<_>>().join(" ")
    }

    fn letter(&mut self) -> u8 {
        u8::try_from(self.below(26)).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_the_same_numbers_for_ever() {
        let mut random = Random::new(1);
        assert_eq!([random.next(), random.next()], [0x910A_2DEC_8902_5CC1, 0xBEEB_8DA1_658E_EC67]);
    }

    #[test]
    fn parts_differ() {
        assert_ne!(Random::of_part(1, 1).next(), Random::of_part(1, 2).next());
        assert_ne!(Random::of_part(1, 1).next(), Random::of_part(2, 1).next());
    }
}
