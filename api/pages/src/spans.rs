//! The span of a discussion that a page shows, and the spans before and after it. The texts of a page are in the order of the log.

use std::str::FromStr;

use buildtrack_http::{
    page::{Cursor, Page},
    problem::Problem,
    query::Parameters,
};
use buildtrack_store::Listed;

/// Which texts a page shows: those beyond a position, those before one, or those at the beginning or end.
#[derive(Debug, Clone, Copy)]
pub struct Span {
    /// Whether the page without a position has the last texts, and `cursor` leads to earlier ones.
    is_backwards: bool,
    after: Option<i64>,
    before: Option<i64>,
}

/// What the store is asked for.
#[derive(Debug, Clone, Copy)]
pub struct Bounds {
    /// Only texts after this position.
    pub after: Option<i64>,
    /// Only texts before this position.
    pub before: Option<i64>,
    /// Whether the latest come first.
    pub descending: bool,
    /// The maximum number of texts.
    pub limit: i64,
}

/// The texts of a page, and the spans around them.
#[derive(Debug)]
pub struct Texts<T> {
    /// The texts.
    pub items: Vec<T>,
    /// The span before.
    pub earlier: Option<Span>,
    /// The span after.
    pub later: Option<Span>,
}

impl Span {
    /// The last texts.
    pub const LAST: Self = Self { is_backwards: true, after: None, before: None };

    /// The last texts, of a page that begins with the first ones.
    const END: Self = Self { is_backwards: false, after: None, before: Some(i64::MAX) };

    /// The span with the last texts, which grows with the discussion.
    pub fn latest(self) -> Self {
        if self.is_backwards { Self::LAST } else { Self::END }
    }

    /// Reads `cursor` and `before` of a page that begins with the first texts.
    pub fn from_first(parameters: &mut Parameters) -> Self {
        let (after, before) = bounds(parameters, "before");
        Self { is_backwards: false, after, before }
    }

    /// Reads `cursor` and `after` of a page that begins with the last texts.
    pub fn from_last(parameters: &mut Parameters) -> Self {
        let (before, after) = bounds(parameters, "after");
        Self { is_backwards: true, after, before }
    }

    /// Whether it is the page without a position.
    pub fn is_whole(self) -> bool {
        self.after.is_none() && self.before.is_none()
    }

    /// The parameter that leads to the span; `None` for the page without a position.
    pub fn query(self) -> Option<String> {
        let (name, position) = match (self.after, self.before) {
            (Some(after), _) => (if self.is_backwards { "after" } else { "cursor" }, after),
            (None, Some(before)) => (if self.is_backwards { "cursor" } else { "before" }, before),
            (None, None) => return None,
        };
        let position = if position == i64::MAX { LAST.to_owned() } else { Cursor(position).encode() };
        Some(format!("{name}={position}"))
    }

    fn beyond(self, position: i64) -> Self {
        Self { after: Some(position), before: None, ..self }
    }

    fn up_to(self, position: i64) -> Self {
        Self { after: None, before: Some(position), ..self }
    }

    /// The span on the side that the page was not read towards, if the page has a position.
    fn behind(self) -> Option<Self> {
        match (self.after, self.before) {
            (Some(after), _) => Some(self.up_to(after.saturating_add(1))),
            (None, Some(before)) => Some(self.beyond(before.saturating_sub(1))),
            (None, None) => None,
        }
    }

    fn bounds(self, limit: i64) -> Bounds {
        let descending = self.before.is_some() || (self.is_backwards && self.after.is_none());
        Bounds { after: self.after, before: self.before, descending, limit }
    }

    /// Finds the texts of a page with this number of them, and whether there are others before and after.
    pub async fn read<T>(
        self,
        limit: i64,
        position: impl Fn(&T) -> i64,
        find: impl AsyncFn(Bounds) -> Result<Listed<T>, Problem>,
    ) -> Result<Texts<T>, Problem> {
        let bounds = self.bounds(limit.saturating_add(1));
        let Page { mut items, next_cursor } = Page::shown_listed(find(bounds).await?, limit, position);
        let last = next_cursor.and_then(|cursor| cursor.parse::<Cursor>().ok()).map(|Cursor(position)| position);
        let behind = match self.behind() {
            Some(span) => Some(find(span.bounds(1)).await?)
                .filter(|found| !found.rows.is_empty() || found.scanned_to.is_some())
                .map(|_| span),
            None => None,
        };
        let (earlier, later) = if bounds.descending {
            items.reverse();
            (last.map(|last| self.up_to(last)), behind)
        } else {
            (behind, last.map(|last| self.beyond(last)))
        };
        Ok(Texts { items, earlier, later })
    }
}

/// A position beyond all texts, in a parameter.
const LAST: &str = "last";

/// The position in the parameter that leads in the other direction than `cursor`.
struct Opposite(i64);

impl FromStr for Opposite {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        if text == LAST {
            return Ok(Self(i64::MAX));
        }
        text.parse().map(|Cursor(position)| Self(position)).map_err(|_| ())
    }
}

/// The position of `cursor`, and that of the parameter for the other direction. A page has one of them.
fn bounds(parameters: &mut Parameters, other: &str) -> (Option<i64>, Option<i64>) {
    let cursor = parameters.cursor();
    let opposite = parameters.get::<Opposite>(other, "the position of a link").map(|Opposite(position)| position);
    if cursor.is_some() && opposite.is_some() {
        parameters.refuse(other, format!("{other} and cursor are both given"), "Give one of them.");
    }
    (cursor, opposite)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn from_first(query: &str) -> (Span, bool) {
        let mut parameters = Parameters::read(query, &["cursor", "before"], true);
        let span = Span::from_first(&mut parameters);
        (span, parameters.finish().is_ok())
    }

    fn from_last(query: &str) -> Span {
        Span::from_last(&mut Parameters::read(query, &["cursor", "after"], true))
    }

    #[test]
    fn a_span_is_read_from_the_parameter_that_leads_to_it() {
        for query in ["cursor=p7", "before=p7"] {
            assert_eq!(from_first(query).0.query().as_deref(), Some(query));
        }
        for query in ["cursor=p7", "after=p7"] {
            assert_eq!(from_last(query).query().as_deref(), Some(query));
        }
        assert_eq!(from_first("before=last").0.query(), from_first("").0.latest().query());
        assert_eq!(
            (Span::END.query().as_deref(), from_last("cursor=p7").latest().query()),
            (Some("before=last"), None)
        );
        assert!(from_first("").0.is_whole() && Span::LAST.is_whole() && Span::LAST.query().is_none());
        for refused in ["cursor=p7&before=p9", "before=7", "after=p7"] {
            assert!(!from_first(refused).1, "{refused}");
        }
    }

    #[test]
    fn a_page_is_read_towards_its_position_or_its_end() {
        let descending = |span: Span| span.bounds(1).descending;
        assert!(!descending(from_first("").0) && !descending(from_first("cursor=p7").0));
        assert!(descending(from_first("before=p7").0) && descending(Span::LAST) && descending(from_last("cursor=p7")));
        assert!(!descending(from_last("after=p7")));
    }

    #[test]
    fn the_other_side_begins_where_the_page_ends() {
        let behind = |span: Span| span.behind().and_then(Span::query);
        assert_eq!(behind(from_first("cursor=p7").0).as_deref(), Some("before=p8"));
        assert_eq!(behind(from_first("before=p8").0).as_deref(), Some("cursor=p7"));
        assert_eq!(behind(from_last("cursor=p8")).as_deref(), Some("after=p7"));
        assert_eq!(behind(Span::LAST), None);
    }
}
