//! A bounded memory of the subjects whose requests are counted.
//!
//! Each shard keeps its subjects by the time at which they need no memory any more. A newcomer to a full shard takes the
//! place of the subject that is closest to that time, or beyond it: looking it up costs the logarithm of a shard's size.
//! **Invariant:** to make the memory forget what a caller has used up, another has to use up more in the name of every other
//! subject of the shard. Which shard a subject belongs to depends on a secret of the process. What is held open is kept apart
//! and never forgotten.

use std::{
    collections::{BTreeSet, HashMap},
    hash::{BuildHasher, RandomState},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

const SHARDS: usize = 64;
/// Subjects that are remembered at most, in all shards together.
pub(super) const CAPACITY: usize = 100_000;

/// What is remembered of a subject.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Subject {
    pub(super) tat: i64,
    /// Requests taken from the table and not used yet.
    pub(super) held: u32,
    pub(super) held_until: i64,
}

impl Subject {
    /// From when on a subject of which nothing is remembered has the same allowance.
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

/// What this process remembers of subjects.
#[derive(Debug)]
pub(crate) struct Subjects {
    shards: Box<[Mutex<Shard>]>,
    /// Subjects of one shard.
    room: usize,
    hasher: RandomState,
}

impl Subjects {
    pub(crate) fn new() -> Self {
        Self::with_capacity(CAPACITY)
    }

    fn with_capacity(capacity: usize) -> Self {
        let shards = (0..SHARDS).map(|_| Mutex::default()).collect();
        Self { shards, room: (capacity / SHARDS).max(1), hasher: RandomState::new() }
    }

    /// How many are remembered.
    pub(super) fn len(&self) -> usize {
        self.shards.iter().map(|shard| lock(shard).subjects.len()).sum()
    }

    /// Changes what is remembered of a subject.
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
        if shard.subjects.len() >= self.room
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

    /// Notes that a subject holds one thing more open; false where it holds as many as it may.
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

    /// Notes that a subject holds one thing less open.
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
    fn a_flood_of_newcomers_is_bounded_and_resets_none_who_used_up_more() {
        let subjects = Subjects::with_capacity(SHARDS * 16);
        subjects.with("victim", |subject| subject.tat = 1_000_000);
        for number in 0..50_000_i64 {
            subjects.with(&format!("newcomer {number}"), |subject| subject.tat = number);
        }
        assert!(subjects.len() <= SHARDS * 16);
        assert_eq!(tat(&subjects, "victim"), 1_000_000);
        let kept = (0..50_000).filter(|number| subjects.shard_has(&format!("newcomer {number}"))).count();
        assert!(kept < SHARDS * 16);
        assert!(subjects.shard_has("newcomer 49999"), "the newcomer itself is counted");
    }

    #[test]
    fn requests_taken_from_the_table_are_kept_until_they_end() {
        let subjects = Subjects::with_capacity(SHARDS * 4);
        subjects.with("fast", |subject| (subject.held, subject.held_until) = (9, 500));
        for number in 0..5_000_i64 {
            subjects.with(&format!("newcomer {number}"), |subject| subject.tat = number % 500);
        }
        assert_eq!(subjects.with("fast", |subject| subject.held), 9);
    }

    #[test]
    fn what_is_held_open_is_never_forgotten_and_leaves_nothing_behind() {
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
    fn a_subject_stands_once_among_the_times() {
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
