//! `POST /events`, `POST /v1/messages`, `GET /v1/messages/{id}`

use std::time::Duration;

use buildtrack_tests::{Backend, TestApp};
use futures_util::future::join_all;
use rstest_reuse::apply;
use serde_json::json;

use crate::both;

#[apply(both)]
async fn an_envelope_is_accepted_bare_and_wrapped(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let (client, agent) = (app.party("Client"), app.party("Agent"));
    let request = client.envelope("REQUEST", "t1", json!({ "intent": "a" }));
    let bare = app.anonymous().post("/v1/messages", request.clone()).await.expect_status(200);
    assert_eq!(bare.json, json!({ "ok": true, "id": request["id"] }));
    let offer = agent.envelope("OFFER", "t1", json!({}));
    let wrapped = app.anonymous().post("/v1/messages", json!({ "envelope": offer })).await.expect_status(200);
    assert_eq!(wrapped.json, json!({ "ok": true, "id": offer["id"] }));
    // Only /v1/messages accepts a wrapper.
    let wrapped = app.anonymous().post("/events", json!({ "envelope": offer })).await;
    wrapped.expect_refusal(400, "INVALID_REQUEST", "field_missing");
}

#[apply(both)]
async fn accepted_envelopes_are_returned_as_signed(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let client = app.party("Client");
    let mut envelope =
        client.unsigned("REQUEST", "t1", json!({ "intent": "a", "params": { "nul": "\u{0}", "big": 1e30 } }));
    envelope["nobody knows this"] = json!([null, 0.5, "€\u{2028}😀"]);
    let envelope = client.sign(envelope);
    client.post(&envelope).await.expect_status(200);
    let polled = client.poll("cursor=0").await.expect_status(200);
    assert_eq!(polled["events"], json!([envelope]));
    let received =
        agora_envelope::Envelope::parse(polled["events"][0].to_string().as_bytes(), &agora_envelope::Limits::default());
    assert_eq!(received.unwrap().verify(), Ok(()));
}

#[apply(both)]
async fn refused_envelopes_change_nothing_and_are_recorded(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let client = app.party("Client");
    let good = client.unsigned("REQUEST", "t1", json!({ "intent": "a" }));
    let with = |change: &dyn Fn(&mut serde_json::Value)| {
        let mut envelope = good.clone();
        change(&mut envelope);
        client.sign(envelope)
    };
    let mut tampered = client.sign(good.clone());
    tampered["payload"]["intent"] = json!("b");
    for (envelope, reason) in [
        (tampered, "signature_invalid"),
        (with(&|envelope| envelope["version"] = json!("1.1")), "version_unsupported"),
        (with(&|envelope| envelope["type"] = json!("HELLO")), "type_unknown"),
        (with(&|envelope| envelope["ts"] = json!("2026-03-01T12:05:00.001Z")), "timestamp_out_of_window"),
        (with(&|envelope| envelope["ts"] = json!("yesterday")), "timestamp_invalid"),
        (with(&|envelope| envelope["payload"] = json!({})), "payload_invalid"),
        (with(&|envelope| envelope["sender"]["id"] = json!("did:web:example.com")), "did_method_unsupported"),
        (with(&|envelope| envelope["id"] = json!("")), "field_empty"),
    ] {
        client.post(&envelope).await.expect_refusal(400, "INVALID_REQUEST", reason);
    }
    let doubled = client.sign(good.clone()).to_string().replacen('{', "{\"version\":\"1.0\",", 1);
    let doubled = app.anonymous().send("POST", "/events").body("application/json", doubled).await;
    doubled.expect_refusal(400, "INVALID_REQUEST", "duplicate_key");
    let large = with(&|envelope| envelope["payload"]["text"] = json!("x".repeat(70_000)));
    client.post(&large).await.expect_refusal(413, "INVALID_REQUEST", "too_large");

    assert_eq!(client.poll("cursor=0").await.expect_status(200)["events"], json!([]));
    let fate = client.get(&format!("/v1/messages/{}", good["id"].as_str().unwrap())).await.expect_status(200);
    assert_eq!(fate["status"], "refused");
    let reasons: Vec<_> =
        fate["refusals"].as_array().unwrap().iter().map(|refusal| refusal["reason"].clone()).collect();
    for reason in ["signature_invalid", "timestamp_out_of_window", "payload_invalid"] {
        assert!(reasons.contains(&json!(reason)), "{reason}: {reasons:?}");
    }
    // The refused envelope did not use the id.
    client.post(&client.sign(good.clone())).await.expect_status(200);
    let fate = client.get(&format!("/v1/messages/{}", good["id"].as_str().unwrap())).await.expect_status(200);
    assert_eq!((&fate["status"], &fate["threadId"]), (&json!("accepted"), &json!("t1")));
    client.get("/v1/messages/nobody").await.expect_refusal(404, "INVALID_REQUEST", "not_found");
}

#[apply(both)]
async fn an_envelope_id_is_never_reused(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let client = app.party("Client");
    let envelope = client.envelope("REQUEST", "t1", json!({ "intent": "a" }));
    client.post(&envelope).await.expect_status(200);
    // Much later, with another spelling or padding: it is the same id.
    app.advance(Duration::from_hours(24));
    let spaced = format!(" {} ", serde_json::to_string_pretty(&envelope).unwrap());
    let again = app.anonymous().send("POST", "/events").body("application/json", spaced).await.expect_status(200);
    assert_eq!(again.json, json!({ "ok": true, "id": envelope["id"], "duplicate": true }));
    let mut padded = envelope.clone();
    padded["sig"] = json!(format!("{}==", envelope["sig"].as_str().unwrap()));
    assert_eq!(client.post(&padded).await.expect_status(200)["duplicate"], true);
    let mut other = client.unsigned("REQUEST", "t2", json!({ "intent": "b" }));
    other["id"] = envelope["id"].clone();
    client.post(&client.sign(other)).await.expect_refusal(409, "INVALID_REQUEST", "id_taken");
    assert_eq!(client.get("/v1/threads/t1").await.expect_status(200)["messages"].as_array().map(Vec::len), Some(1));
}

#[apply(both)]
async fn concurrent_copies_of_an_envelope_are_accepted_once(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let client = app.party("Client");
    let envelope = client.envelope("REQUEST", "t1", json!({ "intent": "a" }));
    let replies = join_all((0..8).map(|_| client.post(&envelope))).await;
    let first = replies.iter().filter(|reply| reply["ok"] == true && reply["duplicate"].is_null()).count();
    let again = replies.iter().filter(|reply| reply["duplicate"] == true).count();
    assert_eq!((first, again), (1, 7));
}

#[apply(both)]
async fn each_envelope_of_a_batch_has_its_own_result(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let client = app.party("Client");
    let requests: Vec<_> =
        (0..5).map(|number| client.envelope("REQUEST", &format!("t{number}"), json!({ "intent": "a" }))).collect();
    client.post(&requests[1]).await.expect_status(200);
    let mut tampered = requests[2].clone();
    tampered["payload"]["intent"] = json!("b");
    let batch = json!({ "envelopes": [requests[0], requests[1], tampered, "no envelope", requests[3], requests[4], requests[4]] });
    let answer = app.anonymous().post("/v1/messages/batch", batch).await.expect_status(200);
    assert_eq!((&answer["ok"], &answer["accepted"]), (&json!(true), &json!(5)));
    let id = |number: usize| &requests[number]["id"];
    let results = answer["results"].as_array().unwrap();
    assert_eq!(results[0], json!({ "ok": true, "id": id(0) }));
    assert_eq!(results[1], json!({ "ok": true, "id": id(1), "duplicate": true }));
    assert_eq!((&results[2]["ok"], &results[2]["id"]), (&json!(false), id(2)));
    assert_eq!((&results[2]["error"], &results[2]["reason"]), (&json!("INVALID_REQUEST"), &json!("signature_invalid")));
    assert_eq!((&results[3]["id"], &results[3]["reason"]), (&json!(null), &json!("not_an_object")));
    assert_eq!(results[4], json!({ "ok": true, "id": id(3) }));
    assert_eq!([&results[5]["duplicate"], &results[6]["duplicate"]], [&json!(null), &json!(true)]);

    let polled = client.poll("cursor=0").await.expect_status(200);
    let mut polled: Vec<_> = polled["events"].as_array().unwrap().iter().map(|event| event["id"].clone()).collect();
    let mut accepted = [0, 1, 3, 4].map(|number| id(number).clone()).to_vec();
    polled.sort_by_key(ToString::to_string);
    accepted.sort_by_key(ToString::to_string);
    assert_eq!(polled, accepted);
    let fate = client.get(&format!("/v1/messages/{}", id(2).as_str().unwrap())).await.expect_status(200);
    assert_eq!(fate["refusals"][0]["reason"], "signature_invalid");
}

#[apply(both)]
async fn envelopes_of_one_thread_in_a_batch_are_processed_in_order(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let (client, agent) = (app.party("Client"), app.party("Agent"));
    let said = |number: usize| {
        let (thread, request_id) = (format!("t{number}"), format!("r{number}"));
        let mut accept = client.unsigned("ACCEPT", &thread, json!({ "request_id": request_id }));
        // Found by its request id alone.
        accept.as_object_mut().unwrap().remove("thread");
        [
            client.envelope("REQUEST", &thread, json!({ "intent": "a", "request_id": request_id })),
            agent.envelope("OFFER", &thread, json!({})),
            client.sign(accept),
            agent.envelope("RESULT", &thread, json!({ "status": "success" })),
        ]
    };
    let batch = json!({ "envelopes": (0..16).flat_map(said).collect::<Vec<_>>() });
    let answer = app.anonymous().post("/v1/messages/batch", batch).await.expect_status(200);
    assert_eq!(answer["accepted"], 64, "{}", answer.json);
    for number in 0..16 {
        let thread = client.get(&format!("/v1/threads/t{number}")).await.expect_status(200);
        assert_eq!(thread["thread"]["state"], "COMPLETED");
        assert_eq!(thread["messages"].as_array().map(Vec::len), Some(4));
    }
}

#[apply(both)]
async fn a_batch_has_limits(#[case] backend: Backend) {
    let limits = |settings: &mut buildtrack_settings::Settings| {
        settings.rate_limits = "relay=100000,relay_address=4".parse().unwrap();
    };
    let app = TestApp::with(backend, limits).await;
    let client = app.party("Client");
    let requests: Vec<_> =
        (0..65).map(|number| client.envelope("REQUEST", &format!("t{number}"), json!({ "intent": "a" }))).collect();
    for refused in [&requests[..0], &requests[..]] {
        let answer = app.anonymous().post("/v1/messages/batch", json!({ "envelopes": refused })).await;
        answer.expect_refusal(400, "INVALID_REQUEST", "batch_size");
    }
    // Each envelope counts as a request of its address; two were sent already.
    let answer = app.anonymous().post("/v1/messages/batch", json!({ "envelopes": requests[..3] })).await;
    let answer = answer.expect_status(200);
    assert_eq!(answer["accepted"], 2);
    assert_eq!(
        (&answer["results"][2]["reason"], &answer["results"][2]["retryable"]),
        (&json!("rate_limited"), &json!(true))
    );
    let answer = app.anonymous().post("/v1/messages/batch", json!({ "envelopes": requests[..3] })).await;
    answer.expect_refusal(429, "UNAVAILABLE", "rate_limited");
    assert_eq!(app.anonymous().get("/v1/limits").await["reason"], "rate_limited");
    app.advance(Duration::from_mins(1));
    assert_eq!(app.anonymous().get("/v1/limits").await.expect_status(200)["envelopesPerBatch"], 64);
}

#[apply(both)]
async fn the_relays_paths_respond_in_the_protocols_shape(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let anyone = app.anonymous();
    anyone.put("/events").await.expect_refusal(405, "INVALID_REQUEST", "method_not_allowed");
    anyone.get("/v1/messages/a/b").await.expect_refusal(404, "INVALID_REQUEST", "not_found");
    let text = anyone.send("POST", "/events").body("text/plain", "hello").await;
    text.expect_refusal(415, "INVALID_REQUEST", "unsupported_media_type");
    let broken = anyone.send("POST", "/events").body("application/json", "{").await;
    broken.expect_refusal(400, "INVALID_REQUEST", "json_incomplete");
}

#[apply(both)]
async fn a_sender_is_limited_to_its_allowance(#[case] backend: Backend) {
    let limits = |settings: &mut buildtrack_settings::Settings| {
        settings.rate_limits = "relay=2,relay_address=100000".parse().unwrap();
    };
    let app = TestApp::with(backend, limits).await;
    let (client, other) = (app.party("Client"), app.party("Other"));
    client.request("t1").await.expect_status(200);
    client.request("t2").await.expect_status(200);
    let refused = client.request("t3").await.expect_refusal(429, "UNAVAILABLE", "rate_limited");
    assert_eq!((refused.header("retry-after"), &refused["retryable"]), ("30", &json!(true)));
    other.request("t3").await.expect_status(200);
    app.advance(Duration::from_secs(30));
    client.request("t4").await.expect_status(200);
}
