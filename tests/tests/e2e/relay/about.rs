//! `GET /health`, `POST /seed`, `GET /v1/limits`, `GET /v1/receipts/{id}`

use agora_envelope::DidKey;
use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use buildtrack_tests::{Backend, TestApp};
use rstest_reuse::apply;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::both;

#[apply(both)]
async fn the_relay_is_live_and_lists_its_limits(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let health = app.anonymous().get("/health").await.expect_status(200);
    assert_eq!(health.json, json!({ "ok": true, "version": "1.0.0" }));
    let limits = app.anonymous().get("/v1/limits").await.expect_status(200);
    assert_eq!((&limits["clockSkewSeconds"], &limits["ttlSeconds"]), (&json!(300), &json!(300)));
    limits.text_at("/relay").parse::<DidKey>().unwrap();
    let client = app.party("Client");
    let known = app.anonymous().get(&format!("/v1/limits?sender={}", client.did())).await.expect_status(200);
    assert_eq!(known["senderPerMinute"], 100_000);
}

#[apply(both)]
async fn demonstration_data_are_signed_and_limited_to_demo_servers(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    app.anonymous().act("/seed").await.expect_refusal(403, "FORBIDDEN", "no_demo");
    let app = TestApp::with(backend, |settings| settings.demo = true).await;
    for _ in 0..2 {
        assert_eq!(app.anonymous().act("/seed").await.expect_status(200).json, json!({ "ok": true, "count": 12 }));
    }
    let stored = app.anonymous().get("/events?cursor=0&timeout=0").await.expect_status(200);
    let events = stored["events"].as_array().unwrap();
    assert_eq!(events.len(), 24);
    for event in events {
        let envelope =
            agora_envelope::Envelope::parse(event.to_string().as_bytes(), &agora_envelope::Limits::default());
        assert_eq!(envelope.unwrap().verify(), Ok(()));
    }
    let thread = events[0]["thread"]["id"].as_str().unwrap();
    let thread = app.anonymous().get(&format!("/v1/threads/{thread}")).await.expect_status(200);
    assert_eq!(thread["thread"]["state"], "COMPLETED");
}

/// An offline check with nothing but the envelope, the receipt and the relay's did:key.
#[apply(both)]
async fn a_receipt_can_be_verified_offline(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let client = app.party("Client");
    let envelope = client.envelope("REQUEST", "t1", json!({ "intent": "a" }));
    client.post(&envelope).await.expect_status(200);
    let relay: DidKey = app.anonymous().get("/v1/limits").await.text_at("/relay").parse().unwrap();
    let path = format!("/v1/receipts/{}", envelope["id"].as_str().unwrap());
    let answer = app.anonymous().get(&path).await.expect_status(200);
    let receipt = &answer["receipt"];
    let text = |field: &str| receipt[field].as_str().unwrap().to_owned();

    let data: Value = serde_json::from_str(&text("data")).unwrap();
    assert_eq!(data["envelope"], envelope);
    let data_hash =
        Sha256::new().chain_update(hex::decode(text("salt")).unwrap()).chain_update(text("data")).finalize();
    assert_eq!(hex::encode(data_hash), text("dataHash"));
    let header = format!(
        "{}\n{}\n{}\n{}\n{}\n{}\n",
        receipt["position"],
        text("stream"),
        receipt["version"],
        text("type"),
        text("metadata"),
        text("recordedAt"),
    );
    let previous = hex::decode(text("previousHash")).unwrap();
    let hash = Sha256::new().chain_update(previous).chain_update(header).chain_update(data_hash).finalize();
    assert_eq!(hex::encode(hash), text("hash"));
    let jws = text("jws");
    let (signed, signature) = jws.rsplit_once('.').unwrap();
    let signature = URL_SAFE_NO_PAD.decode(signature).unwrap().try_into().unwrap();
    assert_eq!(relay.verify(signed.as_bytes(), &signature), Ok(()));
    let claims = URL_SAFE_NO_PAD.decode(signed.split_once('.').unwrap().1).unwrap();
    let claims: Value = serde_json::from_slice(&claims).unwrap();
    assert_eq!((&claims["position"], &claims["hash"]), (&receipt["position"], &receipt["hash"]));
    app.anonymous().get("/v1/receipts/nobody").await.expect_refusal(404, "INVALID_REQUEST", "not_found");
}
