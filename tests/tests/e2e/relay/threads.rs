//! `GET /v1/threads/{id}`, and how threads advance

use buildtrack_tests::{Backend, TestApp};
use futures_util::future::join_all;
use rstest_reuse::apply;
use serde_json::json;

use crate::both;

#[apply(both)]
async fn a_request_is_offered_accepted_and_delivered(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let (client, agent) = (app.party("Client"), app.party("Agent"));
    let thread = async || client.get("/v1/threads/t1").await.expect_status(200);
    client.get("/v1/threads/t1").await.expect_refusal(404, "INVALID_REQUEST", "thread_unknown");
    client.request("t1").await.expect_status(200);
    assert_eq!(thread().await["thread"]["state"], "PENDING");
    agent.offer("t1").await.expect_status(200);
    assert_eq!(thread().await["next"], json!(["OFFER", "ACCEPT", "CANCEL", "ERROR"]));
    client.accept("t1").await.expect_status(200);
    let active = thread().await;
    assert_eq!((&active["thread"]["state"], &active["thread"]["agent"]), (&json!("ACTIVE"), &json!(agent.did())));
    agent.deliver("t1").await.expect_status(200);
    let done = thread().await;
    assert_eq!((&done["thread"]["state"], &done["next"]), (&json!("COMPLETED"), &json!([])));
    let said: Vec<_> = done["messages"].as_array().unwrap().iter().map(|message| message["type"].clone()).collect();
    assert_eq!(said, ["REQUEST", "OFFER", "ACCEPT", "RESULT"]);
    let page = client.get("/v1/threads/t1?limit=3").await.expect_status(200);
    assert_eq!(page["hasMore"], true);
    let rest = client.get(&format!("/v1/threads/t1?cursor={}", page.text_at("/cursor"))).await.expect_status(200);
    assert_eq!((&rest["messages"][0]["type"], &rest["hasMore"]), (&json!("RESULT"), &json!(false)));
}

#[apply(both)]
async fn parties_cannot_send_envelopes_of_the_other_side(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let (client, agent, other) = (app.party("Client"), app.party("Agent"), app.party("Other"));
    agent.offer("t1").await.expect_refusal(404, "INVALID_REQUEST", "thread_unknown");
    client.request("t1").await.expect_status(200);
    client.request("t1").await.expect_refusal(409, "INVALID_REQUEST", "thread_begun");
    client.offer("t1").await.expect_refusal(403, "FORBIDDEN", "own_request");
    client.accept("t1").await.expect_refusal(409, "INVALID_REQUEST", "no_offer");
    agent.deliver("t1").await.expect_refusal(409, "INVALID_REQUEST", "out_of_turn");
    agent.offer("t1").await.expect_status(200);
    other.accept("t1").await.expect_refusal(403, "FORBIDDEN", "not_requester");
    other.offer("t1").await.expect_status(200);
    client.accept("t1").await.expect_refusal(400, "INVALID_REQUEST", "recipient_required");
    let mut accept = client.unsigned("ACCEPT", "t1", json!({}));
    accept["recipient"] = json!({ "id": agent.did() });
    client.post(&client.sign(accept)).await.expect_status(200);
    client.accept("t1").await.expect_refusal(409, "INVALID_REQUEST", "out_of_turn");
    other.deliver("t1").await.expect_refusal(403, "FORBIDDEN", "not_chosen");
    let error = json!({ "code": "INTERNAL_ERROR", "message": "No." });
    other.send("ERROR", "t1", error.clone()).await.expect_refusal(403, "FORBIDDEN", "not_participant");
    agent.send("ERROR", "t1", error.clone()).await.expect_status(200);
    client.send("CANCEL", "t1", json!({})).await.expect_refusal(409, "INVALID_REQUEST", "out_of_turn");
    let over = client.get("/v1/threads/t1").await.expect_status(200);
    assert_eq!((&over["thread"]["state"], &over["thread"]["reason"]), (&json!("ERROR"), &json!("error")));
}

#[apply(both)]
async fn one_of_concurrent_acceptances_counts(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let (client, agent) = (app.party("Client"), app.party("Agent"));
    client.request("t1").await.expect_status(200);
    agent.offer("t1").await.expect_status(200);
    let replies = join_all((0..8).map(|_| client.accept("t1"))).await;
    assert_eq!(replies.iter().filter(|reply| reply.status == 200).count(), 1);
    let refused: Vec<_> =
        replies.iter().filter(|reply| reply.status != 200).map(|reply| reply["reason"].clone()).collect();
    assert_eq!(refused, vec![json!("out_of_turn"); 7]);
}

#[apply(both)]
async fn a_thread_without_an_id_is_found_by_its_request(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let (client, agent) = (app.party("Client"), app.party("Agent"));
    // As the public SDK sends them: without thread and recipient.
    let bare = |party: &buildtrack_tests::Party, kind: &str, payload: serde_json::Value| {
        let mut envelope = party.unsigned(kind, "", payload);
        envelope.as_object_mut().unwrap().remove("thread");
        party.sign(envelope)
    };
    let request = bare(&client, "REQUEST", json!({ "request_id": "req_1", "intent": "a" }));
    client.post(&request).await.expect_status(200);
    agent.post(&bare(&agent, "OFFER", json!({ "request_id": "req_1" }))).await.expect_status(200);
    client.post(&bare(&client, "ACCEPT", json!({ "request_id": "req_1" }))).await.expect_status(200);
    let result = json!({ "request_id": "req_1", "status": "success" });
    agent.post(&bare(&agent, "RESULT", result)).await.expect_status(200);
    assert_eq!(client.get("/v1/threads/req_1").await.expect_status(200)["thread"]["state"], "COMPLETED");

    // If the REQUEST has a thread id, later envelopes may omit it.
    let named = client.envelope("REQUEST", "thread_2", json!({ "request_id": "req_2", "intent": "a" }));
    client.post(&named).await.expect_status(200);
    agent.post(&bare(&agent, "OFFER", json!({ "request_id": "req_2" }))).await.expect_status(200);
    assert_eq!(
        client.get("/v1/threads/thread_2").await.expect_status(200)["messages"].as_array().map(Vec::len),
        Some(2)
    );
    // A REQUEST without ids begins a thread under its own id; other envelopes need one of the ids.
    let nameless = bare(&client, "REQUEST", json!({ "intent": "a" }));
    client.post(&nameless).await.expect_status(200);
    client.get(&format!("/v1/threads/{}", nameless["id"].as_str().unwrap())).await.expect_status(200);
    let offer = bare(&agent, "OFFER", json!({}));
    agent.post(&offer).await.expect_refusal(400, "INVALID_REQUEST", "thread_missing");
    let mismatch = agent.envelope("OFFER", "thread_2", json!({ "request_id": "req_1" }));
    agent.post(&mismatch).await.expect_refusal(400, "INVALID_REQUEST", "request_id_mismatch");
}

#[apply(both)]
async fn an_expired_offer_is_not_accepted(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let (client, agent) = (app.party("Client"), app.party("Agent"));
    client.request("t1").await.expect_status(200);
    agent.send("OFFER", "t1", json!({ "valid_until": "2026-03-01T12:01:00Z" })).await.expect_status(200);
    app.advance(std::time::Duration::from_mins(1));
    client.accept("t1").await.expect_refusal(409, "INVALID_REQUEST", "offer_expired");
    agent.offer("t1").await.expect_status(200);
    client.accept("t1").await.expect_status(200);
}
