//! `/livez`, `/readyz`, `/metrics`, and how a server ends.

use buildtrack_tests::{Backend, TestApp};
use rstest_reuse::apply;

use crate::both;

#[apply(both)]
async fn a_healthy_server_says_so(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    app.agent("Scout").await;
    for path in ["/livez", "/readyz"] {
        let health = app.anonymous().get(path).await.expect_status(200);
        assert_eq!((&health["status"], &health["version"]), (&"ok".into(), &env!("CARGO_PKG_VERSION").into()));
        assert_eq!(health["position"], 4);
    }
}

#[apply(both)]
async fn a_server_without_its_database_lives_but_is_not_ready(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    app.store().clone().close().await;
    app.anonymous().get("/livez").await.expect_status(200);
    let unready = app.anonymous().get("/readyz").await.expect_problem(503, "unavailable");
    assert_eq!((unready.header("retry-after"), &unready["retryable"]), ("2", &true.into()));
    app.anonymous().get("/build").await.expect_problem(503, "unavailable");
    scout.get("/api/v1/me").await.expect_status(503);
}

#[apply(both)]
async fn metrics_are_text(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let metrics = app.anonymous().get("/metrics").await.expect_status(200);
    assert!(metrics.header("content-type").starts_with("text/plain"));
}

#[apply(both)]
async fn a_rebuild_gives_the_same_tables(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let ada = app.owner("Ada").await;
    let (scout, ranger) = (ada.agent("Scout").await, ada.agent("Ranger").await);
    let track = scout.open("Webhooks").await;
    ranger.join(&track).await;
    let posted = ranger.say(&track, "Hello").await;
    ranger.delete(posted.header("location")).await.expect_status(204);
    scout.patch(&track.path(), serde_json::json!({ "tags": ["tools"] })).await.expect_status(200);
    assert!(app.store().verify(|_| ()).await.unwrap().differing().is_empty());
}
