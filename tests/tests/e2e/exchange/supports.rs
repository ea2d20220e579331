//! `PUT` and `DELETE /api/v1/agents/{id}/protocols/{hash}`, `GET /api/v1/agents/{id}/protocols`

use buildtrack_domain::exchange::documents::DocumentHash;
use buildtrack_store::verification;
use buildtrack_tests::{Agent, Backend, TestApp};
use rstest_reuse::apply;
use serde_json::json;

use super::protocol;
use crate::either;

fn path(agent: &Agent, hash: &str) -> String {
    format!("/api/v1/agents/{}/protocols/{hash}", agent.id)
}

async fn register(agent: &Agent, name: &str) -> String {
    agent.post("/api/v1/protocols", protocol(name, "Says what comes.")).await.expect_status(201).text_at("/hash")
}

#[apply(either)]
async fn an_agent_or_its_owner_sets_its_supported_documents(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let ada = app.owner("Ada").await;
    let (scout, quill) = (ada.agent("Scout").await, app.agent("Quill").await);
    let (weather, tides) = (register(&quill, "Weather").await, register(&quill, "Tides").await);
    quill.put(&path(&scout, &weather)).await.expect_problem(404, "not_found");
    scout.put(&path(&scout, &weather)).await.expect_status(204);
    let head = app.store().log().tail().head();
    scout.put(&path(&scout, &weather.to_uppercase())).await.expect_status(204);
    assert_eq!(app.store().log().tail().head(), head);
    ada.put(&path(&scout, &tides)).await.expect_status(204);
    let supports = format!("/api/v1/agents/{}/protocols", scout.id);
    let listed = app.anonymous().get(&supports).await.expect_status(200);
    assert_eq!(listed.each("name"), ["Tides", "Weather"]);
    let page = app.anonymous().get(&format!("{supports}?limit=1")).await.expect_status(200);
    let rest = app.anonymous().get(&format!("{supports}?cursor={}", page.text_at("/nextCursor"))).await;
    assert_eq!((rest.each("hash"), &rest["nextCursor"]), (vec![json!(weather)], &json!(null)));
    let shown = app.anonymous().get(&format!("/api/v1/protocols/{weather}")).await.expect_status(200);
    assert_eq!(
        (&shown["supporters"][0]["agentId"], &shown["supporters"][0]["name"]),
        (&json!(scout.id), &json!("Scout"))
    );
    let found = app.anonymous().get(&format!("/api/v1/protocols?supportedBy={}", scout.id)).await.expect_status(200);
    assert_eq!(found.each("name"), ["Tides", "Weather"]);
    quill.delete(&path(&scout, &weather)).await.expect_problem(404, "not_found");
    ada.delete(&path(&scout, &weather)).await.expect_status(204);
    scout.delete(&path(&scout, &weather)).await.expect_status(204);
    assert_eq!(app.anonymous().get(&supports).await.expect_status(200).each("name"), ["Tides"]);
    app.anonymous()
        .get("/api/v1/agents/ag_01h2e8kqvbfwea724h75qc655w/protocols")
        .await
        .expect_problem(404, "not_found");
    assert!(
        verification::verify(app.store().log(), app.store().reputation(), |_| ()).await.unwrap().differing().is_empty()
    );
}

#[apply(either)]
async fn only_registered_documents_can_be_supported(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let (scout, quill) = (app.agent("Scout").await, app.agent("Quill").await);
    scout.put(&path(&scout, &DocumentHash::of("x").to_string())).await.expect_problem(404, "not_found");
    scout.put(&path(&scout, "x")).await.expect_problem(404, "not_found");
    let weather = register(&quill, "Weather").await;
    scout.put(&path(&scout, &weather)).await.expect_status(204);
    quill.delete(&format!("/api/v1/protocols/{weather}")).await.expect_status(204);
    let supports = format!("/api/v1/agents/{}/protocols", scout.id);
    assert_eq!(app.anonymous().get(&supports).await.expect_status(200).each("name"), [] as [&str; 0]);
    quill.put(&path(&quill, &weather)).await.expect_problem(404, "not_found");
    // One of the server's own documents.
    let own = app.anonymous().get("/api/v1/protocols?q=reputation&limit=1").await.text_at("/items/0/hash");
    scout.put(&path(&scout, &own)).await.expect_status(204);
    let listed = app.anonymous().get(&supports).await.expect_status(200);
    assert_eq!(listed.each("name"), ["Buildtrack reputation"]);
    let found = app.anonymous().get(&format!("/api/v1/protocols?supportedBy={}", scout.id)).await.expect_status(200);
    assert_eq!(found.each("hash"), [json!(own)]);
}

#[apply(either)]
async fn an_agent_supports_fifty_documents_at_most(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    for number in 0..50 {
        let hash = register(&scout, &format!("Number {number}")).await;
        scout.put(&path(&scout, &hash)).await.expect_status(204);
    }
    let last = register(&scout, "One too many").await;
    scout.put(&path(&scout, &last)).await.expect_problem(409, "too_many_protocols");
}

#[apply(either)]
async fn a_deactivated_agent_supports_nothing(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let ada = app.owner("Ada").await;
    let scout = ada.agent("Scout").await;
    let weather = register(&scout, "Weather").await;
    scout.put(&path(&scout, &weather)).await.expect_status(204);
    ada.delete(&format!("/api/v1/agents/{}", scout.id)).await.expect_status(204);
    ada.put(&path(&scout, &weather)).await.expect_problem(409, "agent_deactivated");
    let shown = app.anonymous().get(&format!("/api/v1/protocols/{weather}")).await.expect_status(200);
    assert_eq!(shown["supporters"], json!([]));
    let wellknown = app.anonymous().get(&format!("/agora/agents/{}/wellknown", scout.id)).await.expect_status(200);
    assert_eq!(wellknown.json, json!({}));
}
