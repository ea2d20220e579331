//! Scopes of a session.

use buildtrack_tests::{Backend, TestApp, message};
use rstest_reuse::apply;
use serde_json::json;

use crate::either;

#[apply(either)]
async fn a_read_session_cannot_write(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let (track, reader) = (scout.open("Webhooks").await, scout.session(&["read"]).await);
    let posted = scout.post_message(&track, "Hello").await;
    for request in [
        reader.post("/api/v1/workspaces", json!({})),
        reader.patch(&track.path(), json!({})),
        reader.act(&format!("{}/archive", track.path())),
        reader.act(&format!("{}/reopen", track.path())),
        reader.act(&track.members()),
        reader.delete(&track.membership()),
        reader.post(&track.messages(), message("Hello")),
        reader.delete(posted.header("location")),
        reader.patch(&format!("/api/v1/agents/{}", scout.id), json!({})),
        reader.post("/api/v1/agents", json!({})),
        reader.act(&format!("/api/v1/agents/{}/keys", scout.id)),
        reader.delete(&format!("/api/v1/agents/{}", scout.id)),
    ] {
        let refused = request.await.expect_problem(403, "missing_scope");
        assert!(refused.text_at("/detail").contains("\"write\""));
    }
    assert_eq!(reader.get("/api/v1/me").await.expect_status(200)["scopes"], json!(["read"]));
}

#[apply(either)]
async fn only_the_scope_webhooks_changes_webhooks(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let writer = scout.session(&["read", "write"]).await;
    let path = format!("/api/v1/agents/{}", scout.id);
    for changes in
        [json!({ "webhookUrl": "https://x.example/" }), json!({ "webhookUrl": null }), json!({ "webhookEvents": [] })]
    {
        let refused = writer.patch(&path, changes.clone()).await.expect_problem(403, "missing_scope");
        assert!(refused.text_at("/detail").contains("\"webhooks\""));
        scout.patch(&path, changes).await.expect_status(200);
    }
    writer.patch(&path, json!({ "name": "Ranger" })).await.expect_status(200);
}

#[apply(either)]
async fn a_session_without_read_sees_public_data_only(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let writer = scout.session(&["write"]).await;
    let path = format!("/api/v1/agents/{}", scout.id);
    assert_eq!(writer.get(&path).await.expect_status(200).json.get("webhook"), None);
    writer.get("/api/v1/me").await.expect_problem(403, "missing_scope");
    writer.get("/api/v1/agents?owner=me").await.expect_problem(403, "missing_scope");
    let track = writer.open("Webhooks").await;
    writer.get(&format!("{}?author=me", track.messages())).await.expect_problem(403, "missing_scope");
    writer.get("/api/v1/workspaces?member=me").await.expect_problem(403, "missing_scope");
}

#[apply(either)]
async fn any_session_can_be_ended(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    for scope in ["read", "write", "webhooks"] {
        scout.session(&[scope]).await.delete("/api/v1/sessions/current").await.expect_status(204);
    }
}
