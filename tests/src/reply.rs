//! A response of the server, and its checks.

use std::ops::Index;

use reqwest::{Response, header::HeaderMap};
use serde_json::Value;

/// A response with its whole body. `reply["field"]` is a field of its JSON.
#[derive(Debug, Clone)]
pub struct Reply {
    /// Method and path of the request.
    pub line: String,
    /// The HTTP status.
    pub status: u16,
    /// All headers.
    pub headers: HeaderMap,
    /// The number of bytes of the body, as they were sent.
    pub size: usize,
    /// The body as text.
    pub text: String,
    /// The body as JSON; null if it is not JSON.
    pub json: Value,
}

impl Reply {
    pub(crate) async fn read(line: String, response: Response) -> Self {
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let bytes = response.bytes().await.unwrap_or_else(|error| panic!("{line}: the body broke off: {error}"));
        let (size, text) = (bytes.len(), String::from_utf8_lossy(&bytes).into_owned());
        let json = serde_json::from_str(&text).unwrap_or_default();
        Self { line, status, headers, size, text, json }
    }

    /// Fails unless the status is `status`.
    #[track_caller]
    pub fn expect_status(self, status: u16) -> Self {
        assert_eq!(self.status, status, "{}: {}", self.line, self.text);
        self
    }

    /// Fails unless the response is this problem.
    #[track_caller]
    pub fn expect_problem(self, status: u16, code: &str) -> Self {
        let reply = self.expect_status(status);
        assert_eq!(reply["code"], code, "{}: {}", reply.line, reply.text);
        reply
    }

    /// Fails unless the relay refused the request for this reason, with this code.
    #[track_caller]
    pub fn expect_refusal(self, status: u16, error: &str, reason: &str) -> Self {
        let reply = self.expect_status(status);
        assert_eq!((&reply["ok"], &reply["error"]), (&false.into(), &error.into()), "{}: {}", reply.line, reply.text);
        assert_eq!(reply["reason"], reason, "{}: {}", reply.line, reply.text);
        reply
    }

    /// Fails unless the exchange answered with `success`; returns the body.
    #[track_caller]
    pub fn expect_success(self) -> Value {
        let reply = self.expect_status(200);
        assert_eq!(
            (&reply["status"], &reply["error"]),
            (&"success".into(), &Value::Null),
            "{}: {}",
            reply.line,
            reply.text
        );
        reply["body"].clone()
    }

    /// Fails unless the exchange answered with this `failure`.
    #[track_caller]
    pub fn expect_failure(self, error: &str) -> Self {
        let reply = self.expect_status(200);
        assert_eq!(
            (&reply["status"], &reply["body"]),
            (&"failure".into(), &Value::Null),
            "{}: {}",
            reply.line,
            reply.text
        );
        assert_eq!(reply["error"], error, "{}: {}", reply.line, reply.text);
        reply
    }

    /// A header's text; empty if there is none.
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }

    /// The text at a JSON pointer.
    #[track_caller]
    pub fn text_at(&self, pointer: &str) -> String {
        let text = self.json.pointer(pointer).and_then(Value::as_str);
        text.unwrap_or_else(|| panic!("{}: no text at {pointer}: {}", self.line, self.text)).to_owned()
    }

    /// One field of every item of a page.
    #[track_caller]
    pub fn each(&self, field: &str) -> Vec<Value> {
        let items = self.json["items"].as_array();
        items
            .unwrap_or_else(|| panic!("{}: no page: {}", self.line, self.text))
            .iter()
            .map(|item| item[field].clone())
            .collect()
    }

    /// The errors of a failed validation: pointer (or parameter) and code, ordered by pointer.
    #[track_caller]
    pub fn faults(&self) -> Vec<(String, String)> {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let errors = self.json["errors"].as_array();
        let errors = errors.unwrap_or_else(|| panic!("{}: no errors are named: {}", self.line, self.text));
        let pointer = |error: &Value| error.get("pointer").or(error.get("parameter")).map(text).unwrap_or_default();
        let mut faults: Vec<_> = errors.iter().map(|error| (pointer(error), text(&error["code"]))).collect();
        faults.sort();
        faults
    }
}

impl Index<&str> for Reply {
    type Output = Value;

    fn index(&self, field: &str) -> &Value {
        &self.json[field]
    }
}

/// The value with every id shortened to its prefix, so that snapshots of it are stable.
pub fn shorten_ids(value: &Value) -> Value {
    match value {
        Value::String(text) => Value::String(shorten_ids_in(text)),
        Value::Array(items) => items.iter().map(shorten_ids).collect(),
        Value::Object(fields) => fields.iter().map(|(name, value)| (name.clone(), shorten_ids(value))).collect(),
        other => other.clone(),
    }
}

fn shorten_ids_in(text: &str) -> String {
    let mut tidied = text.to_owned();
    for prefix in
        ["ow_", "ag_", "ses_", "ws_", "msg_", "wh_", "dlv_", "ntc_", "rpl_", "post_", "reply_", "tip_", "exch_", "req_"]
    {
        let mut from = 0;
        while let Some(at) = tidied[from..].find(prefix).map(|at| from + at + prefix.len()) {
            let end =
                tidied[at..].find(|letter: char| !letter.is_ascii_alphanumeric()).map_or(tidied.len(), |end| at + end);
            if end - at == 26 {
                tidied.replace_range(at..end, "…");
            }
            from = at;
        }
    }
    tidied
}
