//! The arguments of a tool, and the request of the REST API that they become.
//!
//! The parts of the path are taken out. All other arguments are the body's fields or the query's parameters, under the same names,
//! so that the operation itself checks them.

use std::collections::BTreeMap;

use actix_web::http::{Method, Uri};
use buildtrack_http::problem::{FieldError, Problem};
use serde_json::{
    Map, Value,
    value::{RawValue, to_raw_value},
};
use url::form_urlencoded::{Serializer, byte_serialize};

/// A request of the REST API.
#[derive(Debug)]
pub(super) struct Operation {
    pub(super) method: Method,
    pub(super) uri: Uri,
    /// The JSON body.
    pub(super) body: Option<String>,
}

impl Operation {
    /// A request without a body.
    pub(super) fn plain(method: Method, path: &str) -> Result<Self, Problem> {
        Self::new(method, path, None)
    }

    fn new(method: Method, target: &str, body: Option<String>) -> Result<Self, Problem> {
        let too_long = |_| {
            let hint = "Shorten the arguments.";
            Problem::invalid(vec![FieldError::field("", "too_long", "the arguments are too long for an address", hint)])
        };
        Ok(Self { method, uri: target.parse().map_err(too_long)?, body })
    }
}

/// The texts of arguments, as the client wrote them.
pub(super) type Texts = BTreeMap<String, Box<RawValue>>;

/// The arguments of a call, or the parameters of another method.
#[derive(Debug)]
pub(super) struct Arguments {
    values: Map<String, Value>,
    texts: Texts,
}

impl Arguments {
    pub(super) fn new(values: Map<String, Value>, texts: Texts) -> Self {
        Self { values, texts }
    }

    /// Whether the argument is given.
    pub(super) fn has(&self, name: &str) -> bool {
        self.values.get(name).is_some_and(|value| !value.is_null())
    }

    /// Takes a required text, as a segment of a path.
    pub(super) fn segment(&mut self, name: &str) -> Result<String, Problem> {
        match self.values.remove(name) {
            Some(Value::String(text)) if !text.is_empty() => Ok(segment(&text)),
            None | Some(Value::Null) => {
                let (message, hint) = (format!("{name} is required"), format!("Add \"{name}\"."));
                Err(Problem::invalid(vec![FieldError::field(format!("/{name}"), "required", message, hint)]))
            }
            Some(_) => Err(wrong_type(name, "a text")),
        }
    }

    /// Takes a switch; false if it is not given.
    pub(super) fn flag(&mut self, name: &str) -> Result<bool, Problem> {
        match self.values.remove(name) {
            None | Some(Value::Null) => Ok(false),
            Some(Value::Bool(flag)) => Ok(flag),
            Some(_) => Err(wrong_type(name, "true or false")),
        }
    }

    /// Takes an optional text.
    pub(super) fn text(&mut self, name: &str) -> Option<String> {
        match self.values.remove(name) {
            Some(Value::String(text)) => Some(text),
            _ => None,
        }
    }

    /// Adds an argument that the caller has left out.
    pub(super) fn or(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.values.entry(name).or_insert_with(|| value.into());
        self
    }

    /// A GET request with the remaining arguments as its query.
    pub(super) fn get(self, path: &str) -> Result<Operation, Problem> {
        let mut query = Serializer::new(String::new());
        for (name, value) in self.values {
            match value {
                Value::Null => {}
                Value::String(text) => {
                    query.append_pair(&name, &text);
                }
                Value::Bool(_) | Value::Number(_) => {
                    query.append_pair(&name, &value.to_string());
                }
                Value::Array(_) | Value::Object(_) => return Err(wrong_type(&name, "a text or a number")),
            }
        }
        let query = query.finish();
        let target = if query.is_empty() { path.to_owned() } else { format!("{path}?{query}") };
        Operation::new(Method::GET, &target, None)
    }

    /// A request with the remaining arguments as its body, as the client wrote them.
    pub(super) fn send(mut self, method: Method, path: &str) -> Result<Operation, Problem> {
        let mut fields = Texts::new();
        for (name, value) in self.values {
            let text = self.texts.remove(&name).or_else(|| to_raw_value(&value).ok());
            fields.extend(text.map(|text| (name, text)));
        }
        Operation::new(method, path, serde_json::to_string(&fields).ok())
    }

    /// A request without a body. Remaining arguments are errors.
    pub(super) fn act(self, method: Method, path: &str) -> Result<Operation, Problem> {
        let unknown = self.values.keys().map(|name| {
            let message = format!("{name} is not an argument here");
            FieldError::field(format!("/{name}"), "unknown_field", message, "Remove it, or check its spelling.")
        });
        // One error names enough: a body has up to 320 KiB of names.
        match unknown.take(1).collect::<Vec<_>>() {
            unknown if unknown.is_empty() => Operation::plain(method, path),
            unknown => Err(Problem::invalid(unknown)),
        }
    }
}

/// A text as one segment of a path.
pub(super) fn segment(text: &str) -> String {
    byte_serialize(text.as_bytes()).collect()
}

fn wrong_type(name: &str, expected: &str) -> Problem {
    let message = format!("{name} has the wrong type: expected {expected}");
    let hint = format!("Send {expected}.");
    Problem::invalid(vec![FieldError::field(format!("/{name}"), "wrong_type", message, hint)])
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn arguments(value: Value) -> Arguments {
        let Value::Object(arguments) = value else { panic!("not an object") };
        Arguments::new(arguments, Texts::new())
    }

    #[test]
    fn arguments_become_a_path_and_a_query_or_a_body() {
        let mut read = arguments(json!({ "track": "ws_1/../x", "q": "a b&c", "limit": 5, "kind": null }));
        let track = read.segment("track").unwrap();
        let operation = read.get(&format!("/tracks/{track}")).unwrap();
        assert_eq!(operation.uri.to_string(), "/tracks/ws_1%2F..%2Fx?limit=5&q=a+b%26c");
        let written = arguments(json!({ "name": "Votes" })).or("status", "open").send(Method::POST, "/tracks").unwrap();
        assert_eq!(written.body.as_deref(), Some(r#"{"name":"Votes","status":"open"}"#));
    }

    #[test]
    fn wrong_arguments_are_named() {
        let code = |result: Result<Operation, Problem>| result.unwrap_err().errors[0].code.clone();
        let segment = |value| arguments(value).segment("track").unwrap_err().errors[0].code.clone();
        assert_eq!(segment(json!({})), "required");
        assert_eq!(segment(json!({ "track": 1 })), "wrong_type");
        assert_eq!(code(arguments(json!({ "q": [] })).get("/x")), "wrong_type");
        assert_eq!(code(arguments(json!({ "q": "a".repeat(70_000) })).get("/x")), "too_long");
        assert_eq!(code(arguments(json!({ "more": 1 })).act(Method::PUT, "/x")), "unknown_field");
    }
    #[test]
    fn values_in_a_body_stay_as_the_client_wrote_them() {
        let text = r#"{"b":1.10, "a":123456789012345678901234567890}"#;
        let texts = Texts::from([("body".to_owned(), RawValue::from_string(text.to_owned()).unwrap())]);
        let arguments = Map::from_iter([("body".to_owned(), serde_json::from_str(text).unwrap())]);
        let operation = Arguments::new(arguments, texts).or("multiround", true).send(Method::POST, "/agora").unwrap();
        assert_eq!(operation.body, Some(format!(r#"{{"body":{text},"multiround":true}}"#)));
    }
}
