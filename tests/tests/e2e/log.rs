//! `GET /api/v1/log`, `GET /api/v1/log/checkpoint`, `GET /.well-known/jwks.json`: the hash chain, verified by a client.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use buildtrack_tests::{Backend, Caller, Owner, TestApp, message};
use chrono::{DateTime, SecondsFormat, Utc};
use ed25519_dalek::{Signature, VerifyingKey};
use rstest_reuse::apply;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::{both, faults};

/// The whole log, read in pages.
async fn whole_log(caller: &Caller) -> Vec<Value> {
    let (mut events, mut after) = (Vec::new(), json!(0));
    loop {
        let page = caller.get(&format!("/api/v1/log?limit=7&after={after}")).await.expect_status(200);
        let items = page["items"].as_array().unwrap().clone();
        if items.is_empty() {
            assert_eq!((&page["nextAfter"], &page["head"]), (&after, &after));
            return events;
        }
        after = page["nextAfter"].clone();
        events.extend(items);
    }
}

fn bytes(value: &Value) -> Vec<u8> {
    hex::decode(value.as_str().unwrap()).unwrap()
}

/// The hash of the last event, recomputed from the public log alone: header, salt, data and data hash.
fn recomputed(events: &[Value]) -> String {
    let mut hash = vec![0; 32];
    for (position, event) in (1..).zip(events) {
        assert_eq!(event["position"], position);
        assert_eq!(event.get("decoded").is_some(), event["data"].is_string(), "{event}");
        if event["visibility"] == "public" {
            let data_hash =
                Sha256::new().chain_update(bytes(&event["salt"])).chain_update(event["data"].as_str().unwrap());
            assert_eq!(data_hash.finalize()[..], bytes(&event["dataHash"]));
        }
        let recorded_at: DateTime<Utc> = event["recordedAt"].as_str().unwrap().parse().unwrap();
        let header = [
            position.to_string(),
            event["stream"].as_str().unwrap().to_owned(),
            event["version"].to_string(),
            event["type"].as_str().unwrap().to_owned(),
            event["metadata"].as_str().unwrap().to_owned(),
            recorded_at.to_rfc3339_opts(SecondsFormat::Micros, true),
        ];
        let header: String = header.map(|line| format!("{line}\n")).concat();
        hash = Sha256::new()
            .chain_update(&hash)
            .chain_update(header)
            .chain_update(bytes(&event["dataHash"]))
            .finalize()
            .to_vec();
        assert_eq!(hash, bytes(&event["hash"]), "position {position}");
    }
    hex::encode(hash)
}

/// Events of many types, including a redaction.
async fn write_sample_events(app: &TestApp) -> Owner {
    let ada = app.owner("Ada").await;
    let (scout, ranger) = (ada.agent("Scout").await, ada.agent_at("Ranger", "https://ranger.example/hook").await);
    let track = scout.open("Webhooks").await;
    ranger.join(&track).await;
    let posted = scout.post_message(&track, "Push 🦀, don't \"poll\"\n").await;
    ranger.post_message(&track, "Signed how?").await;
    scout.delete(posted.header("location")).await.expect_status(204);
    ranger
        .patch(&format!("/api/v1/agents/{}", ranger.id), json!({ "webhookUrl": null, "model": "m" }))
        .await
        .expect_status(200);
    scout.patch(&track.path(), json!({ "goal": "No polling" })).await.expect_status(200);
    scout.act(&format!("{}/archive", track.path())).await.expect_status(200);
    scout.delete("/api/v1/sessions/current").await.expect_status(204);
    ada.act(&format!("/api/v1/agents/{}/keys", scout.id)).await.expect_status(201);
    ada.delete(&format!("/api/v1/agents/{}", scout.id)).await.expect_status(204);
    ada
}

#[apply(both)]
async fn the_chain_leads_to_the_checkpoint(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    write_sample_events(&app).await;
    app.advance(std::time::Duration::from_millis(1500));
    app.owner("Bob").await;
    let events = whole_log(&app.anonymous()).await;
    let checkpoint = app.anonymous().get("/api/v1/log/checkpoint").await.expect_status(200);
    assert_eq!(checkpoint["position"], events.len());
    assert_eq!(checkpoint["hash"], recomputed(&events));
    assert_eq!(checkpoint["recordedAt"], events.last().unwrap()["recordedAt"]);
    for visibility in ["public", "private", "redacted"] {
        assert!(events.iter().any(|event| event["visibility"] == visibility), "{visibility}");
    }
}

#[apply(both)]
async fn a_changed_event_breaks_the_chain(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    write_sample_events(&app).await;
    let mut events = whole_log(&app.anonymous()).await;
    events[0]["stream"] = "ow_01h2e8kqvbfwea724h75qc655w".into();
    assert!(std::panic::catch_unwind(|| recomputed(&events)).is_err());
}

#[apply(both)]
async fn the_checkpoint_is_signed_with_a_published_key(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    write_sample_events(&app).await;
    let checkpoint = app.anonymous().get("/api/v1/log/checkpoint").await.expect_status(200);
    let jws = checkpoint.text_at("/jws");
    let (signed, signature) = jws.rsplit_once('.').unwrap();
    let decode = |part: &str| URL_SAFE_NO_PAD.decode(part).unwrap();
    let [header, payload] =
        [0, 1].map(|part| serde_json::from_slice::<Value>(&decode(signed.split('.').nth(part).unwrap())).unwrap());
    assert_eq!(header["alg"], "EdDSA");
    assert_eq!((&payload["position"], &payload["hash"]), (&checkpoint["position"], &checkpoint["hash"]));
    let keys = app.anonymous().get("/.well-known/jwks.json").await.expect_status(200);
    let key = keys["keys"].as_array().unwrap().iter().find(|key| key["kid"] == header["kid"]).unwrap();
    assert_eq!((&key["kty"], &key["crv"]), (&json!("OKP"), &json!("Ed25519")));
    let key = VerifyingKey::from_bytes(&decode(key["x"].as_str().unwrap()).try_into().unwrap()).unwrap();
    let signature = Signature::from_slice(&decode(signature)).unwrap();
    key.verify_strict(signed.as_bytes(), &signature).unwrap();
}

#[apply(both)]
async fn the_key_survives_a_restart(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let keys = app.anonymous().get("/.well-known/jwks.json").await.expect_status(200);
    let app = app.restart().await;
    assert_eq!(app.anonymous().get("/.well-known/jwks.json").await.json, keys.json);
}

#[apply(both)]
async fn acts_are_public_and_private_events_show_hashes_only(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let ada = write_sample_events(&app).await;
    let events = whole_log(&app.anonymous()).await;
    let shown: Vec<_> = events
        .iter()
        .map(|event| format!("{} {}", event["type"].as_str().unwrap(), event["visibility"].as_str().unwrap()))
        .collect();
    assert_eq!(
        shown,
        [
            "private private",
            "owner.registered public",
            "agent.registered public",
            "private private",
            "agent.registered public",
            "private private",
            "workspace.opened public",
            "workspace.joined public",
            "message.posted redacted",
            "message.posted public",
            "message.redacted public",
            "agent.edited public",
            "private private",
            "workspace.edited public",
            "workspace.archived public",
            "private private",
            "agent.key_rotated public",
            "agent.deactivated public",
        ]
    );
    for event in &events {
        let hidden = event["visibility"] != "public";
        assert_eq!((event["data"].is_null(), event["salt"].is_null()), (hidden, hidden), "{event}");
    }
    let metadata: Value = serde_json::from_str(events[2]["metadata"].as_str().unwrap()).unwrap();
    assert_eq!(metadata, json!({ "actor": ada.id }));
}

#[apply(both)]
async fn a_page_begins_at_the_requested_position(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let track = scout.open("Webhooks").await;
    let head = app.store().log().tail().head();
    let page = scout.get(&format!("/api/v1/log?after={}&limit=1", head - 1)).await.expect_status(200);
    assert_eq!(
        (&page["items"][0]["stream"], &page["nextAfter"], &page["head"]),
        (&json!(track.id), &json!(head), &json!(head))
    );
    let end = scout.get(&format!("/api/v1/log?after={}", head + 100)).await.expect_status(200);
    assert_eq!((&end["items"], &end["nextAfter"]), (&json!([]), &json!(head + 100)));
    let refused = scout.get("/api/v1/log?after=-1&limit=0&from=3").await.expect_problem(400, "invalid_parameter");
    assert_eq!(refused.faults(), faults(&[("after", "invalid"), ("from", "unknown_parameter"), ("limit", "invalid")]));
}

#[apply(both)]
async fn data_are_returned_byte_by_byte(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let text = "1.0 1e5 \u{1} \\ / \"quoted\" 🦀 \u{2028}";
    let posted = scout.post(&scout.open("Webhooks").await.messages(), message(text)).await.expect_status(201);
    let page = scout.get(&format!("/api/v1/log?after={}", posted["position"].as_i64().unwrap() - 1)).await;
    let data: Value = serde_json::from_str(page["items"][0]["data"].as_str().unwrap()).unwrap();
    assert_eq!(data["content"], text);
}
