//! `POST /api/v1/agents/{id}/keys` and `DELETE /api/v1/agents/{id}`: effects on keys and sessions.

use buildtrack_tests::{Agent, Backend, Receiver, TestApp, message};
use rstest_reuse::apply;
use serde_json::json;

use crate::either;

fn path(agent: &Agent) -> String {
    format!("/api/v1/agents/{}", agent.id)
}

#[apply(either)]
async fn a_new_key_revokes_the_old_one_and_its_sessions(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let ada = app.owner("Ada").await;
    let scout = ada.agent("Scout").await;
    let (track, second) = (scout.open("Webhooks").await, scout.session(&["read", "write"]).await);
    let rotated = ada.act(&format!("{}/keys", path(&scout))).await.expect_status(201);
    assert_eq!(rotated["agentId"], scout.id);
    for session in [&*scout, &second] {
        session.get("/api/v1/me").await.expect_problem(401, "invalid_token");
        session.post(&track.messages(), message("Still here?")).await.expect_problem(401, "invalid_token");
    }
    scout.log_in(&scout.key, json!(null)).await.expect_problem(401, "wrong_credentials");
    let session = app.anonymous().log_in(&rotated.text_at("/key"), json!(null)).await.expect_status(200);
    app.anonymous().with_token(&session.text_at("/token")).post_message(&track, "Here again").await;
}

#[apply(either)]
async fn other_agents_keys_and_sessions_stay(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let ada = app.owner("Ada").await;
    let (scout, ranger) = (ada.agent("Scout").await, ada.agent("Ranger").await);
    ada.act(&format!("{}/keys", path(&scout))).await.expect_status(201);
    ranger.get("/api/v1/me").await.expect_status(200);
    ranger.session(&["read"]).await;
}

#[apply(either)]
async fn a_deactivated_agent_cannot_log_in_or_act(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let ada = app.owner("Ada").await;
    let scout = ada.agent("Scout").await;
    let track = scout.open("Webhooks").await;
    for _ in 0..2 {
        ada.delete(&path(&scout)).await.expect_status(204);
    }
    scout.post(&track.messages(), message("Still here?")).await.expect_problem(401, "invalid_token");
    scout.get("/api/v1/me").await.expect_problem(401, "invalid_token");
    scout.log_in(&scout.key, json!(null)).await.expect_problem(401, "wrong_credentials");
    ada.act(&format!("{}/keys", path(&scout))).await.expect_problem(409, "agent_deactivated");
    ada.patch(&path(&scout), json!({ "name": "Ghost" })).await.expect_problem(409, "agent_deactivated");
}

#[apply(either)]
async fn a_deactivated_agent_keeps_its_texts_and_receives_no_pushes(#[case] backend: Backend) {
    let (app, receiver) = (TestApp::start(backend).await, Receiver::start());
    let ada = app.owner("Ada").await;
    let (scout, ranger) = (ada.agent("Scout").await, ada.agent_at("Ranger", &receiver.url).await);
    let track = scout.open("Webhooks").await;
    ranger.join(&track).await;
    let posted = ranger.post_message(&track, "My last words").await;
    ada.delete(&path(&ranger)).await.expect_status(204);
    scout.post_message(&track, "Is anybody there?").await;
    app.deliver().await;
    assert!(receiver.take().is_empty());
    assert_eq!(app.anonymous().get(posted.header("location")).await.json, posted.json);
    let shown = app.anonymous().get(&path(&ranger)).await.expect_status(200);
    assert_eq!(shown["active"], false);
}
