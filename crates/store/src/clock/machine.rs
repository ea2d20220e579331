//! The machine's wall clock, bounded by a reference, and the rule by which the reference follows it.

use std::{
    sync::{
        Mutex, OnceLock, PoisonError, RwLock,
        atomic::{AtomicI64, Ordering},
    },
    time::Duration,
};

use chrono::Utc;

/// How far the wall clock may deviate from its reference, in microseconds.
const TOLERANCE: i64 = 1_000_000;

/// How long the wall clock has to keep another time than its reference until it counts as right, if there is no database's clock.
/// Long enough for a mistake to be noticed and reverted, and short enough for a machine without a battery, whose clock begins
/// in 1970 until NTP sets it.
pub const SETTLED: Duration = Duration::from_mins(10);

/// The machine's wall clock with its reference.
#[derive(Debug)]
pub struct Machine {
    /// The deviation that a test has set for the wall clock, in microseconds.
    wrong: AtomicI64,
    /// The time that a test has let pass on both clocks, in microseconds.
    elapsed: AtomicI64,
    reference: RwLock<Reference>,
    /// Another time that the wall clock keeps.
    candidate: Mutex<Option<Candidate>>,
    /// The steady time minus the monotonic clock's, in microseconds.
    steady: OnceLock<i64>,
}

/// The reference that bounds the wall clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Reference {
    /// The reference's time minus the monotonic clock's, in microseconds.
    offset: i64,
    /// Whether the reference is the database's clock.
    is_database: bool,
}

/// Another offset of the wall clock than the reference's, and since when it has been seen, on the monotonic clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Candidate {
    offset: i64,
    since: i64,
}

impl Reference {
    /// The bounded time for these clock readings, in microseconds.
    fn bounded(self, wall: i64, monotonic: i64) -> i64 {
        let expected = self.offset.saturating_add(monotonic);
        wall.clamp(expected.saturating_sub(TOLERANCE), expected.saturating_add(TOLERANCE))
    }

    /// The offset that becomes the reference's, if the wall clock has kept it for long enough.
    fn settled(self, candidate: &mut Option<Candidate>, offset: i64, monotonic: i64) -> Option<i64> {
        if self.is_database || are_close(offset, self.offset) {
            *candidate = None;
            return None;
        }
        let seen = candidate.filter(|seen| are_close(offset, seen.offset));
        let since = candidate.insert(seen.unwrap_or(Candidate { offset, since: monotonic })).since;
        let is_settled = u128::from(monotonic.saturating_sub(since).unsigned_abs()) >= SETTLED.as_micros();
        is_settled.then(|| {
            *candidate = None;
            offset
        })
    }
}

fn are_close(one: i64, other: i64) -> bool {
    one.saturating_sub(other).saturating_abs() <= TOLERANCE
}

impl Machine {
    /// A machine whose wall clock deviates by `wrong` microseconds.
    pub(super) fn new(wrong: i64) -> Self {
        let offset = Utc::now().timestamp_micros().saturating_add(wrong) - boot_time();
        Self {
            wrong: AtomicI64::new(wrong),
            elapsed: AtomicI64::new(0),
            reference: RwLock::new(Reference { offset, is_database: false }),
            candidate: Mutex::default(),
            steady: OnceLock::new(),
        }
    }

    pub(super) fn jump(&self, by: i64) {
        self.wrong.fetch_add(by, Ordering::SeqCst);
    }

    pub(super) fn elapse(&self, by: i64) {
        self.elapsed.fetch_add(by, Ordering::SeqCst);
    }

    pub(super) fn refer_to(&self, database: i64) {
        self.set(Reference { offset: database - self.monotonic(), is_database: true });
    }

    pub(super) fn now(&self) -> i64 {
        self.reference().bounded(self.wall(), self.monotonic())
    }

    pub(super) fn skew(&self) -> i64 {
        self.offset() - self.reference().offset
    }

    pub(super) fn is_corrected(&self) -> bool {
        !are_close(self.offset(), self.reference().offset)
    }

    /// Returns the step in microseconds if the wall clock has become the reference.
    pub(super) fn settle(&self) -> Option<i64> {
        let reference = self.reference();
        let mut candidate = self.candidate.lock().unwrap_or_else(PoisonError::into_inner);
        let offset = reference.settled(&mut candidate, self.offset(), self.monotonic())?;
        self.set(Reference { offset, ..reference });
        Some(offset - reference.offset)
    }

    /// Begins with the reference of the first call, so that a database's clock counts if there is one.
    pub(super) fn steady(&self) -> i64 {
        self.steady.get_or_init(|| self.reference().offset).saturating_add(self.monotonic())
    }

    fn wall(&self) -> i64 {
        let wrong = self.wrong.load(Ordering::SeqCst).saturating_add(self.elapsed.load(Ordering::SeqCst));
        Utc::now().timestamp_micros().saturating_add(wrong)
    }

    fn monotonic(&self) -> i64 {
        boot_time().saturating_add(self.elapsed.load(Ordering::SeqCst))
    }

    fn offset(&self) -> i64 {
        self.wall().saturating_sub(self.monotonic())
    }

    fn reference(&self) -> Reference {
        *self.reference.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn set(&self, reference: Reference) {
        *self.reference.write().unwrap_or_else(PoisonError::into_inner) = reference;
    }
}

/// Microseconds of a clock that cannot be set and that continues while the machine sleeps.
#[cfg(target_os = "linux")]
fn boot_time() -> i64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::Boottime);
    time.tv_sec.saturating_mul(1_000_000).saturating_add(time.tv_nsec / 1000)
}

/// On other systems such a clock may stop while the machine sleeps. The wall clock is its own reference there.
#[cfg(not(target_os = "linux"))]
fn boot_time() -> i64 {
    Utc::now().timestamp_micros()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const MINUTE: i64 = 60_000_000;
    const HOUR: i64 = 60 * MINUTE;
    const START: Reference = Reference { offset: 5 * HOUR, is_database: false };

    #[test]
    fn the_monotonic_clock_bounds_a_wall_clock_that_jumps() {
        assert_eq!(START.bounded(6 * HOUR, HOUR), 6 * HOUR);
        assert_eq!(START.bounded(7 * HOUR, HOUR), 6 * HOUR + TOLERANCE);
        assert_eq!(START.bounded(5 * HOUR, HOUR), 6 * HOUR - TOLERANCE);
    }

    #[test]
    fn the_databases_clock_bounds_the_time_in_both_directions() {
        let reference = Reference { offset: 5 * HOUR, is_database: true };
        assert_eq!(reference.bounded(7 * HOUR, HOUR), 6 * HOUR + TOLERANCE);
        assert_eq!(reference.bounded(5 * HOUR, HOUR), 6 * HOUR - TOLERANCE);
    }

    /// Looks at these offsets, one a minute, and returns what each look made the reference's.
    fn looks(offsets: impl IntoIterator<Item = i64>) -> Vec<Option<i64>> {
        let mut candidate = None;
        offsets.into_iter().zip(0..).map(|(offset, at)| START.settled(&mut candidate, offset, at * MINUTE)).collect()
    }

    #[test]
    fn ten_minutes_at_another_time_settle_it_in_either_direction() {
        for offset in [0, 6 * HOUR, 500_000 * HOUR] {
            let looks = looks([offset; 11]);
            assert_eq!((&looks[..10], looks[10]), (&[None; 10][..], Some(offset)));
        }
    }

    #[test]
    fn a_jump_that_is_reverted_or_followed_by_another_does_not_settle() {
        let (right, wrong, other) = (5 * HOUR, 6 * HOUR, 7 * HOUR);
        let reverted = [[wrong; 9], [right; 9], [wrong; 9]].concat();
        assert!(looks(reverted).iter().all(Option::is_none));
        assert!(looks([[wrong; 9], [other; 9], [wrong; 9]].concat()).iter().all(Option::is_none));
        assert!(looks((0..60).map(|minute| wrong + minute * 2 * TOLERANCE)).iter().all(Option::is_none));
    }

    proptest! {
        #[test]
        fn the_time_differs_from_its_reference_by_at_most_a_second(
            offset in -HOUR..HOUR, wall in -HOUR..3 * HOUR, monotonic in 0..HOUR, is_database: bool
        ) {
            let now = Reference { offset, is_database }.bounded(wall, monotonic);
            prop_assert!(now <= offset + monotonic + TOLERANCE);
            prop_assert!(now >= offset + monotonic - TOLERANCE);
        }
    }
}
