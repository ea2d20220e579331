//! Alternative spellings of paths: every decision depends on the matched route, not on the spelling

use buildtrack_tests::{Backend, Reply, TestApp, contract::OPERATIONS, log_lines};
use rstest_reuse::apply;
use serde_json::json;

use crate::either;

/// The path with the first and the last letter of each fixed segment percent-encoded.
fn encoded(path: &str) -> String {
    let encode = |letter: char| format!("%{:02x}", u32::from(letter));
    let segment = |segment: &str| {
        let ends = (segment.chars().next().filter(char::is_ascii_alphanumeric), segment.chars().last());
        match ends {
            (Some(first), Some(last)) if segment.len() > 1 => {
                format!("{}{}{}", encode(first), &segment[1..segment.len() - 1], encode(last))
            }
            _ => segment.to_owned(),
        }
    };
    path.split('/').map(segment).collect::<Vec<_>>().join("/")
}

/// The parts of a response that depend on the route.
fn shape(reply: &Reply) -> (u16, String, String, String, String) {
    let text = |name: &str| reply[name].as_str().unwrap_or_default().to_owned();
    let policy = reply.header("ratelimit-policy").to_owned();
    (reply.status, reply.header("content-type").to_owned(), policy, text("code"), text("reason"))
}

#[apply(either)]
async fn percent_encoded_paths_have_the_limits_and_responses_of_plain_ones(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let anyone = app.anonymous();
    let mut compared = 0;
    // Streams do not end.
    for operation in OPERATIONS.iter().filter(|operation| !operation.path.ends_with("/live")) {
        let plain = operation.path.replace('{', "x").replace('}', "");
        let send = |path: &str| {
            let request = anyone.send(&operation.method, path);
            if operation.definition.get("requestBody").is_some() { request.json(json!({})) } else { request }
        };
        let (first, second) = (send(&plain).await, send(&encoded(&plain)).await);
        assert_eq!(shape(&second), shape(&first), "{} {plain}", operation.method);
        compared += 1;
    }
    assert!(compared > 100, "{compared}");
    // An unknown method is refused with a list of the known ones.
    for path in ["/api/v1/sessions", "/events", "/agora"] {
        let refused = anyone.put(&encoded(path)).await.expect_status(405);
        assert_eq!(refused.header("allow"), anyone.put(path).await.header("allow"), "{path}");
    }
}

#[apply(either)]
async fn a_login_with_an_encoded_path_counts_as_a_login(#[case] backend: Backend) {
    let app = TestApp::with(backend, |settings| settings.rate_limits = "free=300,login=6".parse().unwrap()).await;
    let scout = app.agent("Scout").await;
    let anyone = app.anonymous();
    // The agent has logged in once.
    let paths = ["/api/v1/session%73", "/%61pi/v1/sessions", "/agent%2Dlogin", "/api/v1/%6Doderation/own-appea%6C"];
    for path in paths {
        let reply = scout.post(path, json!({})).await.expect_status(422);
        assert_eq!(reply.header("ratelimit-policy"), "\"login\";q=6;w=60", "{path}");
    }
    anyone.post("/api/v1/account%73", json!({})).await.expect_status(422);
    for caller in [&anyone, &*scout] {
        caller.post("/api/v1/session%73", json!({})).await.expect_problem(429, "rate_limited");
        caller.post("/api/v1/sessions", json!({})).await.expect_problem(429, "rate_limited");
    }
    // Other requests have a separate count.
    scout.get("/api/v1/m%65").await.expect_status(200);
}

#[apply(either)]
async fn a_conversation_id_in_any_spelling_is_in_no_log_line_and_no_metric(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let anyone = app.anonymous();
    let begin = json!({ "body": "Hello!", "multiround": true });
    let id = anyone.post("/agora", begin).await.expect_status(200).text_at("/conversationId");
    let answered = anyone.post(&format!("/%61gora/conversation%73/{id}"), json!({ "body": "Again" })).await;
    answered.expect_success();
    for path in [
        format!("/agora%2Fconversations%2F{id}"),
        format!("//agora//conversations//{id}"),
        format!("/Agora/Conversations/{id}"),
        format!("/v1/messages/{id}"),
        format!("/%25%36%31gora/{id}"),
    ] {
        anyone.post(&path, json!({ "body": "Lost" })).await;
    }
    let refused = anyone.post(&format!("/agora/conversation%73/{id}/more"), json!({})).await.expect_status(404);
    assert_eq!(refused["status"], "failure", "it is refused in the exchange's format");
    anyone.delete(&format!("/agor%61/conversations/{id}")).await.expect_status(200);
    let secret = id.strip_prefix("conv_").unwrap();
    assert!(!log_lines::so_far().contains(secret));
    let metrics = anyone.get("/metrics").await.text;
    assert!(!metrics.contains(secret) && metrics.contains("/agora/conversations/{id}"));
}

#[apply(either)]
async fn a_key_in_a_misspelt_path_is_in_no_log_line(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    for secret in [&scout.key, &scout.token, &scout.webhook_secret] {
        scout.get(&format!("/agent-login/{secret}")).await.expect_status(404);
        scout.get(&format!("/agent-login%2f{secret}")).await.expect_status(404);
        assert!(!log_lines::so_far().contains(secret.as_str()));
    }
}

#[apply(either)]
async fn a_retry_with_another_spelling_of_the_path_is_a_retry(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let body = json!({ "name": "Once", "description": "Push", "tags": ["build"], "status": "open", "messageCount": 0 });
    let first = scout.post("/api/v1/workspaces", body.clone()).key("one").await.expect_status(201);
    let again = scout.post("/api/v1/workspace%73", body).key("one").await.expect_status(201);
    assert_eq!((again.header("idempotency-replayed"), &again["id"]), ("true", &first["id"]));
}
