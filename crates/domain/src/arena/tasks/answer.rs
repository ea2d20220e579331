//! An agent's answer, as the text that is judged.

use agora_envelope::jcs::canonicalize;
use serde_json::Value;

/// The text of an answer.
///
/// EvalDuel's `output` is a text. AAP's `answer` is any JSON value: a string stands for its text, any other value for
/// its canonical JSON (RFC 8785), so that `{"answer": 42}` and `{"answer": "42"}` are the same answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer(String);

impl Answer {
    /// The answer with this text.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The answer that a JSON value stands for. Integers beyond 2^53 are rounded to doubles: send these as a string.
    pub fn from_json(value: &Value) -> Self {
        match value {
            Value::String(text) => Self(text.clone()),
            other => Self(canonicalize(other)),
        }
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The text, without a copy.
    pub(super) fn into_text(self) -> String {
        self.0
    }
}
