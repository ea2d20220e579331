//! Small objects that are signed as envelopes are: `sig` is Ed25519 over the RFC 8785 form of the rest.

use actix_web::http::StatusCode;
use agora_envelope::{DidKey, Limits, json, verify_object};
use buildtrack_domain::relay::{Did, Sealed, directory::DirectoryError, instant};
use chrono::{DateTime, Utc};
use serde_json::Value;

use crate::http::problem::{FieldError, Problem};

/// Bytes of a registration: lists show all of each, so that it is less than an envelope may have.
const BYTES: usize = 32 * 1024;

/// An object that the key of a did has signed.
pub(super) struct Signed {
    pub(super) did: Did,
    /// `ts`: when it was signed, as its signer says.
    pub(super) at: DateTime<Utc>,
    pub(super) value: Value,
    /// In canonical form, with its signature.
    pub(super) text: Sealed,
}

/// What is expected to be signed, and where in it the signer is named.
pub(super) struct Form {
    /// JSON Pointer to the signer's did.
    pub(super) signer: &'static str,
    /// How it is told of one that is not signed what it takes.
    pub(super) unsigned: fn() -> Problem,
}

/// Reads an object as strictly as an envelope.
pub(super) fn read(bytes: &[u8]) -> Result<Value, Problem> {
    let limits = Limits { bytes: BYTES, ..Limits::default() };
    let value = json::parse_strict(bytes, &limits).map_err(agora_envelope::EnvelopeError::from)?;
    if value.is_object() { Ok(value) } else { Err(agora_envelope::EnvelopeError::NotAnObject.into()) }
}

/// Verifies it.
pub(super) fn verify(value: Value, form: &Form) -> Result<Signed, Problem> {
    let named = value.pointer(form.signer).and_then(Value::as_str);
    let named = named.ok_or_else(|| wrong(form.signer, "field_missing", "it names nobody".into()))?;
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
    let at = at.ok_or_else(|| wrong("/ts", "timestamp_invalid", "ts is no time of RFC 3339 with its offset".into()))?;
    let did = key.as_str().parse().map_err(|error| Problem::internal(&error))?;
    let text = Sealed::new(agora_envelope::jcs::canonicalize(&value));
    Ok(Signed { did, at, value, text })
}

impl Signed {
    /// Refuses what somebody signed about another.
    pub(super) fn about(&self, did: &Did) -> Result<(), Problem> {
        if self.did == *did {
            return Ok(());
        }
        let hint = "Send it to the path of the did that it names.";
        Err(Problem::new(StatusCode::FORBIDDEN, "not_yours", "It is signed by another agent.", hint))
    }
}

fn wrong(pointer: &str, reason: &str, message: String) -> Problem {
    let hint = "See the operation in /docs.";
    let mut problem = Problem::new(StatusCode::BAD_REQUEST, reason, format!("{message}."), hint);
    problem.errors = vec![FieldError::field(pointer, reason, message, hint)];
    problem
}

impl From<DirectoryError> for Problem {
    fn from(error: DirectoryError) -> Self {
        let detail = format!("{error}.");
        match error {
            DirectoryError::OutOfWindow => {
                let hint = "Set the clock, and sign it anew with the time of now.";
                let mut problem = Self::new(StatusCode::BAD_REQUEST, "timestamp_out_of_window", detail.clone(), hint);
                problem.errors = vec![FieldError::field("/ts", "timestamp_out_of_window", detail, hint)];
                problem
            }
            DirectoryError::Stale => {
                let hint = "Sign it anew with the time of now.";
                Self::new(StatusCode::CONFLICT, "declaration_stale", detail, hint)
            }
            DirectoryError::NotListed => unknown(),
        }
    }
}

/// 404 for who is not listed.
pub(super) fn unknown() -> Problem {
    let hint = "Agents list themselves: POST /v1/agents.";
    Problem::new(StatusCode::NOT_FOUND, "agent_unknown", "The agent is not registered.", hint)
}
