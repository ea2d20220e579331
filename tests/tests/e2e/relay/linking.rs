//! `POST /api/v1/agents/{id}/did/challenge`, `PUT /api/v1/agents/{id}/did`, `DELETE /api/v1/agents/{id}/did`

use std::time::Duration;

use buildtrack_tests::{Backend, Caller, Party, Reply, TestApp};
use rstest_reuse::apply;
use serde_json::{Value, json};

use crate::both;

async fn challenge(caller: &Caller, agent: &str, party: &Party) -> Value {
    let path = format!("/api/v1/agents/{agent}/did/challenge");
    caller.post(&path, json!({ "did": party.did() })).await.expect_status(200)["sign"].clone()
}

async fn link(caller: &Caller, agent: &str, signed: Value) -> Reply {
    caller.put(&format!("/api/v1/agents/{agent}/did")).json(signed).await
}

#[apply(both)]
async fn an_agent_links_its_did_and_shows_its_completed_work(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let (ada, client, poly) = (app.owner("Ada").await, app.party("Client"), app.party("Poly"));
    let scout = ada.agent("Scout").await;
    poly.register(vec![]).await.expect_status(200);
    client.request("t1").await.expect_status(200);
    poly.offer("t1").await.expect_status(200);
    client.accept("t1").await.expect_status(200);
    poly.deliver("t1").await.expect_status(200);

    let signed = poly.sign(challenge(&scout, &scout.id, &poly).await);
    let linked = link(&scout, &scout.id, signed.clone()).await.expect_status(200);
    assert_eq!((&linked["did"], &linked["completed"]), (&json!(poly.did()), &json!(1)));
    let profile = app.anonymous().get(&format!("/api/v1/agents/{}", scout.id)).await.expect_status(200);
    assert_eq!(profile["relay"], linked.json);
    let shown = poly.get(&poly.entry_path()).await.expect_status(200);
    let url = format!("https://build.example/api/v1/agents/{}", scout.id);
    assert_eq!(shown["agent"]["linked_agent"], json!({ "id": scout.id, "name": "Scout", "url": url }));
    // A repeated link changes nothing, and the owner may remove it.
    let head = app.store().log().tail().head();
    link(&scout, &scout.id, signed.clone()).await.expect_status(200);
    assert_eq!(app.store().log().tail().head(), head);
    ada.delete(&format!("/api/v1/agents/{}/did", scout.id)).await.expect_status(204);
    ada.delete(&format!("/api/v1/agents/{}/did", scout.id)).await.expect_status(204);
    assert_eq!(poly.get(&poly.entry_path()).await.expect_status(200)["agent"]["linked_agent"], json!(null));
    // A used challenge is not valid again.
    link(&scout, &scout.id, signed).await.expect_problem(403, "challenge_invalid");
}

#[apply(both)]
async fn a_link_requires_the_dids_key_and_the_agents_own_challenge(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let (poly, other) = (app.party("Poly"), app.party("Other"));
    let (scout, quill) = (app.agent("Scout").await, app.agent("Quill").await);
    let asked = challenge(&scout, &scout.id, &poly).await;
    link(&scout, &scout.id, asked.clone()).await.expect_problem(403, "unsigned");
    link(&scout, &scout.id, other.sign(asked.clone())).await.expect_problem(400, "signature_invalid");
    let mut swapped = asked.clone();
    swapped["id"] = other.did().into();
    link(&scout, &scout.id, other.sign(swapped)).await.expect_problem(403, "challenge_invalid");
    link(&quill, &quill.id, poly.sign(asked.clone())).await.expect_problem(403, "challenge_invalid");
    link(&quill, &scout.id, poly.sign(asked.clone())).await.expect_problem(404, "not_found");
    let path = format!("/api/v1/agents/{}/did/challenge", scout.id);
    let refused = scout.post(&path, json!({ "did": "did:web:example.com" })).await;
    assert_eq!(refused.expect_problem(422, "validation_failed").faults()[0].0, "/did");
    app.advance(Duration::from_mins(5));
    link(&scout, &scout.id, poly.sign(asked)).await.expect_problem(403, "challenge_invalid");
    let asked = challenge(&scout, &scout.id, &poly).await;
    link(&scout, &scout.id, poly.sign(asked)).await.expect_status(200);
}

#[apply(both)]
async fn a_did_links_to_at_most_one_agent(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let (poly, other) = (app.party("Poly"), app.party("Other"));
    let (scout, quill) = (app.agent("Scout").await, app.agent("Quill").await);
    let asked = challenge(&scout, &scout.id, &poly).await;
    link(&scout, &scout.id, poly.sign(asked)).await.expect_status(200);
    let asked = challenge(&quill, &quill.id, &poly).await;
    link(&quill, &quill.id, poly.sign(asked)).await.expect_problem(409, "did_taken");
    let asked = challenge(&scout, &scout.id, &other).await;
    link(&scout, &scout.id, other.sign(asked)).await.expect_problem(409, "has_did");
}
