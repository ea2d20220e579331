//! The only source of time, ids and randomness.
//!
//! **Invariant:** no other code reads a clock or draws random bytes. Times are UTC, truncated to microseconds, so that both
//! databases return the written value. **Invariant:** the time differs from its reference by at most a second. The reference is the
//! database's clock on PostgreSQL. Otherwise it is the machine's monotonic clock, set by the wall clock when the process starts and
//! when the wall clock has kept another time for [`SETTLED`]. Times from a wrong wall clock would remain on the log forever.

#![expect(clippy::disallowed_methods, reason = "this module is their only permitted caller")]

mod machine;

use std::{
    sync::{
        Arc, LazyLock,
        atomic::{AtomicI64, Ordering},
    },
    time::Duration,
};

use chrono::{DateTime, SubsecRound, TimeDelta, Utc};
use rand::Rng;
use uuid::{Builder, Uuid};

pub use machine::{Machine, SETTLED};

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

    /// Advances a fixed clock, or makes a wrong wall clock jump forward. Has no effect on the machine's clock.
    pub fn advance(&self, by: Duration) {
        match self {
            Self::Fixed(micros) => {
                micros.fetch_add(i64::try_from(by.as_micros()).unwrap_or(0), Ordering::SeqCst);
            }
            Self::Wrong(_) => self.jump(TimeDelta::from_std(by).unwrap_or_default()),
            Self::System => (),
        }
    }

    /// Makes a wrong wall clock jump, forward or back. Has no effect on other clocks.
    pub fn jump(&self, by: TimeDelta) {
        if let Self::Wrong(machine) = self {
            machine.jump(by.num_microseconds().unwrap_or(0));
        }
    }

    /// Lets time pass on a wrong clock: its wall clock and its monotonic clock advance together. Has no effect on other clocks.
    pub fn elapse(&self, by: Duration) {
        if let Self::Wrong(machine) = self {
            machine.elapse(i64::try_from(by.as_micros()).unwrap_or(0));
        }
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
            machine.refer_to(database.timestamp_micros());
        }
    }

    /// How far the wall clock is ahead of the reference, in seconds. Negative if it is behind.
    pub fn skew(&self) -> f64 {
        self.machine().map_or(0.0, |machine| seconds(machine.skew()))
    }

    /// Whether the wall clock is so far from the reference that times are corrected.
    pub fn is_corrected(&self) -> bool {
        self.machine().is_some_and(Machine::is_corrected)
    }

    /// Looks at the wall clock, and makes it the reference if it has kept another time for [`SETTLED`] and no database's clock is
    /// the reference. Returns the step of the time in seconds, if there was one. To be called regularly.
    pub(crate) fn settle(&self) -> Option<f64> {
        self.machine()?.settle().map(seconds)
    }

    /// A time for what one process counts: it advances evenly and never runs backwards, also when the wall clock steps. It may
    /// differ from [`Self::now`], and is not to be stored.
    pub(crate) fn steady(&self) -> DateTime<Utc> {
        let Some(machine) = self.machine() else { return self.now() };
        DateTime::from_timestamp_micros(machine.steady()).unwrap_or(DateTime::UNIX_EPOCH)
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

/// Seconds from microseconds.
#[expect(clippy::cast_precision_loss, reason = "exact up to 2^53 microseconds, 285 years")]
fn seconds(micros: i64) -> f64 {
    micros as f64 / 1e6
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

    const HOUR: Duration = Duration::from_hours(1);

    #[test]
    fn jitter_is_spread_from_0_to_1() {
        let drawn: Vec<f64> = (0..200).map(|_| jitter()).collect();
        assert!(drawn.iter().all(|number| (0.0..=1.0).contains(number)));
        let low = drawn.iter().filter(|number| **number < 0.5).count();
        assert!((50..150).contains(&low), "{low} of 200 are below one half");
    }

    #[test]
    fn a_jump_of_the_wall_clock_at_run_time_is_ignored() {
        let clock = Clock::wrong_by(TimeDelta::zero());
        let before = clock.now();
        clock.advance(HOUR);
        assert!(clock.now() < before + TimeDelta::minutes(1));
        assert!(clock.skew() > 3599.0 && clock.is_corrected());
        clock.jump(TimeDelta::hours(-2));
        assert!(clock.now() > before - TimeDelta::seconds(2));
        assert!(clock.skew() < -3599.0 && clock.is_corrected());
    }

    #[test]
    fn a_wall_clock_that_keeps_another_time_becomes_the_reference() {
        let clock = Clock::wrong_by(TimeDelta::hours(-1));
        let before = clock.now();
        clock.advance(HOUR);
        assert_eq!(clock.settle(), None);
        clock.elapse(SETTLED * 9 / 10);
        assert_eq!(clock.settle(), None);
        clock.elapse(SETTLED / 10);
        assert!(clock.settle().is_some_and(|step| (step - 3600.0).abs() < 5.0));
        assert!(!clock.is_corrected() && clock.now() > before + TimeDelta::hours(1));
        assert_eq!(clock.settle(), None);
    }

    #[test]
    fn the_databases_clock_remains_the_reference() {
        let clock = Clock::wrong_by(TimeDelta::zero());
        clock.refer_to(clock.now());
        clock.advance(HOUR);
        assert_eq!(clock.settle(), None);
        clock.elapse(2 * SETTLED);
        assert_eq!(clock.settle(), None);
        assert!(clock.is_corrected());
    }

    #[test]
    fn the_steady_time_is_not_affected_by_steps() {
        let clock = Clock::wrong_by(TimeDelta::zero());
        let before = clock.steady();
        for hours in [1, -3] {
            clock.jump(TimeDelta::hours(hours));
            clock.settle();
            clock.elapse(SETTLED);
            assert!(clock.settle().is_some());
        }
        let passed = clock.steady() - before;
        assert!(passed >= TimeDelta::minutes(20) && passed < TimeDelta::minutes(21), "{passed}");
    }
}
