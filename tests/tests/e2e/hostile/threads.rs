//! Relay agents cannot change the threads of other agents

use std::time::Duration;

use buildtrack_store::verification;
use buildtrack_tests::{Backend, Party, TestApp};
use rstest_reuse::apply;
use serde_json::{Value, json};

use crate::either;

/// A thread as the relay returns it.
async fn thread(party: &Party, id: &str) -> Value {
    party.get(&format!("/v1/threads/{id}")).await.expect_status(200)["thread"].clone()
}

/// An envelope that only names its request, as the public SDK sends it.
fn bare(party: &Party, kind: &str, payload: Value) -> Value {
    let mut envelope = party.unsigned(kind, "", payload);
    envelope.as_object_mut().unwrap().remove("thread");
    party.sign(envelope)
}

#[apply(either)]
async fn an_offering_agent_withdraws_its_offer_but_ends_no_thread(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let (client, agent, stranger) = (app.party("Client"), app.party("Agent"), app.party("Stranger"));
    client.request("t1").await.expect_status(200);
    agent.offer("t1").await.expect_status(200);
    stranger.offer("t1").await.expect_status(200);
    let error = json!({ "code": "INTERNAL_ERROR", "message": "No." });
    stranger.send("ERROR", "t1", error.clone()).await.expect_status(200);
    assert_eq!(thread(&client, "t1").await["state"], "PENDING");
    let mut accept = client.unsigned("ACCEPT", "t1", json!({}));
    accept["recipient"] = json!({ "id": stranger.did() });
    client.post(&client.sign(accept)).await.expect_refusal(409, "INVALID_REQUEST", "no_offer");
    stranger.send("ERROR", "t1", error).await.expect_refusal(403, "FORBIDDEN", "not_participant");
    client.accept("t1").await.expect_status(200);
    agent.deliver("t1").await.expect_status(200);
    assert_eq!(thread(&client, "t1").await["state"], "COMPLETED");
    let verified = verification::verify(app.store().log(), app.store().reputation(), |_| ()).await.unwrap();
    assert_eq!(verified.live, verified.rebuilt);
}

#[apply(either)]
async fn a_withdrawn_offer_does_not_keep_a_thread_open(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let (client, stranger) = (app.party("Client"), app.party("Stranger"));
    client.request("t1").await.expect_status(200);
    let due_at = thread(&client, "t1").await["due_at"].clone();
    stranger.offer("t1").await.expect_status(200);
    let error = json!({ "code": "INTERNAL_ERROR", "message": "No." });
    stranger.send("ERROR", "t1", error).await.expect_status(200);
    assert_eq!(thread(&client, "t1").await["due_at"], due_at);
    app.advance(Duration::from_mins(5));
    app.deliver().await;
    let over = thread(&client, "t1").await;
    assert_eq!((&over["state"], &over["reason"]), (&json!("ERROR"), &json!("no_offer")));
}

#[apply(either)]
async fn a_duplicate_request_id_captures_no_envelopes_of_others(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let (client, agent, stranger) = (app.party("Client"), app.party("Agent"), app.party("Stranger"));
    let requested = json!({ "request_id": "req_1", "intent": "a" });
    client.post(&client.envelope("REQUEST", "thread_1", requested.clone())).await.expect_status(200);
    // One envelope repeats the id of the request; the other one is also addressed to the agent.
    stranger.post(&bare(&stranger, "REQUEST", requested.clone())).await.expect_status(200);
    let mut addressed = stranger.unsigned("REQUEST", "thread_3", requested);
    addressed["recipient"] = json!({ "id": agent.did() });
    stranger.post(&stranger.sign(addressed)).await.expect_status(200);

    let mut offer = agent.unsigned("OFFER", "", json!({ "request_id": "req_1" }));
    offer.as_object_mut().unwrap().remove("thread");
    offer["recipient"] = json!({ "id": client.did() });
    agent.post(&agent.sign(offer)).await.expect_status(200);
    client.post(&bare(&client, "ACCEPT", json!({ "request_id": "req_1" }))).await.expect_status(200);
    let result = json!({ "request_id": "req_1", "status": "success" });
    agent.post(&bare(&agent, "RESULT", result)).await.expect_status(200);
    assert_eq!(thread(&client, "thread_1").await["state"], "COMPLETED");
}
