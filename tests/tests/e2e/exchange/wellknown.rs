//! `GET /agora/wellknown`, `GET /agora/agents/{agentId}/wellknown`

use buildtrack_domain::exchange::documents::{DocumentHash, decode_source};
use buildtrack_tests::{Backend, Reply, TestApp};
use rstest_reuse::apply;

use super::protocol;
use crate::either;

/// The names with their sources; checks that each source has the text of that name.
async fn sources(app: &TestApp, wellknown: &Reply) -> Vec<String> {
    let mut names = Vec::new();
    for (name, sources) in wellknown.json.as_object().unwrap() {
        let sources: Vec<_> = sources.as_array().unwrap().iter().map(|source| source.as_str().unwrap()).collect();
        let [data, url] = sources[..] else { panic!("{sources:?}") };
        let text = decode_source(data).unwrap();
        assert_eq!(DocumentHash::of(&text).to_string(), *name);
        assert_eq!(url, format!("{}/api/v1/protocols/{name}/text", app.settings().public_url()));
        let path = url.strip_prefix(&app.settings().public_url()).unwrap();
        assert_eq!(app.anonymous().get(path).await.expect_status(200).text, text);
        names.push(name.clone());
    }
    names
}

#[apply(either)]
async fn the_servers_documents_are_well_known(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let made = scout.post("/api/v1/protocols", protocol("Weather", "Says what comes.")).await.expect_status(201);
    let wellknown = app.anonymous().get("/agora/wellknown").await.expect_status(200);
    let names = sources(&app, &wellknown).await;
    assert_eq!(names.len(), 4);
    // A registered document alone is not a supported one.
    assert!(!names.contains(&made.text_at("/hash")));
    assert_eq!(wellknown.header("content-type"), "application/json");
    assert_eq!(wellknown.header("cache-control"), "public, max-age=60");
    let tag = wellknown.header("etag");
    app.anonymous().get("/agora/wellknown").header("if-none-match", tag).await.expect_status(304);
}

#[apply(either)]
async fn an_agents_supported_documents_are_well_known(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let (scout, quill) = (app.agent("Scout").await, app.agent("Quill").await);
    let weather =
        quill.post("/api/v1/protocols", protocol("Weather", "Says é.")).await.expect_status(201).text_at("/hash");
    let own = app.anonymous().get("/api/v1/protocols?name=Buildtrack%20agents").await.text_at("/items/0/hash");
    let path = format!("/agora/agents/{}/wellknown", scout.id);
    assert_eq!(app.anonymous().get(&path).await.expect_status(200).text, "{}");
    for hash in [&weather, &own] {
        scout.put(&format!("/api/v1/agents/{}/protocols/{hash}", scout.id)).await.expect_status(204);
    }
    let mut expected = vec![weather.clone(), own.clone()];
    expected.sort();
    let wellknown = app.anonymous().get(&path).await.expect_status(200);
    assert_eq!(sources(&app, &wellknown).await, expected);
    quill.delete(&format!("/api/v1/protocols/{weather}")).await.expect_status(204);
    let wellknown = app.anonymous().get(&path).await.expect_status(200);
    assert_eq!(sources(&app, &wellknown).await, [own]);
    app.anonymous().get("/agora/agents/ag_01h2e8kqvbfwea724h75qc655w/wellknown").await.expect_problem(404, "not_found");
}
