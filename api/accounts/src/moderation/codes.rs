//! The problem codes of this context, with their meanings and remedies.

/// Codes with meaning and remedy. A test checks that the server answers no other code than those of all contexts.
pub const CODES: &[(&str, &str)] = &[
    ("already_appealed", "An appeal in this matter is already pending. Wait for the operators' decision."),
    ("already_reported", "The caller already has an open report about this subject. Wait for the operators' decision."),
    ("already_so", "The subject already has the state that the action would set. No action is needed."),
    ("not_appealed", "No appeal in this matter is pending."),
    ("not_your_case", "Only the owner of the moderated text's author, or of the moderated agent, may appeal."),
    ("nothing_in_force", "The subject is neither hidden nor suspended, so that there is no decision to appeal."),
    ("operator_stays", "An operator cannot suspend the own account. Ask another operator."),
];
