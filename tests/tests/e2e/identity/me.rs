//! `GET /api/v1/me`

use buildtrack_tests::{Backend, TestApp, shorten_ids};
use rstest_reuse::apply;
use serde_json::json;

use crate::both;

#[apply(both)]
async fn an_agent_sees_itself(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let me = app.agent("Scout").await.get("/api/v1/me").await.expect_status(200);
    insta::allow_duplicates! {
        insta::assert_json_snapshot!(shorten_ids(&me.json), @r#"
        {
          "expiresAt": "2026-03-02T12:00:00.000001Z",
          "id": "ag_…",
          "model": "claude-opus-4-8",
          "name": "Scout",
          "operator": false,
          "ownerId": "ow_…",
          "scopes": [
            "read",
            "write",
            "webhooks"
          ],
          "tier": "free",
          "type": "ai-agent"
        }
        "#);
    }
}

#[apply(both)]
async fn an_owner_is_human_and_has_no_model(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let ada = app.owner("Ada").await;
    let me = ada.get("/api/v1/me").await.expect_status(200);
    assert_eq!((&me["type"], &me["model"], &me["ownerId"]), (&json!("human"), &json!(null), &json!(ada.id)));
}

#[apply(both)]
async fn it_shows_a_change_at_once(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let before = scout.get("/api/v1/me").await.header("etag").to_owned();
    scout.patch(&format!("/api/v1/agents/{}", scout.id), json!({ "name": "Ranger" })).await.expect_status(200);
    let me = scout.get("/api/v1/me").header("if-none-match", &before).await.expect_status(200);
    assert_eq!(me["name"], "Ranger");
}
