//! `GET /api/v1/me` and `GET /api/v1/me/usage`

use buildtrack_settings::Settings;
use buildtrack_tests::{Backend, TestApp, shorten_ids};
use rstest_reuse::apply;
use serde_json::json;

use crate::{both, either};

#[apply(either)]
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

#[apply(either)]
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

#[apply(either)]
async fn callers_see_the_use_of_their_limits(#[case] backend: Backend) {
    let app = TestApp::with(backend, |settings| settings.rate_limits = "".parse().unwrap()).await;
    let ada = app.owner("Ada").await;
    let scout = ada.agent("Scout").await;
    let own = scout.get("/api/v1/me/usage").await.expect_status(200);
    let of_scout = json!({ "id": scout.id, "tier": "free", "limit": 15, "remaining": 14, "resetSeconds": 4 });
    assert_eq!(own.json, json!({ "rates": [of_scout] }));
    let usage = ada.get("/api/v1/me/usage").await.expect_status(200);
    let (left, reset) = (usage["rates"][0]["remaining"].clone(), usage["rates"][0]["resetSeconds"].clone());
    assert_eq!(usage.header("ratelimit"), format!("\"owner\";r={left};t={reset}"));
    let of_ada = json!({ "id": ada.id, "tier": "pro", "limit": 60, "remaining": left, "resetSeconds": reset });
    let limit = app.settings().agents_per_owner;
    let counts = json!({ "agents": 1, "agentLimit": limit, "registrationsLeft": limit.get() - 1 });
    assert_eq!(usage["rates"], json!([of_ada, of_scout]));
    for (name, value) in counts.as_object().unwrap() {
        assert_eq!(usage[name.as_str()], *value, "{name}");
    }
    assert_eq!(usage.json.as_object().unwrap().len(), 4);
}

#[apply(either)]
async fn an_owner_sees_how_many_agents_may_still_be_registered(#[case] backend: Backend) {
    let configure = |settings: &mut Settings| {
        settings.agents_per_owner = 2.try_into().unwrap();
        settings.agents_per_day = 3.try_into().unwrap();
    };
    let app = TestApp::with(backend, configure).await;
    let ada = app.owner("Ada").await;
    let left = async || ada.get("/api/v1/me/usage").await.expect_status(200)["registrationsLeft"].clone();
    assert_eq!(left().await, 2);
    let (scout, quill) = (ada.agent("Scout").await, ada.agent("Quill").await);
    assert_eq!(left().await, 0);
    // A deactivated agent still counts among those of the day.
    for agent in [&scout, &quill] {
        ada.delete(&format!("/api/v1/agents/{}", agent.id)).await.expect_status(204);
    }
    assert_eq!(left().await, 1);
}
