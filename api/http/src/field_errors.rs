//! Errors of fields and parameters, and their collector: each field once, the first twenty by name, the rest as a number.
//!
//! **Invariant:** collecting takes time in proportion to the number of errors and keeps at most [`NAMED_MAX`] of them.

use std::collections::HashMap;

use buildtrack_domain::markdown::Excess;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The maximum number of errors in one answer.
pub const NAMED_MAX: usize = 20;
/// The maximum number of characters of a text in an error.
pub(super) const TEXT_MAX: usize = 1000;
/// The maximum number of characters of a pointer or parameter name in an error.
const POINTER_MAX: usize = 300;

/// Cuts a text to a maximum number of characters, with an ellipsis.
pub fn shortened(mut text: String, most: usize) -> String {
    // A character has at least one byte, so that a text with few bytes needs no count.
    if text.len() > most
        && let Some((end, _)) = text.char_indices().nth(most)
    {
        text.truncate(end);
        text.push('…');
    }
    text
}

/// An invalid field of a body, or an invalid parameter.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct FieldError {
    /// JSON Pointer (RFC 6901) to the field in the body; empty for the body itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "/description")]
    pub pointer: Option<String>,
    /// Name of the query parameter, path parameter or header.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parameter: Option<String>,
    /// The kind of error, for programs.
    #[schema(example = "required")]
    pub code: String,
    /// A description of the error, for people.
    #[schema(example = "\"description\" is required")]
    pub message: String,
    /// How to correct the field or parameter.
    #[schema(example = "Add \"description\".")]
    pub hint: String,
}

impl FieldError {
    /// An error of a body's field.
    pub fn field(pointer: impl Into<String>, code: &str, message: impl Into<String>, hint: impl Into<String>) -> Self {
        let pointer = shortened(pointer.into(), POINTER_MAX);
        Self { pointer: Some(pointer), ..Self::new(code, message, hint) }
    }

    /// A text in Markdown that costs too much to render.
    pub(crate) fn markdown(pointer: &str, excess: Excess) -> Self {
        let hint = "Make it simpler, split it into several texts, or put what is no Markdown into a code block (```).";
        Self::field(pointer, "markdown_too_complex", excess.to_string(), hint)
    }

    /// An error of a parameter.
    pub fn parameter(name: &str, code: &str, message: impl Into<String>, hint: impl Into<String>) -> Self {
        let parameter = shortened(name.to_owned(), POINTER_MAX);
        Self { parameter: Some(parameter), ..Self::new(code, message, hint) }
    }

    fn new(code: &str, message: impl Into<String>, hint: impl Into<String>) -> Self {
        let (message, hint) = (shortened(message.into(), TEXT_MAX), shortened(hint.into(), TEXT_MAX));
        Self { pointer: None, parameter: None, code: code.to_owned(), message, hint }
    }
}

/// How an error of a field relates to other errors of the same field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Precedence {
    /// The value has the wrong type. The error replaces earlier ones, because no other rule applies to the value.
    Type,
    /// The value breaks another rule. Of several such errors the first one stays.
    Rule,
    /// The text is blank. A later error replaces this one.
    Blank,
}

/// The validation errors of one request.
#[derive(Debug, Default)]
pub struct FieldErrors {
    errors: Vec<FieldError>,
    /// Pointer → index in `errors`, and the error's precedence.
    fields: HashMap<String, (usize, Precedence)>,
    more: u64,
}

impl FieldErrors {
    /// Adds an error of a field. Of two errors of one field, their precedences select one.
    pub(crate) fn push(&mut self, error: FieldError, precedence: Precedence) {
        let known = error.pointer.as_ref().and_then(|pointer| self.fields.get_mut(pointer));
        let Some((index, known_precedence)) = known else { return self.insert(error, precedence) };
        if precedence == Precedence::Type || *known_precedence == Precedence::Blank {
            *known_precedence = precedence;
            if let Some(known) = self.errors.get_mut(*index) {
                *known = error;
            }
        }
    }

    /// Adds an error of a field or parameter without a check for earlier ones.
    pub fn add(&mut self, error: FieldError) {
        self.insert(error, Precedence::Rule);
    }

    fn insert(&mut self, error: FieldError, precedence: Precedence) {
        if self.is_full() {
            self.more += 1;
            return;
        }
        if let Some(pointer) = &error.pointer {
            self.fields.entry(pointer.clone()).or_insert((self.errors.len(), precedence));
        }
        self.errors.push(error);
    }

    /// Appends other errors.
    pub fn append(&mut self, others: Self) {
        others.errors.into_iter().for_each(|error| self.add(error));
        self.more += others.more;
    }

    /// Counts errors that are not named.
    pub fn skip(&mut self, count: u64) {
        self.more = self.more.saturating_add(count);
    }

    /// Whether the maximum number of errors has been reached.
    pub(crate) fn is_full(&self) -> bool {
        self.errors.len() >= NAMED_MAX
    }

    /// Whether there are no errors.
    pub fn is_empty(&self) -> bool {
        self.errors.is_empty()
    }

    /// Whether the list has an error of the field, or of a part of it.
    pub(crate) fn is_named(&self, pointer: &str) -> bool {
        let rest = |error: &FieldError| error.pointer.as_deref()?.strip_prefix(pointer).map(str::to_owned);
        self.errors.iter().filter_map(rest).any(|rest| rest.is_empty() || rest.starts_with('/'))
    }

    /// Returns the named errors and the minimum number of further ones.
    pub(crate) fn into_parts(self) -> (Vec<FieldError>, u64) {
        (self.errors, self.more)
    }
}

impl From<Vec<FieldError>> for FieldErrors {
    fn from(errors: Vec<FieldError>) -> Self {
        let mut field_errors = Self::default();
        for error in errors {
            field_errors.add(error);
        }
        field_errors
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(pointer: &str, code: &str) -> FieldError {
        FieldError::field(pointer, code, "wrong", "Correct it.")
    }

    #[test]
    fn twenty_are_named_and_the_rest_counted() {
        let mut field_errors = FieldErrors::default();
        (0..50).for_each(|index| field_errors.push(fault(&format!("/{index}"), "invalid"), Precedence::Rule));
        field_errors.skip(7);
        let (errors, more) = field_errors.into_parts();
        assert_eq!((errors.len(), more), (NAMED_MAX, 37));
    }

    #[test]
    fn each_field_is_named_once_with_its_most_significant_error() {
        let mut field_errors = FieldErrors::default();
        for (pointer, code, precedence) in [
            ("/a", "too_short", Precedence::Rule),
            ("/a", "wrong_type", Precedence::Type),
            ("/a", "too_long", Precedence::Rule),
            ("/b", "blank", Precedence::Blank),
            ("/b", "x", Precedence::Rule),
        ] {
            field_errors.push(fault(pointer, code), precedence);
        }
        assert!(field_errors.is_named("/a") && !field_errors.is_named("/c"));
        let codes: Vec<_> = field_errors.into_parts().0.into_iter().map(|error| error.code).collect();
        assert_eq!(codes, ["wrong_type", "x"]);
    }
}
