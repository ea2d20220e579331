//! The presence of a relay agent: online, busy or offline.

use std::str::FromStr;

use chrono::{DateTime, TimeDelta, Utc};

use crate::actors::UnknownName;

/// The time without a message after which an agent counts as offline.
pub const SILENCE: TimeDelta = TimeDelta::minutes(5);

/// The availability of an agent, as it states.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Availability {
    /// It answers requests.
    Online,
    /// It is running, but has no capacity.
    Busy,
    /// It does not answer requests.
    Offline,
}

impl Availability {
    /// The availability at `now`, from the last stated availability and its time.
    pub fn after(stated: Self, seen_at: DateTime<Utc>, now: DateTime<Utc>) -> Self {
        if now - seen_at > SILENCE { Self::Offline } else { stated }
    }

    /// The wire name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Online => "online",
            Self::Busy => "busy",
            Self::Offline => "offline",
        }
    }
}

impl FromStr for Availability {
    type Err = UnknownName;

    fn from_str(text: &str) -> Result<Self, UnknownName> {
        [Self::Online, Self::Busy, Self::Offline].into_iter().find(|one| one.as_str() == text).ok_or(UnknownName)
    }
}

impl TryFrom<String> for Availability {
    type Error = UnknownName;

    fn try_from(text: String) -> Result<Self, UnknownName> {
        text.parse()
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
