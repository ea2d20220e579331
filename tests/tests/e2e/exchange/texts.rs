//! Bodies pass between the parties as their authors wrote them, through every door that hands them on

use buildtrack_tests::{Agent, Backend, Caller, Receiver, Reply, TestApp};
use rstest_reuse::apply;
use serde_json::{Value, json};
use tokio::task::JoinHandle;

use super::{asked, response};
use crate::{a2a::speaking, either};

/// Digits that no 64-bit number holds, trailing zeros, members out of order, white space and an escape.
const QUESTION: &str = "{\"b\":1, \"a\":2,\n\t\"n\":123456789012345678901234567890,\"d\":1.10,\"e\":-1E+2,\"s\":\"\\u00e9\",\"l\":[3.0,{ }]}";
const ANSWER: &str = r#"{"z":0.10,"y":-98765432109876543210987654321,"x":{"d":2.50e0,"c":null}}"#;

/// Sends a JSON text.
async fn post(caller: &Caller, path: &str, text: impl Into<String>) -> Reply {
    caller.send("POST", path).body("application/json", text.into()).await
}

/// Sends a JSON text that waits for its answer, in a task.
fn ask(caller: &Caller, path: &str, text: String) -> JoinHandle<Reply> {
    let (caller, path) = (caller.clone(), path.to_owned());
    tokio::spawn(async move { post(&caller, &path, text).await })
}

/// The agent answers its request with [`ANSWER`]. Returns the request, as the agent received it.
async fn answer(agent: &Agent) -> String {
    let id = asked(agent).await["id"].as_str().unwrap().to_owned();
    let waiting = agent.get("/api/v1/me/exchange/requests").await.expect_status(200);
    let path = format!("/api/v1/exchange/requests/{id}/answer");
    post(agent, &path, format!(r#"{{"body":{ANSWER}}}"#)).await.expect_status(200);
    waiting.text
}

#[track_caller]
fn expect_text(reply: &Reply, member: &str, text: &str) {
    assert!(reply.text.contains(&format!("\"{member}\":{text}")), "{text} is not in {}: {}", reply.line, reply.text);
}

#[apply(either)]
async fn a_body_passes_byte_for_byte(#[case] backend: Backend) {
    let (app, receiver) = (TestApp::start(backend).await, Receiver::start());
    let scout = app.owner("Ada").await.agent_at("Scout", &receiver.url).await;
    let asker = app.agent("Asker").await;
    let path = format!("/agora/agents/{}", scout.id);
    let asking = ask(&asker, &path, format!(r#"{{"x":1.0,"body":{QUESTION},"multiround":true}}"#));
    assert!(answer(&scout).await.contains(&format!("\"body\":{QUESTION}")));
    let answered = response(asking).await.expect_status(200);
    expect_text(&answered, "body", ANSWER);
    app.deliver().await;
    let pushes = receiver.take();
    let pushed = pushes.iter().find(|push| push.event == "exchange.request").unwrap().json();
    assert_eq!(
        (&pushed["data"]["content"], &pushed["data"]["contentType"]),
        (&json!(QUESTION), &json!("application/json"))
    );
    let next = format!("{path}/conversations/{}", answered.text_at("/conversationId"));
    let asking = ask(&asker, &next, format!(r#"{{"body":{QUESTION}}}"#));
    assert!(answer(&scout).await.contains(&format!("\"body\":{QUESTION}")));
    expect_text(&response(asking).await, "body", ANSWER);
    let exchange = asker.get("/api/v1/exchanges").await.expect_status(200).text_at("/items/0/id");
    for caller in [&*asker, &*scout] {
        let transcript = caller.get(&format!("/api/v1/exchanges/{exchange}")).await.expect_status(200);
        for text in [QUESTION, ANSWER] {
            expect_text(&transcript, "body", text);
            let is_logged = |entry: &&Value| entry["data"].as_str().unwrap().contains(&format!("\"body\":{text}"));
            assert_eq!(transcript["items"].as_array().unwrap().iter().filter(is_logged).count(), 2, "{text}");
        }
    }
}

#[apply(either)]
async fn a_body_passes_through_tasks_byte_for_byte(#[case] backend: Backend) {
    let (app, receiver) = (TestApp::start(backend).await, Receiver::start());
    let (scout, asker) = (app.agent("Scout").await, app.agent("Asker").await);
    let asker = speaking(&asker);
    let root = format!("/a2a/agents/{}", scout.id);
    let message = |configuration: Value| {
        format!(
            r#"{{"message":{{"messageId":"m1","role":"ROLE_USER","parts":[{{"data":{QUESTION}}}]}},"configuration":{configuration}}}"#
        )
    };
    let push = json!({ "taskPushNotificationConfig": { "url": receiver.url } });
    let asking = ask(&asker, &format!("{root}/message:send"), message(push));
    assert!(answer(&scout).await.contains(&format!("\"body\":{QUESTION}")));
    let task = response(asking).await.expect_status(200);
    let shown = asker.get(&format!("{root}/tasks/{}", task.text_at("/task/id"))).await.expect_status(200);
    let listed = asker.get(&format!("{root}/tasks?includeArtifacts=true&historyLength=1")).await.expect_status(200);
    for reply in [&task, &shown, &listed] {
        expect_text(reply, "data", QUESTION);
        expect_text(reply, "data", ANSWER);
    }
    app.deliver().await;
    let artifact = String::from_utf8(receiver.take().remove(0).bytes).unwrap();
    assert!(artifact.contains(&format!("\"data\":{ANSWER}")), "{artifact}");
    // A stream has one frame a line: the white space of an object has no line breaks there.
    let asking = ask(&asker, &format!("{root}/message:stream"), message(json!({})));
    answer(&scout).await;
    let stream = response(asking).await.expect_status(200);
    expect_text(&stream, "data", &QUESTION.replace('\n', " "));
    expect_text(&stream, "data", ANSWER);
    assert!(stream.text.lines().all(|line| line.is_empty() || line.starts_with("data: {")), "{}", stream.text);
}

#[apply(either)]
async fn a_body_passes_through_tools_byte_for_byte(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let (scout, asker) = (app.agent("Scout").await, app.agent("Asker").await);
    let call = |arguments: &str| {
        format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"exchange","arguments":{{{arguments}}}}}}}"#
        )
    };
    let asking = ask(&asker, "/mcp", call(&format!(r#""action":"send","agent":"{}","body":{QUESTION}"#, scout.id)));
    let id = asked(&scout).await["id"].as_str().unwrap().to_owned();
    let listed = post(&scout, "/mcp", call(r#""action":"list""#)).await.expect_status(200);
    expect_text(&listed, "body", QUESTION);
    let answered = call(&format!(r#""action":"answer","request":"{id}","body":{ANSWER}"#));
    post(&scout, "/mcp", answered).await.expect_status(200);
    let answered = response(asking).await.expect_status(200);
    expect_text(&answered, "body", ANSWER);
    let text: String = serde_json::from_value(answered["result"]["content"][0]["text"].clone()).unwrap();
    assert!(text.contains(&format!("\"body\":{ANSWER}")), "{text}");
}

#[apply(either)]
async fn an_object_that_readers_would_read_differently_is_refused(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let (scout, asker) = (app.agent("Scout").await, app.agent("Asker").await);
    let deep = format!("{{\"a\":{}{}}}", "[".repeat(100), "]".repeat(100));
    let (path, task) = (format!("/agora/agents/{}", scout.id), format!("/a2a/agents/{}/message:send", scout.id));
    for (body, code) in [(r#"{"a":1,"b":[{"c":1,"\u0063":2}]}"#, "repeated_member"), (&*deep, "too_deep")] {
        let refused = post(&asker, &path, format!(r#"{{"body":{body}}}"#)).await.expect_problem(400, "invalid_fields");
        assert_eq!((&refused["errors"][0]["pointer"], &refused["errors"][0]["code"]), (&json!("/body"), &json!(code)));
        let message = format!(r#"{{"message":{{"messageId":"m","role":"ROLE_USER","parts":[{{"data":{body}}}]}}}}"#);
        let refused = post(&speaking(&asker), &task, message).await.expect_status(400);
        let violation = &refused["error"]["details"][1]["fieldViolations"][0];
        assert_eq!((&violation["field"], &violation["reason"]), (&json!("/message/parts/0/data"), &json!(code)));
    }
    for body in [r#"{"a":1e400}"#, r#"{"a":"\ud800"}"#, r#"{"a":01}"#] {
        post(&asker, &path, format!(r#"{{"body":{body}}}"#)).await.expect_problem(400, "malformed_json");
    }
    assert_eq!(asker.get("/api/v1/exchanges").await.expect_status(200)["items"], json!([]), "nothing was recorded");
    let asking = ask(&asker, &path, r#"{"body":"Hello"}"#.to_owned());
    let answer = format!("/api/v1/exchange/requests/{}/answer", asked(&scout).await["id"].as_str().unwrap());
    for (body, code) in [(r#"{"a":1,"a":1.0}"#, "repeated_member"), (&*deep, "too_deep")] {
        let refused = post(&scout, &answer, format!(r#"{{"body":{body}}}"#)).await.expect_status(422);
        assert_eq!((&refused["errors"][0]["pointer"], &refused["errors"][0]["code"]), (&json!("/body"), &json!(code)));
    }
    post(&scout, &answer, r#"{"body":{"a":-1e999}}"#).await.expect_problem(400, "malformed_json");
    post(&scout, &answer, r#"{"body":{}}"#).await.expect_status(200);
    assert_eq!(response(asking).await.expect_success(), json!({}));
}
