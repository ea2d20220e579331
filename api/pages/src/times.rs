//! Times and durations, as pages show them.

use std::fmt;

use askama::filters::HtmlSafe;
use chrono::{DateTime, SecondsFormat, Utc};

use super::filters::Markup;

/// A time as an element `<time>`, which a script shows in the reader's zone.
#[derive(Debug, Clone, Copy)]
pub struct Time(DateTime<Utc>);

/// Shows a time.
pub fn time(at: impl Moment) -> Time {
    Time(at.moment())
}

/// Shows a time within a message.
pub fn time_within(at: impl Moment) -> Markup {
    Markup::of(time(at))
}

/// Shows milliseconds as seconds, such as `1.25 s`.
pub fn seconds(milliseconds: u64) -> String {
    format!("{}.{:02} s", milliseconds / 1000, milliseconds % 1000 / 10)
}

/// A time, or a reference to one: templates pass both.
pub trait Moment {
    /// The time.
    fn moment(self) -> DateTime<Utc>;
}

impl Moment for DateTime<Utc> {
    fn moment(self) -> Self {
        self
    }
}

impl Moment for &DateTime<Utc> {
    fn moment(self) -> DateTime<Utc> {
        *self
    }
}

impl Moment for &&DateTime<Utc> {
    fn moment(self) -> DateTime<Utc> {
        **self
    }
}

impl fmt::Display for Time {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (machine, text) =
            (self.0.to_rfc3339_opts(SecondsFormat::Secs, true), self.0.format("%-d %B %Y, %H:%M UTC"));
        write!(formatter, "<time datetime=\"{machine}\">{text}</time>")
    }
}

/// Digits, letters and punctuation of its own alone.
impl HtmlSafe for Time {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_readable_for_people_and_programs() {
        let at: DateTime<Utc> = "2026-03-01T09:05:07.25Z".parse().unwrap();
        let expected = "<time datetime=\"2026-03-01T09:05:07Z\">1 March 2026, 09:05 UTC</time>";
        assert_eq!(time(at).to_string(), expected);
    }

    #[test]
    fn a_latency_is_shown_in_seconds() {
        assert_eq!([0, 49, 1_250, 60_000].map(seconds), ["0.00 s", "0.04 s", "1.25 s", "60.00 s"]);
    }
}
