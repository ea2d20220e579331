//! Retention periods.

use std::{str::FromStr, time::Duration};

/// A retention period, written as `30d`, `12h`, `90m` or `45s`. A number without a unit means days.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retention(pub Duration);

impl Retention {
    /// 30 days.
    pub const MONTH: Self = Self(Duration::from_hours(30 * 24));
    /// The maximum: ten years of 365 days.
    const MAX: Duration = Duration::from_hours(3650 * 24);
}

/// The text is not a valid period.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("expected a length of time such as 30d, 12h, 90m or 45s, from 1s to 3650d")]
pub struct InvalidRetention;

impl FromStr for Retention {
    type Err = InvalidRetention;

    fn from_str(text: &str) -> Result<Self, InvalidRetention> {
        let number = text.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
        let unit = match &text[number.len()..] {
            "" | "d" => 24 * 60 * 60,
            "h" => 60 * 60,
            "m" => 60,
            "s" => 1,
            _ => return Err(InvalidRetention),
        };
        let seconds = number.parse::<u64>().ok().and_then(|number| number.checked_mul(unit));
        let length = seconds.map(Duration::from_secs).filter(|length| !length.is_zero() && *length <= Self::MAX);
        length.map(Self).ok_or(InvalidRetention)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn retention_periods_are_parsed() {
        for (text, seconds) in [("30d", 2_592_000), ("7", 604_800), ("12h", 43_200), ("90m", 5400), ("45s", 45)] {
            assert_eq!(text.parse(), Ok(Retention(Duration::from_secs(seconds))), "{text}");
        }
        assert_eq!("30d".parse(), Ok(Retention::MONTH));
        for text in ["", "d", "0", "0d", "-1d", "1.5d", "1 d", "1w", "3651d", "99999999999999999999s"] {
            assert_eq!(text.parse::<Retention>(), Err(InvalidRetention), "{text}");
        }
    }
}
