//! Whether an endpoint is pushed to now, and what its pushes wait for.

use chrono::{DateTime, Utc};

/// What is known of an endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Condition {
    /// Whether pushes are off, or it has no address.
    pub disabled: bool,
    /// Whether it has ever answered with 2xx at its present address.
    pub verified: bool,
    /// Whether each push waits for the one before it.
    pub ordered: bool,
    /// Until when its breaker is open; past that, the next attempt decides. None where it is closed.
    pub open_until: Option<DateTime<Utc>>,
    /// The first delivery that waits, in the order of the log.
    pub first_position: Option<i64>,
}

/// The state of an endpoint's circuit breaker, or why it has none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HealthState {
    /// It is pushed to.
    Closed,
    /// It failed too often in a row: nothing is tried for a while.
    Open,
    /// That while is over: the next attempt decides.
    HalfOpen,
    /// Nothing is pushed to it.
    Disabled,
    /// It gets one push at a time until it answers one with 2xx.
    Unverified,
}

impl HealthState {
    /// The wire name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Closed => "closed",
            Self::Open => "open",
            Self::HalfOpen => "half_open",
            Self::Disabled => "disabled",
            Self::Unverified => "unverified",
        }
    }
}

/// What a pending delivery waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wait {
    /// Its endpoint's breaker.
    Breaker,
    /// Its target's budget.
    Target,
    /// The first answer of an endpoint that is not verified.
    Verification,
    /// An earlier delivery of an ordered endpoint.
    Order,
    /// Its own next attempt.
    Retry,
    /// A worker.
    Worker,
}

impl Wait {
    /// The wire name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Breaker => "breaker",
            Self::Target => "target",
            Self::Verification => "verification",
            Self::Order => "order",
            Self::Retry => "retry",
            Self::Worker => "worker",
        }
    }
}

impl Condition {
    /// The endpoint's state.
    pub fn state(&self, now: DateTime<Utc>) -> HealthState {
        match self.open_until {
            _ if self.disabled => HealthState::Disabled,
            Some(until) if now < until => HealthState::Open,
            Some(_) => HealthState::HalfOpen,
            None if self.verified => HealthState::Closed,
            None => HealthState::Unverified,
        }
    }

    /// What a pending delivery at this position waits for. `throttled` says that its target's budget was used up,
    /// `attempts` how often it was tried.
    pub fn wait(&self, position: i64, throttled: bool, attempts: i64, now: DateTime<Utc>) -> Wait {
        let is_first = self.first_position.is_none_or(|first| position <= first);
        match self.state(now) {
            HealthState::Open => Wait::Breaker,
            _ if self.ordered && !is_first => Wait::Order,
            HealthState::Unverified if !is_first => Wait::Verification,
            _ if throttled => Wait::Target,
            _ if attempts > 0 => Wait::Retry,
            _ => Wait::Worker,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::TimeDelta;

    const NOON: DateTime<Utc> = DateTime::UNIX_EPOCH;
    const PLAIN: Condition =
        Condition { disabled: false, verified: true, ordered: false, open_until: None, first_position: Some(5) };

    #[test]
    fn a_breaker_tells_more_than_verification_and_disabling_more_than_both() {
        let open = Condition { open_until: Some(NOON + TimeDelta::seconds(30)), verified: false, ..PLAIN };
        let state = |condition: Condition, seconds| condition.state(NOON + TimeDelta::seconds(seconds)).as_str();
        assert_eq!((state(PLAIN, 0), state(open, 0), state(open, 30)), ("closed", "open", "half_open"));
        assert_eq!(state(Condition { open_until: None, ..open }, 0), "unverified");
        assert_eq!(state(Condition { disabled: true, ..open }, 0), "disabled");
    }

    #[test]
    fn each_delivery_waits_for_one_thing() {
        let wait = |condition: Condition, position, throttled, attempts| {
            condition.wait(position, throttled, attempts, NOON).as_str()
        };
        let ordered = Condition { ordered: true, ..PLAIN };
        let unverified = Condition { verified: false, ..PLAIN };
        let open = Condition { open_until: Some(NOON + TimeDelta::seconds(30)), ..ordered };
        assert_eq!((wait(PLAIN, 6, false, 0), wait(PLAIN, 6, false, 1)), ("worker", "retry"));
        assert_eq!((wait(PLAIN, 6, true, 1), wait(open, 6, true, 1)), ("target", "breaker"));
        assert_eq!((wait(ordered, 5, false, 1), wait(ordered, 6, false, 0)), ("retry", "order"));
        assert_eq!((wait(unverified, 5, false, 1), wait(unverified, 6, false, 0)), ("retry", "verification"));
    }
}
