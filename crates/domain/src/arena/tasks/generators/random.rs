//! Pseudo-random numbers of the generators: `SplitMix64` (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators,
//! 2014), in integers alone.

use std::ops::RangeInclusive;

use sha2::{Digest, Sha256};

/// A sequence of numbers that a seed determines.
#[derive(Debug)]
pub(super) struct Random(u64);

impl Random {
    /// The numbers of a seed, and a public name of 16 hexadecimal digits that does not reveal them: both are parts of one
    /// SHA-256.
    pub(super) fn of(generator: &str, version: u32, seed: u64) -> (Self, String) {
        let digest = Sha256::digest(format!("buildtrack arena {generator} {version} {seed:016x}"));
        let (state, name) = digest[..16].split_at(8);
        (Self(state.iter().fold(0, |state, byte| state << 8 | u64::from(*byte))), hex::encode(name))
    }

    /// The next number.
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    /// A number below the bound, which is at least 1. The bias is below 2^-32 for bounds below 2^32.
    pub(super) fn below(&mut self, bound: usize) -> usize {
        let product = u128::from(self.next()) * bound as u128;
        usize::try_from(product >> 64).unwrap_or(0)
    }

    /// A number in the range.
    pub(super) fn within(&mut self, range: RangeInclusive<i64>) -> i64 {
        let width = usize::try_from(range.end() - range.start() + 1).unwrap_or(1);
        range.start() + i64::try_from(self.below(width)).unwrap_or(0)
    }

    /// One of the items, of which there is at least one.
    pub(super) fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }

    /// Reorders the items.
    pub(super) fn shuffle<T>(&mut self, items: &mut [T]) {
        for end in (1..items.len()).rev() {
            items.swap(end, self.below(end + 1));
        }
    }

    /// Different items, in random order.
    pub(super) fn sample<T: Clone>(&mut self, items: &[T], count: usize) -> Vec<T> {
        let mut items = items.to_vec();
        self.shuffle(&mut items);
        items.truncate(count);
        items
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_are_those_of_the_reference_implementation() {
        // The first outputs of https://prng.di.unimi.it/splitmix64.c with the state 1234567.
        let mut random = Random(1_234_567);
        let expected = [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423];
        assert_eq!([random.next(), random.next(), random.next()], expected);
    }

    #[test]
    fn every_number_of_a_range_occurs() {
        let (mut random, _) = Random::of("test", 1, 7);
        let mut counts = [0; 5];
        for _ in 0..5000 {
            counts[usize::try_from(random.within(-2..=2) + 2).unwrap()] += 1;
        }
        assert!(counts.iter().all(|count| (800..1200).contains(count)), "{counts:?}");
    }
}
