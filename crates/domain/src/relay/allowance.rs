//! How much a sender may send: more, the longer it is known and the more it has delivered.

use chrono::TimeDelta;

use crate::limits::Quota;

/// Days for which an allowance grows, each by a sixth of a new sender's.
const DAYS: i64 = 30;
/// Delivered threads for which it grows, each by a twelfth of a new sender's.
const DELIVERED: i64 = 60;

/// What a sender is allowed that has been known for `age`, and has delivered `completed` of the threads that it was chosen
/// for while `failed` of them failed; `new` is what one is allowed of whom nothing is known.
pub fn allowed(new: Quota, age: TimeDelta, completed: i64, failed: i64) -> Quota {
    let base = i64::from(new.requests());
    let days = age.num_days().clamp(0, DAYS);
    // How much of what it took on it has delivered tells how much that counts.
    let delivered = completed.clamp(0, DELIVERED) * completed.max(0) / (completed.max(0) + failed.max(0)).max(1);
    let grown = base + base * days / 6 + base * delivered / 12;
    Quota::at_least_one(u32::try_from(grown).unwrap_or(u32::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_allowance_grows_with_age_and_with_what_was_delivered() {
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
