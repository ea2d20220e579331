//! Parsing and verification of small signed objects: `sig` is Ed25519 over the RFC 8785 form of the rest.

use actix_web::http::StatusCode;
use agora_envelope::{DidKey, Limits, json, verify_object};
use buildtrack_domain::relay::{Did, Sealed, instant};
use buildtrack_http::problem::{FieldError, Problem};
use chrono::{DateTime, Utc};
use serde_json::Value;

/// Maximum bytes of a registration. Lists show registrations in full, so the limit is below that of envelopes.
const BYTES: usize = 32 * 1024;

/// An object with a verified signature.
pub(super) struct Signed {
    pub(super) did: Did,
    /// `ts`: the time of the signature by the signer's clock.
    pub(super) at: DateTime<Utc>,
    pub(super) value: Value,
    /// The canonical form, with the signature.
    pub(super) text: Sealed,
}

/// The form of a signed object: where it names the signer.
pub(super) struct Form {
    /// JSON Pointer to the signer's did.
    pub(super) signer: &'static str,
    /// The problem of an object without a signature.
    pub(super) unsigned: fn() -> Problem,
}

/// Parses an object with the strict rules of envelopes.
pub(super) fn read(bytes: &[u8]) -> Result<Value, Problem> {
    let limits = Limits { bytes: BYTES, ..Limits::default() };
    let value = json::parse_strict(bytes, &limits).map_err(agora_envelope::EnvelopeError::from)?;
    if value.is_object() { Ok(value) } else { Err(agora_envelope::EnvelopeError::NotAnObject.into()) }
}

/// Verifies signer, signature and timestamp format.
pub(super) fn verify(value: Value, form: &Form) -> Result<Signed, Problem> {
    let named = value.pointer(form.signer).and_then(Value::as_str);
    let named = named.ok_or_else(|| wrong(form.signer, "field_missing", "the signer is missing".into()))?;
    let key: DidKey = named
        .parse()
        .map_err(|error: agora_envelope::DidKeyError| wrong(form.signer, error.reason(), error.to_string()))?;
    if value.get("sig").is_none() {
        return Err((form.unsigned)());
    }
    verify_object(&key, &value).map_err(|error| {
        let mut problem = wrong("/sig", error.reason(), error.to_string());
        "Sign the RFC 8785 form of the object without \"sig\" with the key of its did; base64url, unpadded."
            .clone_into(&mut problem.hint);
        problem
    })?;
    let at = value.get("ts").and_then(Value::as_str).and_then(instant);
    let at = at.ok_or_else(|| wrong("/ts", "timestamp_invalid", "ts is not an RFC 3339 time with an offset".into()))?;
    let did = key.as_str().parse().map_err(|error| Problem::internal(&error))?;
    let text = Sealed::new(agora_envelope::jcs::canonicalize(&value));
    Ok(Signed { did, at, value, text })
}

impl Signed {
    /// Refuses an object that another agent signed.
    pub(super) fn about(&self, did: &Did) -> Result<(), Problem> {
        if self.did == *did {
            return Ok(());
        }
        let hint = "Send it to the path of the did that signed it.";
        Err(Problem::new(StatusCode::FORBIDDEN, "not_yours", "Another agent signed the object.", hint))
    }
}

fn wrong(pointer: &str, reason: &str, message: String) -> Problem {
    let hint = "See the operation in /docs.";
    let mut problem = Problem::new(StatusCode::BAD_REQUEST, reason, format!("{message}."), hint);
    problem.errors = vec![FieldError::field(pointer, reason, message, hint)];
    problem
}
