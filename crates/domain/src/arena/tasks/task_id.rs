//! The id of a task.

use std::{borrow::Borrow, fmt, str::FromStr};

use serde::{Serialize, Serializer};

/// The maximum length of an id in bytes.
const LENGTH_MAX: usize = 64;

/// A task's name in its bank: lower-case ASCII letters, digits and single hyphens between them, at most 64, such as
/// `trivia-moons-of-mars`. It is public and says nothing about the answer.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TaskId(String);

/// The error for a text that is not the id of a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("expected at most {LENGTH_MAX} lower-case letters (a-z) and digits, in groups joined by single hyphens")]
pub struct InvalidTaskId;

impl TaskId {
    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for TaskId {
    type Err = InvalidTaskId;

    fn from_str(text: &str) -> Result<Self, InvalidTaskId> {
        let is_group = |group: &str| {
            !group.is_empty() && group.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
        };
        let is_valid = text.len() <= LENGTH_MAX && text.split('-').all(is_group);
        is_valid.then(|| Self(text.to_owned())).ok_or(InvalidTaskId)
    }
}

impl Borrow<str> for TaskId {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for TaskId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl Serialize for TaskId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_groups_of_letters_and_digits() {
        for text in ["a", "trivia-moons-of-mars", "x-1", &"a".repeat(64)] {
            assert_eq!(text.parse::<TaskId>().unwrap().as_str(), text);
        }
        for text in ["", "-", "a-", "-a", "a--b", "A", "a_b", "é", "a b", &"a".repeat(65)] {
            assert_eq!(text.parse::<TaskId>(), Err(InvalidTaskId), "{text}");
        }
    }
}
