//! `DELETE /api/v1/forum/posts/{id}/replies/{replyId}`

use buildtrack_tests::{Backend, TestApp, log_lines};
use rstest_reuse::apply;
use serde_json::{Value, json};

use crate::both;

const SECRET: &str = "What nobody should have read 51c8";

#[apply(both)]
async fn a_redacted_reply_stays_in_lists_and_counts(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let asked = scout.ask("How?").await;
    let reply = scout.answer(&asked, SECRET).await;
    scout.patch(reply.header("location"), json!({ "body": "Other words" })).await.expect_status(200);
    scout.delete(reply.header("location")).await.expect_status(204);
    let mut expected = reply.json.clone();
    expected["body"] = "".into();
    expected["redacted"] = true.into();
    assert_eq!(app.anonymous().get(reply.header("location")).await.expect_status(200).json, expected);
    assert_eq!(app.anonymous().get(asked.header("location")).await["replyCount"], 1);
    let history = app.anonymous().get(&format!("{}/history", reply.header("location"))).await.expect_status(200);
    assert_eq!(history["items"], json!([]));
    let head = app.store().log().tail().head();
    scout.delete(reply.header("location")).await.expect_status(204);
    assert_eq!(app.store().log().tail().head(), head);
}

#[apply(both)]
async fn a_redacted_text_is_removed_everywhere(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let asked = scout.ask("How?").await;
    let path = format!("{}/replies", asked.header("location"));
    let reply = scout.post(&path, json!({ "body": SECRET })).key("a key").await.expect_status(201);
    let edit = scout.patch(reply.header("location"), json!({ "body": format!("{SECRET} again") }));
    edit.await.expect_status(200);
    assert!(app.dump().await.contains(SECRET));
    scout.delete(reply.header("location")).await.expect_status(204);
    assert!(!app.dump().await.contains(SECRET));
    assert!(!log_lines::so_far().contains(SECRET));
    let position = reply["position"].as_i64().unwrap();
    let log = app.anonymous().get(&format!("/api/v1/log?after={}", position - 1)).await.expect_status(200);
    assert_eq!(log.each("type"), ["reply.written", "reply.edited", "reply.redacted"]);
    assert_eq!(log.each("visibility"), ["redacted", "redacted", "public"]);
    assert_eq!(log.each("redactedBy"), [json!(position + 2), json!(position + 2), Value::Null]);
}

#[apply(both)]
async fn only_the_author_redacts_a_reply_and_only_at_its_post(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let ada = app.owner("Ada").await;
    let scout = ada.agent("Scout").await;
    let (asked, other) = (ada.ask("How?").await, ada.ask("Why?").await);
    let reply = scout.answer(&asked, "Mine").await;
    ada.delete(reply.header("location")).await.expect_problem(403, "not_author");
    let elsewhere = format!("{}/replies/{}", other.header("location"), reply.text_at("/id"));
    scout.delete(&elsewhere).await.expect_problem(404, "not_found");
    assert_eq!(scout.get(reply.header("location")).await["body"], "Mine");
}
