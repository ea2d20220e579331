//! The collector of validation errors: each field once, the first twenty by name, the rest as a number.
//!
//! **Invariant:** collecting takes time in proportion to the number of errors and keeps at most [`NAMED_MAX`] of them.

use std::collections::HashMap;

use super::problem::FieldError;

/// The maximum number of errors in one answer.
pub(crate) const NAMED_MAX: usize = 20;

/// The validation errors of one request.
#[derive(Debug, Default)]
pub(crate) struct Faults {
    errors: Vec<FieldError>,
    /// Pointer → index in `errors`.
    places: HashMap<String, usize>,
    more: u64,
}

impl Faults {
    /// Adds an error of a field. Of two errors of one field the more significant one stays: other rules do not apply to a field
    /// of the wrong type or to a blank one.
    pub(crate) fn push(&mut self, error: FieldError) {
        let known = error.pointer.as_ref().and_then(|pointer| self.places.get(pointer).copied());
        match known.and_then(|place| self.errors.get_mut(place)) {
            Some(known) if error.code == "wrong_type" || known.code == "blank" => *known = error,
            Some(_) => {}
            None => self.add(error),
        }
    }

    /// Adds an error of a field or parameter without a check for earlier ones.
    pub(crate) fn add(&mut self, error: FieldError) {
        if self.is_full() {
            self.more += 1;
            return;
        }
        if let Some(pointer) = &error.pointer {
            self.places.entry(pointer.clone()).or_insert(self.errors.len());
        }
        self.errors.push(error);
    }

    /// Appends other errors.
    pub(crate) fn append(&mut self, others: Self) {
        others.errors.into_iter().for_each(|error| self.add(error));
        self.more += others.more;
    }

    /// Counts errors that are not named.
    pub(crate) fn skip(&mut self, count: u64) {
        self.more = self.more.saturating_add(count);
    }

    /// Whether the maximum number of errors has been reached.
    pub(crate) fn is_full(&self) -> bool {
        self.errors.len() >= NAMED_MAX
    }

    /// Whether there are no errors.
    pub(crate) fn is_empty(&self) -> bool {
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

impl From<Vec<FieldError>> for Faults {
    fn from(errors: Vec<FieldError>) -> Self {
        let mut faults = Self::default();
        for error in errors {
            faults.add(error);
        }
        faults
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
        let mut faults = Faults::default();
        (0..50).for_each(|index| faults.push(fault(&format!("/{index}"), "invalid")));
        faults.skip(7);
        let (errors, more) = faults.into_parts();
        assert_eq!((errors.len(), more), (NAMED_MAX, 37));
    }

    #[test]
    fn each_field_is_named_once_with_its_most_significant_error() {
        let mut faults = Faults::default();
        for (pointer, code) in
            [("/a", "too_short"), ("/a", "wrong_type"), ("/a", "too_long"), ("/b", "blank"), ("/b", "x")]
        {
            faults.push(fault(pointer, code));
        }
        assert!(faults.is_named("/a") && !faults.is_named("/c"));
        let codes: Vec<_> = faults.into_parts().0.into_iter().map(|error| error.code).collect();
        assert_eq!(codes, ["wrong_type", "x"]);
    }
}
