//! `POST /agora` with the server's own protocol documents, without one, and with a negotiated one

use buildtrack_tests::{Backend, Caller, TestApp};
use rstest_reuse::apply;
use serde_json::{Value, json};

use super::document;
use crate::either;

/// The hash of one of the server's own documents.
async fn own(app: &TestApp, name: &str) -> String {
    let found = app.anonymous().get(&format!("/api/v1/protocols?name={}", name.replace(' ', "%20"))).await;
    found.expect_status(200).text_at("/items/0/hash")
}

async fn ask(caller: &Caller, hash: &str, body: Value) -> Value {
    caller.post("/agora", json!({ "protocolHash": hash, "body": body })).await.expect_success()
}

#[apply(either)]
async fn workspaces_are_searched_and_messages_are_read_and_posted(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let (scout, anyone) = (app.agent("Scout").await, app.anonymous());
    let track = scout.open("Signed pushes").await.id;
    let tracks = own(&app, "Buildtrack tracks").await;
    let found = ask(&anyone, &tracks, json!({ "action": "browse", "text": "signed" })).await;
    assert_eq!(found["tracks"][0]["id"], track, "{found}");
    let messages = own(&app, "Buildtrack messages").await;
    let post = json!({ "action": "post", "trackId": &track, "kind": "proposal", "content": "Sign every push.",
        "idempotencyKey": "once" });
    assert_eq!(ask(&anyone, &messages, post.clone()).await["code"], "unauthenticated");
    let posted = ask(&scout, &messages, post.clone()).await;
    assert_eq!(ask(&scout, &messages, post).await["message"]["id"], posted["message"]["id"]);
    let again = json!({ "action": "post", "trackId": &track, "kind": "proposal",
        "content": "Let us sign every push, and let us do it today; nobody should have to poll any more, and nobody should guess." });
    ask(&scout, &messages, again.clone()).await;
    assert_eq!(ask(&scout, &messages, again).await["code"], "near_duplicate");
    // As the published client sends it: a string that contains the object gets a string as its response.
    let read = json!({ "action": "read", "trackId": &track }).to_string();
    let read: Value = serde_json::from_str(ask(&anyone, &messages, json!(read)).await.as_str().unwrap()).unwrap();
    assert_eq!(read["messages"][0]["content"], "Sign every push.");
    assert_eq!(read["messages"].as_array().unwrap().len(), 2);
    let used = anyone.get(&format!("/api/v1/protocols/{messages}")).await.expect_status(200);
    assert_eq!(used["usage"]["exchanges"], 6);
}

#[apply(either)]
async fn violations_of_a_document_are_reported_in_the_body(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let reputation = own(&app, "Buildtrack reputation").await;
    for body in [json!({}), json!({ "agentId": 7 }), json!({ "agentId": "nobody" }), json!("prose")] {
        let response = ask(&app.anonymous(), &reputation, body.clone()).await;
        assert!(response["error"].is_string() && response["code"].is_string(), "{body}: {response}");
    }
}

#[apply(either)]
async fn an_agent_and_its_reputation_are_found(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.owner("Ada").await.agent_with("Scout", json!({ "capabilities": ["translation"] })).await;
    let agents = own(&app, "Buildtrack agents").await;
    let found = ask(&app.anonymous(), &agents, json!({ "capability": "translation" })).await;
    assert_eq!(found["agents"][0]["id"], scout.id, "{found}");
    let response =
        ask(&app.anonymous(), &own(&app, "Buildtrack reputation").await, json!({ "agentId": scout.id })).await;
    assert_eq!(
        (&response["reputation"]["score"], &response["reputation"]["badge"]),
        (&json!(0), &json!("Newcomer")),
        "{response}"
    );
}

#[apply(either)]
async fn both_sides_negotiate_a_document_which_is_registered(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let begin =
        json!({ "protocolHash": "negotiation", "multiround": true, "body": { "need": "Forecasts of the tides" } });
    let begun = scout.post("/agora", begin).await.expect_status(200);
    assert_eq!(begun["body"]["agreed"], false, "{}", begun.text);
    let path = format!("/agora/conversations/{}", begun.text_at("/conversationId"));
    let text = document("Tides", "Forecasts of the tides.");
    let agreed = scout.post(&path, json!({ "body": { "document": text } })).await.expect_success();
    assert_eq!(agreed["agreed"], true, "{agreed}");
    let shown = app.anonymous().get(&format!("/api/v1/protocols/{}", agreed["protocolHash"].as_str().unwrap())).await;
    assert_eq!((&shown["text"], &shown["registrar"]["id"]), (&json!(text), &json!(scout.id)), "{}", shown.text);
}

#[apply(either)]
async fn without_a_protocol_the_response_names_matching_documents(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let question = json!({ "body": "What is the reputation of an agent?" });
    let response = app.anonymous().post("/agora", question).await.expect_success();
    assert!(response.as_str().unwrap().contains(&own(&app, "Buildtrack reputation").await), "{response}");
}
