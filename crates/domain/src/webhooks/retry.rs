//! When a failed push is tried again.

use std::{str::FromStr, time::Duration};

/// The waits after the first, second, … failed attempt; after the last one the delivery has failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RetrySchedule(Vec<Duration>);

impl Default for RetrySchedule {
    /// 5 s, 30 s, 2 min, 10 min, 30 min, 2 h, 5 h, 10 h, 10 h.
    fn default() -> Self {
        Self([5, 30, 120, 600, 1800, 7200, 18_000, 36_000, 36_000].map(Duration::from_secs).to_vec())
    }
}

/// A text that is not a list of seconds.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("expected seconds between 0.01 and 604800, separated by commas, such as 5,30,120")]
pub struct InvalidSchedule;

impl FromStr for RetrySchedule {
    type Err = InvalidSchedule;

    /// Reads seconds separated by commas.
    fn from_str(text: &str) -> Result<Self, InvalidSchedule> {
        let seconds = |part: &str| part.trim().parse::<f64>().ok().filter(|value| (0.01..=604_800.0).contains(value));
        let waits = text.split(',').map(|part| seconds(part).map(Duration::from_secs_f64));
        waits.collect::<Option<_>>().map(Self).ok_or(InvalidSchedule)
    }
}

impl RetrySchedule {
    /// How long to wait after the failed attempt `attempt` (from 1), spread by a tenth either way by `jitter`
    /// (0 to 1); none where no further attempt is made.
    pub fn wait(&self, attempt: u32, jitter: f64) -> Option<Duration> {
        let index = usize::try_from(attempt).ok()?.checked_sub(1)?;
        self.0.get(index).map(|wait| wait.mul_f64(0.9 + 0.2 * jitter.clamp(0.0, 1.0)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_makes_ten_attempts() {
        let schedule = RetrySchedule::default();
        assert_eq!(schedule.wait(1, 0.5), Some(Duration::from_secs(5)));
        assert_eq!(schedule.wait(9, 0.0), Some(Duration::from_hours(9)));
        assert_eq!(schedule.wait(10, 0.5), None);
    }

    #[test]
    fn a_schedule_is_read_from_seconds() {
        assert_eq!("0.1, 2".parse::<RetrySchedule>().unwrap().wait(2, 0.5), Some(Duration::from_secs(2)));
        for text in ["", "5,", "x", "-1", "0", "1e9"] {
            assert_eq!(text.parse::<RetrySchedule>(), Err(InvalidSchedule), "{text}");
        }
    }
}
