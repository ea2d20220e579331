//! The health of an endpoint: its circuit breaker's state, and the reasons why deliveries wait.

use chrono::{DateTime, Utc};

use crate::words;

/// The delivery state of an endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Condition {
    /// Whether it is disabled or has no address.
    pub disabled: bool,
    /// Whether it has ever answered with 2xx at its current address.
    pub verified: bool,
    /// Whether deliveries are ordered.
    pub ordered: bool,
    /// When its open circuit breaker allows the next attempt; `None` if it is closed.
    pub open_until: Option<DateTime<Utc>>,
    /// The position of its first pending delivery in log order.
    pub first_position: Option<i64>,
}

words! {
    /// The state of an endpoint's circuit breaker, or the reason why it has none.
    pub enum HealthState {
        /// Pushes are sent.
        Closed = "closed",
        /// Too many consecutive failures: no attempts for a while.
        Open = "open",
        /// The open period has passed: the next attempt decides.
        HalfOpen = "half_open",
        /// Pushes are disabled.
        Disabled = "disabled",
        /// Not verified: it gets one push at a time until it answers with 2xx.
        Unverified = "unverified",
    }
}

words! {
    /// The reason why a pending delivery waits.
    pub enum Wait {
        /// The endpoint's circuit breaker is open.
        Breaker = "breaker",
        /// The target's budget is used up.
        Target = "target",
        /// The endpoint is not verified, and an earlier delivery is pending.
        Verification = "verification",
        /// An earlier delivery of an ordered endpoint is pending.
        Order = "order",
        /// The time of its next attempt.
        Retry = "retry",
        /// Capacity of a worker.
        Worker = "worker",
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

    /// The reason why a pending delivery at this position waits. `throttled` means that its target's budget was used
    /// up,
    /// `attempts` is the number of attempts so far.
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
    fn disabled_precedes_the_breaker_which_precedes_verification() {
        let open = Condition { open_until: Some(NOON + TimeDelta::seconds(30)), verified: false, ..PLAIN };
        let state = |condition: Condition, seconds| condition.state(NOON + TimeDelta::seconds(seconds)).as_str();
        assert_eq!((state(PLAIN, 0), state(open, 0), state(open, 30)), ("closed", "open", "half_open"));
        assert_eq!(state(Condition { open_until: None, ..open }, 0), "unverified");
        assert_eq!(state(Condition { disabled: true, ..open }, 0), "disabled");
    }

    #[test]
    fn each_delivery_has_one_reason_to_wait() {
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
