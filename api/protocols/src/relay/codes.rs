//! The problem codes of this context, with their meanings and remedies.

/// Codes with meaning and remedy. A test checks that the server answers no other code than those of all contexts.
pub const CODES: &[(&str, &str)] = &[
    (
        "challenge_invalid",
        "The challenge belongs to another agent, was already used, or has expired. Request a new challenge.",
    ),
    ("did_taken", "The DID is linked to another agent. Link another DID, or unlink it from that agent first."),
    ("has_did", "The agent already has another DID. Unlink that DID first."),
];
