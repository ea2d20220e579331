//! `/api/v1/agents` and `/api/v1/agents/{id}`

use buildtrack_tests::{Agent, Backend, TestApp, shorten_ids};
use rstest_reuse::apply;
use serde_json::{Value, json};

use crate::{both, either, faults};

const PATH: &str = "/api/v1/agents";

fn path(agent: &Agent) -> String {
    format!("{PATH}/{}", agent.id)
}

#[apply(either)]
async fn the_owner_registers_an_agent_and_sees_key_and_secret_once(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let ada = app.owner("Ada").await;
    let body = json!({
        "name": "Scout", "model": "claude-opus-4-8", "description": "Looks ahead", "capabilities": ["review", "rust"],
        "webhookUrl": "https://scout.example/araf/webhook?token=1", "webhookEvents": ["workspace.join", "forum.reply"]
    });
    let registered = ada.post(PATH, body).await.expect_status(201);
    let (key, secret) = (registered.text_at("/key"), registered.text_at("/webhookSecret"));
    let hex = key.strip_prefix("araf_").unwrap();
    assert!(hex.len() == 40 && hex.bytes().all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f')), "{key}");
    assert!(secret.starts_with("whsec_") && secret.len() == 6 + 44);
    let shown = ada.get(registered.header("location")).await.expect_status(200);
    assert_eq!(shown.json, registered["agent"]);
    insta::allow_duplicates! {
        insta::assert_json_snapshot!(shorten_ids(&shown.json), @r#"
        {
          "active": true,
          "capabilities": [
            "review",
            "rust"
          ],
          "createdAt": "2026-03-01T12:00:00.000001Z",
          "description": "Looks ahead",
          "id": "ag_…",
          "model": "claude-opus-4-8",
          "name": "Scout",
          "ownerId": "ow_…",
          "suspended": false,
          "tier": "free",
          "webhook": {
            "events": [
              "forum.reply",
              "workspace.join"
            ],
            "health": {
              "failingSince": null,
              "failures": 0,
              "lastError": null,
              "lastStatus": null,
              "nextAttemptAt": null,
              "reason": "The endpoint has not yet answered a push or a ping with 2xx, and receives one push at a time.",
              "state": "unverified",
              "verifiedAt": null
            },
            "id": "wh_…",
            "url": "https://scout.example/araf/webhook?token=1"
          }
        }
        "#);
    }
}

#[apply(either)]
async fn only_the_agent_and_its_owner_see_its_webhook(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let (ada, bob) = (app.owner("Ada").await, app.owner("Bob").await);
    let scout = ada.agent_at("Scout", "https://scout.example/hook").await;
    let ranger = ada.agent("Ranger").await;
    for own in [&*scout, &*ada] {
        assert_eq!(own.get(&path(&scout)).await["webhook"]["url"], "https://scout.example/hook");
    }
    for stranger in [&app.anonymous(), &*bob, &*ranger] {
        let shown = stranger.get(&path(&scout)).await.expect_status(200);
        assert_eq!(shown.json.get("webhook"), None);
        assert!(!stranger.get(PATH).await.text.contains("scout.example"));
    }
}

#[apply(either)]
async fn every_wrong_field_is_named_in_one_answer(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let body = json!({
        "name": "", "model": 4, "description": "x".repeat(2001), "capabilities": ["a", "🦀".repeat(65)],
        "webhookUrl": "", "webhookEvents": ["workspace.message", "everything"], "tier": "enterprise"
    });
    let refused = app.owner("Ada").await.post(PATH, body).await.expect_problem(422, "validation_failed");
    assert_eq!(
        refused.faults(),
        faults(&[
            ("/capabilities/1", "too_long"),
            ("/description", "too_long"),
            ("/model", "wrong_type"),
            ("/name", "too_short"),
            ("/tier", "unknown_field"),
            ("/webhookEvents/1", "not_allowed"),
            ("/webhookUrl", "too_short"),
        ])
    );
    let missing = app.owner("Bob").await.post(PATH, json!({})).await.expect_status(422);
    assert_eq!(missing.faults(), faults(&[("/model", "required"), ("/name", "required")]));
}

#[apply(either)]
async fn a_webhook_must_be_a_public_https_url(#[case] backend: Backend) {
    let app = TestApp::with(backend, |settings| settings.allow_private_targets = false).await;
    let ada = app.owner("Ada").await;
    let scout = ada.agent_at("Scout", "https://1.1.1.1/hook").await;
    for target in [
        "http://1.1.1.1/",
        "ftp://1.1.1.1/",
        "scout",
        "https://user:pw@1.1.1.1/",
        "https://1.1.1.1/#x",
        "https://localhost/",
        "https://127.0.0.1/",
        "https://[::1]/",
        "https://169.254.169.254/",
        "https://10.1.2.3:8443/",
        "https://[::ffff:192.168.0.1]/",
        "https://0x7f.1/",
    ] {
        let registered = ada.post(PATH, json!({ "name": "Scout", "model": "m", "webhookUrl": target })).await;
        let changed = scout.patch(&path(&scout), json!({ "webhookUrl": target })).await;
        for refused in [registered, changed] {
            let refused = refused.expect_problem(422, "validation_failed");
            assert_eq!(refused.faults(), faults(&[("/webhookUrl", "forbidden_target")]), "{target}");
        }
    }
    assert_eq!(scout.get(&path(&scout)).await["webhook"]["url"], "https://1.1.1.1/hook");
}

#[apply(either)]
async fn agents_are_listed_newest_first_and_filtered(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let (ada, bob) = (app.owner("Ada").await, app.owner("Bob").await);
    let scout = ada.agent_with("Scout", json!({ "capabilities": ["Rust"] })).await;
    let ranger = ada.agent_with("Ranger", json!({ "description": "Guards 100% of it" })).await;
    let scribe = bob.agent("Scribe").await;
    ada.delete(&path(&ranger)).await.expect_status(204);
    let list = async |query: &str| ada.get(&format!("{PATH}?{query}")).await.expect_status(200).each("name");
    assert_eq!(list("").await, ["Scribe", "Scout"]);
    assert_eq!(list("inactive=true").await, ["Scribe", "Ranger", "Scout"]);
    assert_eq!(list("owner=me&inactive=true").await, ["Ranger", "Scout"]);
    assert_eq!(list(&format!("owner={}", bob.id)).await, ["Scribe"]);
    for (query, found) in
        [("q=SC", 2), ("q=rust", 1), ("q=100%25&inactive=true", 1), ("q=opus", 2), ("q=1000&inactive=true", 0)]
    {
        assert_eq!(list(query).await.len(), found, "{query}");
    }
    assert_eq!(
        scout.get(&format!("{PATH}?owner=me")).await.each("id"),
        [json!(scout.id)],
        "an agent's owner is its own"
    );
    drop(scribe);
}

#[apply(both)]
async fn pages_are_complete_during_concurrent_registrations(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let ada = app.owner("Ada").await;
    for name in ["1", "2", "3"] {
        ada.agent(name).await;
    }
    let first = ada.get(&format!("{PATH}?limit=2")).await.expect_status(200);
    ada.agent("4").await;
    let second = ada.get(&format!("{PATH}?limit=2&cursor={}", first.text_at("/nextCursor"))).await;
    assert_eq!([first.each("name"), second.each("name")].concat(), ["3", "2", "1"]);
    assert_eq!(second["nextCursor"], Value::Null);
}

#[apply(either)]
async fn every_wrong_parameter_is_named_in_one_answer(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let query = "owner=scout&inactive=perhaps&cursor=%20&limit=x&tier=pro";
    let refused = app.anonymous().get(&format!("{PATH}?{query}")).await.expect_problem(400, "invalid_parameter");
    let invalid = ["cursor", "inactive", "limit", "owner"].map(|name| (name, "invalid"));
    assert_eq!(refused.faults(), faults(&[&invalid[..], &[("tier", "unknown_parameter")]].concat()));
}

#[apply(either)]
async fn the_agent_and_its_owner_edit_it(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let ada = app.owner("Ada").await;
    let scout = ada.agent("Scout").await;
    let changes = json!({
        "name": "Ranger", "model": "claude-opus-5", "description": "Guards", "capabilities": ["go"],
        "webhookUrl": "https://ranger.example/hook", "webhookEvents": ["track.shipped"]
    });
    let changed = scout.patch(&path(&scout), changes.clone()).await.expect_status(200);
    for field in ["name", "model", "description", "capabilities"] {
        assert_eq!(changed[field], changes[field]);
    }
    assert_eq!(changed["webhook"]["url"], changes["webhookUrl"]);
    assert_eq!(changed["webhook"]["events"], changes["webhookEvents"]);
    let cleared = ada.patch(&path(&scout), json!({ "description": null, "webhookUrl": null })).await.expect_status(200);
    assert_eq!((&cleared["description"], &cleared["webhook"]["url"]), (&Value::Null, &Value::Null));
    assert_eq!((&cleared["name"], &cleared["webhook"]["events"]), (&changes["name"], &changes["webhookEvents"]));
    assert_eq!(cleared.json, ada.get(&path(&scout)).await.json);
}

#[apply(either)]
async fn others_cannot_edit_it(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let (ada, bob) = (app.owner("Ada").await, app.owner("Bob").await);
    let (scout, ranger) = (ada.agent("Scout").await, ada.agent("Ranger").await);
    for stranger in [&*bob, &*ranger] {
        for changes in [json!({ "name": "Mine" }), json!({ "webhookUrl": "https://bob.example/" }), json!({})] {
            stranger.patch(&path(&scout), changes).await.expect_problem(403, "not_your_agent");
        }
    }
    bob.delete(&path(&scout)).await.expect_problem(403, "not_your_agent");
    bob.act(&format!("{}/keys", path(&scout))).await.expect_problem(403, "not_your_agent");
    assert_eq!(scout.get(&path(&scout)).await["webhook"]["url"], Value::Null);
}

#[apply(either)]
async fn agents_cannot_use_owner_operations(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    scout.post(PATH, json!({ "name": "Twin", "model": "m" })).await.expect_problem(403, "owner_required");
    scout.act(&format!("{}/keys", path(&scout))).await.expect_problem(403, "owner_required");
    scout.delete(&path(&scout)).await.expect_problem(403, "owner_required");
}

#[apply(either)]
async fn an_edit_of_an_old_version_is_refused(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let ada = app.owner("Ada").await;
    let scout = ada.agent("Scout").await;
    let read = scout.get(&path(&scout)).await;
    let edit = |name: &str, tag: &str| ada.patch(&path(&scout), json!({ "name": name })).header("if-match", tag);
    let edited = edit("Ranger", read.header("etag")).await.expect_status(200);
    edit("Guard", read.header("etag")).await.expect_problem(412, "precondition_failed");
    edit("Guard", edited.header("etag")).await.expect_status(200);
}

#[apply(either)]
async fn an_edit_on_an_old_webhook_is_refused(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let read = scout.get(&path(&scout)).await;
    let edit =
        |url: &str| scout.patch(&path(&scout), json!({ "webhookUrl": url })).header("if-match", read.header("etag"));
    edit("https://one.example/").await.expect_status(200);
    edit("https://two.example/").await.expect_problem(412, "precondition_failed");
}

#[apply(either)]
async fn unknown_agents_are_not_found(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let ada = app.owner("Ada").await;
    for id in ["ag_01h2e8kqvbfwea724h75qc655w", "ow_01h2e8kqvbfwea724h75qc655w", "scout"] {
        let path = format!("{PATH}/{id}");
        app.anonymous().get(&path).await.expect_problem(404, "not_found");
        ada.patch(&path, json!({})).header("if-match", "\"v1-abc\"").await.expect_problem(404, "not_found");
        ada.delete(&path).await.expect_problem(404, "not_found");
        ada.act(&format!("{path}/keys")).await.expect_problem(404, "not_found");
    }
}

#[apply(either)]
async fn a_matching_etag_returns_304(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let tag = scout.get(&path(&scout)).await.header("etag").to_owned();
    scout.get(&path(&scout)).header("if-none-match", &tag).await.expect_status(304);
    // Others get fewer fields, so the agent's ETag does not match for them.
    app.anonymous().get(&path(&scout)).header("if-none-match", &tag).await.expect_status(200);
}
