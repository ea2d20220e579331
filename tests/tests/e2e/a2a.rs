//! The A2A protocol, version 1.0: `/a2a`, `/a2a/agents/{agentId}` and the agent cards.

use std::path::Path;

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use buildtrack_tests::{Backend, Caller, Reply, TestApp};
use rstest_reuse::apply;
use serde_json::{Value, json};
use tokio::process::Command;

use crate::{
    both, either,
    exchange::{Answering, asked},
};

/// The caller as a client of the protocol's version 1.0.
pub(crate) fn speaking(caller: &Caller) -> Caller {
    caller.with_header("a2a-version", "1.0")
}

pub(crate) fn message(text: &str) -> Value {
    json!({ "message": { "messageId": "m1", "role": "ROLE_USER", "parts": [{ "text": text }] } })
}

/// Fails unless the error has this status and reason.
#[track_caller]
pub(crate) fn expect_reason(reply: Reply, status: u16, reason: &str) {
    let reply = reply.expect_status(status);
    assert_eq!(reply["error"]["details"][0]["reason"], reason, "{}: {}", reply.line, reply.text);
}

/// The frames of a stream that has ended.
fn frames(reply: &Reply) -> Vec<Value> {
    let frames = reply.text.split("\n\n").filter(|frame| !frame.is_empty());
    frames.map(|frame| serde_json::from_str(frame.strip_prefix("data: ").unwrap()).unwrap()).collect()
}

#[apply(both)]
async fn a_task_of_this_server_is_completed_at_once_and_belongs_to_its_requester(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let (scout, other) = (app.agent("Scout").await, app.agent("Other").await);
    let (scout, other) = (speaking(&scout), speaking(&other));
    let sent =
        scout.post("/a2a/message:send", message("Which Build Tracks are about webhooks?")).await.expect_status(200);
    assert_eq!(sent.header("content-type"), "application/a2a+json");
    let task = &sent["task"];
    assert_eq!((&task["status"]["state"], &task["contextId"]), (&json!("TASK_STATE_COMPLETED"), &task["id"]));
    assert!(task["artifacts"][0]["parts"][0]["text"].as_str().unwrap().starts_with("This is Buildtrack"), "{task}");
    assert_eq!(task["history"][0]["parts"][0]["text"], "Which Build Tracks are about webhooks?");
    // A request by one of the server's own documents, as an object.
    let card = app.anonymous().get("/.well-known/agent-card.json").await.expect_status(200);
    let hash = card.text_at("/skills/0/id");
    let parts = json!([{ "data": { "action": "browse" } }]);
    let body = json!({ "message": {
        "messageId": "m2", "role": "ROLE_USER", "parts": parts, "metadata": { "protocolHash": hash },
    } });
    let browsed = scout.post("/a2a/message:send", body).await.expect_status(200);
    assert_eq!(browsed["task"]["artifacts"][0]["parts"][0]["data"], json!({ "tracks": [], "nextCursor": null }));
    // No other agent sees the task.
    let path = format!("/a2a/tasks/{}", sent.text_at("/task/id"));
    let shown = scout.get(&format!("{path}?historyLength=0")).await.expect_status(200);
    assert_eq!((&shown["status"], &shown["history"]), (&task["status"], &Value::Null));
    expect_reason(other.get(&path).await, 404, "TASK_NOT_FOUND");
    expect_reason(other.act(&format!("{path}:cancel")).await, 404, "TASK_NOT_FOUND");
    expect_reason(scout.act(&format!("{path}:cancel")).await, 400, "TASK_NOT_CANCELABLE");
    expect_reason(scout.act(&format!("{path}:subscribe")).await, 400, "UNSUPPORTED_OPERATION");
    let listed = scout.get("/a2a/tasks?pageSize=1&status=TASK_STATE_COMPLETED").await.expect_status(200);
    assert_eq!((&listed["tasks"][0]["id"], &listed["totalSize"]), (&browsed["task"]["id"], &json!(2)));
    let next = listed.text_at("/nextPageToken");
    let rest = scout.get(&format!("/a2a/tasks?pageToken={next}&includeArtifacts=true")).await.expect_status(200);
    assert_eq!((&rest["tasks"][0]["id"], &rest["nextPageToken"]), (&task["id"], &json!("")));
    assert_eq!(rest["tasks"][0]["artifacts"], task["artifacts"]);
    let none = other.get("/a2a/tasks").await.expect_status(200);
    assert_eq!((&none["tasks"], &none["totalSize"]), (&json!([]), &json!(0)));
}

#[apply(either)]
async fn an_agent_answers_a_task_which_its_client_streams_polls_and_cancels(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let (scout, asker) = (app.agent("Scout").await, app.agent("Asker").await);
    let asker = speaking(&asker);
    let root = format!("/a2a/agents/{}", scout.id);
    // Not waited for, polled, and canceled before the agent answers.
    let mut body = message("Hello");
    body["configuration"] = json!({ "returnImmediately": true });
    let begun = asker.post(&format!("{root}/message:send"), body).await.expect_status(200);
    assert_eq!(begun["task"]["status"]["state"], "TASK_STATE_WORKING");
    let path = format!("{root}/tasks/{}", begun.text_at("/task/id"));
    let request = asked(&scout).await;
    assert_eq!(request["body"], "Hello");
    let canceled = asker.act(&format!("{path}:cancel")).await.expect_status(200);
    assert_eq!(canceled["status"]["state"], "TASK_STATE_CANCELED");
    let late = format!("/api/v1/exchange/requests/{}/answer", request["id"].as_str().unwrap());
    scout.post(&late, json!({ "body": "Too late" })).await.expect_problem(410, "request_over");
    // A stream has the task, the answer and the status.
    let answers = |request: &Value| match request["body"].as_str() {
        Some("Decline") => json!({ "failure": "I do not know." }),
        _ => json!({ "body": { "round": request["round"] } }),
    };
    let _answering = Answering::with(&scout, answers);
    let streamed = asker.post(&format!("{root}/message:stream"), message("Hello")).await.expect_status(200);
    assert_eq!(streamed.header("content-type"), "text/event-stream");
    // The agent may answer before the task is read for the first frame.
    let (done, output) = match &frames(&streamed)[..] {
        [task, artifact, done] => {
            assert_eq!(task["task"]["status"]["state"], "TASK_STATE_WORKING");
            (done["statusUpdate"].clone(), artifact["artifactUpdate"]["artifact"].clone())
        }
        [task] => (task["task"].clone(), task["task"]["artifacts"][0].clone()),
        other => panic!("{other:?}"),
    };
    assert_eq!(done["status"]["state"], "TASK_STATE_COMPLETED");
    assert_eq!(output["parts"][0]["data"], json!({ "round": 1 }));
    // A declined request is a failed task, with the agent's reason.
    let declined = asker.post(&format!("{root}/message:send"), message("Decline")).await.expect_status(200);
    assert_eq!(declined["task"]["status"]["state"], "TASK_STATE_FAILED");
    assert_eq!(declined["task"]["status"]["message"]["parts"][0]["text"], "I do not know.");
    // The task is not one of another responder.
    expect_reason(asker.get(&format!("/a2a/tasks/{}", begun.text_at("/task/id"))).await, 404, "TASK_NOT_FOUND");
    let listed = asker.get(&format!("{root}/tasks")).await.expect_status(200);
    assert_eq!(listed["totalSize"], 3);
    assert_eq!(listed["tasks"][0].get("artifacts"), None);
}

#[apply(either)]
async fn a_request_that_breaks_the_protocol_is_refused_in_its_form(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let session = app.agent("Scout").await;
    let scout = speaking(&session);
    let send = "/a2a/message:send";
    expect_reason(speaking(&app.anonymous()).post(send, message("Hi")).await, 401, "UNAUTHENTICATED");
    expect_reason(session.post(send, message("Hi")).await, 400, "VERSION_NOT_SUPPORTED");
    expect_reason(session.with_header("a2a-version", "0.3").get("/a2a/tasks").await, 400, "VERSION_NOT_SUPPORTED");
    session.get("/a2a/tasks?A2A-Version=1.0").await.expect_status(200);
    let invalid = scout.post(send, json!({ "message": { "role": "ROLE_AGENT" } })).await.expect_status(400);
    let violations = invalid["error"]["details"][1]["fieldViolations"].as_array().unwrap();
    assert_eq!(violations.len(), 3, "{}", invalid.text);
    let mut file = message("Hi");
    file["message"]["parts"] = json!([{ "url": "https://example.org/" }]);
    expect_reason(scout.post(send, file).await, 400, "CONTENT_TYPE_NOT_SUPPORTED");
    let mut unknown = message("Hi");
    unknown["message"]["taskId"] = json!("exch_01h2e8kqvbfwea724h75qc655w");
    expect_reason(scout.post(send, unknown).await, 404, "TASK_NOT_FOUND");
    let mut context = message("Hi");
    context["message"]["contextId"] = json!("mine");
    expect_reason(scout.post(send, context).await, 400, "UNSUPPORTED_OPERATION");
    let mut protocol = message("Hi");
    protocol["metadata"] = json!({ "protocolHash": "a9993e364706816aba3e25717850c26c9cd0d89d" });
    expect_reason(scout.post(send, protocol).await, 400, "UNSUPPORTED_OPERATION");
    expect_reason(scout.get("/a2a/extendedAgentCard").await, 400, "UNSUPPORTED_OPERATION");
    expect_reason(scout.get("/a2a/tasks?pageSize=101").await, 400, "INVALID_PARAMETER");
    expect_reason(scout.get("/a2a/anything").await, 404, "NOT_FOUND");
    expect_reason(scout.get(send).await, 405, "METHOD_NOT_ALLOWED");
}

#[apply(either)]
async fn the_cards_are_signed_with_the_published_key(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let (anyone, scout) = (app.anonymous(), app.agent("Scout").await);
    let keys = anyone.get("/.well-known/jwks.json").await.expect_status(200);
    let of_agent = format!("/a2a/agents/{}/.well-known/agent-card.json", scout.id);
    for path in ["/.well-known/agent-card.json", "/a2a/.well-known/agent-card.json", &of_agent] {
        let reply = anyone.get(path).await.expect_status(200);
        let known = anyone.get(path).header("if-none-match", reply.header("etag")).await;
        assert_eq!((known.status, reply.header("cache-control")), (304, "public, max-age=60"));
        let mut card = reply.json.clone();
        let signature = card.as_object_mut().unwrap().remove("signatures").unwrap()[0].clone();
        let [protected, signature] =
            ["protected", "signature"].map(|part| signature[part].as_str().unwrap().to_owned());
        let header: Value = serde_json::from_slice(&URL_SAFE_NO_PAD.decode(&protected).unwrap()).unwrap();
        assert_eq!(header["alg"], "EdDSA");
        let key = keys["keys"].as_array().unwrap().iter().find(|key| key["kid"] == header["kid"]).unwrap();
        assert_eq!(header["jku"], "https://build.example/.well-known/jwks.json");
        let key: [u8; 32] = URL_SAFE_NO_PAD.decode(key["x"].as_str().unwrap()).unwrap().try_into().unwrap();
        let key = ed25519_dalek::VerifyingKey::from_bytes(&key).unwrap();
        // All names of the card are ASCII: the order of serde_json is that of RFC 8785.
        let signed = format!("{protected}.{}", URL_SAFE_NO_PAD.encode(card.to_string()));
        let signature = ed25519_dalek::Signature::from_slice(&URL_SAFE_NO_PAD.decode(signature).unwrap()).unwrap();
        key.verify_strict(signed.as_bytes(), &signature).unwrap();
    }
    let elsewhere = anyone.with_header("origin", "https://elsewhere.example");
    assert_eq!(elsewhere.get("/.well-known/agent-card.json").await.header("access-control-allow-origin"), "*");
    let card = anyone.get(&of_agent).await.expect_status(200);
    assert_eq!((card.text_at("/name"), card.text_at("/skills/0/id")), ("Scout".to_owned(), "exchange".to_owned()));
    let url = card.text_at("/supportedInterfaces/0/url");
    assert_eq!(url, format!("https://build.example/a2a/agents/{}", scout.id));
}

#[apply(either)]
async fn the_published_client_works_unmodified(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let (scout, asker) = (app.agent("Scout").await, app.agent("Asker").await);
    let _answering =
        Answering::with(&scout, |request| json!({ "body": format!("{} heard", request["body"].as_str().unwrap()) }));
    let python = std::env::var("TEST_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("python");
    let mut command = Command::new(&python);
    command.args(["a2a_client.py", &app.url(), &asker.token, &scout.id]).current_dir(folder);
    let output = command.env("NO_PROXY", "*").kill_on_drop(true).output().await;
    let output = output.unwrap_or_else(|error| panic!("{python} does not start: {error}"));
    let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "scripts/test brings the packages that this needs: {complaint}");
    let result: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {complaint}"));
    let expected = json!({
        "early": "Buildtrack",
        "forged": "InvalidSignaturesError",
        "server": ["TASK_STATE_COMPLETED", 1, true],
        "stream": ["task", "artifact_update", "status_update"],
        "streamed": "Hello heard",
        "rounds": ["TASK_STATE_INPUT_REQUIRED", "TASK_STATE_INPUT_REQUIRED", ["First heard", "Second heard"]],
        "shown": [["Second"]],
        "subscribed": ["task"],
        "canceled": "TASK_STATE_CANCELED",
        "listed": [["TASK_STATE_CANCELED"], ["TASK_STATE_COMPLETED"], 2],
        "refused": [
            "TaskNotCancelableError", "TaskNotFoundError", "TaskNotFoundError", "UnsupportedOperationError",
        ],
        "configs": ["https://example.org/", ["Bearer", ""], 1, 0],
    });
    assert_eq!(result, expected);
}
