//! The retry schedule of failed pushes, and the `Retry-After` header.

use std::{str::FromStr, time::Duration};

use chrono::{DateTime, NaiveDateTime, Utc};

/// How long an endpoint may fail without a success before the server disables it.
pub const FAILING_MAX: Duration = Duration::from_hours(5 * 24);

/// The same for an endpoint that has never answered with 2xx at its current address.
pub const UNVERIFIED_MAX: Duration = Duration::from_hours(24);

/// The maximum time by which a receiver can postpone a retry with `Retry-After`.
pub const RETRY_AFTER_MAX: Duration = Duration::from_hours(1);

/// The delays after the first, second, … failed attempt. After the last one, the delivery has failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RetrySchedule(Vec<Duration>);

impl Default for RetrySchedule {
    /// 5 s, 30 s, 2 min, 10 min, 30 min, 2 h, 5 h, 10 h, 10 h.
    fn default() -> Self {
        Self([5, 30, 120, 600, 1800, 7200, 18_000, 36_000, 36_000].map(Duration::from_secs).to_vec())
    }
}

/// The error for a text that is not a list of seconds.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("expected seconds between 0.01 and 604800, separated by commas, such as 5,30,120")]
pub struct InvalidSchedule;

impl FromStr for RetrySchedule {
    type Err = InvalidSchedule;

    /// Parses seconds separated by commas.
    fn from_str(text: &str) -> Result<Self, InvalidSchedule> {
        let seconds = |part: &str| part.trim().parse::<f64>().ok().filter(|value| (0.01..=604_800.0).contains(value));
        let waits = text.split(',').map(|part| seconds(part).map(Duration::from_secs_f64));
        waits.collect::<Option<_>>().map(Self).ok_or(InvalidSchedule)
    }
}

impl RetrySchedule {
    /// The delay after the failed attempt `attempt` (from 1), varied by up to a tenth in either direction by `jitter`
    /// (0 to 1). `None` after the last attempt.
    pub fn wait(&self, attempt: u32, jitter: f64) -> Option<Duration> {
        let index = usize::try_from(attempt).ok()?.checked_sub(1)?;
        self.0.get(index).map(|wait| wait.mul_f64(0.9 + 0.2 * jitter.clamp(0.0, 1.0)))
    }

    /// The maximum time from the first attempt to the last.
    pub fn whole(&self) -> Duration {
        self.0.iter().sum::<Duration>().mul_f64(1.1)
    }
}

/// The delay that a `Retry-After` header requests, at most [`RETRY_AFTER_MAX`]: seconds, or a date in one of the three
/// formats of RFC 9110, section 5.6.7. `None` if it is neither.
pub fn retry_after(value: &str, now: DateTime<Utc>) -> Option<Duration> {
    let value = value.trim();
    let wait = if !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit()) {
        // A number that overflows is above the maximum anyway.
        Duration::from_secs(value.parse().unwrap_or(u64::MAX))
    } else {
        (http_date(value)? - now).to_std().unwrap_or_default()
    };
    Some(wait.min(RETRY_AFTER_MAX))
}

fn http_date(value: &str) -> Option<DateTime<Utc>> {
    let forms = ["%a, %d %b %Y %H:%M:%S GMT", "%A, %d-%b-%y %H:%M:%S GMT", "%a %b %e %H:%M:%S %Y"];
    forms.iter().find_map(|form| NaiveDateTime::parse_from_str(value, form).ok()).map(|date| date.and_utc())
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

    #[test]
    fn the_whole_schedule_covers_the_longest_delays() {
        let schedule = "10,20".parse::<RetrySchedule>().unwrap();
        let longest = schedule.wait(1, 1.0).unwrap() + schedule.wait(2, 1.0).unwrap();
        assert_eq!(schedule.whole(), longest);
    }

    #[test]
    fn retry_after_is_limited_to_its_maximum() {
        let now = "1994-11-06T08:49:07Z".parse().unwrap();
        let wait = |value| retry_after(value, now).map(|wait| wait.as_secs());
        assert_eq!(wait("120"), Some(120));
        assert_eq!(wait("0"), Some(0));
        for date in ["Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"] {
            assert_eq!(wait(date), Some(30), "{date}");
        }
        assert_eq!(wait("Sun, 06 Nov 1994 08:00:00 GMT"), Some(0));
        for long in ["3601", "99999999999999999999999", "Mon, 07 Nov 1994 08:49:37 GMT"] {
            assert_eq!(retry_after(long, now), Some(RETRY_AFTER_MAX), "{long}");
        }
        for nothing in ["", "-1", "1.5", "soon"] {
            assert_eq!(wait(nothing), None, "{nothing}");
        }
    }
}
