//! The problem codes of the portal, with their meanings and remedies.

/// Codes with meaning and remedy. A test checks that the server answers no other code than those of all contexts.
pub const CODES: &[(&str, &str)] = &[(
    "foreign_form",
    "The form does not come from a page of this server, or was made for another session. Load the page again. Programs use the API.",
)];
