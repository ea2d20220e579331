//! The body of a request or an answer (seed: «Request Fields», «Response Fields»).

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A JSON string or object. Cloning is cheap, however large the value is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Value", into = "Value")]
pub struct Body(Arc<Value>);

/// The maximum size of a body, in bytes of JSON. It equals the largest request body. Events written before this limit
/// existed may hold more.
pub const BODY_BYTES_MAX: usize = 320 * 1024;

/// A value that is neither a string nor an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("expected a string or an object")]
pub struct InvalidBody;

impl Body {
    /// The value.
    pub fn value(&self) -> &Value {
        &self.0
    }

    /// The string, or the object as JSON.
    pub fn text(&self) -> String {
        self.0.as_str().map_or_else(|| self.0.to_string(), ToOwned::to_owned)
    }

    /// Whether it is an object.
    pub fn is_object(&self) -> bool {
        self.0.is_object()
    }

    /// Whether the body has more than [`BODY_BYTES_MAX`] bytes as JSON.
    pub fn is_too_large(&self) -> bool {
        let mut left = Remaining(BODY_BYTES_MAX);
        serde_json::to_writer(&mut left, &*self.0).is_err()
    }

    /// Whether the body holds a secret that opens a session or continues a conversation. No transcript may hold one.
    pub fn has_secret(&self) -> bool {
        secret_in(&self.0)
    }
}

/// A writer that accepts this many bytes and then fails, so that measuring a large value does not serialize all of it.
struct Remaining(usize);

impl std::io::Write for Remaining {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0 = self.0.checked_sub(bytes.len()).ok_or(std::io::ErrorKind::FileTooLarge)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl From<&str> for Body {
    fn from(text: &str) -> Self {
        Self(Arc::new(text.into()))
    }
}

impl TryFrom<Value> for Body {
    type Error = InvalidBody;

    fn try_from(value: Value) -> Result<Self, InvalidBody> {
        if value.is_string() || value.is_object() { Ok(Self(Arc::new(value))) } else { Err(InvalidBody) }
    }
}

impl From<Body> for Value {
    fn from(Body(value): Body) -> Self {
        Arc::unwrap_or_clone(value)
    }
}

fn secret_in(value: &Value) -> bool {
    match value {
        Value::String(text) => holds_secret(text),
        Value::Array(items) => items.iter().any(secret_in),
        Value::Object(fields) => fields.iter().any(|(name, value)| holds_secret(name) || secret_in(value)),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

/// The prefixes of this server's secrets, each with the minimum number of characters after it: API keys, session
/// tokens, webhook secrets, and conversation ids.
const SECRETS: [(&str, usize); 4] = [("araf_", 40), ("bts_", 43), ("whsec_", 43), ("conv_", 32)];

/// Whether a text holds a secret of this server, or a text of the same form.
pub fn holds_secret(text: &str) -> bool {
    SECRETS.iter().any(|(prefix, length)| {
        text.match_indices(prefix).any(|(at, _)| {
            // Read only as many characters as the check needs: the rest may contain the prefix any number of times.
            let rest = text[at + prefix.len()..].bytes().take(*length);
            rest.take_while(|byte| byte.is_ascii_alphanumeric() || b"-_+/".contains(byte)).count() == *length
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn only_strings_and_objects_are_bodies() {
        for value in [json!("Hello"), json!(""), json!({}), json!({ "a": [1.5, null] })] {
            let body = Body::try_from(value.clone()).unwrap();
            assert_eq!(serde_json::to_value(&body).unwrap(), value);
        }
        for value in [json!(null), json!(1), json!(true), json!(["Hello"])] {
            assert_eq!(Body::try_from(value.clone()), Err(InvalidBody), "{value}");
        }
        assert_eq!(Body::from("Hello").text(), "Hello");
        assert_eq!(Body::try_from(json!({ "a": "é" })).unwrap().text(), r#"{"a":"é"}"#);
    }

    #[test]
    fn a_body_is_measured_as_json() {
        let text = |bytes: usize| Body::from(&*"x".repeat(bytes - 2));
        assert!(!text(BODY_BYTES_MAX).is_too_large() && text(BODY_BYTES_MAX + 1).is_too_large());
        assert!(Body::from(&*"\"".repeat(BODY_BYTES_MAX / 2)).is_too_large());
    }

    #[test]
    fn repeated_secret_prefixes_are_checked_in_linear_time() {
        // 64,000 prefixes, each followed by all the others: 10^10 steps if each were read to its end.
        let text = "conv_".repeat(64_000);
        assert!(holds_secret(&text));
        let text = "araf_ ".repeat(64_000);
        assert!(!holds_secret(&text));
    }

    proptest! {
        #[test]
        fn a_secret_is_found_at_any_depth_and_offset(before in "[a-z {}\"]{0,20}", after in "[ .,\"]{0,20}", nth in 0_usize..4, depth in 0_usize..4) {
            let (prefix, length) = SECRETS[nth];
            let text = format!("{before}{prefix}{}{after}", "a".repeat(length));
            let mut value = json!(text);
            for level in 0..depth {
                value = match level % 3 {
                    0 => json!({ "a": [value] }),
                    1 => json!({ "a": value }),
                    _ => json!({ (value.to_string()): 1 }),
                };
            }
            prop_assert!(secret_in(&value), "{value}");
            let short = format!("{before}{prefix}{} {after}", "a".repeat(length - 1));
            prop_assert!(!holds_secret(&short), "{short}");
        }
    }
}
