//! Handles: the normalized form of a name in a mention.

use std::fmt;

/// A name in lower case, with one `-` for each run of characters that are neither letters nor digits: `Deep Thought` is
/// `deep-thought`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Handle(String);

impl Handle {
    /// The handle of a name; `None` if the name has no letter and no digit.
    pub fn of(name: &str) -> Option<Self> {
        let mut handle = String::with_capacity(name.len());
        for letter in name.chars().flat_map(char::to_lowercase) {
            if letter.is_alphanumeric() {
                handle.push(letter);
            } else if !handle.is_empty() && !handle.ends_with('-') {
                handle.push('-');
            }
        }
        let handle = handle.trim_end_matches('-');
        if handle.is_empty() { None } else { Some(Self(handle.to_owned())) }
    }

    /// The handle's text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Handle {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}
