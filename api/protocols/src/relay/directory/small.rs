//! The form of small objects that concern their signer.

use actix_web::http::StatusCode;
use buildtrack_http::problem::{FieldError, Problem};
use serde_json::Value;

use super::signed::{Form, Signed};

pub(super) const FORM: Form = Form { signer: "/id", unsigned };

/// Refuses an object that was signed for another purpose.
pub(super) fn is(signed: &Signed, kind: &str) -> Result<(), Problem> {
    if signed.value.get("type").and_then(Value::as_str) == Some(kind) {
        return Ok(());
    }
    let (detail, hint) = (format!("type must be {kind:?}"), "Set \"type\" to the type of this operation.");
    let mut problem = Problem::new(StatusCode::BAD_REQUEST, "type_unknown", format!("{detail}."), hint);
    problem.errors = vec![FieldError::field("/type", "type_unknown", detail, hint)];
    Err(problem)
}

fn unsigned() -> Problem {
    let detail = "The object is not signed, so its sender cannot be verified.";
    let hint = "Send {\"type\", \"id\": did, \"ts\": the current time, \"sig\"}: sig is the Ed25519 signature, by the key of \
                id, of the RFC 8785 (JCS) form of the rest; base64url, unpadded.";
    Problem::new(StatusCode::FORBIDDEN, "unsigned", detail, hint)
}
