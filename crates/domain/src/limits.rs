//! Rate limits: the tiers of agents, and the generic cell rate algorithm (GCRA) that counts requests.
//!
//! A quota of `n` per minute allows a burst of `n` requests and one more every `60 / n` seconds. The state of a caller
//! is one number, its *theoretical arrival time* (TAT), so that an in-memory map and one SQL statement decide alike.
//! Times are nanoseconds since the Unix epoch.

use crate::words;

words! {
    /// The rate limit tier of an agent (seed: «Authenticate», Tiers).
    #[derive(Default)]
    pub enum Tier {
        /// 15 requests a minute, unless set otherwise.
        #[default]
        Free = "free",
        /// 60 requests a minute, unless set otherwise.
        Pro = "pro",
        /// 300 requests a minute, unless set otherwise.
        Enterprise = "enterprise",
    }
}

const MINUTE: i64 = 60_000_000_000;
/// The maximum difference between the clocks of two processes, in nanoseconds.
const SKEW: i64 = 2_000_000_000;

/// A number of requests per minute, at least 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Quota(u32);

/// The decision about a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Verdict {
    /// Whether the request is allowed.
    pub allowed: bool,
    /// The caller's new TAT.
    pub tat: i64,
}

impl Quota {
    /// A quota of this many requests per minute; 0 becomes 1.
    pub fn at_least_one(requests: u32) -> Self {
        Self(requests.max(1))
    }

    /// Requests per minute, which is also the burst size.
    pub fn requests(self) -> u32 {
        self.0
    }

    /// How far one request advances the TAT, in nanoseconds.
    pub fn interval(self) -> i64 {
        MINUTE / i64::from(self.0)
    }

    /// How far the TAT may be ahead of now, in nanoseconds.
    pub fn tolerance(self) -> i64 {
        self.interval() * i64::from(self.0)
    }

    /// The time from which requests count, for a stored TAT.
    pub fn counted_from(self, tat: i64, now: i64) -> i64 {
        self.possible(tat, now).max(now)
    }

    /// Decides about `cost` requests at once. A refusal leaves the TAT unchanged.
    pub fn check(self, tat: i64, now: i64, cost: u32) -> Verdict {
        let next = self.counted_from(tat, now) + self.interval() * i64::from(cost);
        if next - now <= self.tolerance() {
            Verdict { allowed: true, tat: next }
        } else {
            Verdict { allowed: false, tat }
        }
    }

    /// The TAT, or 0 (expired) if it is further ahead of now than any that a correct clock has written.
    pub fn possible(self, tat: i64, now: i64) -> i64 {
        if tat > now.saturating_add(self.latest()) { 0 } else { tat }
    }

    /// The furthest ahead of now that another process can have written a TAT, in nanoseconds. Their clocks differ by
    /// two seconds at most.
    pub fn latest(self) -> i64 {
        self.tolerance() + self.interval() + SKEW
    }

    /// The number of requests left at this TAT.
    pub fn remaining(self, tat: i64, now: i64) -> u32 {
        let room = self.tolerance() - (self.counted_from(tat, now) - now);
        u32::try_from(room.max(0) / self.interval()).unwrap_or(0)
    }

    /// Nanoseconds until `cost` requests are allowed.
    pub fn retry_after(self, tat: i64, now: i64, cost: u32) -> i64 {
        (self.counted_from(tat, now) + self.interval() * i64::from(cost) - self.tolerance() - now).max(0)
    }

    /// Nanoseconds until the whole quota is available.
    pub fn reset(self, tat: i64, now: i64) -> i64 {
        self.counted_from(tat, now) - now
    }

    /// The TAT after refunding `cost` requests.
    pub fn refund(self, tat: i64, cost: u32) -> i64 {
        tat - self.interval() * i64::from(cost)
    }

    /// This quota multiplied by `factor`.
    #[must_use]
    pub fn times(self, factor: u32) -> Self {
        Self(self.0.saturating_mul(factor.max(1)).min(1_000_000_000))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_full_burst_is_allowed_and_then_one_each_interval() {
        let quota = Quota(15);
        let mut tat = 0;
        for _ in 0..15 {
            let verdict = quota.check(tat, MINUTE, 1);
            assert!(verdict.allowed);
            tat = verdict.tat;
        }
        assert!(!quota.check(tat, MINUTE, 1).allowed);
        assert_eq!(quota.retry_after(tat, MINUTE, 1), quota.interval());
        assert_eq!((quota.remaining(tat, MINUTE), quota.reset(tat, MINUTE)), (0, 15 * quota.interval()));
        assert!(quota.check(tat, MINUTE + quota.interval(), 1).allowed);
    }

    #[test]
    fn a_tat_stored_by_a_fast_clock_counts_as_expired() {
        let quota = Quota(15);
        let (year, now) = (525_600 * MINUTE, 10 * MINUTE);
        let ahead = quota.check(0, now + year, 1).tat;
        assert_eq!((quota.remaining(ahead, now), quota.reset(ahead, now)), (15, 0));
        assert_eq!(quota.retry_after(ahead, now, 1), 0);
        assert_eq!(quota.check(ahead, now, 1), quota.check(0, now, 1));
    }

    #[test]
    fn a_refunded_request_does_not_count() {
        let quota = Quota(60);
        let once = quota.check(0, MINUTE, 1).tat;
        let twice = quota.check(once, MINUTE, 1).tat;
        assert_eq!(quota.refund(twice, 1), once);
        assert_eq!(Quota(60).times(16), Quota(960));
    }

    #[test]
    fn an_impossible_tat_counts_as_expired() {
        let quota = Quota(15);
        let hour = 60 * MINUTE;
        assert_eq!((quota.remaining(hour, MINUTE), quota.retry_after(hour, MINUTE, 1)), (15, 0));
        assert_eq!(quota.check(hour, MINUTE, 1), quota.check(0, MINUTE, 1));
        // A TAT that was just written is possible.
        let spent = MINUTE + quota.tolerance();
        assert!(!quota.check(spent, MINUTE, 1).allowed);
    }

    proptest! {
        #[test]
        fn no_window_holds_more_than_burst_plus_refill(
            per_minute in 1_u32..400, gaps in prop::collection::vec(0_i64..5_000_000_000, 1..300)
        ) {
            let quota = Quota(per_minute);
            let (mut tat, mut now) = (0, 1_000 * MINUTE);
            let start = now;
            let mut allowed = 0_i64;
            for gap in gaps {
                now += gap;
                let remaining = quota.remaining(tat, now);
                let verdict = quota.check(tat, now, 1);
                prop_assert_eq!(verdict.allowed, remaining > 0);
                prop_assert_eq!(verdict.allowed, quota.retry_after(tat, now, 1) == 0);
                tat = verdict.tat;
                allowed += i64::from(verdict.allowed);
            }
            prop_assert!(allowed <= i64::from(per_minute) + (now - start) / quota.interval() + 1);
        }
    }
}
