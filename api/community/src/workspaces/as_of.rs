//! The `asOf` parameter: read tables as they were at a position of the log.

use std::str::FromStr;

use buildtrack_http::{problem::Problem, query::Parameters};
use buildtrack_store::Store;
use chrono::{DateTime, Utc};

/// A point on the log: a position or a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Point {
    Position(i64),
    Time(DateTime<Utc>),
}

impl FromStr for Point {
    type Err = chrono::ParseError;

    fn from_str(text: &str) -> Result<Self, chrono::ParseError> {
        match text.parse() {
            Ok(position) => Ok(Self::Position(position)),
            Err(_) => DateTime::parse_from_rfc3339(text).map(|time| Self::Time(time.to_utc())),
        }
    }
}

/// Parses `asOf`. Returns the position of the snapshot, or `None` for the current state. A position or time in the future is an
/// error, because events may still be appended before it.
pub(crate) async fn as_of(store: &Store, parameters: &mut Parameters) -> Result<Option<i64>, Problem> {
    let expected = "a position of the log, or a time such as 2026-03-01T12:00:00Z";
    let hint = "Use a position of the log, or a time that is not in the future.";
    match parameters.get::<Point>("asOf", expected) {
        None => Ok(None),
        Some(Point::Position(position)) => {
            let known = store.log().tail().head();
            let head = if position > known { store.log().head().await? } else { known };
            if !(0..=head).contains(&position) {
                parameters.refuse("asOf", format!("asOf is {position}, but the log ends at {head}"), hint);
            }
            Ok(Some(position))
        }
        Some(Point::Time(time)) if time > store.log().clock().now() => {
            parameters.refuse("asOf", format!("asOf is {time}, which is in the future"), hint);
            Ok(None)
        }
        Some(Point::Time(time)) => store.workspaces().position_at(time).await.map(Some).map_err(Problem::from),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_parsed_as_a_position_and_other_texts_as_a_time() {
        assert_eq!("42".parse(), Ok(Point::Position(42)));
        let time = "2026-03-01T12:00:00.000001Z".parse().unwrap();
        assert_eq!("2026-03-01T13:00:00.000001+01:00".parse(), Ok(Point::Time(time)));
        assert!("yesterday".parse::<Point>().is_err() && "2026-03-01".parse::<Point>().is_err());
    }
}
