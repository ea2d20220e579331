//! Budgets: a number of units per period, such as bytes per day. A caller may spend the whole budget at once; it
//! refills evenly (GCRA, see [`crate::limits`]). Times are nanoseconds since the Unix epoch.

use std::time::Duration;

/// A number of units per period.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    units: u64,
    period: i64,
}

impl Budget {
    /// Creates a budget. Raises `units` to at least 1 and `period` to at least one second.
    pub fn new(units: u64, period: Duration) -> Self {
        let period = i64::try_from(period.max(Duration::from_secs(1)).as_nanos()).unwrap_or(i64::MAX / 4);
        Self { units: units.max(1), period: period.min(i64::MAX / 4) }
    }

    /// The units per period.
    pub fn units(self) -> u64 {
        self.units
    }

    /// How far `cost` units advance the TAT, in nanoseconds. A cost above the whole budget counts as twice the whole
    /// budget.
    fn weight(self, cost: u64) -> i64 {
        let weight = (u128::from(cost) * u128::from(self.period.unsigned_abs())).div_ceil(u128::from(self.units));
        i64::try_from(weight).unwrap_or(i64::MAX).min(self.period.saturating_mul(2))
    }

    /// The TAT after spending `cost` units; `None` if the budget does not have them. A TAT further ahead than any
    /// spending can move it (for example after a wrong clock) counts as expired.
    pub fn spend(self, tat: i64, now: i64, cost: u64) -> Option<i64> {
        let next = self.possible(tat, now).max(now).saturating_add(self.weight(cost));
        (next.saturating_sub(now) <= self.period).then_some(next)
    }

    /// The TAT after refunding `cost` units.
    pub fn refund(self, tat: i64, cost: u64) -> i64 {
        tat.saturating_sub(self.weight(cost))
    }

    /// The wait until `cost` units are available; the whole period if the budget can never have them.
    pub fn retry_after(self, tat: i64, now: i64, cost: u64) -> Duration {
        let next = self.possible(tat, now).max(now).saturating_add(self.weight(cost));
        let wait = next.saturating_sub(now).saturating_sub(self.period).clamp(0, self.period);
        Duration::from_nanos(wait.unsigned_abs())
    }

    fn possible(self, tat: i64, now: i64) -> i64 {
        if tat.saturating_sub(now) > self.period { 0 } else { tat }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const DAY: Duration = Duration::from_hours(24);
    const NOON: i64 = 1_770_000_000_000_000_000;

    #[test]
    fn a_budget_can_be_spent_at_once_and_refills_evenly() {
        let budget = Budget::new(1000, DAY);
        let tat = budget.spend(0, NOON, 1000).unwrap();
        assert_eq!(budget.spend(tat, NOON, 1), None);
        assert_eq!(budget.retry_after(tat, NOON, 500), DAY / 2);
        let later = NOON + 43_200_000_000_000;
        assert!(budget.spend(tat, later, 500).is_some());
        assert_eq!(budget.spend(tat, later, 501), None);
    }

    #[test]
    fn refunded_units_can_be_spent_again() {
        let budget = Budget::new(1000, DAY);
        let tat = budget.spend(0, NOON, 1000).unwrap();
        assert!(budget.spend(budget.refund(tat, 400), NOON, 400).is_some());
    }

    #[test]
    fn a_cost_above_the_whole_budget_is_never_available() {
        let budget = Budget::new(1000, DAY);
        assert_eq!(budget.spend(0, NOON, 1001), None);
        assert_eq!(budget.spend(0, NOON, u64::MAX), None);
        assert_eq!(budget.retry_after(0, NOON, u64::MAX), DAY);
    }

    proptest! {
        #[test]
        fn no_period_holds_more_than_twice_the_budget(
            units in 1_u64..1_000_000, spent in prop::collection::vec((0_u64..100_000, 0_i64..10_000_000_000_000), 1..200)
        ) {
            let budget = Budget::new(units, DAY);
            let (mut tat, mut now, mut sum) = (0, NOON, 0_u128);
            for (cost, gap) in spent {
                now += gap;
                if let Some(next) = budget.spend(tat, now, cost) {
                    (tat, sum) = (next, sum + u128::from(cost));
                }
            }
            let elapsed = u128::from((now - NOON).unsigned_abs());
            prop_assert!(sum <= u128::from(units) + elapsed * u128::from(units) / DAY.as_nanos() + 1);
        }
    }
}
