//! How far streams had come when this process last let go of the head.
//!
//! Whoever holds the head and finds it where it was left knows that nobody has appended in between, and need not look the
//! versions of the same few streams up in every batch. **Invariant:** a version that is given was read, or written, while
//! the head was held, and the head's hash has not changed since but by this process's own hand.

use std::collections::HashMap;

/// How many streams are remembered.
const STREAMS: usize = 16 * 1024;

/// Stream → version; 0 where there is none.
#[derive(Debug, Default)]
pub(super) struct Versions {
    known: HashMap<String, i64>,
    /// The hash of the head that they belong to.
    head: Vec<u8>,
    /// Others append as well: what is known would have to be asked for once more each time.
    shared: bool,
}

impl Versions {
    /// Those of the streams whose versions are known, and those that have to be read.
    pub(super) fn divide<'s>(&mut self, streams: Vec<&'s str>) -> (Vec<&'s str>, Vec<&'s str>) {
        if self.shared || self.known.len() + streams.len() > STREAMS {
            self.known.clear();
        }
        streams.into_iter().partition(|stream| self.known.contains_key(*stream))
    }

    /// The head is held and has this hash. Tells whether what is known still counts; else it is forgotten.
    pub(super) fn stand_at(&mut self, hash: &[u8]) -> bool {
        let stands = self.head.is_empty() || self.head == hash;
        if !stands {
            self.known.clear();
        }
        self.shared = !stands;
        self.left_at(hash);
        stands
    }

    /// These streams were read under the head that is held; what is not among the found ones is not there.
    pub(super) fn learn(&mut self, asked: &[&str], found: Vec<(String, i64)>) {
        self.known.extend(asked.iter().map(|stream| ((*stream).to_owned(), 0)));
        self.known.extend(found);
    }

    /// The version of a stream that was asked for.
    pub(super) fn of(&self, stream: &str) -> i64 {
        self.known.get(stream).copied().unwrap_or(0)
    }

    /// A stream moves on, in a transaction that holds the head.
    pub(super) fn moved(&mut self, stream: &str, version: i64) {
        if let Some(known) = self.known.get_mut(stream) {
            *known = version;
        }
    }

    /// The head is let go with this hash.
    pub(super) fn left_at(&mut self, hash: &[u8]) {
        hash.clone_into(&mut self.head);
    }

    /// Nobody knows what became of the transaction that moved them.
    pub(super) fn forget(&mut self) {
        *self = Self::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a batch that rests on `streams` has to read, where the head is found at `hash` and every stream at `version`.
    fn batch<'s>(versions: &mut Versions, streams: &[&'s str], hash: &[u8], version: i64) -> Vec<&'s str> {
        let (known, mut read) = versions.divide(streams.to_vec());
        if !versions.stand_at(hash) {
            read.extend(known);
        }
        versions.learn(&read, read.iter().map(|stream| ((*stream).to_owned(), version)).collect());
        read
    }

    #[test]
    fn what_was_read_or_written_under_the_head_is_not_read_again() {
        let mut versions = Versions::default();
        assert_eq!(batch(&mut versions, &["a", "b"], &[1], 1), ["a", "b"]);
        versions.moved("a", 2);
        versions.left_at(&[2]);
        assert_eq!(batch(&mut versions, &["a", "b", "c"], &[2], 1), ["c"]);
        assert_eq!(["a", "b", "c", "d"].map(|stream| versions.of(stream)), [2, 1, 1, 0]);
    }

    #[test]
    fn where_others_have_appended_all_is_read_again() {
        let mut versions = Versions::default();
        batch(&mut versions, &["a", "c"], &[1], 1);
        versions.left_at(&[2]);
        assert_eq!(batch(&mut versions, &["b", "a"], &[3], 7), ["b", "a"]);
        assert_eq!(["a", "b", "c"].map(|stream| versions.of(stream)), [7, 7, 0]);
    }

    #[test]
    fn while_others_append_nothing_is_taken_for_known() {
        let mut versions = Versions::default();
        batch(&mut versions, &["a"], &[1], 1);
        batch(&mut versions, &["a"], &[3], 1);
        assert_eq!(versions.divide(vec!["a"]), (vec![], vec!["a"]));
        assert!(versions.stand_at(&[3]));
        versions.learn(&["a"], vec![]);
        assert_eq!(versions.divide(vec!["a"]), (vec!["a"], vec![]));
    }

    #[test]
    fn a_stream_that_is_not_there_has_version_0_until_it_is_begun() {
        let mut versions = Versions::default();
        versions.learn(&["a"], vec![]);
        assert_eq!(versions.divide(vec!["a"]), (vec!["a"], vec![]));
        assert_eq!(versions.of("a"), 0);
        versions.moved("a", 1);
        assert_eq!(versions.of("a"), 1);
    }

    #[test]
    fn what_failed_is_forgotten() {
        let mut versions = Versions::default();
        batch(&mut versions, &["a"], &[1], 1);
        versions.moved("a", 2);
        versions.forget();
        assert_eq!(versions.divide(vec!["a"]), (vec![], vec!["a"]));
    }
}
