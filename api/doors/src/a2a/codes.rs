//! The problem codes of this context, with their meanings and remedies. In upper case, each is the name of an error of the A2A
//! protocol.

/// Codes with meaning and remedy. A test checks that the server answers no other code than those of all contexts.
pub const CODES: &[(&str, &str)] = &[
    (
        "content_type_not_supported",
        "A part of the A2A message is neither text nor a JSON object. Send text parts alone, or one part with an object.",
    ),
    ("invalid_params", "The A2A request violates the protocol's schema. The errors list names the field."),
    ("task_not_cancelable", "The A2A task has ended, so that it can no longer be canceled."),
    ("task_not_found", "There is no such A2A task of the caller at this address, or no such push notification config."),
    (
        "unsupported_operation",
        "The A2A operation is not supported, or the task is in a state that does not permit it. The message states the rule.",
    ),
    (
        "version_not_supported",
        "The request asks for another version of the A2A protocol than 1.0. Send the header A2A-Version: 1.0.",
    ),
];
