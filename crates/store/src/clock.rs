//! The only source of time, ids and randomness.
//!
//! **Invariant:** no other code reads a clock or draws random bytes. Times are UTC, truncated to microseconds, so that both
//! databases return the written value. **Invariant:** the time is never more than a second ahead of its reference. The reference is
//! the machine's monotonic clock or, on PostgreSQL, the database's clock; the time then differs from it by at most a second in
//! either direction. Times from a wrong wall clock would remain on the log forever.

#![expect(clippy::disallowed_methods, reason = "this module is their only permitted caller")]

use std::{
    sync::{
        Arc, LazyLock, PoisonError, RwLock,
        atomic::{AtomicI64, Ordering},
    },
    time::Duration,
};

use chrono::{DateTime, SubsecRound, TimeDelta, Utc};
use rand::Rng;
use uuid::{Builder, Uuid};

/// How far the wall clock may deviate from its reference, in microseconds.
const AHEAD: i64 = 1_000_000;

/// The machine's clock, shared by all stores of this process.
static MACHINE: LazyLock<Machine> = LazyLock::new(|| Machine::new(0));

/// A source of time.
#[derive(Debug, Clone, Default)]
pub enum Clock {
    /// The machine's clock, bounded by its reference.
    #[default]
    System,
    /// The machine's clock with a wall clock that a test sets wrong.
    Wrong(Arc<Machine>),
    /// A clock that a test sets, in microseconds since the Unix epoch.
    Fixed(Arc<AtomicI64>),
}

impl Clock {
    /// A clock that stays at `now` until it is advanced.
    pub fn fixed(now: DateTime<Utc>) -> Self {
        Self::Fixed(Arc::new(AtomicI64::new(now.timestamp_micros())))
    }

    /// The machine's clock with a wall clock that deviates by `wrong`.
    pub fn wrong_by(wrong: TimeDelta) -> Self {
        Self::Wrong(Arc::new(Machine::new(wrong.num_microseconds().unwrap_or(0))))
    }

    /// Advances a fixed clock, or makes a wrong wall clock jump. Has no effect on the machine's clock.
    pub fn advance(&self, by: Duration) {
        let by = i64::try_from(by.as_micros()).unwrap_or(0);
        match self {
            Self::Fixed(micros) => micros.fetch_add(by, Ordering::SeqCst),
            Self::Wrong(machine) => machine.wrong.fetch_add(by, Ordering::SeqCst),
            Self::System => 0,
        };
    }

    fn machine(&self) -> Option<&Machine> {
        match self {
            Self::System => Some(&*MACHINE),
            Self::Wrong(machine) => Some(machine),
            Self::Fixed(_) => None,
        }
    }

    /// Makes the database's time, read just now, the reference.
    pub(crate) fn refer_to(&self, database: DateTime<Utc>) {
        if let Some(machine) = self.machine() {
            let reference = Reference { offset: database.timestamp_micros() - monotonic(), is_database: true };
            *machine.reference.write().unwrap_or_else(PoisonError::into_inner) = reference;
        }
    }

    /// How far the wall clock is ahead of the reference, in seconds. Negative if it is behind.
    pub(crate) fn skew(&self) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "exact up to 2^53 microseconds, 285 years")]
        self.machine().map_or(0.0, |machine| machine.skew() as f64 / 1e6)
    }

    /// The time, truncated to microseconds.
    pub fn now(&self) -> DateTime<Utc> {
        let micros = match (self, self.machine()) {
            (Self::Fixed(micros), _) => micros.load(Ordering::SeqCst),
            (_, machine) => machine.unwrap_or(&*MACHINE).now(),
        };
        DateTime::from_timestamp_micros(micros).unwrap_or(DateTime::UNIX_EPOCH)
    }

    /// The time after `wait`.
    pub fn after(&self, wait: Duration) -> DateTime<Utc> {
        let later = TimeDelta::from_std(wait).ok().and_then(|wait| self.now().checked_add_signed(wait));
        later.unwrap_or(DateTime::<Utc>::MAX_UTC).trunc_subsecs(6)
    }

    /// A new UUIDv7 (RFC 9562, section 5.7): the current millisecond and 74 random bits.
    pub fn uuid(&self) -> Uuid {
        let millis = u64::try_from(self.now().timestamp_millis()).unwrap_or(0);
        Builder::from_unix_timestamp_millis(millis, &random()).into_uuid()
    }
}

/// The machine's wall clock with its reference.
#[derive(Debug)]
pub struct Machine {
    /// The deviation that a test has set for the wall clock, in microseconds.
    wrong: AtomicI64,
    reference: RwLock<Reference>,
}

/// The reference that bounds the wall clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Reference {
    /// The reference's time minus the monotonic clock's, in microseconds.
    offset: i64,
    /// Whether the reference is the database's clock, which bounds the time in both directions. Without a database's clock, a wall
    /// clock that is set back is trusted: it may have been wrong when the process started.
    is_database: bool,
}

impl Reference {
    /// The bounded time for these clock readings, in microseconds.
    fn bounded(self, wall: i64, monotonic: i64) -> i64 {
        let expected = self.offset.saturating_add(monotonic);
        let latest = wall.min(expected.saturating_add(AHEAD));
        if self.is_database { latest.max(expected.saturating_sub(AHEAD)) } else { latest }
    }
}

impl Machine {
    fn new(wrong: i64) -> Self {
        let reference = Reference { offset: Utc::now().timestamp_micros() - monotonic(), is_database: false };
        Self { wrong: AtomicI64::new(wrong), reference: RwLock::new(reference) }
    }

    fn wall(&self) -> i64 {
        Utc::now().timestamp_micros().saturating_add(self.wrong.load(Ordering::SeqCst))
    }

    fn reference(&self) -> Reference {
        *self.reference.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn now(&self) -> i64 {
        self.reference().bounded(self.wall(), monotonic())
    }

    fn skew(&self) -> i64 {
        self.wall() - self.reference().offset - monotonic()
    }
}

/// Microseconds of a clock that cannot be set and that continues while the machine sleeps.
#[cfg(target_os = "linux")]
fn monotonic() -> i64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::Boottime);
    time.tv_sec.saturating_mul(1_000_000).saturating_add(time.tv_nsec / 1000)
}

/// On other systems such a clock may stop while the machine sleeps. The wall clock is its own reference there.
#[cfg(not(target_os = "linux"))]
fn monotonic() -> i64 {
    Utc::now().timestamp_micros()
}

/// Cryptographically secure random bytes. Each thread has a generator that is seeded from the operating system, so that events do
/// not need a system call each.
///
/// # Panics
/// If the operating system provides no randomness, because no secret can be created then.
pub fn random<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    rand::rng().fill_bytes(&mut bytes);
    bytes
}

/// A random number from 0 to 1, to spread retries.
pub fn jitter() -> f64 {
    f64::from(u32::from_le_bytes(random())) / f64::from(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const HOUR: i64 = 3_600_000_000;

    #[test]
    fn the_monotonic_clock_bounds_a_wall_clock_that_jumps_forward() {
        let reference = Reference { offset: 5 * HOUR, is_database: false };
        assert_eq!(reference.bounded(6 * HOUR, HOUR), 6 * HOUR);
        assert_eq!(reference.bounded(7 * HOUR, HOUR), 6 * HOUR + AHEAD);
        assert_eq!(reference.bounded(5 * HOUR, HOUR), 5 * HOUR);
    }

    #[test]
    fn the_databases_clock_bounds_the_time_in_both_directions() {
        let reference = Reference { offset: 5 * HOUR, is_database: true };
        assert_eq!(reference.bounded(7 * HOUR, HOUR), 6 * HOUR + AHEAD);
        assert_eq!(reference.bounded(5 * HOUR, HOUR), 6 * HOUR - AHEAD);
    }

    #[test]
    fn a_jump_of_the_wall_clock_at_run_time_is_ignored() {
        let clock = Clock::wrong_by(TimeDelta::zero());
        let before = clock.now();
        clock.advance(Duration::from_hours(1));
        assert!(clock.now() < before + TimeDelta::minutes(1));
        assert!(clock.skew() > 3599.0);
    }

    proptest! {
        #[test]
        fn the_time_is_never_more_than_a_second_ahead(
            offset in -HOUR..HOUR, wall in -HOUR..3 * HOUR, monotonic in 0..HOUR, is_database: bool
        ) {
            let now = Reference { offset, is_database }.bounded(wall, monotonic);
            prop_assert!(now <= offset + monotonic + AHEAD);
            prop_assert!(!is_database || now >= offset + monotonic - AHEAD);
            prop_assert!(now <= wall || is_database);
        }
    }
}
