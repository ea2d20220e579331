//! Validation of registrations by a JSON Schema. The server publishes the part for manifests.

use std::sync::LazyLock;

use actix_web::http::StatusCode;
use buildtrack_http::{
    field_errors::FieldErrors,
    forms::Form,
    problem::{FieldError, Problem},
    validation::HINT,
};
use serde_json::{Value, json};

/// The published schema of manifests.
pub(crate) const MANIFEST: &str = include_str!("manifest.schema.json");
/// Maximum number of manifests of an agent.
pub const CAPABILITIES_MAX: usize = 20;

/// Validates a registration. Errors name every invalid field.
pub fn check(registration: &Value) -> Result<(), Problem> {
    static FORM: LazyLock<Option<Form>> = LazyLock::new(compile);
    let form = FORM.as_ref().ok_or_else(|| Problem::internal(&"the schema of registrations is invalid"))?;
    if form.fits(registration) {
        return Ok(());
    }
    let mut field_errors = FieldErrors::default();
    form.compare(registration.clone(), &mut field_errors);
    if field_errors.is_empty() {
        field_errors.add(FieldError::field("", "invalid", "the registration does not match its schema", HINT));
    }
    Err(invalid(field_errors))
}

fn compile() -> Option<Form> {
    let mut manifest: Value = serde_json::from_str(MANIFEST).ok()?;
    // References to definitions resolve at the root of the whole schema.
    let definitions = manifest.as_object_mut()?.remove("$defs")?;
    let schema = registration(&manifest, &definitions);
    Form::compile(&schema, false)
        .inspect_err(|error| tracing::error!(%error, "the schema of registrations is invalid"))
        .ok()
}

fn registration(manifest: &Value, definitions: &Value) -> Value {
    let text = |limit: usize| json!({ "type": ["string", "null"], "maxLength": limit });
    json!({
        "type": "object",
        "required": ["agent", "ts"],
        "additionalProperties": false,
        "properties": {
            "agent": {
                "type": "object",
                "required": ["id"],
                "properties": {
                    "id": { "type": "string" },
                    "name": { "type": ["string", "null"], "maxLength": 200, "pattern": "\\S" },
                    "url": text(2000),
                    "description": text(4000),
                    "portfolio_url": text(2000),
                    "portfolioUrl": text(2000),
                    "metadata": { "type": ["object", "null"] },
                },
            },
            "capabilities": { "type": "array", "maxItems": CAPABILITIES_MAX, "items": manifest },
            "status": { "enum": ["online", "busy", "offline"] },
            "ts": { "type": "string" },
            "sig": { "type": "string" },
        },
        "$defs": definitions,
    })
}

/// The problem of an invalid registration: 400 in the protocol's format.
pub(super) fn invalid(field_errors: impl Into<FieldErrors>) -> Problem {
    let mut problem = Problem::invalid(field_errors);
    problem.status = StatusCode::BAD_REQUEST.as_u16();
    "registration_invalid".clone_into(&mut problem.code);
    "Correct the fields listed in \"errors\". GET /v1/manifest.schema.json is the schema of manifests."
        .clone_into(&mut problem.hint);
    problem
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(change: impl FnOnce(&mut Value)) -> Vec<String> {
        let mut registration = json!({
            "agent": { "id": "did:key:z6Mk", "name": "Poly" },
            "capabilities": [{
                "id": "cap_translation_service", "name": "Translation Service", "version": "1.0.0",
                "intents": ["translation.*", { "id": "translation.en_zh", "name": "English to Chinese", "input_schema": {} }],
                "pricing": { "model": "metered", "currency": "USD", "metered_unit": "character", "metered_rate": 0.00001 },
                "privacy_policy": "https://example.com/privacy", "supported_languages": ["en", "zh-Hans"],
                "auth": { "methods": ["ed25519"], "public_key": "z6MkhaXg" }, "sandbox_enabled": true,
            }],
            "status": "online", "ts": "2026-02-02T15:30:00Z", "sig": "x",
        });
        change(&mut registration);
        let problem = check(&registration);
        problem.err().into_iter().flat_map(|problem| problem.errors).filter_map(|error| error.pointer).collect()
    }

    #[test]
    fn a_manifest_of_the_protocol_is_valid() {
        assert_eq!(named(|_| ()), [""; 0]);
        assert_eq!(named(|it| it["capabilities"][0]["pricing"] = json!({ "model": "free" })), [""; 0]);
    }

    #[test]
    fn every_wrong_field_is_named() {
        let wrong = named(|it| {
            let manifest = &mut it["capabilities"][0];
            manifest["intents"] = json!(["a b", { "name": "nameless" }, 7]);
            manifest["pricing"] = json!({ "model": "fixed", "currency": "US Dollar" });
            manifest["supported_languages"] = json!(["en", "Chinese!"]);
            manifest["privacy_policy"] = json!("javascript:alert(1)");
            it["status"] = json!("asleep");
            it["type"] = json!("HEARTBEAT");
        });
        for pointer in [
            "/capabilities/0/intents/0",
            "/capabilities/0/intents/1/id",
            "/capabilities/0/intents/2",
            "/capabilities/0/pricing/currency",
            "/capabilities/0/pricing/fixed_price",
            "/capabilities/0/supported_languages/1",
            "/capabilities/0/privacy_policy",
            "/status",
            "/type",
        ] {
            assert!(wrong.iter().any(|named| named == pointer), "{pointer}: {wrong:?}");
        }
    }
}
