//! A cache of stream versions, valid while this process alone appends.
//!
//! A writer that locks the head and finds it unchanged knows that no other process has appended, and need not read the same
//! streams' versions in every batch. **Invariant:** a returned version was read or written under the head's lock, and only this
//! process has changed the head since.

use std::collections::HashMap;

/// How many streams are cached.
const STREAMS: usize = 16 * 1024;

/// Stream → version; 0 if the stream does not exist.
#[derive(Debug, Default)]
pub(super) struct Versions {
    known: HashMap<String, i64>,
    /// The hash of the head for which the versions hold.
    head: Vec<u8>,
    /// Other processes append as well, so that every batch would have to read the versions again.
    shared: bool,
}

impl Versions {
    /// Splits the streams into those whose versions are cached and those that must be read.
    pub(super) fn divide<'s>(&mut self, streams: Vec<&'s str>) -> (Vec<&'s str>, Vec<&'s str>) {
        if self.shared || self.known.len() + streams.len() > STREAMS {
            self.known.clear();
        }
        streams.into_iter().partition(|stream| self.known.contains_key(*stream))
    }

    /// The head is locked and has this hash. Returns whether the cached versions are still valid; clears them otherwise.
    pub(super) fn validate(&mut self, hash: &[u8]) -> bool {
        let is_valid = self.head.is_empty() || self.head == hash;
        if !is_valid {
            self.known.clear();
        }
        self.shared = !is_valid;
        self.set_head(hash);
        is_valid
    }

    /// Caches versions that were read under the head's lock. Streams in `asked` but not in `found` do not exist.
    pub(super) fn learn(&mut self, asked: &[&str], found: Vec<(String, i64)>) {
        self.known.extend(asked.iter().map(|stream| ((*stream).to_owned(), 0)));
        self.known.extend(found);
    }

    /// The version of a stream that the batch depends on.
    pub(super) fn of(&self, stream: &str) -> i64 {
        self.known.get(stream).copied().unwrap_or(0)
    }

    /// A transaction that holds the head's lock advances a stream.
    pub(super) fn moved(&mut self, stream: &str, version: i64) {
        if let Some(known) = self.known.get_mut(stream) {
            *known = version;
        }
    }

    /// The transaction leaves the head with this hash.
    pub(super) fn set_head(&mut self, hash: &[u8]) {
        hash.clone_into(&mut self.head);
    }

    /// Clears the cache: the outcome of the last transaction is unknown.
    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The streams that a batch which depends on `streams` must read, with the head at `hash` and every stream at `version`.
    fn batch<'s>(versions: &mut Versions, streams: &[&'s str], hash: &[u8], version: i64) -> Vec<&'s str> {
        let (known, mut read) = versions.divide(streams.to_vec());
        if !versions.validate(hash) {
            read.extend(known);
        }
        versions.learn(&read, read.iter().map(|stream| ((*stream).to_owned(), version)).collect());
        read
    }

    #[test]
    fn versions_read_or_written_under_the_heads_lock_are_not_read_again() {
        let mut versions = Versions::default();
        assert_eq!(batch(&mut versions, &["a", "b"], &[1], 1), ["a", "b"]);
        versions.moved("a", 2);
        versions.set_head(&[2]);
        assert_eq!(batch(&mut versions, &["a", "b", "c"], &[2], 1), ["c"]);
        assert_eq!(["a", "b", "c", "d"].map(|stream| versions.of(stream)), [2, 1, 1, 0]);
    }

    #[test]
    fn after_another_process_appended_all_versions_are_read_again() {
        let mut versions = Versions::default();
        batch(&mut versions, &["a", "c"], &[1], 1);
        versions.set_head(&[2]);
        assert_eq!(batch(&mut versions, &["b", "a"], &[3], 7), ["b", "a"]);
        assert_eq!(["a", "b", "c"].map(|stream| versions.of(stream)), [7, 7, 0]);
    }

    #[test]
    fn while_other_processes_append_no_version_is_cached() {
        let mut versions = Versions::default();
        batch(&mut versions, &["a"], &[1], 1);
        batch(&mut versions, &["a"], &[3], 1);
        assert_eq!(versions.divide(vec!["a"]), (vec![], vec!["a"]));
        assert!(versions.validate(&[3]));
        versions.learn(&["a"], vec![]);
        assert_eq!(versions.divide(vec!["a"]), (vec!["a"], vec![]));
    }

    #[test]
    fn a_missing_stream_has_version_0_until_its_first_event() {
        let mut versions = Versions::default();
        versions.learn(&["a"], vec![]);
        assert_eq!(versions.divide(vec!["a"]), (vec!["a"], vec![]));
        assert_eq!(versions.of("a"), 0);
        versions.moved("a", 1);
        assert_eq!(versions.of("a"), 1);
    }

    #[test]
    fn a_failed_transaction_clears_the_cache() {
        let mut versions = Versions::default();
        batch(&mut versions, &["a"], &[1], 1);
        versions.moved("a", 2);
        versions.clear();
        assert_eq!(versions.divide(vec!["a"]), (vec![], vec!["a"]));
    }
}
