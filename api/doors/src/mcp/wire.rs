//! JSON-RPC 2.0: the messages of a client, and the errors that answer them.

use actix_web::http::StatusCode;
use buildtrack_http::problem::{Problem, shortened};
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::arguments::Texts;

/// The maximum number of characters of a request's id.
const ID_MAX: usize = 200;
/// The number of characters of a client's text that an error shows.
const SHOWN_MAX: usize = 100;

pub(super) const PARSE_ERROR: i64 = -32700;
pub(super) const INVALID_REQUEST: i64 = -32600;
pub(super) const METHOD_NOT_FOUND: i64 = -32601;
pub(super) const INVALID_PARAMS: i64 = -32602;
pub(super) const INTERNAL_ERROR: i64 = -32603;

/// A message of a client.
#[derive(Debug)]
pub(super) struct Message {
    /// The id of a request; none for a notification.
    pub(super) id: Option<Value>,
    pub(super) method: String,
    pub(super) params: Map<String, Value>,
    /// The texts of the arguments among them.
    pub(super) texts: Texts,
}

impl Message {
    /// Reads a message. Responses are refused: the server sends no requests. So are batches, which only one early revision has.
    pub(super) fn of(value: Value, texts: Texts) -> Result<Self, Refusal> {
        let Value::Object(mut fields) = value else {
            return Err(Refusal::new(
                INVALID_REQUEST,
                "The body must be one JSON-RPC object; batches are not supported.",
            ));
        };
        let id = fields.remove("id");
        if id.as_ref().is_some_and(|id| !is_id(id)) {
            return Err(Refusal::new(INVALID_REQUEST, "id must be a number, or a text of at most 200 characters."));
        }
        if fields.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
            return Err(Refusal::new(INVALID_REQUEST, "jsonrpc must be \"2.0\"."));
        }
        let Some(Value::String(method)) = fields.remove("method") else {
            return Err(Refusal::new(INVALID_REQUEST, "method must be a text."));
        };
        let params = match fields.remove("params") {
            None => Map::new(),
            Some(Value::Object(params)) => params,
            Some(_) => return Err(Refusal::new(INVALID_PARAMS, "params must be an object.")),
        };
        Ok(Self { id, method, params, texts })
    }

    /// A text among the parameters.
    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.params.get(name).and_then(Value::as_str)
    }
}

/// The id of a message that may otherwise be invalid.
pub(super) fn id_of(value: &Value) -> Option<Value> {
    value.get("id").filter(|id| is_id(id)).cloned()
}

fn is_id(id: &Value) -> bool {
    match id {
        Value::Number(_) => true,
        Value::String(text) => text.len() <= ID_MAX,
        _ => false,
    }
}

/// A client's text as an error shows it.
pub(super) fn excerpt(text: &str) -> String {
    shortened(text.to_owned(), SHOWN_MAX)
}

/// An error (JSON-RPC 2.0, section 5.1), with the HTTP status of the answer.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Refusal {
    pub(super) status: StatusCode,
    pub(super) code: i64,
    pub(super) message: String,
    pub(super) data: Option<Value>,
}

impl Refusal {
    /// An error of the message itself: status 400.
    pub(super) fn new(code: i64, message: impl Into<String>) -> Self {
        Self { status: StatusCode::BAD_REQUEST, code, message: message.into(), data: None }
    }

    /// The error for a problem. A status without a code of JSON-RPC is the code.
    pub(super) fn of(problem: &Problem) -> Self {
        let status = StatusCode::from_u16(problem.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let code = match problem.status {
            400 | 404 | 422 => INVALID_PARAMS,
            500.. => INTERNAL_ERROR,
            other => i64::from(other),
        };
        let message = format!("{} {}", problem.detail, problem.hint);
        let data = serde_json::from_str(&problem.words(Problem::clone)).ok();
        Self { status, code, message, data }
    }

    /// The same with status 200: an error of the method, not of the message.
    pub(super) fn in_band(self) -> Self {
        self.with_status(StatusCode::OK)
    }

    pub(super) fn with_status(self, status: StatusCode) -> Self {
        Self { status, ..self }
    }

    pub(super) fn with_data(self, data: Value) -> Self {
        Self { data: Some(data), ..self }
    }

    /// The answer. An unknown id is left out, as the protocol's schema has it.
    pub(super) fn answer(&self, id: Option<&Value>) -> String {
        let mut error = json!({ "code": self.code, "message": self.message });
        if let Some(data) = &self.data {
            error["data"] = data.clone();
        }
        let mut answer = json!({ "jsonrpc": "2.0", "error": error });
        if let Some(id) = id {
            answer["id"] = id.clone();
        }
        answer.to_string()
    }
}

/// The answer with a result.
#[derive(Debug, Serialize)]
pub(super) struct Answer<'a, R> {
    jsonrpc: &'static str,
    id: &'a Value,
    result: R,
}

impl<'a, R: Serialize> Answer<'a, R> {
    /// Serializes the answer to the request with this id.
    pub(super) fn text(id: &'a Value, result: R) -> String {
        serde_json::to_string(&Self { jsonrpc: "2.0", id, result }).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_requests_and_notifications_are_read() {
        let read = |value| Message::of(value, Texts::new()).map(|message| (message.id, message.method));
        let request = json!({ "jsonrpc": "2.0", "id": "a", "method": "ping" });
        assert_eq!(read(request).unwrap(), (Some(json!("a")), "ping".to_owned()));
        let notification = json!({ "jsonrpc": "2.0", "method": "notifications/initialized", "params": {} });
        assert_eq!(read(notification).unwrap().0, None);
        for (value, code) in [
            (json!([{ "jsonrpc": "2.0", "id": 1, "method": "ping" }]), INVALID_REQUEST),
            (json!({ "id": 1, "method": "ping" }), INVALID_REQUEST),
            (json!({ "jsonrpc": "2.0", "id": null, "method": "ping" }), INVALID_REQUEST),
            (json!({ "jsonrpc": "2.0", "id": "a".repeat(201), "method": "ping" }), INVALID_REQUEST),
            (json!({ "jsonrpc": "2.0", "id": 1, "result": {} }), INVALID_REQUEST),
            (json!({ "jsonrpc": "2.0", "id": 1, "method": "ping", "params": [] }), INVALID_PARAMS),
        ] {
            assert_eq!(read(value.clone()).unwrap_err().code, code, "{value}");
        }
    }

    #[test]
    fn an_error_names_the_request_if_its_id_is_known() {
        let refusal = Refusal::new(METHOD_NOT_FOUND, "No.");
        let value = |text: String| serde_json::from_str::<Value>(&text).unwrap();
        assert_eq!(value(refusal.answer(Some(&json!(7))))["id"], 7);
        assert!(value(refusal.answer(None)).get("id").is_none());
    }
}
