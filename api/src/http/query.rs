//! Query parameters: every wrong or unknown one is named, in one answer.

use std::{
    collections::{HashMap, hash_map::Entry},
    str::FromStr,
};

use actix_web::{HttpRequest, web::Query};
use buildtrack_store::Sort;
use utoipa::IntoParams;

use super::{
    faults::Faults,
    page::Cursor,
    problem::{FieldError, Problem},
};

/// Entries of a page where nothing is said.
pub(crate) const LIMIT: i64 = 50;
/// Entries of a page at most.
pub(crate) const LIMIT_MAX: i64 = 200;
/// Characters of a text at most.
pub(crate) const TEXT_MAX: usize = 200;
/// Bytes of a query string: ten texts of so many characters, percent-encoded, are fewer.
const QUERY_MAX: usize = 32 * 1024;

/// The parameters of every list, as they are documented.
#[derive(Debug, IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "they are read as Parameters, so that each wrong one is named")]
pub(crate) struct Paging {
    /// `nextCursor` of the page before
    cursor: Option<String>,
    /// 1 to 200
    #[param(example = 50)]
    limit: Option<i64>,
}

/// The parameters of one request while they are read.
#[derive(Debug)]
pub(crate) struct Parameters {
    values: HashMap<String, String>,
    faults: Faults,
}

impl Parameters {
    /// Reads the query string; `known` are the parameters of the operation.
    pub(crate) fn of(request: &HttpRequest, known: &[&str]) -> Self {
        Self::read(request.query_string(), known, true)
    }

    /// Reads those that are known, and leaves all others alone: where clients may send what others have made up.
    pub(crate) fn among(request: &HttpRequest, known: &[&str]) -> Self {
        Self::read(request.query_string(), known, false)
    }

    /// Reads a query string; others than the known parameters are refused where it is strict.
    pub(crate) fn read(query: &str, known: &[&str], strict: bool) -> Self {
        let mut faults = Faults::default();
        let mut values = HashMap::new();
        for (name, value) in pairs(query, &mut faults) {
            if known.contains(&name.as_str()) {
                match values.entry(name) {
                    Entry::Occupied(given) => {
                        let message = format!("{} is given twice", given.key());
                        faults.add(FieldError::parameter(given.key(), "duplicate", message, "Give it once."));
                    }
                    Entry::Vacant(free) => drop(free.insert(value)),
                }
            } else if strict && faults.is_full() {
                faults.skip(1);
            } else if strict {
                let (message, hint) =
                    (format!("{name} is not known here"), format!("Known here: {}.", known.join(", ")));
                faults.add(FieldError::parameter(&name, "unknown_parameter", message, hint));
            }
        }
        Self { values, faults }
    }

    /// A text whose form the caller looks at.
    pub(crate) fn raw(&mut self, name: &str) -> Option<String> {
        self.values.remove(name)
    }

    /// An optional text, short enough and of characters that both databases can look for.
    pub(crate) fn text(&mut self, name: &str) -> Option<String> {
        let value = self.values.remove(name).filter(|value| !value.is_empty())?;
        let (code, message, hint) = if value.contains('\0') {
            ("nul_character", format!("{name} holds the character U+0000"), "Remove it; all others are allowed.")
        } else if value.chars().count() > TEXT_MAX {
            ("too_long", format!("{name} has more than {TEXT_MAX} characters"), "Shorten it.")
        } else {
            return Some(value);
        };
        self.faults.add(FieldError::parameter(name, code, message, hint));
        None
    }

    /// An optional text of a form, which an empty one is not of.
    pub(crate) fn given(&mut self, name: &str) -> Option<String> {
        if self.values.get(name).is_some_and(String::is_empty) { self.raw(name) } else { self.text(name) }
    }

    /// An optional value of a form.
    pub(crate) fn get<T: FromStr>(&mut self, name: &str, expected: &str) -> Option<T> {
        let text = self.given(name)?;
        let parsed = text.parse().ok();
        if parsed.is_none() {
            let message = format!("{name} is {text:?}; expected {expected}");
            self.faults.add(FieldError::parameter(name, "invalid", message, format!("Give {expected}.")));
        }
        parsed
    }

    /// Where a page begins and how many entries it has, of a list that takes no other parameters.
    pub(crate) fn page(request: &HttpRequest) -> Result<(Option<i64>, i64), Problem> {
        let mut parameters = Self::of(request, &["cursor", "limit"]);
        let (cursor, limit) = (parameters.cursor(), parameters.limit());
        parameters.finish()?;
        Ok((cursor, limit))
    }

    /// How many entries a page has.
    pub(crate) fn limit(&mut self) -> i64 {
        let expected = &format!("a number from 1 to {LIMIT_MAX}");
        let limit = self.get("limit", expected).unwrap_or(LIMIT);
        if !(1..=LIMIT_MAX).contains(&limit) {
            let message = format!("limit is {limit}; expected {expected}");
            self.faults.add(FieldError::parameter("limit", "invalid", message, format!("Give {expected}.")));
            // Callers reckon with it before the refusal goes out.
            return LIMIT;
        }
        limit
    }

    /// Where the page begins.
    pub(crate) fn cursor(&mut self) -> Option<i64> {
        self.get::<Cursor>("cursor", "a nextCursor of an earlier page").map(|cursor| cursor.0)
    }

    /// Whether the newest come first: `order`, `asc` unless said otherwise.
    pub(crate) fn descending(&mut self) -> bool {
        match self.given("order").as_deref() {
            None | Some("asc") => false,
            Some("desc") => true,
            Some(other) => {
                self.refuse("order", format!("order is {other:?}"), "Give asc or desc.");
                false
            }
        }
    }

    /// In which order things are listed: `sort`, `newest` unless said otherwise.
    pub(crate) fn sort(&mut self) -> Sort {
        match self.given("sort").as_deref() {
            None | Some("newest") => Sort::Newest,
            Some("oldest") => Sort::Oldest,
            Some("active") => Sort::Active,
            Some(other) => {
                self.refuse("sort", format!("sort is {other:?}"), "Give newest, oldest or active.");
                Sort::Newest
            }
        }
    }

    /// Notes a fault that only the caller can see.
    pub(crate) fn refuse(&mut self, name: &str, message: impl Into<String>, hint: &str) {
        self.faults.add(FieldError::parameter(name, "invalid", message, hint));
    }

    /// Refuses the request if anything was wrong.
    pub(crate) fn finish(self) -> Result<(), Problem> {
        if self.faults.is_empty() { Ok(()) } else { Err(Problem::bad_parameters(self.faults)) }
    }
}

/// The parameters of a query string; none of one that is too long, or is none.
fn pairs(query: &str, faults: &mut Faults) -> Vec<(String, String)> {
    if query.len() > QUERY_MAX {
        let message = format!("the query string has {} bytes; at most {QUERY_MAX} are taken", query.len());
        faults.add(FieldError::parameter("", "too_long", message, "Shorten it."));
        metrics::counter!("buildtrack_refused_total", "reason" => "query_too_long").increment(1);
        return vec![];
    }
    match Query::<Vec<(String, String)>>::from_query(query) {
        Ok(pairs) => pairs.into_inner(),
        Err(error) => {
            faults.add(FieldError::parameter("", "malformed", error.to_string(), "Encode it as RFC 3986 says."));
            vec![]
        }
    }
}

/// Reads an id out of the path: what is no id names nothing.
pub(crate) fn path_id<T: FromStr>(text: &str, what: &str) -> Result<T, Problem> {
    text.parse().map_err(|_| Problem::not_found(what))
}
