//! Pagination: `items` and an opaque `nextCursor`, stable while the list grows.
//!
//! **Invariant:** no page exceeds 1 MiB, however long its entries are: it ends early, and the next one goes on.

use std::{fmt::Display, io, str::FromStr};

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use buildtrack_store::Listed;
use serde::Serialize;
use utoipa::ToSchema;

/// One page of a list.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Page<T> {
    /// The entries of the page.
    pub items: Vec<T>,
    /// The `cursor` of the next page; null on the last page.
    pub next_cursor: Option<String>,
}

/// Decodes a cursor. Earlier versions of the server encoded the same text in base64. A client that is in the middle of a list
/// may still send that form.
pub fn plain(cursor: &str) -> String {
    let earlier = URL_SAFE_NO_PAD.decode(cursor).ok().and_then(|bytes| String::from_utf8(bytes).ok());
    let written = |text: &String| text.starts_with(['p', 'i', 'r']) && text.bytes().all(|byte| byte.is_ascii_graphic());
    earlier.filter(written).unwrap_or_else(|| cursor.to_owned())
}

/// Parses a number that consists of digits only.
pub fn digits(text: &str) -> Option<i64> {
    let plain = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| plain && text.len() <= DIGITS_MAX)
}

/// The maximum number of digits of a number in a cursor.
const DIGITS_MAX: usize = 18;

/// A cursor with a log position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cursor(pub i64);

impl Cursor {
    /// The form of the cursor as a regular expression without anchors.
    pub const FORM: &'static str = "p-?[0-9]{1,18}";

    /// The cursor as it is written in an address.
    pub fn encode(self) -> String {
        format!("p{}", self.0)
    }
}

/// The error of a malformed cursor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InvalidCursor;

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
pub struct IdCursor<I>(pub I);

impl<I> IdCursor<I> {
    /// The character before the id.
    pub const MARK: char = 'i';
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
pub struct RankCursor {
    /// The position up to which the ranking was computed for the first page.
    pub until: i64,
    /// The number of entries on the earlier pages.
    pub skip: i64,
}

impl RankCursor {
    /// The form of the cursor as a regular expression without anchors.
    pub const FORM: &'static str = r"r[0-9]{1,18}\.[0-9]{1,18}";

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

/// The maximum number of bytes of a page's entries, as JSON. A longer entry is alone on its page. A page that is sent as a text within
/// JSON, where every character may take two bytes, stays below 1 MiB.
pub const BYTES_MAX: usize = 500 * 1024;

/// The number of entries, from the first one, that a page may have: at least one, and no more than [`BYTES_MAX`] allows.
pub fn fitting<T: Serialize>(items: &[T]) -> usize {
    let mut left = BYTES_MAX;
    let fits = |item: &&T| {
        let bytes = bytes_of(item);
        let fits = bytes <= left;
        left = left.saturating_sub(bytes);
        fits
    };
    items.iter().take_while(fits).count().max(items.len().min(1))
}

/// The number of bytes of an entry as JSON.
fn bytes_of(item: &impl Serialize) -> usize {
    let mut counted = Counted(0);
    // Nothing is kept of what is written.
    drop(serde_json::to_writer(&mut counted, item));
    counted.0
}

struct Counted(usize);

impl io::Write for Counted {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 = self.0.saturating_add(bytes.len());
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Every page ends early, with a cursor, when its entries exceed [`BYTES_MAX`].
impl<T: Serialize> Page<T> {
    /// Builds a page of `limit` entries from up to `limit + 1` rows of a ranking, starting at `begin`.
    pub fn ranked<R>(rows: Vec<R>, limit: i64, begin: RankCursor, show: impl Fn(R) -> T) -> Self {
        let ranked = (1_i64..).zip(rows).collect();
        let end = |shown| RankCursor { skip: begin.skip.saturating_add(shown), ..begin };
        Self::cut(ranked, limit, |(shown, _)| *shown, |(_, row)| show(row)).ending(|shown| end(shown).encode())
    }

    /// Builds a page of `limit` entries from up to `limit + 1` rows in the order of their ids.
    pub fn by_id<R, I: Display>(rows: Vec<R>, limit: i64, id: impl Fn(&R) -> I, show: impl Fn(R) -> T) -> Self {
        Self::cut(rows, limit, id, show).ending(|id| IdCursor(id).encode())
    }

    /// Builds a page of up to `limit` entries from a list that was queried for `limit + 1`. If the query reached its scan limit,
    /// the next page continues there, even if this page is empty.
    pub fn listed<R>(listed: Listed<R>, limit: i64, position: impl Fn(&R) -> i64, show: impl Fn(R) -> T) -> Self {
        let Listed { rows, scanned_to } = listed;
        Self::of(rows, limit, position, show).or_from(scanned_to)
    }

    /// Builds a page of `limit` entries from up to `limit + 1` rows.
    pub fn of<R>(rows: Vec<R>, limit: i64, position: impl Fn(&R) -> i64, show: impl Fn(R) -> T) -> Self {
        Self::cut(rows, limit, position, show).ending(|position| Cursor(position).encode())
    }

    fn cut<R, K>(rows: Vec<R>, limit: i64, key: impl Fn(&R) -> K, show: impl Fn(R) -> T) -> Cut<T, K> {
        Cut::of(rows, limit, (key, show), bytes_of)
    }
}

/// Pages for people. Their entries are not sent as JSON; each page has few, of a bounded size.
impl<T> Page<T> {
    /// As [`Page::of`], without counting bytes.
    pub fn shown<R>(rows: Vec<R>, limit: i64, position: impl Fn(&R) -> i64, show: impl Fn(R) -> T) -> Self {
        Cut::of(rows, limit, (position, show), |_| 0).ending(|position| Cursor(position).encode())
    }

    /// As [`Page::listed`], without counting bytes.
    pub fn shown_listed(listed: Listed<T>, limit: i64, position: impl Fn(&T) -> i64) -> Self {
        let Listed { rows, scanned_to } = listed;
        Self::shown(rows, limit, position, |row| row).or_from(scanned_to)
    }

    /// The page with this position as its end, if no entry follows.
    fn or_from(self, scanned_to: Option<i64>) -> Self {
        let next_cursor = self.next_cursor.or_else(|| scanned_to.map(|position| Cursor(position).encode()));
        Self { next_cursor, ..self }
    }

    /// As [`Page::by_id`], without counting bytes.
    pub fn shown_by_id<R, I: Display>(rows: Vec<R>, limit: i64, id: impl Fn(&R) -> I, show: impl Fn(R) -> T) -> Self {
        Cut::of(rows, limit, (id, show), |_| 0).ending(|id| IdCursor(id).encode())
    }
}

/// The entries of a page, and the key of the last one if others follow.
struct Cut<T, K> {
    items: Vec<T>,
    last: Option<K>,
}

impl<T, K> Cut<T, K> {
    fn of<R>(
        rows: Vec<R>,
        limit: i64,
        (key, show): (impl Fn(&R) -> K, impl Fn(R) -> T),
        size: impl Fn(&T) -> usize,
    ) -> Self {
        let (count, limit) = (rows.len(), usize::try_from(limit).unwrap_or(usize::MAX));
        let (mut items, mut last, mut left) = (Vec::with_capacity(count.min(limit)), None, BYTES_MAX);
        for row in rows.into_iter().take(limit) {
            let of_row = key(&row);
            let item = show(row);
            let bytes = size(&item);
            if bytes > left && !items.is_empty() {
                break;
            }
            left = left.saturating_sub(bytes);
            last = Some(of_row);
            items.push(item);
        }
        let has_more = items.len() < count;
        Self { items, last: last.filter(|_| has_more) }
    }

    fn ending(self, encode: impl Fn(K) -> String) -> Page<T> {
        Page { items: self.items, next_cursor: self.last.map(encode) }
    }
}

#[cfg(test)]
mod tests;
