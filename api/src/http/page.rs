//! Pagination: `items` and an opaque `nextCursor`, stable while the list grows.

use std::{fmt::Display, str::FromStr};

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use buildtrack_store::Listed;
use serde::Serialize;
use utoipa::ToSchema;

/// One page of a list.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Page<T> {
    /// The entries of the page.
    pub items: Vec<T>,
    /// The `cursor` of the next page; null on the last page.
    pub next_cursor: Option<String>,
}

/// Decodes a cursor. Earlier versions of the server encoded the same text in base64. A client that is in the middle of a list
/// may still send that form.
pub(crate) fn plain(cursor: &str) -> String {
    let earlier = URL_SAFE_NO_PAD.decode(cursor).ok().and_then(|bytes| String::from_utf8(bytes).ok());
    let written = |text: &String| text.starts_with(['p', 'i', 'r']) && text.bytes().all(|byte| byte.is_ascii_graphic());
    earlier.filter(written).unwrap_or_else(|| cursor.to_owned())
}

/// Parses a number that consists of digits only.
pub(crate) fn digits(text: &str) -> Option<i64> {
    let plain = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| plain && text.len() <= DIGITS_MAX)
}

/// The maximum number of digits of a number in a cursor.
const DIGITS_MAX: usize = 18;

/// A cursor with a log position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Cursor(pub(crate) i64);

impl Cursor {
    /// The form of the cursor as a regular expression without anchors.
    pub(crate) const FORM: &'static str = "p-?[0-9]{1,18}";

    /// The cursor as it is written in an address.
    pub(crate) fn encode(self) -> String {
        format!("p{}", self.0)
    }
}

/// The error of a malformed cursor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct InvalidCursor;

impl FromStr for Cursor {
    type Err = InvalidCursor;

    fn from_str(text: &str) -> Result<Self, InvalidCursor> {
        // Entries without a position on the log, such as the server's own documents, have a position below zero.
        let plain = plain(text);
        let position = plain.strip_prefix("p-").and_then(digits).map(|digits| -digits);
        position.or_else(|| plain.strip_prefix('p').and_then(digits)).map(Self).ok_or(InvalidCursor)
    }
}

/// A cursor with an id, for lists whose entries have no position. Ids sort by creation time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct IdCursor<I>(pub(crate) I);

impl<I> IdCursor<I> {
    /// The character before the id.
    pub(crate) const MARK: char = 'i';
}

impl<I: Display> IdCursor<I> {
    fn encode(&self) -> String {
        format!("{}{}", Self::MARK, self.0)
    }
}

impl<I: FromStr> FromStr for IdCursor<I> {
    type Err = InvalidCursor;

    fn from_str(text: &str) -> Result<Self, InvalidCursor> {
        plain(text).strip_prefix(Self::MARK).and_then(|id| id.parse().ok()).map(Self).ok_or(InvalidCursor)
    }
}

/// A cursor of a ranking: the number of entries on the earlier pages, as of the position of the first page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RankCursor {
    /// The position up to which the ranking was computed for the first page.
    pub(crate) until: i64,
    /// The number of entries on the earlier pages.
    pub(crate) skip: i64,
}

impl RankCursor {
    /// The form of the cursor as a regular expression without anchors.
    pub(crate) const FORM: &'static str = r"r[0-9]{1,18}\.[0-9]{1,18}";

    fn encode(self) -> String {
        format!("r{}.{}", self.until, self.skip)
    }
}

impl FromStr for RankCursor {
    type Err = InvalidCursor;

    fn from_str(text: &str) -> Result<Self, InvalidCursor> {
        let text = plain(text);
        let (until, skip) = text.strip_prefix('r').and_then(|numbers| numbers.split_once('.')).ok_or(InvalidCursor)?;
        digits(until).zip(digits(skip)).map(|(until, skip)| Self { until, skip }).ok_or(InvalidCursor)
    }
}

impl<T> Page<T> {
    /// Builds a page of `limit` entries from up to `limit + 1` rows of a ranking, starting at `begin`.
    pub(crate) fn ranked<R>(mut rows: Vec<R>, limit: i64, begin: RankCursor, show: impl Fn(R) -> T) -> Self {
        let more = i64::try_from(rows.len()).unwrap_or(i64::MAX) > limit;
        rows.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
        let end = RankCursor { skip: begin.skip.saturating_add(limit), ..begin };
        Self { items: rows.into_iter().map(show).collect(), next_cursor: more.then(|| end.encode()) }
    }

    /// Builds a page of `limit` entries from up to `limit + 1` rows in the order of their ids.
    pub(crate) fn by_id<R, I: Display>(
        mut rows: Vec<R>,
        limit: i64,
        id: impl Fn(&R) -> I,
        show: impl Fn(R) -> T,
    ) -> Self {
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        let more = rows.len() > limit;
        rows.truncate(limit);
        let next_cursor = rows.last().filter(|_| more).map(|last| IdCursor(id(last)).encode());
        Self { items: rows.into_iter().map(show).collect(), next_cursor }
    }

    /// Builds a page of up to `limit` entries from a list that was queried for `limit + 1`. If the query reached its scan limit,
    /// the next page continues there, even if this page is empty.
    pub(crate) fn listed<R>(
        listed: Listed<R>,
        limit: i64,
        position: impl Fn(&R) -> i64,
        show: impl Fn(R) -> T,
    ) -> Self {
        let Listed { rows, scanned_to } = listed;
        let page = Self::of(rows, limit, position, show);
        Self { next_cursor: page.next_cursor.or_else(|| scanned_to.map(|position| Cursor(position).encode())), ..page }
    }

    /// Builds a page of `limit` entries from up to `limit + 1` rows.
    pub(crate) fn of<R>(mut rows: Vec<R>, limit: i64, position: impl Fn(&R) -> i64, show: impl Fn(R) -> T) -> Self {
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        let more = rows.len() > limit;
        rows.truncate(limit);
        let next_cursor = rows.last().filter(|_| more).map(|last| Cursor(position(last)).encode());
        Self { items: rows.into_iter().map(show).collect(), next_cursor }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use buildtrack_domain::ids::DeliveryId;

    #[test]
    fn a_position_cursor_round_trips_and_other_texts_are_rejected() {
        for position in [42, -4] {
            assert_eq!(Cursor(position).encode().parse(), Ok(Cursor(position)));
        }
        // The base64 form of earlier versions.
        assert_eq!("cDQy".parse(), Ok(Cursor(42)));
        for text in ["", "42", "p", "p-", "p+1", "p1234567890123456789", "cDQy=", "eDQy", "cHg"] {
            assert_eq!(text.parse::<Cursor>(), Err(InvalidCursor), "{text}");
        }
    }

    #[test]
    fn an_id_cursor_round_trips_and_is_no_position_cursor() {
        let id: DeliveryId = "dlv_01h2e8kqvbfwea724h75qc655w".parse().unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(IdCursor(id).encode().parse(), Ok(IdCursor(id)));
        assert_eq!(Cursor(42).encode().parse::<IdCursor<DeliveryId>>(), Err(InvalidCursor));
        assert_eq!(IdCursor(id).encode().parse::<Cursor>(), Err(InvalidCursor));
    }

    #[test]
    fn a_rank_cursor_round_trips_and_is_no_position_cursor() {
        let cursor = RankCursor { until: 42, skip: 50 };
        assert_eq!(cursor.encode().parse(), Ok(cursor));
        assert_eq!(cursor.encode().parse::<Cursor>(), Err(InvalidCursor));
        assert_eq!(RankCursor { until: 42, skip: -1 }.encode().parse::<RankCursor>(), Err(InvalidCursor));
    }

    #[test]
    fn the_next_page_continues_at_the_scan_limit() {
        let listed = |rows, scanned_to| Page::listed(Listed { rows, scanned_to }, 2, |row| *row, |row| row);
        assert_eq!(listed(vec![], Some(7)).next_cursor, Some(Cursor(7).encode()));
        assert_eq!(listed(vec![1, 2, 3], Some(7)).next_cursor, Some(Cursor(2).encode()));
        assert_eq!(listed(vec![1], None).next_cursor, None);
    }

    #[test]
    fn the_last_page_has_no_cursor() {
        let page = Page::of(vec![1, 2, 3], 3, |row| *row, |row| row);
        assert_eq!((page.items, page.next_cursor), (vec![1, 2, 3], None));
        let page = Page::of(vec![1, 2, 3], 2, |row| *row, |row| row);
        assert_eq!((page.items, page.next_cursor), (vec![1, 2], Some(Cursor(2).encode())));
    }
}
