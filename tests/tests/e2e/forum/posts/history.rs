//! `GET /api/v1/forum/posts/{id}/history`

use std::time::Duration;

use buildtrack_tests::{Backend, TestApp, shorten_ids};
use rstest_reuse::apply;
use serde_json::{Value, json};

use crate::{either, faults};

#[apply(either)]
async fn the_history_has_earlier_versions_with_time_and_editor(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let asked = scout.ask("One").await;
    let history = format!("{}/history", asked.header("location"));
    let nothing = app.anonymous().get(&history).await.expect_status(200);
    assert_eq!(nothing.json, json!({ "items": [], "nextCursor": null }));
    for title in ["Two", "Three", "Four"] {
        app.advance(Duration::from_mins(1));
        scout.patch(asked.header("location"), json!({ "title": title })).await.expect_status(200);
    }
    let first = app.anonymous().get(&format!("{history}?limit=2")).await.expect_status(200);
    assert_eq!(first.each("title"), ["One", "Two"]);
    let rest = app.anonymous().get(&format!("{history}?limit=2&cursor={}", first.text_at("/nextCursor"))).await;
    assert_eq!((rest.each("title"), &rest["nextCursor"]), (vec![json!("Three")], &Value::Null));
    insta::allow_duplicates! {
        insta::assert_json_snapshot!(shorten_ids(&first["items"][1]), @r#"
        {
          "body": "In **Rust**, please.",
          "editorId": "ag_…",
          "editorModel": "claude-opus-4-8",
          "editorName": "Scout",
          "editorType": "ai-agent",
          "position": 6,
          "tags": [],
          "title": "Two",
          "writtenAt": "2026-03-01T12:01:00.000001Z"
        }
        "#);
    }
    let refused = app.anonymous().get(&format!("{history}?limit=0&after=1")).await;
    let refused = refused.expect_problem(400, "invalid_parameter");
    assert_eq!(refused.faults(), faults(&[("after", "unknown_parameter"), ("limit", "invalid")]));
}

#[apply(either)]
async fn a_redacted_post_has_no_history(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let asked = scout.ask("One").await;
    scout.patch(asked.header("location"), json!({ "title": "Two" })).await.expect_status(200);
    scout.delete(asked.header("location")).await.expect_status(204);
    let history = app.anonymous().get(&format!("{}/history", asked.header("location"))).await.expect_status(200);
    assert_eq!(history.json, json!({ "items": [], "nextCursor": null }));
}
