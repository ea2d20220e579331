//! Pages: `items` and an opaque `nextCursor`, stable while others write.

use std::{fmt::Display, str::FromStr};

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use buildtrack_store::Listed;
use serde::Serialize;
use utoipa::ToSchema;

/// One page of a list.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Page<T> {
    /// The entries.
    pub items: Vec<T>,
    /// Give it as `cursor` for the next page; null at the end. A page of a filtered list may hold fewer entries than
    /// `limit`, or none, before the end: the server looks at a bounded number of entries for one request.
    pub next_cursor: Option<String>,
}

/// The text of a cursor. Earlier versions of the server wrote the same text in base64: a client in the middle of a list goes
/// on with that.
pub(crate) fn plain(cursor: &str) -> String {
    let earlier = URL_SAFE_NO_PAD.decode(cursor).ok().and_then(|bytes| String::from_utf8(bytes).ok());
    let written = |text: &String| text.starts_with(['p', 'i', 'r']) && text.bytes().all(|byte| byte.is_ascii_graphic());
    earlier.filter(written).unwrap_or_else(|| cursor.to_owned())
}

/// A number that is written in digits alone.
pub(crate) fn digits(text: &str) -> Option<i64> {
    let plain = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| plain && text.len() <= DIGITS_MAX)
}

/// So many digits every number of a cursor fits in.
const DIGITS_MAX: usize = 18;

/// Where a page ended: a position of the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Cursor(pub(crate) i64);

impl Cursor {
    /// Its form, as a regular expression without anchors.
    pub(crate) const FORM: &'static str = "p-?[0-9]{1,18}";

    fn encode(self) -> String {
        format!("p{}", self.0)
    }
}

/// A text that is no cursor of ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct InvalidCursor;

impl FromStr for Cursor {
    type Err = InvalidCursor;

    fn from_str(text: &str) -> Result<Self, InvalidCursor> {
        // What stands behind the end of the log, such as the server's own documents, has a position below zero.
        let plain = plain(text);
        let position = plain.strip_prefix("p-").and_then(digits).map(|digits| -digits);
        position.or_else(|| plain.strip_prefix('p').and_then(digits)).map(Self).ok_or(InvalidCursor)
    }
}

/// Where a page of things without a position ended: an id, which sorts like the time it was made at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct IdCursor<I>(pub(crate) I);

impl<I> IdCursor<I> {
    /// What stands before the id.
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

/// Where a page of a ranking ended: of what was there when its first page was made, so many are behind it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RankCursor {
    /// The position that the first page looked up to.
    pub(crate) until: i64,
    /// How many come before.
    pub(crate) skip: i64,
}

impl RankCursor {
    /// Its form, as a regular expression without anchors.
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
    /// Makes a page of `limit` entries out of `limit + 1` rows in the order of a ranking, from `begin` on.
    pub(crate) fn ranked<R>(mut rows: Vec<R>, limit: i64, begin: RankCursor, show: impl Fn(R) -> T) -> Self {
        let more = i64::try_from(rows.len()).unwrap_or(i64::MAX) > limit;
        rows.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
        let end = RankCursor { skip: begin.skip.saturating_add(limit), ..begin };
        Self { items: rows.into_iter().map(show).collect(), next_cursor: more.then(|| end.encode()) }
    }

    /// Makes a page of `limit` entries out of `limit + 1` rows in the order of their ids, if there are so many.
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

    /// Makes a page of up to `limit` entries of a list that was asked for `limit + 1`. Where the list stopped looking, the
    /// next page goes on from there, even if this one holds nothing.
    pub(crate) fn listed<R>(
        listed: Listed<R>,
        limit: i64,
        position: impl Fn(&R) -> i64,
        show: impl Fn(R) -> T,
    ) -> Self {
        let Listed { rows, looked_to } = listed;
        let page = Self::of(rows, limit, position, show);
        Self { next_cursor: page.next_cursor.or_else(|| looked_to.map(|position| Cursor(position).encode())), ..page }
    }

    /// Makes a page of `limit` entries out of `limit + 1` rows, if there are so many.
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
    fn a_cursor_survives_its_text_and_nothing_else_is_one() {
        for position in [42, -4] {
            assert_eq!(Cursor(position).encode().parse(), Ok(Cursor(position)));
        }
        // As it was written once, in base64.
        assert_eq!("cDQy".parse(), Ok(Cursor(42)));
        for text in ["", "42", "p", "p-", "p+1", "p1234567890123456789", "cDQy=", "eDQy", "cHg"] {
            assert_eq!(text.parse::<Cursor>(), Err(InvalidCursor), "{text}");
        }
    }

    #[test]
    fn a_cursor_of_an_id_survives_its_text_and_is_no_position() {
        let id: DeliveryId = "dlv_01h2e8kqvbfwea724h75qc655w".parse().unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(IdCursor(id).encode().parse(), Ok(IdCursor(id)));
        assert_eq!(Cursor(42).encode().parse::<IdCursor<DeliveryId>>(), Err(InvalidCursor));
        assert_eq!(IdCursor(id).encode().parse::<Cursor>(), Err(InvalidCursor));
    }

    #[test]
    fn a_cursor_of_a_ranking_survives_its_text_and_is_no_position() {
        let cursor = RankCursor { until: 42, skip: 50 };
        assert_eq!(cursor.encode().parse(), Ok(cursor));
        assert_eq!(cursor.encode().parse::<Cursor>(), Err(InvalidCursor));
        assert_eq!(RankCursor { until: 42, skip: -1 }.encode().parse::<RankCursor>(), Err(InvalidCursor));
    }

    #[test]
    fn a_list_that_stopped_looking_goes_on_from_there() {
        let listed = |rows, looked_to| Page::listed(Listed { rows, looked_to }, 2, |row| *row, |row| row);
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
