//! A bounded table of rate limit subjects, in memory.
//!
//! Each shard sorts its subjects by the time at which their entries become redundant. A new subject in a full shard replaces the
//! entry that is closest to that time, or past it. An operation costs the logarithm of a shard's size. **Invariant:** to evict the
//! entry of a subject, a caller has to use up more of the allowance of every other subject in the shard. A secret of the process
//! determines each subject's shard. Counts of open resources are stored apart and never evicted.

use std::{
    collections::{BTreeSet, HashMap},
    hash::{BuildHasher, RandomState},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

const SHARDS: usize = 64;
/// The most subjects in all shards together.
pub(super) const CAPACITY: usize = 100_000;

/// The counters of one subject.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Subject {
    pub(super) tat: i64,
    /// Requests taken from the database table and not used yet.
    pub(super) held: u32,
    pub(super) held_until: i64,
}

impl Subject {
    /// When the entry becomes redundant: from then on, a subject without an entry has the same allowance.
    fn needed_until(&self) -> i64 {
        self.tat.max(self.held_until)
    }
}

#[derive(Debug, Default)]
struct Shard {
    subjects: HashMap<Arc<str>, Subject>,
    by_time: BTreeSet<(i64, Arc<str>)>,
    open: HashMap<Arc<str>, u32>,
}

/// The rate limit subjects that this process counts.
#[derive(Debug)]
pub(crate) struct Subjects {
    shards: Box<[Mutex<Shard>]>,
    /// The most subjects in one shard.
    shard_capacity: usize,
    hasher: RandomState,
}

impl Subjects {
    pub(crate) fn new() -> Self {
        Self::with_capacity(CAPACITY)
    }

    fn with_capacity(capacity: usize) -> Self {
        let shards = (0..SHARDS).map(|_| Mutex::default()).collect();
        Self { shards, shard_capacity: (capacity / SHARDS).max(1), hasher: RandomState::new() }
    }

    /// The number of entries.
    pub(super) fn len(&self) -> usize {
        self.shards.iter().map(|shard| lock(shard).subjects.len()).sum()
    }

    /// Changes a subject's entry, and inserts it if it is missing.
    pub(super) fn with<T>(&self, subject: &str, change: impl FnOnce(&mut Subject) -> T) -> T {
        let mut guard = self.shard(subject);
        let shard = &mut *guard;
        if let Some((name, known)) = shard.subjects.get_key_value(subject) {
            let (name, mut known) = (Arc::clone(name), *known);
            let before = known.needed_until();
            let changed = change(&mut known);
            if known.needed_until() != before {
                shard.by_time.remove(&(before, Arc::clone(&name)));
                shard.by_time.insert((known.needed_until(), Arc::clone(&name)));
            }
            shard.subjects.insert(name, known);
            return changed;
        }
        if shard.subjects.len() >= self.shard_capacity
            && let Some((_, first)) = shard.by_time.pop_first()
        {
            shard.subjects.remove(&first);
        }
        let (name, mut new) = (Arc::<str>::from(subject), Subject::default());
        let changed = change(&mut new);
        shard.by_time.insert((new.needed_until(), Arc::clone(&name)));
        shard.subjects.insert(name, new);
        changed
    }

    /// Counts one more open resource of a subject. Returns `false` if it already holds `most`.
    pub(super) fn open(&self, subject: &str, most: u32) -> bool {
        let mut shard = self.shard(subject);
        if let Some(open) = shard.open.get_mut(subject) {
            let allowed = *open < most;
            *open += u32::from(allowed);
            return allowed;
        }
        if most > 0 {
            shard.open.insert(subject.into(), 1);
        }
        most > 0
    }

    /// Counts one open resource less.
    pub(super) fn close(&self, subject: &str) {
        let mut shard = self.shard(subject);
        if let Some(open) = shard.open.get_mut(subject) {
            *open -= 1;
            if *open == 0 {
                shard.open.remove(subject);
            }
        }
    }

    fn shard(&self, subject: &str) -> MutexGuard<'_, Shard> {
        let hash = usize::try_from(self.hasher.hash_one(subject) % SHARDS as u64).unwrap_or_default();
        lock(&self.shards[hash])
    }
}

fn lock(shard: &Mutex<Shard>) -> MutexGuard<'_, Shard> {
    shard.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tat(subjects: &Subjects, name: &str) -> i64 {
        subjects.with(name, |subject| subject.tat)
    }

    #[test]
    fn a_flood_of_new_subjects_is_bounded_and_evicts_no_subject_that_used_up_more() {
        let subjects = Subjects::with_capacity(SHARDS * 16);
        subjects.with("victim", |subject| subject.tat = 1_000_000);
        for number in 0..50_000_i64 {
            subjects.with(&format!("newcomer {number}"), |subject| subject.tat = number);
        }
        assert!(subjects.len() <= SHARDS * 16);
        assert_eq!(tat(&subjects, "victim"), 1_000_000);
        let in_shard = (0..50_000).filter(|number| subjects.shard_has(&format!("newcomer {number}"))).count();
        assert!(in_shard < SHARDS * 16);
        assert!(subjects.shard_has("newcomer 49999"), "the new subject itself is counted");
    }

    #[test]
    fn requests_taken_from_the_table_count_until_they_end() {
        let subjects = Subjects::with_capacity(SHARDS * 4);
        subjects.with("fast", |subject| (subject.held, subject.held_until) = (9, 500));
        for number in 0..5_000_i64 {
            subjects.with(&format!("newcomer {number}"), |subject| subject.tat = number % 500);
        }
        assert_eq!(subjects.with("fast", |subject| subject.held), 9);
    }

    #[test]
    fn counts_of_open_resources_are_never_evicted_and_removed_at_zero() {
        let subjects = Subjects::with_capacity(SHARDS);
        assert!(subjects.open("live 192.0.2.1", 1));
        for number in 0..5_000_i64 {
            subjects.with(&format!("newcomer {number}"), |subject| subject.tat = i64::MAX - number);
        }
        assert!(!subjects.open("live 192.0.2.1", 1));
        subjects.close("live 192.0.2.1");
        assert!(subjects.shards.iter().all(|shard| lock(shard).open.is_empty()));
        assert!(subjects.open("live 192.0.2.1", 1));
        assert!(!subjects.open("none", 0));
    }

    #[test]
    fn a_subject_has_one_entry_in_the_time_index() {
        let subjects = Subjects::with_capacity(SHARDS * 4);
        for number in 0..1_000_i64 {
            subjects.with("busy", |subject| subject.tat = number / 2);
        }
        let times: usize = subjects.shards.iter().map(|shard| lock(shard).by_time.len()).sum();
        assert_eq!((times, subjects.len()), (1, 1));
    }

    impl Subjects {
        fn shard_has(&self, name: &str) -> bool {
            self.shard(name).subjects.contains_key(name)
        }
    }
}
