//! The way back in a list. A cursor leads forward only, so each link to a next page names the cursors of the pages before it.

use actix_web::HttpRequest;
use buildtrack_http::{
    problem::Problem,
    query::{Parameters, Query},
};

use super::is_asked;

/// The pages that a link names. The way back from a page further down ends before the first page, to which another link leads.
const LENGTH: usize = 20;
/// The maximum number of characters of a cursor.
const CURSOR_MAX: usize = 100;
/// What stands for the first page, which has no cursor.
const FIRST: &str = "-";
/// The name of the parameter.
const BACK: &str = "back";
/// What separates cursors: a character that no cursor has, and that addresses hold as it is.
const BETWEEN: &str = "~";

/// The cursors of the pages before a page, the nearest last, and that of the page itself.
#[derive(Debug, Default)]
pub struct Trail {
    passed: Vec<String>,
    cursor: Option<String>,
}

/// The links of a page of a list.
#[derive(Debug)]
pub struct Pager {
    /// The address of the first page, unless it is this one or the one before.
    pub first: Option<String>,
    /// The address of the page before.
    pub previous: Option<String>,
    /// The address of the page after.
    pub next: Option<String>,
    /// The key of the name of the next page.
    pub label: &'static str,
    /// The pages before and after without the way to them, for the page's head.
    pub(crate) plain: (Option<String>, Option<String>),
}

impl Trail {
    /// Reads the parameters of a page with a list, and the way to it.
    pub fn read(request: &HttpRequest, known: &[&str]) -> (Parameters, Self) {
        let known: Vec<_> = known.iter().copied().chain([BACK]).collect();
        let mut parameters = Parameters::of(request, &known);
        let trail = Self::of(&mut parameters);
        (parameters, trail)
    }

    /// The parameters of a list, and the way to it if a browser asks for its page: the same list for programs has no way back.
    pub fn query<Q: Query>(request: &HttpRequest) -> Result<(Q, Self), Problem> {
        let known = Q::known();
        let (parameters, trail) = if is_asked(request) {
            Self::read(request, &known)
        } else {
            (Parameters::of(request, &known), Self::default())
        };
        Ok((Q::all_of(parameters)?, trail))
    }

    fn of(parameters: &mut Parameters) -> Self {
        let cursor = parameters.sent("cursor").filter(|cursor| is_cursor(cursor)).map(ToOwned::to_owned);
        let passed = parameters.raw(BACK).map(|text| parsed(&text));
        if passed == Some(None) {
            parameters.refuse(BACK, "back names no pages of a list", "Follow a link of the list, or leave it out.");
        }
        // Without a cursor it is the first page.
        let passed = passed.flatten().filter(|_| cursor.is_some()).unwrap_or_default();
        Self { passed, cursor }
    }

    /// The links of the page. `address` returns that of the page with a cursor, and without one that of the first page.
    pub fn pager(&self, next: Option<&str>, label: &'static str, address: impl Fn(Option<&str>) -> String) -> Pager {
        let at = |cursor: &str| address(Some(cursor).filter(|cursor| *cursor != FIRST));
        let last = self.passed.split_last();
        let first = self.cursor.is_some() && last.is_none_or(|(last, _)| last != FIRST);
        Pager {
            first: first.then(|| address(None)),
            previous: last.map(|(last, before)| linked(at(last), before)),
            next: next.map(|next| linked(at(next), &self.with_this())),
            label,
            plain: (last.map(|(last, _)| at(last)), next.map(at)),
        }
    }

    /// The cursors of the pages before the next one.
    fn with_this(&self) -> Vec<String> {
        let this = self.cursor.as_deref().unwrap_or(FIRST).to_owned();
        let passed: Vec<_> = self.passed.iter().cloned().chain([this]).collect();
        passed[passed.len().saturating_sub(LENGTH)..].to_vec()
    }
}

impl Pager {
    /// Whether there is another page.
    pub fn is_needed(&self) -> bool {
        self.first.is_some() || self.previous.is_some() || self.next.is_some()
    }
}

/// An address with the way to it. That of a page without a cursor needs none.
fn linked(address: String, passed: &[String]) -> String {
    if passed.is_empty() { address } else { format!("{address}&{BACK}={}", passed.join(BETWEEN)) }
}

/// The cursors of a text; `None` if it names something else.
fn parsed(text: &str) -> Option<Vec<String>> {
    let passed: Vec<_> = text.split(BETWEEN).take(LENGTH + 1).map(ToOwned::to_owned).collect();
    let is_known = |(index, cursor): (usize, &String)| is_cursor(cursor) || (index == 0 && cursor == FIRST);
    let is_valid = passed.len() <= LENGTH && passed.iter().enumerate().all(is_known);
    is_valid.then_some(passed)
}

/// Whether a text has the form of a cursor. It then needs no encoding in an address.
fn is_cursor(text: &str) -> bool {
    text.len() <= CURSOR_MAX
        && text.starts_with(|first: char| first.is_ascii_alphanumeric())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(cursor: Option<&str>) -> String {
        cursor.map_or_else(|| "/build".to_owned(), |cursor| format!("/build?cursor={cursor}"))
    }

    fn trail(query: &str) -> (Trail, bool) {
        let mut parameters = Parameters::read(query, &["cursor", BACK], true);
        let trail = Trail::of(&mut parameters);
        (trail, parameters.finish().is_ok())
    }

    fn pager(query: &str, next: Option<&str>) -> Pager {
        trail(query).0.pager(next, "tracks-earlier", address)
    }

    /// The query of an address.
    fn query(address: Option<&str>) -> &str {
        address.and_then(|address| address.split_once('?')).map_or("", |(_, query)| query)
    }

    #[test]
    fn the_links_lead_forward_and_the_same_way_back() {
        let first = pager("", Some("p30"));
        assert_eq!((&first.first, &first.previous), (&None, &None));
        let second = pager(query(first.next.as_deref()), Some("p20"));
        assert_eq!((second.first, second.previous.as_deref()), (None, Some("/build")));
        assert_eq!(second.plain, (Some("/build".to_owned()), Some("/build?cursor=p20".to_owned())));
        let third = pager(query(second.next.as_deref()), None);
        assert_eq!((third.first.as_deref(), third.next.as_deref()), (Some("/build"), None));
        assert_eq!(third.previous, first.next);
    }

    #[test]
    fn a_page_that_was_entered_elsewhere_leads_to_the_first() {
        let pager = pager("cursor=p30", Some("p20"));
        assert_eq!((pager.first.as_deref(), pager.previous), (Some("/build"), None));
        assert_eq!(pager.next.as_deref(), Some("/build?cursor=p20&back=p30"));
        assert!(pager_of_one().next.is_none() && !pager_of_one().is_needed());
    }

    fn pager_of_one() -> Pager {
        pager("", None)
    }

    #[test]
    fn the_way_back_is_bounded() {
        let mut next = pager("", Some("p1")).next;
        for number in 2..100 {
            next = pager(query(next.as_deref()), Some(&format!("p{number}"))).next;
        }
        let links = query(next.as_deref()).split('~').count();
        assert_eq!(links, LENGTH);
        let mut previous = pager(query(next.as_deref()), None).previous;
        let mut steps = 0;
        while let Some(address) = previous {
            previous = pager(query(Some(&address)), None).previous;
            steps += 1;
        }
        assert_eq!(steps, LENGTH);
    }

    #[test]
    fn a_way_that_no_list_wrote_is_refused() {
        let many = vec!["p1"; LENGTH + 1].join("~");
        for back in ["", "~", "p1~", "p1~-", "https://elsewhere.example", "p1%26x=y", "//elsewhere", &*many] {
            assert!(!trail(&format!("cursor=p1&back={back}")).1, "{back}");
        }
        let (ignored, is_fine) = trail("back=p1");
        assert!(is_fine && ignored.passed.is_empty());
        assert!(trail("cursor=p1&back=-~r3.1000.ag_01h2e8kqvbfwea724h75qc655w~idlv_1").1);
    }
}
