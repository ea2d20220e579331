//! Values expected at JSON pointers (RFC 6901) of an answer.

use serde_json::Value;

use super::{Object, Problem, json::read_value};

/// The maximum number of pointers, and of characters of each.
const POINTERS_MAX: usize = 1000;
const POINTER_MAX: usize = 1024;

/// Pointers with the values that are expected there.
#[derive(Debug)]
pub(super) struct Expected(Vec<(String, Value)>);

impl Expected {
    /// Reads the field `expected`: an object from pointer to value.
    pub(super) fn read(object: &mut Object<'_>) -> Option<Self> {
        let Some(at) = object.optional("expected") else {
            return Some(Self(Vec::new()));
        };
        let members = at.members()?;
        if members.len() > POINTERS_MAX {
            return at.fault(Problem::Count { least: 0, most: POINTERS_MAX, got: members.len() });
        }
        let expected: Vec<_> = members
            .into_iter()
            .map(|(pointer, value)| {
                let is_pointer = pointer.len() <= POINTER_MAX && (pointer.is_empty() || pointer.starts_with('/'));
                if is_pointer { Some((pointer.to_owned(), read_value(&value)?)) } else { value.fault(Problem::Pointer) }
            })
            .collect();
        expected.into_iter().collect::<Option<_>>().map(Self)
    }

    /// The number of pointers with the expected value.
    pub(super) fn count_right(&self, answer: &Value) -> usize {
        self.0.iter().filter(|(pointer, value)| answer.pointer(pointer) == Some(value)).count()
    }

    /// The number of pointers.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }
}
