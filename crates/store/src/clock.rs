//! The one room for time, ids and randomness.
//!
//! **Invariant:** nothing else reads a clock or draws random bytes. Times are UTC, truncated to microseconds, so that
//! both databases give back what was written. **Invariant:** the time never runs more than a second ahead of its reference: of
//! the machine's monotonic clock and, on PostgreSQL, of the database's clock, from which it then stays a second away at most in
//! either direction. What a wrong wall clock wrote on the log would stay there.

#![expect(clippy::disallowed_methods, reason = "this is the room they are kept in")]

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

/// How far the wall clock may be from its reference, in microseconds.
const AHEAD: i64 = 1_000_000;

/// The machine's clock, as every store of this process has it.
static MACHINE: LazyLock<Machine> = LazyLock::new(|| Machine::new(0));

/// Where the time comes from.
#[derive(Debug, Clone, Default)]
pub enum Clock {
    /// The machine's clock, bound to its reference.
    #[default]
    System,
    /// The same with a wall clock that a test sets wrong.
    Wrong(Arc<Machine>),
    /// A clock that a test sets; microseconds since the Unix epoch.
    Fixed(Arc<AtomicI64>),
}

impl Clock {
    /// A clock that stands at `now` until it is moved.
    pub fn fixed(now: DateTime<Utc>) -> Self {
        Self::Fixed(Arc::new(AtomicI64::new(now.timestamp_micros())))
    }

    /// The machine's clock with a wall clock that is wrong by so much.
    pub fn wrong_by(wrong: TimeDelta) -> Self {
        Self::Wrong(Arc::new(Machine::new(wrong.num_microseconds().unwrap_or(0))))
    }

    /// Moves a fixed clock on, or lets a wrong wall clock jump; the machine's clock stays as it is.
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

    /// The database has just said what time it is: from now on that is the reference.
    pub(crate) fn refer_to(&self, database: DateTime<Utc>) {
        if let Some(machine) = self.machine() {
            let reference = Reference { offset: database.timestamp_micros() - monotonic(), is_database: true };
            *machine.reference.write().unwrap_or_else(PoisonError::into_inner) = reference;
        }
    }

    /// How far the wall clock is ahead of the reference, in seconds; below 0 where it is behind.
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

    /// The time so much later.
    pub fn after(&self, wait: Duration) -> DateTime<Utc> {
        let later = TimeDelta::from_std(wait).ok().and_then(|wait| self.now().checked_add_signed(wait));
        later.unwrap_or(DateTime::<Utc>::MAX_UTC).trunc_subsecs(6)
    }

    /// A new UUIDv7 (RFC 9562, section 5.7): this millisecond and 74 random bits.
    pub fn uuid(&self) -> Uuid {
        let millis = u64::try_from(self.now().timestamp_millis()).unwrap_or(0);
        Builder::from_unix_timestamp_millis(millis, &random()).into_uuid()
    }
}

/// The machine's clocks.
#[derive(Debug)]
pub struct Machine {
    /// How wrong a test has set the wall clock, in microseconds.
    wrong: AtomicI64,
    reference: RwLock<Reference>,
}

/// What the wall clock is held to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Reference {
    /// The reference's time less the monotonic clock's, in microseconds.
    offset: i64,
    /// Whether it is the database's, which holds in both directions. A wall clock that is set back is believed without it:
    /// it may have been wrong when the process began.
    is_database: bool,
}

impl Reference {
    /// The time, where the clocks say this, in microseconds.
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

/// Microseconds of a clock that cannot be set, and that goes on while the machine sleeps.
#[cfg(target_os = "linux")]
fn monotonic() -> i64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::Boottime);
    time.tv_sec.saturating_mul(1_000_000).saturating_add(time.tv_nsec / 1000)
}

/// Elsewhere such a clock may stand still while the machine sleeps: the wall clock is its own reference.
#[cfg(not(target_os = "linux"))]
fn monotonic() -> i64 {
    Utc::now().timestamp_micros()
}

/// Random bytes that nobody can guess: of a generator that each thread has seeded from the operating system, which every
/// event would otherwise have to ask.
///
/// # Panics
/// Where the system has no source of randomness: no secret could be made then.
pub fn random<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    rand::rng().fill_bytes(&mut bytes);
    bytes
}

/// A number from 0 to 1, for spreading retries.
pub fn jitter() -> f64 {
    f64::from(u32::from_le_bytes(random())) / f64::from(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const HOUR: i64 = 3_600_000_000;

    #[test]
    fn a_wall_clock_that_jumps_forward_is_held_to_the_monotonic_clock() {
        let reference = Reference { offset: 5 * HOUR, is_database: false };
        assert_eq!(reference.bounded(6 * HOUR, HOUR), 6 * HOUR);
        assert_eq!(reference.bounded(7 * HOUR, HOUR), 6 * HOUR + AHEAD);
        assert_eq!(reference.bounded(5 * HOUR, HOUR), 5 * HOUR);
    }

    #[test]
    fn the_databases_clock_holds_in_both_directions() {
        let reference = Reference { offset: 5 * HOUR, is_database: true };
        assert_eq!(reference.bounded(7 * HOUR, HOUR), 6 * HOUR + AHEAD);
        assert_eq!(reference.bounded(5 * HOUR, HOUR), 6 * HOUR - AHEAD);
    }

    #[test]
    fn a_jump_while_the_process_runs_is_not_believed() {
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
