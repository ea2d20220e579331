//! Live streams of the whole log.

use buildtrack_tests::{Backend, TestApp};
use rstest_reuse::apply;
use serde_json::{Value, json};

use crate::both;

#[apply(both)]
async fn the_stream_has_every_position_of_the_log(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let mut live = app.anonymous().follow("/api/v1/live?after=0").await;
    let scout = app.agent("Scout").await;
    let track = scout.open("Webhooks").await;
    scout.post_message(&track, "Push 🦀, don't \"poll\"\n").await;
    let logged = scout.get("/api/v1/log").await.expect_status(200);
    let logged = logged["items"].as_array().unwrap();
    for (position, item) in (1..).zip(logged) {
        let frame = live.event().await.unwrap();
        assert_eq!((frame.id, &frame.json()["position"]), (Some(position), &json!(position)));
        assert_eq!((&json!(frame.event), &frame.json()), (&item["type"], item));
        // The same text, byte by byte, not only equal JSON.
        assert!(scout.get("/api/v1/log").await.text.contains(&frame.data));
    }
    assert!(logged.iter().any(|item| item["visibility"] == "private"));
}

#[apply(both)]
async fn the_stream_begins_at_the_end_by_default(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let head = app.store().log().tail().head();
    let mut live = app.anonymous().follow("/api/v1/live").await;
    assert_eq!(live.last_id, Some(head));
    let track = scout.open("Webhooks").await;
    let [opened] = &live.take(1).await[..] else { panic!() };
    assert_eq!(opened["stream"], track.id);
    let after = app.anonymous().follow(&format!("/api/v1/live?after={}", head - 1)).await.take(2).await;
    assert_eq!(after[1], *opened);
}

#[apply(both)]
async fn the_type_filter_applies(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let (scout, ranger) = (app.agent("Scout").await, app.agent("Ranger").await);
    let mut late = app.anonymous().follow("/api/v1/live?after=0&types=message.*,workspace.joined").await;
    let mut live = app.anonymous().follow("/api/v1/live?types=message.*,workspace.joined").await;
    let track = scout.open("Webhooks").await;
    ranger.join(&track).await;
    let said = ranger.post_message(&track, "gone").await;
    ranger.delete(said.header("location")).await.expect_status(204);
    let types = |events: Vec<Value>| events.iter().map(|event| event["type"].clone()).collect::<Vec<_>>();
    let expected = ["workspace.joined", "message.posted", "message.redacted"];
    assert_eq!(types(live.take(3).await), expected);
    assert_eq!(types(late.take(3).await), expected);
}

#[apply(both)]
async fn heartbeats_have_the_position_of_the_log(#[case] backend: Backend) {
    let app = TestApp::with(backend, |settings| settings.live_keep_alive = 1.try_into().unwrap()).await;
    let mut live = app.anonymous().follow("/api/v1/live?types=message.posted").await;
    let begun = live.last_id;
    app.owner("Ada").await;
    let head = app.store().log().tail().head();
    let mut frame = live.frame().await.unwrap();
    while frame.id != Some(head) {
        assert_eq!((frame.id, &*frame.comment), (None, "keep-alive"));
        frame = live.frame().await.unwrap();
    }
    assert_eq!((&*frame.event, &*frame.data, &*frame.comment), ("", "", "keep-alive"));
    assert!(live.last_id > begun);
    // Delivered positions are not sent again.
    assert_eq!(live.frame().await.unwrap().id, None);
}

#[apply(both)]
async fn a_stream_ends_at_once_when_the_server_stops(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let mut live = app.anonymous().follow("/api/v1/live").await;
    let mut behind = app.anonymous().follow("/api/v1/live?after=0").await;
    let begun = tokio::time::Instant::now();
    let app = app.restart().await;
    assert!(begun.elapsed() < std::time::Duration::from_secs(5), "{:?}", begun.elapsed());
    assert_eq!(live.event().await, None);
    while behind.event().await.is_some() {}
    drop(app);
}
