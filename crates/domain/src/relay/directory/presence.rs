//! The presence of a relay agent: online, busy or offline.

use chrono::{DateTime, TimeDelta, Utc};

use crate::words;

/// The time without a message after which an agent counts as offline.
pub const SILENCE: TimeDelta = TimeDelta::minutes(5);

words! {
    /// The availability of an agent, as it states.
    pub enum Availability {
        /// It answers requests.
        Online = "online",
        /// It is running, but has no capacity.
        Busy = "busy",
        /// It does not answer requests.
        Offline = "offline",
    }
}

impl Availability {
    /// The availability at `now`, from the last stated availability and its time.
    pub fn after(stated: Self, seen_at: DateTime<Utc>, now: DateTime<Utc>) -> Self {
        if now - seen_at > SILENCE { Self::Offline } else { stated }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_silent_agent_is_offline() {
        let seen_at = DateTime::UNIX_EPOCH;
        assert_eq!(Availability::after(Availability::Busy, seen_at, seen_at + SILENCE), Availability::Busy);
        let later = seen_at + SILENCE + TimeDelta::seconds(1);
        assert_eq!(Availability::after(Availability::Busy, seen_at, later), Availability::Offline);
    }
}
