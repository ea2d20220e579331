//! Rules of named keys: their number, who manages them, what a body may hold, and what stays secret.

use std::time::Duration;

use buildtrack_tests::{Backend, TestApp};
use futures_util::future::join_all;
use rstest_reuse::apply;
use serde_json::{Value, json};

use super::named_keys::{create, keys, revoke, session};
use crate::{both, faults};

/// A key that belongs to no agent.
const UNKNOWN: &str = "key_01h2e8kqvbfwea724h75qc655w";

#[apply(both)]
async fn an_agent_has_at_most_ten_named_keys_under_concurrent_requests(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let ada = app.owner("Ada").await;
    let scout = ada.agent("Scout").await;
    let path = format!("{}/named", keys(&scout));
    let count = async || ada.get(&keys(&scout)).await["items"].as_array().unwrap().len();
    join_all((0..14).map(|_| async { ada.post(&path, json!({ "name": "Many" })).await })).await;
    assert!(count().await <= 11);
    while count().await < 11 {
        create(&ada, &scout, json!({ "name": "One more" })).await;
    }
    ada.post(&path, json!({ "name": "Too many" })).await.expect_problem(409, "too_many_keys");
    let one = ada.get(&keys(&scout)).await.text_at("/items/1/id");
    ada.delete(&format!("{}/{one}", keys(&scout))).await.expect_status(204);
    create(&ada, &scout, json!({ "name": "The tenth", "expiresAt": "2026-03-01T13:00:00Z" })).await;
    ada.post(&path, json!({ "name": "Too many" })).await.expect_problem(409, "too_many_keys");
    app.advance(Duration::from_hours(1));
    create(&ada, &scout, json!({ "name": "Instead of the expired one" })).await;
    assert_eq!(count().await, 11);
}

#[apply(both)]
async fn only_the_owner_manages_keys(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let (ada, olga) = (app.owner("Ada").await, app.operator("Olga").await);
    let scout = ada.agent("Scout").await;
    let laptop = create(&ada, &scout, json!({ "name": "Laptop" })).await;
    let (path, one) = (keys(&scout), format!("{}/{}", keys(&scout), laptop.text_at("/id")));
    let on_laptop = session(&app, &laptop).await;
    for (caller, status, code) in [
        (&app.anonymous(), 401, "unauthenticated"),
        (&*app.owner("Bob").await, 403, "not_your_agent"),
        (&*olga, 403, "not_your_agent"),
        (&*scout, 403, "owner_required"),
        (&on_laptop, 403, "owner_required"),
    ] {
        caller.get(&path).await.expect_problem(status, code);
        caller.post(&format!("{path}/named"), json!({ "name": "Mine" })).await.expect_problem(status, code);
        caller.delete(&one).await.expect_problem(status, code);
    }
    // The key of another agent of the same owner is not found.
    let ranger = ada.agent("Ranger").await;
    revoke(&ada, &ranger, &laptop).await.expect_problem(404, "not_found");
    for wrong in [UNKNOWN, "x"] {
        ada.delete(&format!("{path}/{wrong}")).await.expect_problem(404, "not_found");
    }
    let nothing = "/api/v1/agents/ag_01h2e8kqvbfwea724h75qc655w/keys";
    ada.get(nothing).await.expect_problem(404, "not_found");
    ada.post(&format!("{nothing}/named"), json!({ "name": "Mine" })).await.expect_problem(404, "not_found");
    on_laptop.get("/api/v1/me").await.expect_status(200);
}

#[apply(both)]
async fn wrong_fields_are_named_and_create_nothing(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let ada = app.owner("Ada").await;
    let scout = ada.agent("Scout").await;
    let path = format!("{}/named", keys(&scout));
    let wrong = json!({ "name": " ", "scopes": [], "expiresAt": "soon", "note": 1 });
    assert_eq!(
        ada.post(&path, wrong).await.expect_problem(422, "validation_failed").faults(),
        faults(&[("/expiresAt", "wrong_form"), ("/name", "blank"), ("/note", "unknown_field"), ("/scopes", "too_few")])
    );
    for at in ["2026-03-01T12:00:00Z", "2026-03-01T12:00:00.000001Z", "2036-03-01T12:00:00Z", "9999-12-31T23:59:59Z"] {
        let refused = ada.post(&path, json!({ "name": "Laptop", "expiresAt": at })).await;
        assert_eq!(refused.expect_problem(422, "validation_failed").faults(), faults(&[("/expiresAt", "invalid")]));
    }
    ada.act(&path).await.expect_problem(415, "unsupported_media_type");
    assert_eq!(ada.get(&keys(&scout)).await.each("id"), [json!("primary")]);
}

#[apply(both)]
async fn a_suspended_or_deactivated_agent_cannot_log_in_with_any_key(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let (ada, olga) = (app.owner("Ada").await, app.operator("Olga").await);
    let scout = ada.agent("Scout").await;
    let laptop = create(&ada, &scout, json!({ "name": "Laptop" })).await;
    let key = laptop.text_at("/key");
    let decide = async |subject: &str, action: &str| {
        let body = json!({ "subject": subject, "action": action, "reason": "Advertising" });
        olga.post("/api/v1/moderation/actions", body).await.expect_status(201);
    };
    for subject in [&scout.id, &ada.id] {
        decide(subject, "suspend").await;
        app.anonymous().log_in(&key, json!(null)).await.expect_problem(403, "suspended");
        decide(subject, "reinstate").await;
    }
    let login = json!({ "email": ada.email, "password": ada.password });
    let token = app.anonymous().post("/api/v1/sessions", login).await.expect_status(201).text_at("/token");
    let ada = app.anonymous().with_token(&token);
    let on_laptop = session(&app, &laptop).await;
    ada.delete(&format!("/api/v1/agents/{}", scout.id)).await.expect_status(204);
    on_laptop.get("/api/v1/me").await.expect_problem(401, "invalid_token");
    app.anonymous().log_in(&key, json!(null)).await.expect_problem(401, "wrong_credentials");
    let again = ada.post(&format!("{}/named", keys(&scout)), json!({ "name": "Again" })).await;
    again.expect_problem(409, "agent_deactivated");
    assert_eq!(ada.get(&keys(&scout)).await.expect_status(200)["items"], json!([]));
}

#[apply(both)]
async fn the_log_names_keys_by_id_and_deletion_removes_them(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let ada = app.owner("Ada").await;
    let scout = ada.agent("Scout").await;
    let expiring = json!({ "name": "Laptop of Adalbertine", "expiresAt": "2026-04-01T00:00:00Z" });
    let laptop = create(&ada, &scout, expiring).await;
    let server = create(&ada, &scout, json!({ "name": "Server of Adalbertine" })).await;
    revoke(&ada, &scout, &server).await.expect_status(204);
    let log = app.anonymous().get("/api/v1/log?limit=200").await.expect_status(200);
    let events =
        log["items"].as_array().unwrap().iter().filter(|event| event["type"].to_string().contains("agent.key_"));
    let shown: Vec<_> = events
        .map(|event| {
            assert_eq!((&event["visibility"], &event["stream"]), (&json!("public"), &json!(scout.id)));
            let data: Value = serde_json::from_str(event["data"].as_str().unwrap()).unwrap();
            (event["type"].clone(), data)
        })
        .collect();
    let (agent_id, first, second) = (&scout.id, &laptop["id"], &server["id"]);
    let expires_at = "2026-04-01T00:00:00Z";
    assert_eq!(
        shown,
        [
            (json!("agent.key_created"), json!({ "agentId": agent_id, "keyId": first, "expiresAt": expires_at })),
            (json!("agent.key_created"), json!({ "agentId": agent_id, "keyId": second })),
            (json!("agent.key_revoked"), json!({ "agentId": agent_id, "keyId": second })),
        ]
    );
    assert!(!log.text.contains("Adalbertine") && app.dump().await.contains("Laptop of Adalbertine"));
    let on_laptop = session(&app, &laptop).await;
    ada.delete("/api/v1/me").json(json!({ "password": ada.password, "texts": "keep" })).await.expect_status(204);
    on_laptop.get("/api/v1/me").await.expect_problem(401, "invalid_token");
    app.anonymous().log_in(&laptop.text_at("/key"), json!(null)).await.expect_problem(401, "wrong_credentials");
    assert!(!app.dump().await.contains("Adalbertine"));
}

#[apply(both)]
async fn a_key_is_shown_once_and_stored_as_a_hash(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let ada = app.owner("Ada").await;
    let scout = ada.agent("Scout").await;
    let path = format!("{}/named", keys(&scout));
    let first = ada.post(&path, json!({ "name": "Laptop" })).key("one").await.expect_status(201);
    let again = ada.post(&path, json!({ "name": "Laptop" })).key("one").await.expect_problem(409, "answer_not_stored");
    assert!(again.text_at("/hint").contains(&first.text_at("/id")), "{}", again.text);
    ada.post(&path, json!({ "name": "Other" })).key("one").await.expect_problem(422, "idempotency_key_reused");
    assert_eq!(ada.get(&keys(&scout)).await.each("name"), [json!(null), json!("Laptop")]);
    let (tables, key) = (app.dump().await, first.text_at("/key"));
    assert!(
        tables.contains(&first.text_at("/id"))
            && !tables.contains(&key)
            && !tables.contains(&hex::encode(key.as_bytes()))
    );
}
