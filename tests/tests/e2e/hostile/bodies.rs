//! Bodies and query strings with as many errors as fit: a response names at most 20 errors and has less than 32 KiB

use buildtrack_tests::{
    Agent, Backend, Caller, Owner, Reply, TestApp,
    contract::{DOCUMENT, OPERATIONS, Operation},
};
use rstest_reuse::apply;
use serde_json::{Map, Value, json};

use crate::either;

/// Maximum bytes of an error response.
pub(super) const ANSWER_MAX: usize = 32 * 1024;
/// Maximum number of errors that a response names.
const NAMED_MAX: usize = 20;
/// Slightly less than the maximum bytes of a body.
const BODY: usize = 318_000;

/// Fails unless the response is a refusal within its bounds. Returns how many errors it names, and how many more it counts.
#[track_caller]
pub(super) fn bounded(reply: &Reply) -> (usize, u64) {
    assert!((400..500).contains(&reply.status), "{}: {} {:.500}", reply.line, reply.status, reply.text);
    assert!(reply.text.len() < ANSWER_MAX, "{}: {} bytes", reply.line, reply.text.len());
    let named = reply["errors"].as_array().map_or(0, Vec::len);
    assert!(named <= NAMED_MAX, "{}: {named} errors", reply.line);
    (named, reply["moreErrors"].as_u64().unwrap_or(0))
}

/// An object with this many bytes of unknown members.
fn unknown_fields(bytes: usize) -> Map<String, Value> {
    (0..bytes / 12).map(|index| (format!("f{index:06}"), json!(0))).collect()
}

fn long_name(bytes: usize) -> Value {
    json!({ "~/\"".repeat(bytes / 4): 0 })
}

#[apply(either)]
async fn wrong_scopes_of_a_login_are_named_up_to_twenty(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    for scope in [json!(0), json!("x"), json!({}), json!([]), json!(null)] {
        let scopes = vec![scope.clone(); BODY / (scope.to_string().len() + 1)];
        let refused = app.anonymous().post("/agent-login", json!({ "key": "x", "scopes": scopes })).await;
        let (named, more) = bounded(&refused.expect_problem(422, "validation_failed"));
        assert!(named > 0 && (named < NAMED_MAX || more > 0), "{scope}: {named} and {more}");
    }
    let refused = app.anonymous().post("/agent-login", json!({ "key": "x", "scopes": vec![0; BODY / 2] })).await;
    assert_eq!(refused["errors"].as_array().map(Vec::len), Some(NAMED_MAX));
    assert!(refused.text_at("/detail").starts_with("At least "), "{:.300}", refused.text);
}

#[apply(either)]
async fn unknown_fields_are_named_up_to_twenty(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    for path in ["/agent-login", "/api/v1/accounts", "/api/v1/sessions", "/api/v1/workspaces", "/api/v1/forum/posts"] {
        let refused = scout.post(path, Value::Object(unknown_fields(BODY))).await;
        let (named, more) = bounded(&refused.expect_problem(422, "validation_failed"));
        assert!(named == NAMED_MAX && more > 0, "{path}: {named} and {more}");
        let refused = scout.post(path, long_name(BODY)).await;
        bounded(&refused.expect_problem(422, "validation_failed"));
    }
}

#[apply(either)]
async fn nul_characters_are_named_up_to_twenty(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    // Written as an escape sequence of six bytes.
    let tags =
        json!({ "name": "a", "description": "b", "tags": vec!["\0"; 30_000], "status": "open", "messageCount": 0 });
    bounded(&scout.post("/api/v1/workspaces", tags).await.expect_problem(422, "validation_failed"));
    let answer = json!({ "body": { "x".repeat(100_000): vec!["\0"; 20_000] } });
    let refused = scout.post("/api/v1/exchange/requests/req_01h2e8kqvbfwea724h75qc655w/answer", answer).await;
    assert_eq!(bounded(&refused.expect_problem(422, "validation_failed")).0, NAMED_MAX);
}

#[apply(either)]
async fn wrong_fields_of_a_registration_are_named_up_to_twenty(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let poly = app.party("Poly");
    let mut registrations = vec![poly.registration(vec![json!(0); 10_000]), poly.registration(vec![json!({}); 5_000])];
    for wrong in [Value::Object(unknown_fields(30_000)), long_name(30_000)] {
        let mut registration = poly.registration(vec![]);
        registration.as_object_mut().unwrap().extend(wrong.as_object().unwrap().clone());
        registrations.push(registration);
    }
    for registration in registrations {
        let refused = app.anonymous().post("/v1/agents", poly.sign(registration)).await;
        bounded(&refused.expect_refusal(400, "INVALID_REQUEST", "registration_invalid"));
    }
}

#[apply(either)]
async fn fields_of_a_document_of_the_servers_own_are_named_up_to_twenty(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let found = app.anonymous().get("/api/v1/protocols?name=Buildtrack%20tracks").await;
    let mut wish = unknown_fields(BODY / 2);
    wish.insert("action".into(), "browse".into());
    let asked = json!({ "protocolHash": found.text_at("/items/0/hash"), "body": wish });
    let response = app.anonymous().post("/agora", asked).await.expect_success();
    assert_eq!(response["errors"].as_array().map(Vec::len), Some(NAMED_MAX));
    assert!(response["moreErrors"].as_u64() > Some(0) && response.to_string().len() < ANSWER_MAX);
}

#[apply(either)]
async fn unknown_parameters_are_named_up_to_twenty(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let many = |bytes: usize| (0..bytes / 8).map(|index| format!("p{index:05}=")).collect::<Vec<_>>().join("&");
    for path in ["/api/v1/workspaces", "/api/v1/log", "/build", "/v1/agents"] {
        let refused = app.anonymous().get(&format!("{path}?{}", many(24_000))).await.expect_status(400);
        assert_eq!(bounded(&refused), (NAMED_MAX, 24_000 / 8 - NAMED_MAX as u64), "{path}");
        // The server does not split a query string that is too long.
        let refused = app.anonymous().get(&format!("{path}?{}", many(47_000))).await.expect_status(400);
        assert_eq!((bounded(&refused), refused["errors"][0]["code"].as_str()), ((1, 0), Some("too_long")), "{path}");
        for query in [format!("{}=1", "x".repeat(30_000)), format!("limit={}", "9".repeat(30_000))] {
            bounded(&app.anonymous().get(&format!("{path}?{query}")).await.expect_status(400));
        }
    }
}

#[apply(either)]
async fn echoed_input_is_truncated(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let anyone = app.anonymous();
    let long = "%F0%9F%A6%80".repeat(4000);
    for path in
        [format!("/{long}"), format!("/api/v1/agents/{long}"), format!("/v1/threads/{long}"), format!("/agora/{long}")]
    {
        for method in ["GET", "POST", "PATCH"] {
            assert_eq!(bounded(&anyone.send(method, &path).await), (0, 0), "{path:.20}");
        }
    }
    let typed = anyone.send("POST", "/agent-login").body(&format!("text/{}", "x\\\"".repeat(10_000)), "{}").await;
    bounded(&typed.expect_problem(415, "unsupported_media_type"));
    let long = "x".repeat(30_000);
    for name in ["authorization", "if-match", "if-none-match", "idempotency-key", "x-forwarded-for", "traceparent"] {
        let sent = anyone.with_header(name, &long).post("/api/v1/sessions", json!({ "email": 1 })).await;
        bounded(&sent);
    }
}

#[apply(either)]
async fn every_operation_refuses_hostile_bodies_within_its_bounds(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let ada = app.owner("Ada").await;
    let scout = ada.agent("Scout").await;
    let mut looked_at = 0;
    for operation in OPERATIONS.iter().filter(|operation| ["POST", "PUT", "PATCH"].contains(&&*operation.method)) {
        let path = filled(operation, &ada, &scout);
        for body in hostile(operation) {
            for caller in [&*ada as &Caller, &*scout] {
                let reply = caller.send(&operation.method, &path).body("application/json", body.clone()).await;
                // The exchange ignores unknown fields and reports a violated rule with 200. A batch reports on each of its
                // envelopes.
                if !(reply.status == 200 && is_lenient(&operation.path)) {
                    bounded(&reply);
                }
                assert!(reply.text.len() < ANSWER_MAX, "{}: {} bytes", reply.line, reply.text.len());
                looked_at += 1;
            }
        }
    }
    assert!(looked_at > 500, "{looked_at}");
}

fn is_lenient(path: &str) -> bool {
    path.starts_with("/agora") || path == "/v1/messages/batch"
}

/// The operation's path, filled with ids of the right kind.
fn filled(operation: &Operation, ada: &Owner, scout: &Agent) -> String {
    let id = if operation.path.contains("/accounts/") { &ada.id } else { &scout.id };
    let filled = operation.path.split('/').map(|segment| if segment.starts_with('{') { id } else { segment });
    filled.collect::<Vec<_>>().join("/")
}

/// Bodies of 40 KB: known fields with wrong values, unknown fields, and other JSON than objects.
fn hostile(operation: &Operation) -> Vec<String> {
    const BYTES: usize = 40_000;
    let names = fields(&operation.definition["requestBody"]["content"]["application/json"]["schema"]);
    let each = |value: &dyn Fn(usize) -> Value| {
        let share = BYTES / names.len().max(1);
        Value::Object(names.iter().map(|name| (name.clone(), value(share))).collect()).to_string()
    };
    let nested = format!("{}{}", "[".repeat(BYTES / 2), "]".repeat(BYTES / 2));
    let of_fields: [&dyn Fn(usize) -> Value; 4] = [
        &|share| json!(vec![0; share / 2]),
        &|share| json!(vec![json!({}); share / 3]),
        &|share| json!("\u{1}".repeat(share / 6)),
        &long_name,
    ];
    let of_fields = of_fields.into_iter().filter(|_| !names.is_empty()).map(each);
    of_fields
        .chain([
            Value::Object(unknown_fields(BYTES)).to_string(),
            long_name(BYTES).to_string(),
            json!(vec![0; BYTES / 2]).to_string(),
            nested,
        ])
        .collect()
}

/// The fields of a body, according to the document.
fn fields(schema: &Value) -> Vec<String> {
    let named = schema["$ref"].as_str().and_then(|target| DOCUMENT.pointer(target.trim_start_matches('#')));
    let properties = named.unwrap_or(schema)["properties"].as_object();
    properties.into_iter().flat_map(Map::keys).cloned().collect()
}
