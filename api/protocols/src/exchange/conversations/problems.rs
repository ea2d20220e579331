//! HTTP problems for exchange errors.

use buildtrack_domain::exchange::conversations::InvalidBody;
use buildtrack_http::problem::{FieldError, Problem, shortened};

/// The error of a body that breaks a rule about its form.
pub fn invalid_body_field(error: &InvalidBody) -> FieldError {
    let (code, hint) = match error {
        InvalidBody::Kind => ("wrong_type", "Send a string or an object."),
        InvalidBody::Json(_) => {
            ("invalid", "Send JSON whose numbers fit a 64-bit float, and whose strings are Unicode.")
        }
        InvalidBody::TooDeep => ("too_deep", "Send fewer levels, or the object as a string."),
        InvalidBody::RepeatedMember(_) => ("repeated_member", "Name each member of an object once."),
    };
    let message = shortened(format!("body: {error}"), MESSAGE_MAX);
    FieldError::field("/body", code, message, hint)
}

/// The maximum number of characters of a message that shows the name of a member.
const MESSAGE_MAX: usize = 200;

/// 422: a body that breaks a rule about its form.
pub(super) fn invalid_body(error: &InvalidBody) -> Problem {
    Problem::invalid(vec![invalid_body_field(error)])
}
