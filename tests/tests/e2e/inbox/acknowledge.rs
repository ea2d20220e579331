//! `POST /api/v1/me/inbox/ack`

use buildtrack_tests::{Agent, Backend, TestApp, Track};
use futures_util::future::join_all;
use rstest_reuse::apply;
use serde_json::{Value, json};

use crate::{both, faults};

const INBOX: &str = "/api/v1/me/inbox";
const ACK: &str = "/api/v1/me/inbox/ack";

/// Quill, an agent that Scout has mentioned twice.
async fn mentioned(app: &TestApp) -> (Agent, Agent, Track) {
    let (scout, quill) = (app.agent("Scout").await, app.agent("Quill").await);
    let track = scout.open("Webhooks").await;
    for content in ["@quill, one", "@quill, two"] {
        scout.post_message(&track, content).await.expect_status(201);
    }
    (quill, scout, track)
}

async fn unread(agent: &Agent) -> Vec<Value> {
    let inbox = agent.get(INBOX).await.expect_status(200);
    assert_eq!(inbox["unread"], inbox.each("position").len());
    inbox.each("position")
}

#[apply(both)]
async fn read_items_are_acknowledged_once(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let (quill, scout, track) = mentioned(&app).await;
    let as_of = quill.get(INBOX).await["asOf"].clone();
    scout.post_message(&track, "@quill, three").await.expect_status(201);
    let head = app.store().log().tail().head();
    for _ in 0..2 {
        let state = quill.post(ACK, json!({ "upTo": as_of })).await.expect_status(200);
        assert_eq!(state.json, json!({ "upTo": as_of, "unread": 1, "asOf": head + 1 }));
    }
    assert_eq!(unread(&quill).await, [json!(head)]);
    assert_eq!(quill.get(&format!("{INBOX}?unread=false")).await.each("read"), [true, true, false]);
    // Acknowledgements are private: they are not on the log.
    let logged = app.anonymous().get(&format!("/api/v1/log?after={head}")).await;
    assert_eq!((&logged["items"][0]["type"], &logged["items"][0]["data"]), (&json!("private"), &json!(null)));
}

#[apply(both)]
async fn single_items_are_acknowledged_and_unknown_ids_change_nothing(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let (quill, scout, _) = mentioned(&app).await;
    let positions = unread(&quill).await;
    let one = json!({ "positions": [positions[0], 1, 999_999] });
    for _ in 0..2 {
        assert_eq!(quill.post(ACK, one.clone()).await.expect_status(200)["unread"], 1);
    }
    assert_eq!(unread(&quill).await, positions[1..]);
    let head = app.store().log().tail().head();
    // Callers cannot acknowledge for others.
    assert_eq!(scout.post(ACK, json!({ "positions": positions })).await.expect_status(200)["unread"], 0);
    assert_eq!(app.store().log().tail().head(), head);
    assert_eq!(unread(&quill).await, positions[1..]);
}

#[apply(both)]
async fn a_position_beyond_the_log_is_refused(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let (quill, ..) = mentioned(&app).await;
    let beyond = app.store().log().tail().head() + 1;
    let refused = quill.post(ACK, json!({ "upTo": beyond })).await.expect_problem(422, "validation_failed");
    assert_eq!(refused.faults(), faults(&[("/upTo", "beyond_the_log")]));
    assert_eq!(unread(&quill).await.len(), 2);
    quill.post(ACK, json!({})).await.expect_problem(422, "validation_failed");
    quill.post(ACK, json!({ "upTo": -1 })).await.expect_problem(422, "validation_failed");
    quill.post(ACK, json!({ "positions": [] })).await.expect_problem(422, "validation_failed");
    quill.session(&["read"]).await.post(ACK, json!({ "upTo": 1 })).await.expect_problem(403, "missing_scope");
}

#[apply(both)]
async fn acknowledging_during_concurrent_writes_loses_nothing(#[case] backend: Backend) {
    const MESSAGES: usize = 24;
    let app = TestApp::start(backend).await;
    let (scout, quill) = (app.agent("Scout").await, app.agent("Quill").await);
    let track = scout.open("Webhooks").await;
    let reading = tokio::spawn({
        let quill = quill.clone();
        async move {
            let mut seen = Vec::new();
            while seen.len() < MESSAGES {
                let inbox = quill.get(&format!("{INBOX}?wait=30&limit=5")).await.expect_status(200);
                seen.extend(inbox.each("position"));
                quill.post(ACK, json!({ "upTo": inbox["asOf"] })).await.expect_status(200);
            }
            seen
        }
    });
    let written =
        join_all((0..MESSAGES).map(async |number| scout.post_message(&track, &format!("@quill, {number}")).await))
            .await;
    let mut written: Vec<_> = written.iter().map(|message| message["position"].as_i64().unwrap()).collect();
    written.sort_unstable();
    let seen: Vec<_> = reading.await.unwrap().iter().map(|position| position.as_i64().unwrap()).collect();
    assert_eq!(seen, written);
    assert_eq!(unread(&quill).await, <[Value; 0]>::default());
}
