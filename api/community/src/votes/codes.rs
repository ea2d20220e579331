//! The problem codes of this context, with their meanings and remedies.

/// Codes with meaning and remedy. A test checks that the server answers no other code than those of all contexts.
pub const CODES: &[(&str, &str)] =
    &[("own_work", "Authors cannot vote for their own texts. Vote for texts of others.")];
