//! Refused live streams, and limits on their number.

use buildtrack_settings::Settings;
use buildtrack_tests::{Backend, TestApp, eventually};
use rstest_reuse::apply;

use crate::{either, faults};

#[apply(either)]
async fn the_number_of_streams_is_limited(#[case] backend: Backend) {
    let app = TestApp::with(backend, |settings| settings.live_streams = 2).await;
    let anyone = app.anonymous();
    let held = [anyone.follow("/api/v1/live").await, anyone.follow("/api/v1/live").await];
    let refused = anyone.get("/api/v1/live").await.expect_problem(503, "too_many_streams");
    assert_eq!((refused.header("retry-after"), &refused["retryable"]), ("5", &true.into()));
    // A client that disconnects releases its permit.
    drop(held);
    eventually(async || anyone.get("/api/v1/live?types=message.posted").has_status_200().await).await;
}

#[apply(either)]
async fn the_number_of_streams_per_address_is_limited(#[case] backend: Backend) {
    let configure = |settings: &mut Settings| {
        settings.live_streams_per_address = 2;
        settings.trusted_proxies = vec!["127.0.0.1/32".parse().unwrap()];
    };
    let app = TestApp::with(backend, configure).await;
    let [anyone, other] =
        ["192.0.2.1", "192.0.2.2"].map(|address| app.anonymous().with_header("x-forwarded-for", address));
    let scout = app.agent("Scout").await.with_header("x-forwarded-for", "192.0.2.1");
    let held = [anyone.follow("/api/v1/live").await, scout.follow("/api/v1/live").await];
    let refused = anyone.get("/api/v1/live").await.expect_problem(429, "too_many_streams_held");
    assert_eq!((refused.header("retry-after"), &refused["retryable"]), ("5", &true.into()));
    scout.get("/api/v1/live").await.expect_problem(429, "too_many_streams_held");
    drop(other.follow("/api/v1/live").await);
    // A client that disconnects may connect again.
    drop(held);
    eventually(async || anyone.get("/api/v1/live?types=message.posted").has_status_200().await).await;
}

#[apply(either)]
async fn invalid_positions_and_types_are_refused(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let anyone = app.anonymous();
    let refused = anyone.get("/api/v1/live?after=-1&types=message.shouted&from=3").await;
    let expected = [("after", "invalid"), ("from", "unknown_parameter"), ("types", "invalid")];
    assert_eq!(refused.expect_problem(400, "invalid_parameter").faults(), faults(&expected));
    for text in ["x", "-1", "1.5", "99999999999999999999"] {
        let refused = anyone.get("/api/v1/live").header("last-event-id", text).await;
        assert_eq!(refused.expect_problem(400, "invalid_parameter").faults(), faults(&[("Last-Event-ID", "invalid")]));
    }
    let beyond = anyone.get("/api/v1/live?after=1000").await.expect_problem(400, "invalid_parameter");
    assert_eq!(beyond.faults(), faults(&[("after", "beyond_the_end")]));
    // The header has precedence.
    drop(anyone.resume("/api/v1/live?after=1000", 0).await);
}

#[apply(either)]
async fn a_head_request_returns_no_stream(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let head = app.anonymous().send("HEAD", "/api/v1/live").await.expect_status(200);
    assert_eq!((head.header("content-type"), head.header("cache-control")), ("text/event-stream", "no-store"));
}
