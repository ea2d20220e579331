//! `GET /api/v1/agents/{id}/keys`, `POST /api/v1/agents/{id}/keys/named`, `DELETE /api/v1/agents/{id}/keys/{keyId}`: what keys do.

use std::time::Duration;

use buildtrack_tests::{Agent, Backend, Caller, Owner, Reply, TestApp, message};
use rstest_reuse::apply;
use serde_json::{Value, json};

use crate::either;

pub(super) fn keys(agent: &Agent) -> String {
    format!("/api/v1/agents/{}/keys", agent.id)
}

pub(super) async fn create(owner: &Owner, agent: &Agent, body: Value) -> Reply {
    owner.post(&format!("{}/named", keys(agent)), body).await.expect_status(201)
}

pub(super) async fn revoke(owner: &Owner, agent: &Agent, key: &Reply) -> Reply {
    owner.delete(&format!("{}/{}", keys(agent), key.text_at("/id"))).await
}

/// A session that a key opens, with all scopes that it may have.
pub(super) async fn session(app: &TestApp, key: &Reply) -> Caller {
    let opened = app.anonymous().log_in(&key.text_at("/key"), json!(null)).await.expect_status(200);
    app.anonymous().with_token(&opened.text_at("/token"))
}

#[apply(either)]
async fn an_owner_creates_and_lists_named_keys(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let ada = app.owner("Ada").await;
    let (scout, ranger) = (ada.agent("Scout").await, ada.agent("Ranger").await);
    let laptop = create(&ada, &scout, json!({ "name": "Laptop" })).await;
    let key = laptop.text_at("/key");
    assert!(key.starts_with("araf_") && key.len() == 45 && key != scout.key);
    assert_eq!((&laptop["name"], &laptop["expiresAt"]), (&json!("Laptop"), &json!(null)));
    assert_eq!(laptop["scopes"], json!(["read", "write", "webhooks"]));
    app.advance(Duration::from_secs(1));
    let limited = json!({ "name": "Reader", "scopes": ["read"], "expiresAt": "2026-04-01T00:00:00.1234567Z" });
    let reader = create(&ada, &scout, limited).await;
    let listed = ada.get(&keys(&scout)).await.expect_status(200);
    assert_eq!(listed.each("id"), [json!("primary"), laptop["id"].clone(), reader["id"].clone()]);
    assert_eq!(listed.each("name"), [json!(null), json!("Laptop"), json!("Reader")]);
    let all = json!(["read", "write", "webhooks"]);
    assert_eq!(listed.each("scopes"), [all.clone(), all, json!(["read"])]);
    assert_eq!(listed.each("expiresAt"), [json!(null), json!(null), json!("2026-04-01T00:00:00.123456Z")]);
    let (noon, later) = (json!("2026-03-01T12:00:00.000001Z"), json!("2026-03-01T12:00:01.000001Z"));
    assert_eq!(listed.each("createdAt"), [noon.clone(), noon, later]);
    assert!(!listed.text.contains("araf_"), "{}", listed.text);
    assert_eq!(ada.get(&keys(&ranger)).await.each("name"), [json!(null)]);
    let me = session(&app, &laptop).await.get("/api/v1/me").await.expect_status(200);
    assert_eq!(me["id"], scout.id);
}

#[apply(either)]
async fn a_session_has_no_more_scopes_than_its_key(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let ada = app.owner("Ada").await;
    let scout = ada.agent("Scout").await;
    let track = scout.open("Webhooks").await;
    let reader = create(&ada, &scout, json!({ "name": "Reader", "scopes": ["read", "webhooks"] })).await;
    let key = reader.text_at("/key");
    for (asked, granted) in [
        (json!(null), json!(["read", "webhooks"])),
        (json!(["write", "read"]), json!(["read"])),
        (json!(["read", "write", "webhooks"]), json!(["read", "webhooks"])),
    ] {
        let opened = app.anonymous().log_in(&key, asked).await.expect_status(200);
        assert_eq!(opened["scopes"], granted);
        let caller = app.anonymous().with_token(&opened.text_at("/token"));
        assert_eq!(caller.get("/api/v1/me").await.expect_status(200)["scopes"], granted);
        caller.post(&track.messages(), message("Hello")).await.expect_problem(403, "missing_scope");
    }
    app.anonymous().log_in(&key, json!(["write"])).await.expect_problem(403, "missing_scope");
    scout.session(&["write"]).await.post_message(&track, "The primary key has all scopes").await;
}

#[apply(either)]
async fn a_key_and_its_sessions_end_at_its_expiry(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let ada = app.owner("Ada").await;
    let scout = ada.agent("Scout").await;
    let short = create(&ada, &scout, json!({ "name": "Hour", "expiresAt": "2026-03-01T13:00:00Z" })).await;
    let long = create(&ada, &scout, json!({ "name": "Week", "expiresAt": "2026-03-08T12:00:00Z" })).await;
    let mut sessions = vec![];
    for (key, until) in [(&short, "2026-03-01T13:00:00Z"), (&long, "2026-03-02T12:00:00.000001Z")] {
        let opened = app.anonymous().log_in(&key.text_at("/key"), json!(null)).await.expect_status(200);
        assert_eq!(opened["expiresAt"], until);
        sessions.push(app.anonymous().with_token(&opened.text_at("/token")));
    }
    app.advance(Duration::from_secs(3599));
    for session in &sessions {
        session.get("/api/v1/me").await.expect_status(200);
    }
    app.advance(Duration::from_secs(1));
    sessions[0].get("/api/v1/me").await.expect_problem(401, "invalid_token");
    let refused = app.anonymous().log_in(&short.text_at("/key"), json!(null)).await.expect_problem(401, "key_expired");
    assert!(refused.text_at("/detail").contains("2026-03-01T13:00:00"), "{}", refused.text);
    sessions[1].get("/api/v1/me").await.expect_status(200);
    scout.get("/api/v1/me").await.expect_status(200);
    // The list shows the expired key until the next one is created.
    let names = async || {
        let mut names = ada.get(&keys(&scout)).await.each("name");
        names.sort_by_key(ToString::to_string);
        names
    };
    assert_eq!(names().await, [json!("Hour"), json!("Week"), json!(null)]);
    create(&ada, &scout, json!({ "name": "Month" })).await;
    assert_eq!(names().await, [json!("Month"), json!("Week"), json!(null)]);
    app.anonymous().log_in(&short.text_at("/key"), json!(null)).await.expect_problem(401, "wrong_credentials");
}

#[apply(either)]
async fn a_revoked_key_ends_with_its_sessions_and_no_others(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let ada = app.owner("Ada").await;
    let scout = ada.agent("Scout").await;
    let track = scout.open("Webhooks").await;
    let (laptop, server) = (
        create(&ada, &scout, json!({ "name": "Laptop" })).await,
        create(&ada, &scout, json!({ "name": "Server" })).await,
    );
    let (on_laptop, on_server) = (session(&app, &laptop).await, session(&app, &server).await);
    on_laptop.post_message(&track, "From the laptop").await;
    on_server.post_message(&track, "From the server").await;
    revoke(&ada, &scout, &laptop).await.expect_status(204);
    on_laptop.get("/api/v1/me").await.expect_problem(401, "invalid_token");
    on_laptop.post(&track.messages(), message("Still here?")).await.expect_problem(401, "invalid_token");
    app.anonymous().log_in(&laptop.text_at("/key"), json!(null)).await.expect_problem(401, "wrong_credentials");
    on_server.post_message(&track, "The server goes on").await;
    scout.post_message(&track, "So does the primary key").await;
    revoke(&ada, &scout, &laptop).await.expect_problem(404, "not_found");
    assert_eq!(ada.get(&keys(&scout)).await.each("name"), [json!(null), json!("Server")]);
}

#[apply(either)]
async fn a_new_primary_key_leaves_the_named_keys(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let ada = app.owner("Ada").await;
    let scout = ada.agent("Scout").await;
    let laptop = create(&ada, &scout, json!({ "name": "Laptop" })).await;
    let on_laptop = session(&app, &laptop).await;
    ada.delete(&format!("{}/primary", keys(&scout))).await.expect_problem(409, "primary_key");
    scout.get("/api/v1/me").await.expect_status(200);
    app.advance(Duration::from_secs(1));
    let rotated = ada.act(&keys(&scout)).await.expect_status(201);
    scout.get("/api/v1/me").await.expect_problem(401, "invalid_token");
    on_laptop.get("/api/v1/me").await.expect_status(200);
    session(&app, &laptop).await.get("/api/v1/me").await.expect_status(200);
    let listed = ada.get(&keys(&scout)).await.expect_status(200);
    assert_eq!(listed.each("id"), [json!("primary"), laptop["id"].clone()]);
    assert_eq!(
        (&listed["items"][0]["createdAt"], &listed["items"][0]["lastUsedAt"]),
        (&json!("2026-03-01T12:00:01.000001Z"), &json!(null))
    );
    session(&app, &rotated).await.get("/api/v1/me").await.expect_status(200);
}

#[apply(either)]
async fn the_last_use_of_a_key_is_recorded_once_an_hour(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let ada = app.owner("Ada").await;
    let scout = ada.agent("Scout").await;
    let laptop = create(&ada, &scout, json!({ "name": "Laptop" })).await;
    let used = async || ada.get(&keys(&scout)).await["items"][1]["lastUsedAt"].clone();
    assert_eq!(used().await, Value::Null);
    for (minutes, expected) in [(0, "12:00:00"), (30, "12:00:00"), (29, "12:00:00"), (1, "13:00:00")] {
        app.advance(Duration::from_secs(60 * minutes));
        session(&app, &laptop).await;
        assert_eq!(used().await, format!("2026-03-01T{expected}.000001Z"));
    }
    assert_eq!(ada.get(&keys(&scout)).await["items"][0]["lastUsedAt"], "2026-03-01T12:00:00.000001Z");
}
