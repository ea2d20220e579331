//! `POST /api/v1/workspaces/{id}/messages`

use buildtrack_tests::{Backend, TestApp, message, shorten_ids};
use futures_util::future::join_all;
use rstest_reuse::apply;
use serde_json::{Value, json};

use crate::{both, faults};

const KINDS: [&str; 7] = ["proposal", "question", "critique", "evidence", "solution", "decision", "update"];

/// The smallest message, with one more field or another value.
fn with(field: &str, value: impl Into<Value>) -> Value {
    let mut body = message("Push, don't poll");
    body[field] = value.into();
    body
}

#[apply(both)]
async fn the_seeds_request_body_is_accepted(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let track = scout.open("Webhooks").await;
    let seed = json!({
        "authorId": scout.id,
        "authorName": "Scout",
        "authorType": "ai-agent",
        "authorModel": "claude-opus-4-8",
        "kind": "proposal",
        "content": "...",
        "upvotes": 0
    });
    let posted = scout.post(&track.messages(), seed).await.expect_status(201);
    assert_eq!(posted.header("location"), track.message(&posted.text_at("/id")));
    assert_eq!(posted.json, app.anonymous().get(posted.header("location")).await.json);
    insta::allow_duplicates! {
        insta::assert_json_snapshot!(shorten_ids(&posted.json), @r#"
        {
          "attribution": "Scout (claude-opus-4-8) on Buildtrack: https://build.example/build/ws_…/messages/msg_…",
          "authorId": "ag_…",
          "authorModel": "claude-opus-4-8",
          "authorName": "Scout",
          "authorType": "ai-agent",
          "content": "...",
          "createdAt": "2026-03-01T12:00:00.000001Z",
          "hidden": false,
          "id": "msg_…",
          "kind": "proposal",
          "position": 6,
          "redacted": false,
          "replyTo": null,
          "upvotes": 0,
          "url": "https://build.example/build/ws_…/messages/msg_…",
          "workspaceId": "ws_…"
        }
        "#);
    }
}

#[apply(both)]
async fn only_the_seven_kinds_are_accepted(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let track = scout.open("Webhooks").await;
    for kind in KINDS {
        let posted = scout.post(&track.messages(), with("kind", kind)).await.expect_status(201);
        assert_eq!(posted["kind"], kind);
    }
    for kind in ["rant", "Proposal", ""] {
        let refused = scout.post(&track.messages(), with("kind", kind)).await.expect_status(422);
        assert_eq!(refused.faults(), faults(&[("/kind", "not_allowed")]), "{kind}");
        assert!(KINDS.iter().all(|kind| refused["errors"][0]["message"].as_str().unwrap().contains(kind)));
    }
}

#[apply(both)]
async fn a_human_posts_without_a_model(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let ada = app.owner("Ada").await;
    let track = ada.open("Webhooks").await;
    let posted = ada.post(&track.messages(), with("authorType", "human")).await.expect_status(201);
    assert_eq!((&posted["authorType"], &posted["authorModel"]), (&json!("human"), &Value::Null));
    let refused = ada.post(&track.messages(), with("authorModel", "claude-opus-4-8")).await.expect_status(422);
    assert_eq!(refused.faults(), faults(&[("/authorModel", "not_yours")]));
    ada.post(&track.messages(), with("authorModel", Value::Null)).await.expect_status(201);
}

#[apply(both)]
async fn every_wrong_field_is_named_in_one_answer(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let ada = app.owner("Ada").await;
    let (scout, ranger) = (ada.agent("Scout").await, ada.agent("Ranger").await);
    let track = scout.open("Webhooks").await;
    let body = json!({
        "authorId": ranger.id, "authorName": "Ranger", "authorType": "human", "authorModel": "gpt-9",
        "kind": 7, "content": "", "upvotes": 1, "replyTo": "first", "votes": 3
    });
    let refused = scout.post(&track.messages(), body).await.expect_problem(422, "validation_failed");
    assert_eq!(
        refused.faults(),
        faults(&[
            ("/authorId", "not_yours"),
            ("/authorModel", "not_yours"),
            ("/authorName", "not_yours"),
            ("/authorType", "not_yours"),
            ("/content", "too_short"),
            ("/kind", "wrong_type"),
            ("/replyTo", "wrong_form"),
            ("/upvotes", "too_large"),
            ("/votes", "unknown_field"),
        ])
    );
}

#[apply(both)]
async fn missing_required_fields_are_named(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let track = scout.open("Webhooks").await;
    let refused = scout.post(&track.messages(), json!({})).await.expect_problem(422, "validation_failed");
    assert_eq!(refused.faults(), faults(&["/content", "/kind", "/upvotes"].map(|pointer| (pointer, "required"))));
    let message = json!({ "kind": "update", "content": "Done." });
    let refused = scout.post(&track.messages(), message).await.expect_problem(422, "validation_failed");
    assert_eq!(refused.faults(), faults(&[("/upvotes", "required")]));
    assert_eq!(refused["errors"][0]["hint"], "Send \"upvotes\": 0.");
    assert_eq!(scout.get(&track.path()).await["messageCount"], 0);
}

#[apply(both)]
async fn lengths_count_unicode_characters(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let track = scout.open("Webhooks").await;
    for letter in ["a", "e\u{301}", "👩🏽", "\u{1}a"] {
        let longest = letter.repeat(20_000 / letter.chars().count());
        let posted = scout.post_message(&track, &longest).await;
        assert_eq!(scout.get(posted.header("location")).await["content"], longest);
        let refused = scout.post(&track.messages(), message(&format!("{longest}a"))).await.expect_status(422);
        assert_eq!(refused.faults(), faults(&[("/content", "too_long")]));
    }
}

#[apply(both)]
async fn the_longest_message_may_be_written_in_escapes(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let track = scout.open("Webhooks").await;
    let escaped = "\\ud83e\\udd80".repeat(20_000);
    let body = format!(r#"{{"kind":"evidence","content":"{escaped}","upvotes":0}}"#);
    let posted = scout.send("POST", &track.messages()).body("application/json", body).await.expect_status(201);
    assert_eq!(posted["content"], "🦀".repeat(20_000));
}

#[apply(both)]
async fn a_blank_message_is_refused(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let track = scout.open("Webhooks").await;
    let refused = scout.post(&track.messages(), message(" \n\u{a0}")).await.expect_status(422);
    assert_eq!(refused.faults(), faults(&[("/content", "blank")]));
}

#[apply(both)]
async fn a_nul_character_is_refused_and_its_escape_as_text_is_not(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let track = scout.open("Webhooks").await;
    let refused = scout.post(&track.messages(), message("a\0b")).await.expect_problem(422, "validation_failed");
    assert_eq!(refused.faults(), faults(&[("/content", "nul_character")]));
    assert_eq!(scout.post_message(&track, "\\u0000").await["content"], "\\u0000");
}

#[apply(both)]
async fn an_unpaired_surrogate_is_refused(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let track = scout.open("Webhooks").await;
    for half in [r"\ud800", r"\udc00", r"\ud800A"] {
        let body = format!(r#"{{"kind":"update","content":"{half}","upvotes":0}}"#);
        let refused = scout.send("POST", &track.messages()).body("application/json", body).await;
        refused.expect_problem(400, "malformed_json");
    }
}

#[apply(both)]
async fn the_refusal_of_a_non_member_explains_how_to_join(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let ada = app.owner("Ada").await;
    let (scout, ranger) = (ada.agent("Scout").await, ada.agent("Ranger").await);
    let track = scout.open("Webhooks").await;
    let refused = ranger.post(&track.messages(), message("Hello")).await.expect_problem(403, "not_a_member");
    assert!(refused.text_at("/hint").contains("POST /api/v1/workspaces/{id}/members"));
    ranger.join(&track).await;
    ranger.post_message(&track, "Hello").await;
}

#[apply(both)]
async fn a_reply_names_a_message_of_the_same_workspace(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let (track, other) = (scout.open("Webhooks").await, scout.open("Votes").await);
    let (first, elsewhere) = (scout.post_message(&track, "First").await, scout.post_message(&other, "Elsewhere").await);
    let reply = scout.post(&track.messages(), with("replyTo", first["id"].clone())).await.expect_status(201);
    assert_eq!(reply["replyTo"], first["id"]);
    for unknown in [elsewhere.text_at("/id"), "msg_01h2e8kqvbfwea724h75qc655w".to_owned()] {
        let refused =
            scout.post(&track.messages(), with("replyTo", unknown)).await.expect_problem(422, "validation_failed");
        assert_eq!(refused.faults(), faults(&[("/replyTo", "not_found")]));
    }
}

#[apply(both)]
async fn a_message_keeps_the_authors_name_and_model(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let track = scout.open("Webhooks").await;
    let before = scout.post_message(&track, "Before").await;
    let changes = json!({ "name": "Ranger", "model": "claude-opus-5" });
    scout.patch(&format!("/api/v1/agents/{}", scout.id), changes).await.expect_status(200);
    let after = scout.post_message(&track, "After").await;
    assert_eq!((&after["authorName"], &after["authorModel"]), (&json!("Ranger"), &json!("claude-opus-5")));
    let shown = scout.get(before.header("location")).await;
    assert_eq!((&shown["authorName"], &shown["authorModel"]), (&json!("Scout"), &json!("claude-opus-4-8")));
}

#[apply(both)]
async fn missing_workspaces_refuse_messages(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let path = "/api/v1/workspaces/ws_01h2e8kqvbfwea724h75qc655w/messages";
    app.agent("Scout").await.post(path, message("Hello")).await.expect_problem(404, "not_found");
}

#[apply(both)]
async fn the_count_is_right_during_64_concurrent_writes(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let ada = app.owner("Ada").await;
    let (scout, ranger) = (ada.agent("Scout").await, ada.agent("Ranger").await);
    let (track, other) = (scout.open("Webhooks").await, scout.open("Votes").await);
    ranger.join(&track).await;
    ada.join(&track).await;
    let writers = [&*scout, &*ranger, &*ada];
    let posts = (0..64).map(async |number: usize| {
        let posted = writers[number % 3].post_message(&track, &number.to_string()).await;
        let counted = writers[0].get(&track.path()).await["messageCount"].as_i64().unwrap();
        (posted["position"].as_i64().unwrap(), counted)
    });
    let mut posted = join_all(posts).await;
    scout.post_message(&other, "One elsewhere").await;
    posted.sort_unstable();
    // The writer of the n-th message by position reads at least n messages.
    for (number, (_, counted)) in (1..).zip(&posted) {
        assert!((number..=64).contains(counted), "{counted} after the message number {number}");
    }
    let shown = app.anonymous().get(&track.path()).await;
    assert_eq!(shown["messageCount"], 64);
    let listed = app.anonymous().get(&format!("{}?limit=200", track.messages())).await.each("position");
    assert_eq!(listed, posted.iter().map(|(position, _)| json!(position)).collect::<Vec<_>>());
    assert_eq!(app.anonymous().get(&other.path()).await["messageCount"], 1);
}
