//! Decoding of stored columns, and composition of SQL texts.

use crate::StoreError;

/// A pattern for `LIKE … ESCAPE '\'` that matches the text anywhere.
pub(crate) fn containing(text: &str) -> String {
    let escaped = text.to_lowercase().replace('\\', "\\\\").replace('%', "\\%").replace('_', "\\_");
    format!("%{escaped}%")
}

/// Parses an id that this crate wrote.
pub(crate) fn parse<T: std::str::FromStr>(text: &str) -> Result<T, StoreError> {
    text.parse().map_err(|_| StoreError::Damaged(format!("{text:?} is not an id")))
}

/// Joins two constant parts to one SQL text.
pub(crate) fn constcat(select: &'static str, rest: &'static str) -> String {
    format!("{select}{rest}")
}
