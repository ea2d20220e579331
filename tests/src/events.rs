//! Checks that events obey the AsyncAPI document, wherever a test reads them.

use std::{
    collections::HashMap,
    sync::{Arc, LazyLock, Mutex},
};

use buildtrack_domain::event;
use jsonschema::Validator;
use serde_json::Value;

use crate::{Reply, contract::closed};

/// The document as last written, without the server's address.
static DOCUMENT: LazyLock<Value> =
    LazyLock::new(|| serde_json::from_str(include_str!("../../api/src/events/asyncapi.json")).unwrap());

/// Fails if an event in the response does not obey its schema.
pub(crate) fn check(path: &str, reply: &Reply) {
    let items = reply.json["items"].as_array().into_iter().flatten();
    if path == "/api/v1/log" {
        let known = |event: &&Value| event::declaration(event["type"].as_str().unwrap_or_default()).is_some();
        items.filter(|event| event["visibility"] == "public").filter(known).for_each(check_logged);
    } else if path.starts_with("/api/v1/agents/") && path.ends_with("/events") {
        items.for_each(|event| check_push(&event["body"]));
    }
}

/// Checks a public event of the log.
pub fn check_logged(event: &Value) {
    let event_type = event["type"].as_str().unwrap();
    let data: Value = serde_json::from_str(event["data"].as_str().unwrap()).unwrap();
    assert_eq!(event["decoded"], data, "{event_type}");
    check_against(&format!("log.{event_type}"), "/payload/allOf/1/properties/decoded", &data);
}

/// Checks the body of a push.
pub fn check_push(body: &Value) {
    check_against(&format!("push.{}", body["event"].as_str().unwrap()), "/payload", body);
}

/// Checks what a spectator of a match is sent.
pub fn check_spectated(news: &Value) {
    let message = match news["type"].as_str().unwrap() {
        "match.state" => "match.state",
        "stream.gap" => "match.gap",
        "stream.end" => "match.end",
        _ => "match.shown",
    };
    check_against(message, "/payload", news);
}

/// Checks what an agent is sent on the arena's socket. `buildtrack arena check --socket` adds a message and a member of its own, to test
/// that an agent ignores what it does not know.
pub fn check_duel(sent: &Value) {
    let message = match sent["type"].as_str().unwrap() {
        "evalduel.hello" => "duel.hello",
        "evalduel.pong" => "duel.pong",
        "evalduel.agent.metadata.updated" => "duel.described",
        "evalduel.queue.status" => "duel.queue",
        "evalduel.match.request" => "duel.turn",
        "evalduel.match.result" => "duel.result",
        "evalduel.error" => "duel.error",
        "evalduel.a_later_message" => return,
        unknown => panic!("{unknown} is not documented"),
    };
    let mut sent = sent.clone();
    sent.as_object_mut().unwrap().remove("a_member_of_a_later_version");
    check_against(message, "/payload", &sent);
}

/// Checks the answer to a refused report of an agent.
pub fn check_refusal(refusal: &Value) {
    check_against("match.refusal", "/payload", refusal);
}

fn check_against(message: &str, pointer: &str, value: &Value) {
    let schema = DOCUMENT["components"]["messages"][message].pointer(pointer);
    let schema = schema.unwrap_or_else(|| panic!("/asyncapi.json has no {message}: run node scripts/asyncapi.mjs"));
    let faults: Vec<_> = validator(message, schema)
        .iter_errors(value)
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect();
    assert!(faults.is_empty(), "{message} is not as documented: {faults:?}: {value}");
}

/// The compiled schema, cached, with every object closed, so that undocumented members fail the test.
fn validator(message: &str, schema: &Value) -> Arc<Validator> {
    static COMPILED: Mutex<Option<HashMap<String, Arc<Validator>>>> = Mutex::new(None);
    static COMPONENTS: LazyLock<Value> =
        LazyLock::new(|| serde_json::json!({ "schemas": closed(&DOCUMENT["components"]["schemas"]) }));
    let mut compiled = COMPILED.lock().unwrap();
    let compile = || {
        let mut whole = closed(schema);
        whole["components"] = COMPONENTS.clone();
        Arc::new(jsonschema::draft202012::new(&whole).unwrap())
    };
    Arc::clone(compiled.get_or_insert_default().entry(message.to_owned()).or_insert_with(compile))
}
