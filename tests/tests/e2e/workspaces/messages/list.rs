//! `GET /api/v1/workspaces/{id}/messages`

use buildtrack_tests::{Backend, Caller, TestApp, Track, message};
use rstest_reuse::apply;
use serde_json::{Value, json};

use crate::{both, faults};

async fn said(caller: &Caller, track: &Track, query: &str) -> Vec<Value> {
    caller.get(&format!("{}?{query}", track.messages())).await.expect_status(200).each("content")
}

#[apply(both)]
async fn anyone_reads_them_oldest_first_or_newest_first(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let track = scout.open("Webhooks").await;
    for text in ["1", "2", "3"] {
        scout.post_message(&track, text).await;
    }
    let anyone = app.anonymous();
    assert_eq!(said(&anyone, &track, "").await, ["1", "2", "3"]);
    assert_eq!(said(&anyone, &track, "order=asc").await, ["1", "2", "3"]);
    assert_eq!(said(&anyone, &track, "order=desc").await, ["3", "2", "1"]);
}

#[apply(both)]
async fn the_filters_kind_and_author_combine(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let ada = app.owner("Ada").await;
    let scout = ada.agent("Scout").await;
    let track = scout.open("Webhooks").await;
    ada.join(&track).await;
    for (caller, kind, content) in [(&*scout, "proposal", "1"), (&*ada, "question", "2"), (&*scout, "question", "3")] {
        let body = json!({ "kind": kind, "content": content, "upvotes": 0 });
        caller.post(&track.messages(), body).await.expect_status(201);
    }
    let anyone = app.anonymous();
    assert_eq!(said(&anyone, &track, "kind=question").await, ["2", "3"]);
    assert_eq!(said(&anyone, &track, &format!("author={}", ada.id)).await, ["2"]);
    assert_eq!(said(&scout, &track, "author=me&kind=question").await, ["3"]);
    assert_eq!(said(&anyone, &track, "kind=decision").await, [] as [Value; 0]);
}

#[apply(both)]
async fn after_accepts_a_message_or_a_position(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let track = scout.open("Webhooks").await;
    scout.post_message(&track, "1").await;
    let second = scout.post_message(&track, "2").await;
    for text in ["3", "4"] {
        scout.post_message(&track, text).await;
    }
    for after in [second.text_at("/id"), second["position"].to_string()] {
        assert_eq!(said(&scout, &track, &format!("after={after}")).await, ["3", "4"]);
        assert_eq!(said(&scout, &track, &format!("after={after}&order=desc")).await, ["4", "3"]);
        assert_eq!(said(&scout, &track, &format!("after={after}&order=desc&limit=1")).await, ["4"]);
    }
    assert_eq!(said(&scout, &track, "after=0").await, ["1", "2", "3", "4"]);
    assert_eq!(said(&scout, &track, "after=9223372036854775807").await, [] as [Value; 0]);
}

#[apply(both)]
async fn after_accepts_a_redacted_message(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let track = scout.open("Webhooks").await;
    let first = scout.post_message(&track, "1").await;
    scout.post_message(&track, "2").await;
    scout.delete(first.header("location")).await.expect_status(204);
    assert_eq!(said(&scout, &track, &format!("after={}", first.text_at("/id"))).await, ["2"]);
}

#[apply(both)]
async fn pages_are_complete_during_concurrent_writes(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    for (order, expected) in [("asc", ["1", "2", "3", "4", "new"].as_slice()), ("desc", &["4", "3", "2", "1"])] {
        let track = scout.open("Webhooks").await;
        for text in ["1", "2", "3", "4"] {
            scout.post_message(&track, text).await;
        }
        let path = format!("{}?order={order}&limit=2", track.messages());
        let first = scout.get(&path).await.expect_status(200);
        scout.post_message(&track, "new").await;
        let second = scout.get(&format!("{path}&cursor={}", first.text_at("/nextCursor"))).await;
        let mut seen = [first.each("content"), second.each("content")].concat();
        if let Some(cursor) = second["nextCursor"].as_str() {
            let third = scout.get(&format!("{path}&cursor={cursor}")).await;
            seen.extend(third.each("content"));
            assert_eq!(third["nextCursor"], Value::Null);
        }
        assert_eq!(seen, expected, "{order}");
    }
}

#[apply(both)]
async fn a_full_last_page_has_no_cursor(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let track = scout.open("Webhooks").await;
    let empty = scout.get(&track.messages()).await.expect_status(200);
    assert_eq!(empty.json, json!({ "items": [], "nextCursor": null }));
    for text in ["1", "2"] {
        scout.post_message(&track, text).await;
    }
    let full = scout.get(&format!("{}?limit=2", track.messages())).await;
    assert_eq!((full.each("content"), &full["nextCursor"]), (vec![json!("1"), json!("2")], &Value::Null));
}

#[apply(both)]
async fn every_wrong_parameter_is_named_in_one_answer(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let track = app.agent("Scout").await.open("Webhooks").await;
    let query = "kind=rant&author=Ada&after=first&order=up&cursor=1&limit=1000&page=2";
    let refused =
        app.anonymous().get(&format!("{}?{query}", track.messages())).await.expect_problem(400, "invalid_parameter");
    let invalid = ["after", "author", "cursor", "kind", "limit", "order"].map(|name| (name, "invalid"));
    assert_eq!(refused.faults(), faults(&[&invalid[..], &[("page", "unknown_parameter")]].concat()));
}

#[apply(both)]
async fn missing_workspaces_have_no_messages(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    app.anonymous()
        .get("/api/v1/workspaces/ws_01h2e8kqvbfwea724h75qc655w/messages")
        .await
        .expect_problem(404, "not_found");
}

#[apply(both)]
async fn a_matching_etag_returns_304(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let track = scout.open("Webhooks").await;
    let tag = scout.get(&track.messages()).await.header("etag").to_owned();
    scout.get(&track.messages()).header("if-none-match", &tag).await.expect_status(304);
    scout.post(&track.messages(), message("New")).await.expect_status(201);
    scout.get(&track.messages()).header("if-none-match", &tag).await.expect_status(200);
}
