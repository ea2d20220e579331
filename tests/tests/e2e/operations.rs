//! `/livez`, `/readyz`, `/metrics`, and the shutdown of a server.

use std::time::{Duration, Instant};

use buildtrack_store::{clock::Clock, verification};
use buildtrack_tests::{Backend, TestApp};
use chrono::TimeDelta;
use rstest_reuse::apply;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

use crate::{both, either};

#[apply(either)]
async fn a_healthy_server_is_live_and_ready(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    app.agent("Scout").await;
    for path in ["/livez", "/readyz"] {
        let health = app.anonymous().get(path).await.expect_status(200);
        assert_eq!((&health["status"], &health["version"]), (&"ok".into(), &env!("CARGO_PKG_VERSION").into()));
        assert_eq!(health["position"], 4);
    }
}

#[apply(either)]
async fn a_ready_server_states_that_its_clock_is_wrong(#[case] backend: Backend) {
    let clock = Clock::wrong_by(TimeDelta::zero());
    let app = TestApp::at(backend, clock.clone(), |_| ()).await;
    let ready = app.anonymous().get("/readyz").await.expect_status(200);
    assert_eq!(ready["clock"]["corrected"], false);
    for hours in [1, -2] {
        clock.jump(TimeDelta::hours(hours));
        let ready = app.anonymous().get("/readyz").await.expect_status(200);
        let skew = ready["clock"]["skewSeconds"].as_f64().unwrap();
        assert_eq!(ready["clock"]["corrected"], true);
        assert!(skew.abs() > 3590.0 && skew.is_sign_positive() == (hours > 0), "{skew}");
    }
}

#[apply(both)]
async fn a_server_without_its_database_is_live_but_not_ready(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    app.store().clone().close().await;
    app.anonymous().get("/livez").await.expect_status(200);
    let unready = app.anonymous().get("/readyz").await.expect_problem(503, "unavailable");
    assert_eq!((unready.header("retry-after"), &unready["retryable"]), ("2", &true.into()));
    app.anonymous().get("/build").await.expect_problem(503, "unavailable");
    scout.get("/api/v1/me").await.expect_status(503);
}

#[apply(either)]
async fn metrics_count_requests_by_method_route_and_status(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    app.agent("Scout").await.get("/api/v1/me").await.expect_status(200);
    let metrics = app.anonymous().get("/metrics").await.expect_status(200);
    assert!(metrics.header("content-type").starts_with("text/plain"));
    let series = r#"buildtrack_http_seconds_count{method="GET",path="/api/v1/me",status="2xx"}"#;
    assert!(metrics.text.contains(series), "{}", metrics.text);
}

#[apply(either)]
async fn callers_cannot_grow_the_number_of_series(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let anyone = app.anonymous();
    for path in
        ["/brew-7f3a", "/api/v1/brew-7f3a", "/api/v1/agents/brew-7f3a", "/docs/brew-7f3a", "/agents.txt/brew-7f3a"]
    {
        anyone.get(path).await;
        anyone.send("BREW7F3A", path).await;
    }
    let metrics = anyone.get("/metrics").await.expect_status(200).text;
    assert!(!metrics.to_lowercase().contains("brew"), "{metrics}");
}

#[apply(either)]
async fn idle_connections_do_not_delay_the_shutdown(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let mut connection = TcpStream::connect(app.url().trim_start_matches("http://")).await.unwrap();
    connection.write_all(b"GET /livez HTTP/1.1\r\nHost: x\r\n\r\n").await.unwrap();
    let mut answer = [0; 12];
    connection.read_exact(&mut answer).await.unwrap();
    assert_eq!(&answer, b"HTTP/1.1 200");
    let started = Instant::now();
    drop(app);
    assert!(started.elapsed() < Duration::from_secs(8), "{:?}", started.elapsed());
}

/// Slow: the server waits for ten seconds.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_request_that_does_not_arrive_gets_the_documented_408() {
    let app = TestApp::start(Backend::Sqlite).await;
    let mut connection = TcpStream::connect(app.url().trim_start_matches("http://")).await.unwrap();
    connection.write_all(b"GET /livez HTTP/1.1\r\nHost:").await.unwrap();
    let mut answer = String::new();
    connection.read_to_string(&mut answer).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 408 ") && answer.ends_with("\r\n\r\n"), "{answer}");
}

#[apply(either)]
async fn a_rebuild_makes_the_same_tables(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let ada = app.owner("Ada").await;
    let (scout, ranger) = (ada.agent("Scout").await, ada.agent("Ranger").await);
    let track = scout.open("Webhooks").await;
    ranger.join(&track).await;
    let posted = ranger.post_message(&track, "Hello").await;
    ranger.delete(posted.header("location")).await.expect_status(204);
    scout.patch(&track.path(), serde_json::json!({ "tags": ["tools"] })).await.expect_status(200);
    assert!(
        verification::verify(app.store().log(), app.store().reputation(), |_| ()).await.unwrap().differing().is_empty()
    );
}
