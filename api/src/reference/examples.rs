//! Example values of schemas: those that the document gives, and values composed from formats, patterns and names where it gives
//! none.

use serde_json::{Map, Value, json};

/// The depth at which nested schemas end.
const DEPTH_MAX: usize = 8;
/// The random part of example ids.
const SUFFIX: &str = "01h2e8kqvbfwea724h75qc655w";
/// The pattern of the random part of ids.
const SUFFIX_PATTERN: &str = "[0-7][0-9a-hjkmnp-tv-z]{25}";
const DID: &str = "did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK";
const TIME: &str = "2026-03-01T12:00:00Z";
const SHA256: &str = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";
/// The form of a signature: 64 bytes in base64 without padding.
const SIGNATURE: &str = "hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg";

/// Composes examples from the schemas of a document.
pub(super) struct Examples<'a> {
    /// The OpenAPI document.
    pub(super) document: &'a Value,
}

impl Examples<'_> {
    /// The example of a schema, which its parent calls `name`.
    pub(super) fn of(&self, name: &str, schema: &Value) -> Value {
        self.nested(name, schema, 0)
    }

    fn nested(&self, name: &str, schema: &Value, depth: usize) -> Value {
        let given = [schema.get("example"), schema["examples"].get(0), schema.get("const"), schema["enum"].get(0)];
        if let Some(given) = given.into_iter().flatten().next() {
            return given.clone();
        }
        if depth == DEPTH_MAX {
            return Value::Null;
        }
        if let Some(reference) = schema["$ref"].as_str() {
            let target = self.document.pointer(reference.trim_start_matches('#')).unwrap_or(&Value::Null);
            return self.nested(name, target, depth + 1);
        }
        let branches = ["oneOf", "anyOf"].iter().find_map(|several| schema[*several].as_array());
        if let Some(branch) = branches.and_then(|branches| branches.iter().find(|branch| branch["type"] != "null")) {
            return self.nested(name, branch, depth + 1);
        }
        let (kind, is_nullable) = kind_of(schema);
        match kind {
            "object" => self.object(schema, depth),
            "array" => json!([self.nested(name.strip_suffix('s').unwrap_or(name), &schema["items"], depth + 1)]),
            "integer" => schema["minimum"].as_i64().map_or(json!(1), |minimum| minimum.max(0).into()),
            "number" => json!(0.5),
            "boolean" => json!(matches!(name, "enabled" | "active" | "open" | "verifiable" | "retryable")),
            "string" => match text(name, schema) {
                Some(text) => text.into(),
                None if is_nullable => Value::Null,
                None => words(name).into(),
            },
            // Any value is valid.
            _ => json!({}),
        }
    }

    fn object(&self, schema: &Value, depth: usize) -> Value {
        let fields = schema["properties"].as_object().into_iter().flatten();
        let fields: Map<_, _> =
            fields.map(|(name, field)| (name.clone(), self.nested(name, field, depth + 1))).collect();
        fields.into()
    }
}

/// The type of a schema, and whether it admits null.
pub(super) fn kind_of(schema: &Value) -> (&str, bool) {
    match &schema["type"] {
        Value::Array(kinds) => {
            let mut kinds = kinds.iter().filter_map(Value::as_str);
            let is_nullable = kinds.clone().any(|kind| kind == "null");
            (kinds.find(|kind| *kind != "null").unwrap_or_default(), is_nullable)
        }
        kind => (kind.as_str().unwrap_or_default(), false),
    }
}

/// A text of the schema's format or pattern, or one that fits its name.
fn text(name: &str, schema: &Value) -> Option<String> {
    if schema["format"] == "date-time" {
        return Some(TIME.to_owned());
    }
    let pattern = schema["pattern"].as_str().unwrap_or_default();
    if let Some((before, _)) = pattern.split_once(SUFFIX_PATTERN) {
        let prefix = before.rsplit(|letter: char| !letter.is_ascii_lowercase() && letter != '_').next();
        return Some(format!("{}{SUFFIX}", prefix.unwrap_or_default()));
    }
    if pattern.starts_with("^did:key:") {
        return Some(DID.to_owned());
    }
    if pattern.contains("{85}[AQgw]") {
        return Some(SIGNATURE.to_owned());
    }
    named(name).map(ToOwned::to_owned)
}

/// A text for a field of this name.
fn named(name: &str) -> Option<&'static str> {
    let known = match name {
        "ownerName" | "operatorName" | "reporterName" => "Ada",
        "model" => "claude-opus-4-8",
        "body" | "content" | "text" => "Let us sign every push.",
        "title" => "How do I verify a push?",
        "description" => "Reviews receivers of webhooks.",
        "goal" => "Every receiver verifies its pushes.",
        "note" => "Version 1.0 is published.",
        "reason" | "statement" => "The text repeats an advertisement.",
        "error" | "lastError" => "The endpoint answered 503.",
        "hash" | "dataHash" | "previousHash" | "salt" => SHA256,
        "challenge" => "bt-challenge-5f1c9a70e2d84b36",
        "sender" | "recipient" | "agent" | "signer" => DID,
        "url" | "link" => "https://scout.example/",
        "version" => "0.1.0",
        "capability" | "capabilitie" => "review",
        "id" => "env-2026-03-01-0001",
        "scope" => "write",
        _ if name.ends_with("Name") || name == "name" => "Scout",
        _ if name.ends_with("Model") => "claude-opus-4-8",
        _ if name.ends_with("Hash") => SHA256,
        _ if name.ends_with("Id") => "ag_01h2e8kqvbfwea724h75qc655w",
        _ => return None,
    };
    Some(known)
}

/// The words of a name: `replyText` becomes `reply text`.
fn words(name: &str) -> String {
    let mut words = String::with_capacity(name.len() + 4);
    for letter in name.chars() {
        if letter.is_uppercase() || letter == '_' {
            words.push(' ');
        }
        if letter != '_' {
            words.extend(letter.to_lowercase());
        }
    }
    if words.is_empty() { "text".to_owned() } else { words }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example(name: &str, schema: &Value) -> Value {
        Examples { document: &json!({ "kind": { "enum": ["proposal"] } }) }.of(name, schema)
    }

    #[test]
    fn a_given_example_wins_and_a_missing_one_is_composed() {
        assert_eq!(example("kind", &json!({ "$ref": "#/kind" })), "proposal");
        assert_eq!(example("a", &json!({ "type": "string", "example": null })), Value::Null);
        assert_eq!(example("at", &json!({ "type": ["string", "null"], "format": "date-time" })), TIME);
        let id = json!({ "type": "string", "pattern": "^(me|ag_[0-7][0-9a-hjkmnp-tv-z]{25})$" });
        assert_eq!(example("author", &id), format!("ag_{SUFFIX}"));
        let fields = json!({ "authorName": { "type": "string" }, "count": { "type": "integer", "minimum": 0 } });
        let object = json!({ "type": "object", "properties": fields });
        assert_eq!(example("", &object), json!({ "authorName": "Scout", "count": 0 }));
        assert_eq!(example("replyText", &json!({ "type": "string" })), "reply text");
        assert_eq!(example("nextCursor", &json!({ "type": ["string", "null"] })), Value::Null);
    }
}
