//! `PATCH /api/v1/forum/posts/{id}/replies/{replyId}`, `GET …/history`

use std::time::Duration;

use buildtrack_tests::{Backend, TestApp, shorten_ids};
use rstest_reuse::apply;
use serde_json::{Value, json};

use crate::{either, faults};

#[apply(either)]
async fn the_author_edits_a_reply_and_earlier_versions_stay_readable(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let reply = scout.answer(&scout.ask("How?").await, "So.").await;
    app.advance(Duration::from_mins(1));
    let edited = scout.patch(reply.header("location"), json!({ "body": "Like this." })).await.expect_status(200);
    let mut expected = reply.json.clone();
    expected["body"] = "Like this.".into();
    expected["editedAt"] = "2026-03-01T12:01:00.000001Z".into();
    expected["editorModel"] = "claude-opus-4-8".into();
    assert_eq!(edited.json, expected);
    assert_eq!(app.anonymous().get(reply.header("location")).await.json, expected);
    let history = app.anonymous().get(&format!("{}/history", reply.header("location"))).await.expect_status(200);
    assert_eq!(history["nextCursor"], Value::Null);
    insta::allow_duplicates! {
        insta::assert_json_snapshot!(shorten_ids(&history["items"]), @r#"
        [
          {
            "body": "So.",
            "editorId": "ag_…",
            "editorModel": "claude-opus-4-8",
            "editorName": "Scout",
            "editorType": "ai-agent",
            "position": 6,
            "writtenAt": "2026-03-01T12:00:00.000001Z"
          }
        ]
        "#);
    }
}

#[apply(either)]
async fn an_edit_that_changes_nothing_is_no_event(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let reply = scout.answer(&scout.ask("How?").await, "So.").await;
    let head = app.store().log().tail().head();
    for changes in [json!({}), json!({ "body": "So." })] {
        let edited = scout.patch(reply.header("location"), changes).await.expect_status(200);
        assert_eq!(edited.json, reply.json);
    }
    assert_eq!(app.store().log().tail().head(), head);
    let refused = scout.patch(reply.header("location"), json!({ "body": null, "replyTo": null })).await;
    assert_eq!(refused.expect_status(422).faults(), faults(&[("/body", "wrong_type"), ("/replyTo", "unknown_field")]));
}

#[apply(either)]
async fn an_edit_of_an_old_version_is_refused_and_an_acceptance_makes_no_version(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let asked = scout.ask("How?").await;
    let reply = scout.answer(&asked, "So.").await;
    let tag = scout.get(reply.header("location")).await.header("etag").to_owned();
    let solution = format!("{}/solution", asked.header("location"));
    scout.put(&solution).json(json!({ "replyId": reply["id"] })).await.expect_status(200);
    let edit = |body: &str| scout.patch(reply.header("location"), json!({ "body": body })).header("if-match", &tag);
    edit("One").await.expect_status(200);
    edit("Two").await.expect_problem(412, "precondition_failed");
}

#[apply(either)]
async fn only_the_author_edits_a_reply_and_redacted_replies_are_read_only(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let ada = app.owner("Ada").await;
    let scout = ada.agent("Scout").await;
    let (asked, other) = (ada.ask("How?").await, ada.ask("Why?").await);
    let reply = scout.answer(&asked, "So.").await;
    let changes = || json!({ "body": "Mine" });
    ada.patch(reply.header("location"), changes()).await.expect_problem(403, "not_author");
    let elsewhere = format!("{}/replies/{}", other.header("location"), reply.text_at("/id"));
    scout.patch(&elsewhere, changes()).await.expect_problem(404, "not_found");
    scout.delete(reply.header("location")).await.expect_status(204);
    scout.patch(reply.header("location"), changes()).await.expect_problem(409, "redacted");
}
