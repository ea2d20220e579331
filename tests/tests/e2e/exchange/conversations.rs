//! `/agora/conversations/{id}`: several rounds, their end, and refusals

use std::time::Duration;

use buildtrack_tests::{Backend, Caller, Reply, TestApp};
use rstest_reuse::apply;
use serde_json::{Value, json};

use super::Answering;
use crate::both;

/// Starts a conversation; returns its path.
async fn begin(caller: &Caller, mut request: Value) -> (Reply, String) {
    request["multiround"] = json!(true);
    let begun = caller.post("/agora", request).await.expect_status(200);
    let path = format!("/agora/conversations/{}", begun.text_at("/conversationId"));
    (begun, path)
}

/// 12:00 on the day on which every test begins.
const NOON: i64 = 1_772_366_400;

#[apply(both)]
async fn each_round_restarts_the_expiry_of_a_conversation(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let anyone = app.anonymous();
    let (begun, path) = begin(&anyone, json!({ "body": "One" })).await;
    assert_eq!(begun["conversationExpires"], NOON + 300);
    app.advance(Duration::from_secs(200));
    let second = anyone.post(&path, json!({ "body": "Two", "protocolHash": null })).await;
    assert_eq!(
        (&second["conversationId"], &second["conversationExpires"]),
        (&begun["conversationId"], &json!(NOON + 500))
    );
    second.expect_success();
    app.advance(Duration::from_secs(299));
    // As the published client sends it.
    let third = json!({ "body": "Three", "protocolHash": null, "protocolSources": [], "multiround": true });
    anyone.post(&path, third).await.expect_success();
}

#[apply(both)]
async fn ids_cannot_be_guessed_and_are_not_on_the_log(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let anyone = app.anonymous();
    let (begun, path) = begin(&anyone, json!({ "body": "One" })).await;
    let id = begun.text_at("/conversationId");
    // 192 random bits in base64url.
    assert_eq!((id.len(), id.starts_with("conv_")), (37, true));
    assert!(!app.dump().await.contains(&id));
    let other = begin(&anyone, json!({ "body": "One" })).await.0.text_at("/conversationId");
    assert_ne!(id, other);
    anyone.post(&format!("{path}x"), json!({ "body": "Two" })).await.expect_problem(404, "not_found");
    anyone.post(&path.replace("conv_", "CONV_"), json!({ "body": "Two" })).await.expect_problem(404, "not_found");
}

#[apply(both)]
async fn an_expired_conversation_stays_expired(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let anyone = app.anonymous();
    let (begun, path) = begin(&anyone, json!({ "body": "One" })).await;
    app.advance(Duration::from_mins(5));
    for wait in [0, 10, 400 * 24 * 3600] {
        app.advance(Duration::from_secs(wait));
        app.deliver().await;
        let expired = anyone.post(&path, json!({ "body": "Two" })).await.expect_failure("Conversation expired");
        assert_eq!(expired["conversationId"], begun["conversationId"]);
        anyone.delete(&path).await.expect_failure("Conversation expired");
    }
    // A malformed request is still reported as malformed.
    anyone.post(&path, json!({ "body": 1 })).await.expect_problem(400, "invalid_fields");
    anyone.post(&path, json!({ "body": "Two", "protocolHash": "other" })).await.expect_problem(400, "protocol_changed");
}

#[apply(both)]
async fn a_conversation_is_ended_once(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let anyone = app.anonymous();
    let (_, path) = begin(&anyone, json!({ "body": "One" })).await;
    let ended = anyone.delete(&path).await;
    assert_eq!(ended["conversationId"], json!(null));
    ended.expect_success();
    anyone.delete(&path).await.expect_problem(404, "not_found");
    anyone.post(&path, json!({ "body": "Two" })).await.expect_problem(404, "not_found");
    anyone.delete("/agora/conversations/nobody").await.expect_problem(404, "not_found");
    anyone.get(&path).await.expect_problem(405, "method_not_allowed");
}

#[apply(both)]
async fn the_protocol_of_a_conversation_cannot_be_changed(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let anyone = app.anonymous();
    let (_, without) = begin(&anyone, json!({ "body": "One" })).await;
    let (_, negotiating) = begin(&anyone, json!({ "body": "One", "protocolHash": "negotiation" })).await;
    for (path, name, accepted) in [
        (&without, json!(null), true),
        (&without, json!("negotiation"), false),
        (&without, json!("a9993e364706816aba3e25717850c26c9cd0d89d"), false),
        (&without, json!("no hash"), false),
        (&negotiating, json!("negotiation"), true),
        (&negotiating, json!(null), true),
        (&negotiating, json!("a9993e364706816aba3e25717850c26c9cd0d89d"), false),
    ] {
        let answered = anyone.post(path, json!({ "body": "Two", "protocolHash": name })).await;
        if accepted {
            answered.expect_success();
        } else {
            assert_eq!(answered.expect_problem(400, "protocol_changed")["errors"][0]["pointer"], "/protocolHash");
            // The conflict is reported even if the request has other errors.
            anyone.post(path, json!({ "protocolHash": name })).await.expect_problem(400, "protocol_changed");
        }
    }
    anyone.post(&without, json!({ "protocolHash": null })).await.expect_failure("Missing field 'body'");
}

#[apply(both)]
async fn a_failed_first_round_starts_no_conversation_and_a_later_failure_ends_none(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let (scout, anyone) = (app.agent("Scout").await, app.anonymous());
    let _answering = Answering::with(&scout, |request| match request["body"].as_str() {
        Some("Refuse this.") => json!({ "failure": "Refused" }),
        _ => json!({ "body": format!("Round {}", request["round"]) }),
    });
    let root = format!("/agora/agents/{}", scout.id);
    let failed = anyone.post(&root, json!({ "body": "Refuse this.", "multiround": true })).await;
    assert_eq!(failed.expect_failure("Refused")["conversationId"], json!(null));
    let begun = anyone.post(&root, json!({ "body": "One", "multiround": true })).await.expect_status(200);
    let path = format!("{root}/conversations/{}", begun.text_at("/conversationId"));
    let failed = anyone.post(&path, json!({ "body": "Refuse this." })).await.expect_failure("Refused");
    assert_eq!(failed["conversationExpires"], NOON + 300);
    assert_eq!(anyone.post(&path, json!({ "body": "Three" })).await.expect_success(), "Round 3");
}

#[apply(both)]
async fn rounds_of_a_conversation_and_conversations_of_an_address_are_limited(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let anyone = app.anonymous();
    let (_, path) = begin(&anyone, json!({ "body": "One" })).await;
    for _ in 1..64 {
        anyone.post(&path, json!({ "body": "More" })).await.expect_success();
    }
    anyone.post(&path, json!({ "body": "More" })).await.expect_failure("A conversation has at most 64 rounds");
    let mut last = path;
    for _ in 1..100 {
        last = begin(&anyone, json!({ "body": "One" })).await.1;
    }
    let more = json!({ "body": "One", "multiround": true });
    let refused = "Too many conversations are open; close some of them";
    anyone.post("/agora", more.clone()).await.expect_failure(refused);
    app.agent("Scout").await.post("/agora", more.clone()).await.expect_success();
    anyone.delete(&last).await.expect_success();
    anyone.post("/agora", more.clone()).await.expect_success();
    anyone.post("/agora", more.clone()).await.expect_failure(refused);
    app.advance(Duration::from_mins(5));
    anyone.post("/agora", more).await.expect_success();
}

#[apply(both)]
async fn the_expiry_of_a_conversation_is_configurable(#[case] backend: Backend) {
    let app = TestApp::with(backend, |settings| settings.exchange_lifetime = 10.try_into().unwrap()).await;
    let (begun, path) = begin(&app.anonymous(), json!({ "body": "One" })).await;
    assert_eq!(begun["conversationExpires"], NOON + 10);
    let app = app.restart().await;
    app.anonymous().post(&path, json!({ "body": "Two" })).await.expect_success();
}
