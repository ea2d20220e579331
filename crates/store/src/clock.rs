//! The one room for time, ids and randomness.
//!
//! **Invariant:** nothing else reads a clock or draws random bytes. Times are UTC, truncated to microseconds, so that
//! both databases give back what was written.

#![expect(clippy::disallowed_methods, reason = "this is the room they are kept in")]

use std::{
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
    time::Duration,
};

use chrono::{DateTime, SubsecRound, TimeDelta, Utc};
use rand::Rng;
use uuid::{Builder, Uuid};

/// Where the time comes from.
#[derive(Debug, Clone, Default)]
pub enum Clock {
    /// The machine's clock.
    #[default]
    System,
    /// A clock that a test sets; microseconds since the Unix epoch.
    Fixed(Arc<AtomicI64>),
}

impl Clock {
    /// A clock that stands at `now` until it is moved.
    pub fn fixed(now: DateTime<Utc>) -> Self {
        Self::Fixed(Arc::new(AtomicI64::new(now.timestamp_micros())))
    }

    /// Moves a fixed clock on; the machine's clock stays as it is.
    pub fn advance(&self, by: Duration) {
        if let Self::Fixed(micros) = self {
            micros.fetch_add(i64::try_from(by.as_micros()).unwrap_or(0), Ordering::SeqCst);
        }
    }

    /// The time, truncated to microseconds.
    pub fn now(&self) -> DateTime<Utc> {
        match self {
            Self::System => Utc::now().trunc_subsecs(6),
            Self::Fixed(micros) => {
                DateTime::from_timestamp_micros(micros.load(Ordering::SeqCst)).unwrap_or(DateTime::UNIX_EPOCH)
            }
        }
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
