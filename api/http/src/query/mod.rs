//! Query parameters: declared once, by the type that a handler gets; parsed with a complete list of the invalid and unknown ones.

mod value;

use std::{
    collections::{HashMap, hash_map::Entry},
    str::FromStr,
};

use actix_web::{HttpRequest, web};
use chrono::DateTime;
use utoipa::openapi::path::Parameter;

pub use buildtrack_macros::Query;
pub use value::{Descending, Limit, OrMe, Position, PositionOr, Value, Wait, alternatives, described, refused};

use super::{
    field_errors::FieldErrors,
    page::Cursor,
    problem::{FieldError, Problem},
    unknown_names::unknown_name,
};

/// The default number of entries of a page.
pub const LIMIT: i64 = 50;
/// The maximum number of entries of a page.
pub const LIMIT_MAX: i64 = 200;
/// The maximum number of characters of a text.
pub const TEXT_MAX: usize = 200;
/// The maximum number of bytes of a query string. Ten percent-encoded texts of maximum length are shorter.
const QUERY_MAX: usize = 32 * 1024;

/// The query parameters of an operation. `#[derive(Query)]` implements it, with extraction from a request and documentation.
pub trait Query: Sized {
    /// Adds the names of the parameters.
    fn names(names: &mut Vec<&'static str>);

    /// Reads the parameters. [`Parameters::finish`] returns the errors of invalid ones.
    fn read(parameters: &mut Parameters) -> Self;

    /// Adds what the OpenAPI document says of each.
    fn describe(described: &mut Vec<Parameter>);

    /// The names of the parameters.
    fn known() -> Vec<&'static str> {
        let mut names = Vec::new();
        Self::names(&mut names);
        names
    }

    /// Reads the parameters of a request. Refuses it with 400 if one is invalid or unknown.
    fn of(request: &HttpRequest) -> Result<Self, Problem> {
        Self::all_of(Parameters::of(request, &Self::known()))
    }

    /// Reads the parameters. Refuses the request with 400 if one is invalid or unknown.
    fn all_of(mut parameters: Parameters) -> Result<Self, Problem> {
        let query = Self::read(&mut parameters);
        parameters.finish()?;
        Ok(query)
    }
}

/// Makes a [`Query`] an extractor of handlers, and the parameters of an operation in the OpenAPI document.
#[macro_export]
macro_rules! extracted_query {
    ($query:ty) => {
        impl ::actix_web::FromRequest for $query {
            type Error = $crate::problem::Problem;
            type Future = ::std::future::Ready<Result<Self, Self::Error>>;

            fn from_request(request: &::actix_web::HttpRequest, _: &mut ::actix_web::dev::Payload) -> Self::Future {
                ::std::future::ready(<Self as $crate::query::Query>::of(request))
            }
        }

        impl ::utoipa::IntoParams for $query {
            fn into_params(
                _: impl Fn() -> Option<::utoipa::openapi::path::ParameterIn>,
            ) -> Vec<::utoipa::openapi::path::Parameter> {
                let mut described = Vec::new();
                <Self as $crate::query::Query>::describe(&mut described);
                described
            }
        }
    };
}

/// The parameters of every list of entries with a position on the log.
#[derive(Debug, Clone, Copy, Query)]
pub struct Paging {
    /// `nextCursor` of the previous page
    pub cursor: Option<Cursor>,
    /// Number of entries, 1 to 200
    #[query(example = 50)]
    pub limit: Limit,
}

impl Paging {
    /// The position at which the page begins, and the number of its entries.
    pub fn range(self) -> (Option<i64>, i64) {
        (self.cursor.map(|cursor| cursor.0), self.limit.0)
    }
}

/// The query parameters of one request.
#[derive(Debug)]
pub struct Parameters {
    values: HashMap<String, String>,
    field_errors: FieldErrors,
}

impl Parameters {
    /// Parses the query string. `known` lists the parameters of the operation.
    pub fn of(request: &HttpRequest, known: &[&str]) -> Self {
        Self::read(request.query_string(), known, true)
    }

    /// Parses the known parameters and ignores others, for requests whose other parameters come from third parties.
    pub fn among(request: &HttpRequest, known: &[&str]) -> Self {
        Self::read(request.query_string(), known, false)
    }

    /// Parses a query string. In strict mode unknown parameters are errors.
    pub fn read(query: &str, known: &[&str], strict: bool) -> Self {
        let mut field_errors = FieldErrors::default();
        let mut values = HashMap::new();
        for (name, value) in pairs(query, &mut field_errors) {
            if known.contains(&name.as_str()) {
                match values.entry(name) {
                    Entry::Occupied(given) => {
                        let message = format!("{} occurs twice", given.key());
                        field_errors.add(FieldError::parameter(given.key(), "duplicate", message, "Send it once."));
                    }
                    Entry::Vacant(free) => drop(free.insert(value)),
                }
            } else if strict && field_errors.is_full() {
                field_errors.skip(1);
            } else if strict {
                let message = unknown_name(&name, "parameter of this operation", known);
                let hint = format!("Parameters of this operation: {}.", known.join(", "));
                field_errors.add(FieldError::parameter(&name, "unknown_parameter", message, hint));
            }
        }
        Self { values, field_errors }
    }

    /// A parameter as it was sent. It is still to be read.
    pub fn sent(&self, name: &str) -> Option<&str> {
        self.values.get(name).map(String::as_str)
    }

    /// A text that the caller of this function validates.
    pub fn raw(&mut self, name: &str) -> Option<String> {
        self.values.remove(name)
    }

    /// Accepts a second name for a parameter. A request has one of the two.
    pub fn alias(mut self, alias: &str, name: &str) -> Self {
        if let Some(value) = self.values.remove(alias) {
            if self.values.contains_key(name) {
                let message = format!("{alias} is another name of {name}, which the request has too");
                self.field_errors.add(FieldError::parameter(alias, "duplicate", message, "Send one of them."));
            } else {
                self.values.insert(name.to_owned(), value);
            }
        }
        self
    }

    /// Leaves out parameters without a value, which browsers send for fields that were left empty.
    pub fn without_empty(mut self) -> Self {
        self.values.retain(|_, value| !value.is_empty());
        self
    }

    /// An optional text, at most [`TEXT_MAX`] characters, without U+0000, which PostgreSQL cannot store.
    pub fn text(&mut self, name: &str) -> Option<String> {
        let value = self.values.remove(name).filter(|value| !value.is_empty())?;
        let (code, message, hint) = if value.contains('\0') {
            ("nul_character", format!("{name} contains the character U+0000"), "Remove that character.")
        } else if value.chars().count() > TEXT_MAX {
            ("too_long", format!("{name} has more than {TEXT_MAX} characters"), "Shorten the text.")
        } else {
            return Some(value);
        };
        self.field_errors.add(FieldError::parameter(name, code, message, hint));
        None
    }

    /// An optional text of a given form. An empty text is an error.
    pub fn given(&mut self, name: &str) -> Option<String> {
        if self.values.get(name).is_some_and(String::is_empty) { self.raw(name) } else { self.text(name) }
    }

    /// An optional value of a given form.
    pub fn get<T: FromStr>(&mut self, name: &str, expected: &str) -> Option<T> {
        self.parsed(name, |text| text.parse().ok(), expected)
    }

    /// An optional value that `parse` reads.
    pub fn parsed<T>(&mut self, name: &str, parse: impl FnOnce(&str) -> Option<T>, expected: &str) -> Option<T> {
        let text = self.given(name)?;
        let parsed = parse(&text);
        if parsed.is_none() {
            let message = format!("{name} is {text:?}; expected {expected}");
            let hint = lost_plus(&text).map_or_else(|| format!("Use {expected}."), ToOwned::to_owned);
            self.field_errors.add(FieldError::parameter(name, "invalid", message, hint));
        }
        parsed
    }

    /// The position at which a page begins.
    pub fn cursor(&mut self) -> Option<i64> {
        Cursor::read(self, "cursor").map(|cursor| cursor.0)
    }

    /// Adds an error that the caller of this function has found.
    pub fn refuse(&mut self, name: &str, message: impl Into<String>, hint: &str) {
        self.field_errors.add(FieldError::parameter(name, "invalid", message, hint));
    }

    /// Returns an error answer if any parameter was invalid.
    pub fn finish(self) -> Result<(), Problem> {
        if self.field_errors.is_empty() { Ok(()) } else { Err(Problem::bad_parameters(self.field_errors)) }
    }
}

/// The hint for a time whose offset lost its plus sign: a query reads an unencoded one as a space.
pub fn lost_plus(text: &str) -> Option<&'static str> {
    let (time, offset) = text.rsplit_once(' ')?;
    DateTime::parse_from_rfc3339(&format!("{time}+{offset}")).ok()?;
    Some("Write the plus sign as %2B, such as 2026-03-01T12:00:00%2B02:00: in a query, + stands for a space.")
}

/// The parameters of a query string. Empty if the string is too long or malformed.
fn pairs(query: &str, field_errors: &mut FieldErrors) -> Vec<(String, String)> {
    if query.len() > QUERY_MAX {
        let message = format!("the query string has {} bytes; at most {QUERY_MAX} are allowed", query.len());
        field_errors.add(FieldError::parameter("", "too_long", message, "Shorten the query string."));
        metrics::counter!("buildtrack_refused_total", "reason" => "query_too_long").increment(1);
        return vec![];
    }
    match web::Query::<Vec<(String, String)>>::from_query(query) {
        Ok(pairs) => pairs.into_inner(),
        Err(error) => {
            field_errors.add(FieldError::parameter(
                "",
                "malformed",
                error.to_string(),
                "Percent-encode the query string according to RFC 3986.",
            ));
            vec![]
        }
    }
}

/// Parses an id in the path. A malformed id is answered like an unknown one.
pub fn path_id<T: FromStr>(text: &str, what: &str) -> Result<T, Problem> {
    text.parse().map_err(|_| Problem::not_found(what))
}
