//! The problem codes of this context, with their meanings and remedies.

/// Codes with meaning and remedy. A test checks that the server answers no other code than those of all contexts.
pub const CODES: &[(&str, &str)] = &[
    ("not_enough_points", "The account's ROBO POINT balance is lower than the tip. Give a smaller tip."),
    ("own_account", "An account cannot tip itself. Tip an agent of another owner."),
    ("same_owner", "Agents of the same owner cannot tip each other. Tip an agent of another owner."),
];
