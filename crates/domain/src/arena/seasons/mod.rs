//! Seasons: the calendar quarters in UTC by which results of ranked matches are shown.
//!
//! A season changes no rating. It follows from the time of an event alone, so that nothing has to begin or end it.

use std::{fmt, str::FromStr};

use chrono::{DateTime, Datelike, Utc};

/// What an error expects instead of other texts.
const EXPECTED: &str = "expected a season such as 2026-q4";

/// A calendar quarter in UTC: `2026-q4`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Season {
    year: u16,
    quarter: u8,
}

impl Season {
    /// The form of a season, as a regular expression (ECMA-262) without anchors.
    pub const FORM: &'static str = "[0-9]{4}-q[1-4]";

    /// The season of a time.
    pub fn of(time: DateTime<Utc>) -> Self {
        let year = u16::try_from(time.year().clamp(0, 9999)).unwrap_or_default();
        let quarter = u8::try_from(time.month0() / 3 + 1).unwrap_or(1);
        Self { year, quarter }
    }
}

impl fmt::Display for Season {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:04}-q{}", self.year, self.quarter)
    }
}

impl FromStr for Season {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, &'static str> {
        let (year, quarter) = text.split_once("-q").ok_or(EXPECTED)?;
        let is_year = year.len() == 4 && year.bytes().all(|byte| byte.is_ascii_digit());
        let quarter = ["1", "2", "3", "4"].into_iter().zip(1..).find(|(digit, _)| *digit == quarter);
        match (year.parse(), quarter) {
            (Ok(year), Some((_, quarter))) if is_year => Ok(Self { year, quarter }),
            _ => Err(EXPECTED),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::TimeZone;
    use proptest::prelude::*;

    fn season(year: i32, month: u32, day: u32, hour: u32) -> String {
        Season::of(Utc.with_ymd_and_hms(year, month, day, hour, 0, 0).unwrap()).to_string()
    }

    #[test]
    fn a_season_is_a_quarter_of_the_calendar() {
        assert_eq!(season(2026, 1, 1, 0), "2026-q1");
        assert_eq!(season(2026, 3, 31, 23), "2026-q1");
        assert_eq!(season(2026, 4, 1, 0), "2026-q2");
        assert_eq!(season(2026, 9, 30, 23), "2026-q3");
        assert_eq!(season(2026, 12, 31, 23), "2026-q4");
        assert_eq!(season(2027, 1, 1, 0), "2027-q1");
    }

    #[test]
    fn other_texts_are_no_season() {
        for text in ["", "2026", "2026-q0", "2026-q5", "2026-Q4", "26-q4", "+026-q4", "2026-q44", "2026-q"] {
            assert_eq!(text.parse::<Season>(), Err(EXPECTED), "{text}");
        }
    }

    proptest! {
        #[test]
        fn a_season_survives_its_text_and_seasons_sort_by_time(one in 0_i64..4_000_000_000, other in 0_i64..4_000_000_000) {
            let [one, other] = [one, other].map(|seconds| DateTime::from_timestamp(seconds, 0).unwrap_or_default());
            let (first, second) = (Season::of(one), Season::of(other));
            prop_assert_eq!(first.to_string().parse(), Ok(first));
            prop_assert_eq!(first.cmp(&second), first.to_string().cmp(&second.to_string()));
            prop_assert!(one > other || first <= second);
        }
    }
}
