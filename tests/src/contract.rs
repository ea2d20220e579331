//! Checks that every response obeys the OpenAPI document, and that every error has problem details.

use std::{
    collections::{BTreeSet, HashMap},
    sync::{Arc, LazyLock, Mutex, OnceLock},
};

use jsonschema::Validator;
use serde_json::{Map, Value, json};

use crate::{Caller, Reply, events};

/// An operation of the document.
#[derive(Debug, Clone)]
pub struct Operation {
    /// In upper case.
    pub method: String,
    /// With parameters in braces.
    pub path: String,
    /// Its description in the document.
    pub definition: Value,
}

impl Operation {
    /// Whether it requires a session.
    pub fn needs_session(&self) -> bool {
        self.definition.get("security").is_some_and(|security| security != &json!([]))
    }

    fn matches(&self, method: &str, path: &str) -> bool {
        let (template, path) = (self.path.split('/'), path.split('/'));
        self.method == method
            && template.clone().count() == path.clone().count()
            && template.zip(path).all(|(known, sent)| known == sent || (known.starts_with('{') && !sent.is_empty()))
    }
}

/// The OpenAPI document.
pub static DOCUMENT: LazyLock<Value> = LazyLock::new(|| serde_json::to_value(buildtrack::document()).unwrap());

/// Every operation of the document.
pub static OPERATIONS: LazyLock<Vec<Operation>> = LazyLock::new(|| {
    let paths = DOCUMENT["paths"].as_object().unwrap();
    let methods = |(path, item): (&String, &Value)| {
        let operation = |(method, definition): (&String, &Value)| Operation {
            method: method.to_uppercase(),
            path: path.clone(),
            definition: resolved(definition),
        };
        item.as_object().unwrap().iter().map(operation).collect::<Vec<_>>()
    };
    paths.iter().flat_map(methods).collect()
});

/// The description with its references to responses, headers and parameters resolved; references to schemas stay.
fn resolved(description: &Value) -> Value {
    match description {
        Value::Object(fields) => match fields.get("$ref").and_then(Value::as_str) {
            Some(reference) if !reference.starts_with("#/components/schemas/") => {
                let target = DOCUMENT.pointer(reference.trim_start_matches('#'));
                resolved(target.unwrap_or_else(|| panic!("{reference} leads nowhere")))
            }
            _ => fields.iter().map(|(name, value)| (name.clone(), resolved(value))).collect::<Map<_, _>>().into(),
        },
        Value::Array(items) => items.iter().map(resolved).collect(),
        other => other.clone(),
    }
}

/// The problem codes that `/docs/problems` explains.
static CODES: OnceLock<BTreeSet<String>> = OnceLock::new();

pub(crate) async fn learn_codes(anyone: &Caller) {
    if CODES.get().is_none() {
        let page = anyone.get("/docs/problems").await.expect_status(200).text;
        let codes = page.split("<dt id=\"").skip(1).filter_map(|rest| rest.split('"').next());
        CODES.get_or_init(|| codes.map(ToOwned::to_owned).collect());
    }
}

/// Fails if the response does not obey the document.
pub(crate) fn check(reply: &Reply) {
    assert!(!reply.header("x-request-id").is_empty(), "{} has no request id", reply.line);
    if reply.status >= 400 && reply.header("content-type").starts_with("text/html") {
        return check_problem_page(reply);
    }
    if reply.status >= 400 {
        check_problem(reply);
    }
    let (method, target) = reply.line.split_once(' ').unwrap();
    let path = target.split('?').next().unwrap_or_default();
    if reply.status == 200 {
        events::check(path, reply);
    }
    if let Some(operation) = OPERATIONS.iter().find(|operation| operation.matches(method, path)) {
        check_documented(operation, reply);
    }
}

/// The codes of the Agora Protocol v1.0, «Error Codes».
const AGORA: [&str; 7] = [
    "INVALID_REQUEST",
    "INTENT_NOT_SUPPORTED",
    "INSUFFICIENT_BUDGET",
    "TIMEOUT",
    "UNAVAILABLE",
    "FORBIDDEN",
    "INTERNAL_ERROR",
];

/// Checks an error of the relay, which has the protocol's shape.
fn check_refusal(reply: &Reply) {
    let context = format!("{} {}: {}", reply.status, reply.line, reply.text);
    assert_eq!(reply.header("content-type"), "application/json", "{context}");
    assert_eq!(reply["requestId"], reply.header("x-request-id"), "{context}");
    assert!(AGORA.contains(&reply["error"].as_str().unwrap_or_default()), "{context}");
    let reason = reply.text_at("/reason");
    assert!(CODES.get().is_some_and(|codes| codes.contains(&reason)), "/docs/problems does not explain it: {context}");
    for field in ["message", "hint"] {
        assert!(reply[field].as_str().is_some_and(|text| !text.is_empty()), "no {field}: {context}");
    }
}

/// Checks a transport error of the two-party exchange, which has its own shape.
fn check_failure(reply: &Reply) {
    let context = format!("{} {}: {}", reply.status, reply.line, reply.text);
    assert_eq!(reply.header("content-type"), "application/json", "{context}");
    assert_eq!(reply["requestId"], reply.header("x-request-id"), "{context}");
    assert_eq!(reply["body"], Value::Null, "{context}");
    let code = reply.text_at("/code");
    assert!(CODES.get().is_some_and(|codes| codes.contains(&code)), "/docs/problems does not explain it: {context}");
    for field in ["error", "hint"] {
        assert!(reply[field].as_str().is_some_and(|text| !text.is_empty()), "no {field}: {context}");
    }
}

/// Checks an error of the Model Context Protocol, which has the shape of JSON-RPC; a problem is in its data.
fn check_rpc_error(reply: &Reply) {
    let context = format!("{} {}: {}", reply.status, reply.line, reply.text);
    assert_eq!(reply.header("content-type"), "application/json", "{context}");
    assert!(reply["error"]["code"].is_i64(), "{context}");
    assert!(reply["error"]["message"].as_str().is_some_and(|text| !text.is_empty()), "no message: {context}");
    if let Some(code) = reply["error"]["data"]["code"].as_str() {
        assert!(CODES.get().is_some_and(|codes| codes.contains(code)), "/docs/problems does not explain it: {context}");
    }
}

/// Checks an error of the A2A protocol, which is a `google.rpc.Status`.
fn check_status(reply: &Reply) {
    let context = format!("{} {}: {}", reply.status, reply.line, reply.text);
    assert_eq!(reply.header("content-type"), "application/a2a+json", "{context}");
    assert_eq!(reply["error"]["code"], reply.status, "{context}");
    let metadata = &reply["error"]["details"][0]["metadata"];
    assert_eq!(metadata["requestId"], reply.header("x-request-id"), "{context}");
    let code = reply.text_at("/error/details/0/metadata/code");
    assert!(CODES.get().is_some_and(|codes| codes.contains(&code)), "/docs/problems does not explain it: {context}");
    for text in [&reply["error"]["message"], &metadata["hint"]] {
        assert!(text.as_str().is_some_and(|text| !text.is_empty()), "a text is missing: {context}");
    }
}

/// Checks an error of OAuth (RFC 6749, section 5.2).
fn check_oauth_error(reply: &Reply) {
    let context = format!("{} {}: {}", reply.status, reply.line, reply.text);
    assert_eq!(reply.header("content-type"), "application/json", "{context}");
    assert_eq!(reply["requestId"], reply.header("x-request-id"), "{context}");
    let code = reply.text_at("/code");
    assert!(CODES.get().is_some_and(|codes| codes.contains(&code)), "/docs/problems does not explain it: {context}");
    for field in ["error", "error_description", "hint"] {
        assert!(reply[field].as_str().is_some_and(|text| !text.is_empty()), "no {field}: {context}");
    }
}

/// Checks the page of a problem, which browsers get.
fn check_problem_page(reply: &Reply) {
    let context = format!("{} {}: {}", reply.status, reply.line, reply.text);
    assert!(reply.text.contains(reply.header("x-request-id")), "{context}");
    let code = reply.text.split("/docs/problems#").nth(1).and_then(|rest| rest.split('"').next()).unwrap_or_default();
    assert!(CODES.get().is_some_and(|codes| codes.contains(code)), "/docs/problems does not explain it: {context}");
}

fn check_problem(reply: &Reply) {
    if reply["ok"] == false {
        return check_refusal(reply);
    }
    if reply["status"] == "failure" {
        return check_failure(reply);
    }
    if reply["jsonrpc"] == "2.0" {
        return check_rpc_error(reply);
    }
    if reply["error"].is_object() {
        return check_status(reply);
    }
    if reply["error_description"].is_string() {
        return check_oauth_error(reply);
    }
    let context = format!("{} {}: {}", reply.status, reply.line, reply.text);
    assert_eq!(reply.header("content-type"), "application/problem+json", "{context}");
    assert_eq!(reply["requestId"], reply.header("x-request-id"), "{context}");
    assert_eq!(reply["status"], reply.status, "{context}");
    let code = reply.text_at("/code");
    assert!(CODES.get().is_some_and(|codes| codes.contains(&code)), "/docs/problems does not explain it: {context}");
    // A server below a path names its own page.
    let kind = reply.text_at("/type");
    assert!(kind.starts_with('/') && kind.ends_with(&format!("/docs/problems#{code}")), "{context}");
    for field in ["title", "detail", "hint"] {
        assert!(reply[field].as_str().is_some_and(|text| !text.is_empty()), "no {field}: {context}");
    }
}

fn check_documented(operation: &Operation, reply: &Reply) {
    let context = format!("{} {}: {}", reply.status, reply.line, reply.text);
    let definition = &operation.definition["responses"][reply.status.to_string()];
    assert!(definition.is_object(), "the status is not documented: {context}");
    for header in definition["headers"].as_object().into_iter().flat_map(Map::keys) {
        assert!(!reply.header(header).is_empty(), "the documented header {header} is missing: {context}");
    }
    let Some(content) = definition["content"].as_object() else {
        assert_eq!(reply.text, "", "no body is documented: {context}");
        return;
    };
    let media_type = reply.header("content-type").split(';').next().unwrap_or_default();
    assert!(content.contains_key(media_type), "the media type {media_type:?} is not documented: {context}");
    if media_type.ends_with("json") {
        let schema = &content[media_type]["schema"];
        let faults: Vec<_> = validator(schema)
            .iter_errors(&reply.json)
            .map(|error| format!("{}: {error}", error.instance_path()))
            .collect();
        assert!(faults.is_empty(), "not as documented: {faults:?}: {context}");
    }
}

/// The compiled schema, cached.
fn validator(schema: &Value) -> Arc<Validator> {
    static COMPILED: Mutex<Option<HashMap<String, Arc<Validator>>>> = Mutex::new(None);
    static COMPONENTS: LazyLock<Value> = LazyLock::new(|| closed(&DOCUMENT["components"]));
    let mut compiled = COMPILED.lock().unwrap();
    let compile = || {
        let mut whole = schema.clone();
        whole["components"] = COMPONENTS.clone();
        Arc::new(jsonschema::draft202012::new(&whole).unwrap())
    };
    Arc::clone(compiled.get_or_insert_default().entry(schema.to_string()).or_insert_with(compile))
}

/// The schema with every object closed, so that undocumented fields fail the test.
pub(crate) fn closed(schema: &Value) -> Value {
    match schema {
        Value::Object(fields) => {
            let mut fields: Map<_, _> = fields.iter().map(|(name, value)| (name.clone(), closed(value))).collect();
            if fields.get("type") == Some(&json!("object")) && fields.contains_key("properties") {
                fields.entry("additionalProperties").or_insert(json!(false));
            }
            Value::Object(fields)
        }
        Value::Array(items) => items.iter().map(closed).collect(),
        other => other.clone(),
    }
}
