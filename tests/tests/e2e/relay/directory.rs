//! `POST /v1/agents`, `GET /v1/agents`, `GET /v1/agents/{did}`, `DELETE /v1/agents/{did}`, heartbeats and status

use std::time::Duration;

use buildtrack_tests::{Backend, Party, TestApp};
use rstest_reuse::apply;
use serde_json::json;

use crate::both;

#[apply(both)]
async fn an_agent_registers_and_is_shown_in_the_sdks_format(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let poly = app.party("Poly");
    let registration = poly.sign(poly.registration(vec![Party::manifest("translation.en_zh", 0.5)]));
    let answer = app.anonymous().post("/v1/agents", registration.clone()).await.expect_status(200);
    assert_eq!(answer["ok"], true);
    for agent in [&answer["agent"], &poly.get("/v1/agents").await.expect_status(200)["agents"][0]] {
        assert_eq!((&agent["id"], &agent["name"]), (&json!(poly.did()), &json!("Poly")));
        assert_eq!((&agent["url"], &agent["description"]), (&json!("https://poly.example"), &json!("Speaks.")));
        assert_eq!(agent["agent"], registration["agent"]);
        assert_eq!(agent["capabilities"], registration["capabilities"]);
        assert_eq!((&agent["intents"], &agent["status"]), (&json!(["translation.en_zh"]), &json!("online")));
        assert_eq!(
            (&agent["pricing"][0]["model"], &agent["pricing"][0]["fixed_price"]),
            (&json!("fixed"), &json!(0.5))
        );
        assert!(agent["last_seen"].is_string());
    }
    let shown = poly.get(&poly.entry_path()).await.expect_status(200);
    // The signed object is returned unchanged, so that every client can verify it.
    assert_eq!(shown["agent"]["registration"], registration);
    assert_eq!(agora_envelope::verify_object(poly.key(), &shown["agent"]["registration"]), Ok(()));
    let encoded = poly.entry_path().replace(':', "%3A");
    assert_eq!(poly.get(&encoded).await.expect_status(200)["agent"]["id"], poly.did());
    app.party("Nobody").get(&app.party("Nobody").entry_path()).await.expect_refusal(
        404,
        "INVALID_REQUEST",
        "agent_unknown",
    );
}

#[apply(both)]
async fn unsigned_registrations_are_refused(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let (poly, other) = (app.party("Poly"), app.party("Other"));
    let post = async |body: serde_json::Value| app.anonymous().post("/v1/agents", body).await;
    let registration = poly.registration(vec![Party::manifest("a.b", 1.0)]);
    // As the public SDK sends it.
    let mut unsigned = registration.clone();
    unsigned.as_object_mut().unwrap().remove("ts");
    let refused = post(unsigned).await.expect_refusal(403, "FORBIDDEN", "registration_unsigned");
    assert!(refused.text_at("/hint").contains("RFC 8785"));
    post(other.sign(registration.clone())).await.expect_refusal(400, "INVALID_REQUEST", "signature_invalid");
    let mut tampered = poly.sign(registration.clone());
    tampered["capabilities"][0]["pricing"]["fixed_price"] = json!(0);
    post(tampered).await.expect_refusal(400, "INVALID_REQUEST", "signature_invalid");
    let mut late = registration.clone();
    late["ts"] = json!("2026-03-01T11:55:00.000Z");
    post(poly.sign(late)).await.expect_refusal(400, "INVALID_REQUEST", "timestamp_out_of_window");
    // An object that was signed for another purpose is refused.
    let heartbeat = poly.statement("HEARTBEAT", json!({ "agent": { "id": poly.did() } }));
    post(heartbeat).await.expect_refusal(400, "INVALID_REQUEST", "registration_invalid");
    assert_eq!(poly.get("/v1/agents").await.expect_status(200)["agents"], json!([]));
}

#[apply(both)]
async fn every_wrong_field_of_a_manifest_is_named(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let poly = app.party("Poly");
    let mut manifest = Party::manifest("a.b", 1.0);
    manifest["pricing"] = json!({ "model": "barter" });
    manifest["intents"][0]["id"] = json!("a b");
    manifest.as_object_mut().unwrap().remove("name");
    let refused = poly.register(vec![manifest]).await.expect_refusal(400, "INVALID_REQUEST", "registration_invalid");
    let mut named: Vec<_> =
        refused["errors"].as_array().unwrap().iter().map(|error| error["pointer"].clone()).collect();
    named.sort_by_key(ToString::to_string);
    assert_eq!(named, ["/capabilities/0/intents/0/id", "/capabilities/0/name", "/capabilities/0/pricing/model"]);
    let schema = poly.get("/v1/manifest.schema.json").await.expect_status(200);
    assert_eq!(schema["required"], json!(["id", "name", "intents", "pricing"]));
}

#[apply(both)]
async fn an_older_declaration_never_replaces_a_newer_one(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let poly = app.party("Poly");
    let first = poly.sign(poly.registration(vec![Party::manifest("a.b", 1.0)]));
    let post = async |body: &serde_json::Value| app.anonymous().post("/v1/agents", body.clone()).await;
    post(&first).await.expect_status(200);
    assert_eq!(post(&first).await.expect_status(200)["duplicate"], true);
    app.advance(Duration::from_secs(1));
    poly.register(vec![Party::manifest("c.d", 1.0)]).await.expect_status(200);
    post(&first).await.expect_refusal(409, "INVALID_REQUEST", "declaration_stale");
    assert_eq!(poly.get(&poly.entry_path()).await.expect_status(200)["agent"]["intents"], json!(["c.d"]));
    app.advance(Duration::from_secs(1));
    let withdrawal = poly.statement("WITHDRAW", json!({}));
    app.party("Other").withdraw().await.expect_refusal(404, "INVALID_REQUEST", "agent_unknown");
    let other = app.party("Other").statement("WITHDRAW", json!({}));
    app.anonymous().delete(&poly.entry_path()).json(other).await.expect_refusal(403, "FORBIDDEN", "not_yours");
    app.anonymous().delete(&poly.entry_path()).json(withdrawal).await.expect_status(200);
    poly.get(&poly.entry_path()).await.expect_refusal(404, "INVALID_REQUEST", "agent_unknown");
    post(&first).await.expect_refusal(409, "INVALID_REQUEST", "declaration_stale");
    app.advance(Duration::from_secs(1));
    poly.register(vec![]).await.expect_status(200);
}

#[apply(both)]
async fn agents_are_listed_page_by_page(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let parties = ["Ada", "Bob", "Cleo"].map(|name| app.party(name));
    for party in &parties {
        party.register(vec![]).await.expect_status(200);
    }
    let page = app.anonymous().get("/v1/agents?limit=2").await.expect_status(200);
    assert_eq!((&page["agents"][0]["name"], &page["hasMore"]), (&json!("Cleo"), &json!(true)));
    let rest = app.anonymous().get(&format!("/v1/agents?cursor={}", page.text_at("/cursor"))).await.expect_status(200);
    assert_eq!(
        (&rest["agents"][0]["name"], &rest["hasMore"], &rest["cursor"]),
        (&json!("Ada"), &json!(false), &json!(null))
    );
}

#[apply(both)]
async fn heartbeats_set_the_status_and_are_not_on_the_log(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let poly = app.party("Poly");
    poly.heartbeat("online").await.expect_refusal(404, "INVALID_REQUEST", "agent_unknown");
    poly.register(vec![]).await.expect_status(200);
    let head = app.store().log().tail().head();
    let status = async || poly.get(&format!("{}/status", poly.entry_path())).await.expect_status(200);
    assert_eq!(status().await["status"], "online");
    app.advance(Duration::from_mins(6));
    assert_eq!(status().await["status"], "offline");
    let heartbeat = poly.statement("HEARTBEAT", json!({ "status": "busy" }));
    let path = format!("{}/heartbeat", poly.entry_path());
    let answer = app.anonymous().post(&path, heartbeat.clone()).await.expect_status(200);
    assert_eq!((&answer["ok"], &answer["id"], &answer["status"]), (&json!(true), &json!(poly.did()), &json!("busy")));
    assert_eq!(status().await["last_seen"], answer["last_seen"]);
    app.anonymous().post(&path, heartbeat).await.expect_refusal(409, "INVALID_REQUEST", "declaration_stale");
    app.advance(Duration::from_secs(1));
    poly.heartbeat("asleep").await.expect_refusal(400, "INVALID_REQUEST", "status_unknown");
    let other = app.party("Other").statement("HEARTBEAT", json!({}));
    app.anonymous().post(&path, other).await.expect_refusal(403, "FORBIDDEN", "not_yours");
    app.anonymous().post(&path, json!({ "id": poly.did() })).await.expect_refusal(403, "FORBIDDEN", "unsigned");
    let envelope = poly.statement("REQUEST", json!({}));
    app.anonymous().post(&path, envelope).await.expect_refusal(400, "INVALID_REQUEST", "type_unknown");
    assert_eq!(app.store().log().tail().head(), head);
}
