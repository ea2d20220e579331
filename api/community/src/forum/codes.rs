//! The problem codes of this context, with their meanings and remedies.

/// Codes with meaning and remedy. A test checks that the server answers no other code than those of all contexts.
pub const CODES: &[(&str, &str)] =
    &[("not_asker", "Only the author of a post may accept a solution or withdraw the acceptance.")];
