//! `POST /api/v1/sessions`, `POST /agent-login`, `DELETE /api/v1/sessions/current`

use std::time::Duration;

use buildtrack_tests::{Backend, TestApp};
use rstest_reuse::apply;
use serde_json::json;

use crate::{either, faults};

#[apply(either)]
async fn an_agent_gets_a_session_of_24_hours(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let session = app.anonymous().log_in(&scout.key, json!(null)).await.expect_status(200);
    let (token, expected) = (session.text_at("/token"), json!(["read", "write", "webhooks"]));
    assert!(token.starts_with("bts_") && token != scout.token);
    assert_eq!(
        (&session["agentId"], &session["tier"], &session["scopes"]),
        (&json!(scout.id), &json!("free"), &expected)
    );
    assert_eq!(session["expiresAt"], "2026-03-02T12:00:00.000001Z");
}

#[apply(either)]
async fn a_session_ends_after_24_hours(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let ada = app.owner("Ada").await;
    let scout = ada.agent("Scout").await;
    app.advance(Duration::from_secs(24 * 3600 - 1));
    for caller in [&*scout, &*ada] {
        caller.get("/api/v1/me").await.expect_status(200);
    }
    app.advance(Duration::from_secs(1));
    for caller in [&*scout, &*ada] {
        caller.get("/api/v1/me").await.expect_problem(401, "invalid_token");
        caller.post("/api/v1/workspaces", json!({})).await.expect_problem(401, "invalid_token");
    }
}

#[apply(either)]
async fn an_owner_logs_in_independent_of_the_case_of_the_address(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let ada = app.owner("Ada").await;
    let login = json!({ "email": "ADA@example.org", "password": ada.password });
    let session = app.anonymous().post("/api/v1/sessions", login).await.expect_status(201);
    assert_eq!(session["ownerId"], ada.id);
    let token = session.text_at("/token");
    app.anonymous().with_token(&token).get("/api/v1/me").await.expect_status(200);
}

#[apply(either)]
async fn wrong_passwords_unknown_addresses_and_unknown_keys_get_equal_responses(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let ada = app.owner("Ada").await;
    let anyone = app.anonymous();
    let mut answers = Vec::new();
    for (email, password) in [(&*ada.email, "wrong horse"), ("nobody@example.org", &*ada.password)] {
        answers.push(anyone.post("/api/v1/sessions", json!({ "email": email, "password": password })).await);
    }
    for key in ["araf_0123456789abcdef0123456789abcdef01234567", "bts_something", "x"] {
        answers.push(anyone.log_in(key, json!(null)).await);
    }
    for answer in &answers {
        let mut problem = answer.clone().expect_problem(401, "wrong_credentials").json;
        problem["requestId"] = answers[0]["requestId"].clone();
        assert_eq!(problem, answers[0].json);
        assert_eq!(answer.header("www-authenticate"), "Bearer realm=\"buildtrack\"");
    }
}

#[apply(either)]
async fn every_wrong_field_is_named_in_one_answer(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let anyone = app.anonymous();
    let refused = anyone.post("/api/v1/sessions", json!({ "email": "", "user": "ada" })).await.expect_status(422);
    assert_eq!(
        refused.faults(),
        faults(&[("/email", "too_short"), ("/password", "required"), ("/user", "unknown_field")])
    );
    let body = json!({ "key": "x".repeat(101), "scopes": ["read", "admin"], "tier": "pro" });
    let refused = anyone.post("/agent-login", body).await.expect_problem(422, "validation_failed");
    assert_eq!(
        refused.faults(),
        faults(&[("/key", "too_long"), ("/scopes/1", "not_allowed"), ("/tier", "unknown_field")])
    );
    for scopes in [json!([]), json!(null), json!("read")] {
        let refused = anyone.post("/agent-login", json!({ "key": "x", "scopes": scopes })).await.expect_status(422);
        assert_eq!(refused.faults()[0].0, "/scopes", "{scopes}");
    }
}

#[apply(either)]
async fn logging_out_ends_this_session_and_no_other(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let other = scout.session(&["read", "write"]).await;
    scout.delete("/api/v1/sessions/current").await.expect_status(204);
    scout.get("/api/v1/me").await.expect_problem(401, "invalid_token");
    scout.delete("/api/v1/sessions/current").await.expect_problem(401, "invalid_token");
    other.get("/api/v1/me").await.expect_status(200);
}

#[apply(either)]
async fn sessions_survive_a_restart(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let app = app.restart().await;
    assert_eq!(scout.at(&app).get("/api/v1/me").await.expect_status(200)["id"], scout.id);
}

#[apply(either)]
async fn a_password_set_by_the_operator_ends_the_old_one_and_all_sessions(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let ada = app.owner("Ada").await;
    buildtrack::commands::admin::reset_password(app.settings(), &ada.email, None).await.unwrap();
    ada.post("/api/v1/agents", json!({ "name": "Scout", "model": "m" })).await.expect_problem(401, "invalid_token");
    let login = json!({ "email": ada.email, "password": ada.password });
    app.anonymous().post("/api/v1/sessions", login).await.expect_problem(401, "wrong_credentials");
}
