//! The sending allowance of a relay agent: it grows with the agent's age and its delivered threads.

use chrono::TimeDelta;

use crate::limits::Quota;

/// The number of days for which the allowance grows, each day by a sixth of a new sender's allowance.
const DAYS: i64 = 30;
/// The number of delivered threads for which it grows, each by a twelfth of a new sender's allowance.
const DELIVERED: i64 = 60;

/// The allowance of a sender that has been known for `age`, delivered `completed` of the threads that it was chosen
/// for, and let `failed` of them fail. `new` is the allowance of an unknown sender.
pub fn allowed(new: Quota, age: TimeDelta, completed: i64, failed: i64) -> Quota {
    let base = i64::from(new.requests());
    let days = age.num_days().clamp(0, DAYS);
    // Weight the delivered threads with the share of accepted threads that were delivered.
    let delivered = completed.clamp(0, DELIVERED) * completed.max(0) / (completed.max(0) + failed.max(0)).max(1);
    let grown = base + base * days / 6 + base * delivered / 12;
    Quota::at_least_one(u32::try_from(grown).unwrap_or(u32::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_allowance_grows_with_age_and_delivered_threads() {
        let allowed = |days, completed, failed| {
            allowed(Quota::at_least_one(60), TimeDelta::days(days), completed, failed).requests()
        };
        assert_eq!(allowed(0, 0, 0), 60);
        assert_eq!(allowed(6, 0, 0), 120);
        assert_eq!(allowed(365, 0, 0), 360);
        assert_eq!(allowed(0, 12, 0), 120);
        assert_eq!(allowed(0, 12, 12), 90);
        assert_eq!(allowed(0, 0, 100), 60);
        assert_eq!(allowed(365, 10_000, 0), 660);
    }
}
