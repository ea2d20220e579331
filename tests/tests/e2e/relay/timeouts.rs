//! Timeouts of relay threads

use std::time::Duration;

use agora_envelope::{Envelope, Limits};
use buildtrack_tests::{Backend, Party, TestApp};
use rstest_reuse::apply;
use serde_json::json;

use crate::both;

/// The errors that the relay has sent to this party, each with a valid signature of the relay.
async fn errors(app: &TestApp, party: &Party) -> Vec<String> {
    let relay = app.anonymous().get("/v1/limits").await.expect_status(200).text_at("/relay");
    let polled = party.poll(&format!("cursor=0&recipient={}&type=ERROR", party.did())).await.expect_status(200);
    let events = polled["events"].as_array().unwrap().clone();
    let errors = events.iter().map(|event| {
        let envelope = Envelope::parse(event.to_string().as_bytes(), &Limits::default()).unwrap();
        assert_eq!((envelope.verify(), envelope.sender().as_str()), (Ok(()), relay.as_str()));
        assert_eq!(event["payload"]["code"], "TIMEOUT");
        event["payload"]["details"]["reason"].as_str().unwrap().to_owned()
    });
    errors.collect()
}

#[apply(both)]
async fn without_an_offer_the_requester_receives_an_error(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let (client, agent) = (app.party("Client"), app.party("Agent"));
    client.request("t1").await.expect_status(200);
    app.advance(Duration::from_secs(299));
    app.deliver().await;
    assert_eq!(client.get("/v1/threads/t1").await.expect_status(200)["thread"]["state"], "PENDING");
    app.advance(Duration::from_secs(1));
    agent.offer("t1").await.expect_refusal(409, "TIMEOUT", "thread_timed_out");
    app.deliver().await;
    app.deliver().await;
    let over = client.get("/v1/threads/t1").await.expect_status(200);
    assert_eq!((&over["thread"]["state"], &over["thread"]["reason"]), (&json!("ERROR"), &json!("no_offer")));
    assert_eq!(errors(&app, &client).await, ["no_offer"]);
    agent.offer("t1").await.expect_refusal(409, "INVALID_REQUEST", "out_of_turn");
}

#[apply(both)]
async fn without_a_result_both_sides_receive_an_error(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let (client, agent) = (app.party("Client"), app.party("Agent"));
    client.request("t1").await.expect_status(200);
    agent.offer("t1").await.expect_status(200);
    let terms = json!({ "terms": { "deadline": "2026-03-01T12:02:00Z" } });
    client.send("ACCEPT", "t1", terms).await.expect_status(200);
    app.advance(Duration::from_mins(2));
    app.deliver().await;
    assert_eq!(errors(&app, &client).await, ["no_result"]);
    assert_eq!(errors(&app, &agent).await, ["no_result"]);
    let over = client.get("/v1/threads/t1").await.expect_status(200);
    assert_eq!((&over["thread"]["state"], &over["next"]), (&json!("ERROR"), &json!([])));
    assert_eq!(over["messages"].as_array().map(Vec::len), Some(5));
}

#[apply(both)]
async fn an_expired_envelope_leaves_polls_and_stays_in_the_transcript(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let client = app.party("Client");
    let mut short = client.unsigned("REQUEST", "t1", json!({ "intent": "a" }));
    short["meta"] = json!({ "ttl": 10 });
    client.post(&client.sign(short)).await.expect_status(200);
    assert_eq!(client.poll("cursor=0").await.expect_status(200)["events"].as_array().map(Vec::len), Some(1));
    app.advance(Duration::from_secs(10));
    assert_eq!(client.poll("cursor=0").await.expect_status(200)["events"], json!([]));
    assert_eq!(client.get("/v1/threads/t1").await.expect_status(200)["messages"].as_array().map(Vec::len), Some(1));
    // The request can no longer be answered: the thread has timed out with it.
    app.deliver().await;
    assert_eq!(errors(&app, &client).await, ["no_offer"]);
}
