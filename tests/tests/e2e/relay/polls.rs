//! `GET /events`, `GET /v1/messages`

use std::time::Duration;

use buildtrack_tests::{Backend, TestApp};
use rstest_reuse::apply;
use serde_json::json;
use tokio::time::timeout;

use crate::both;

#[apply(both)]
async fn polls_are_filtered(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let (client, agent) = (app.party("Client"), app.party("Agent"));
    client.request("t1").await.expect_status(200);
    client.request("t2").await.expect_status(200);
    let mut offer = agent.unsigned("OFFER", "t1", json!({}));
    offer["recipient"] = json!({ "id": client.did() });
    agent.post(&agent.sign(offer)).await.expect_status(200);
    let found = async |query: &str| {
        let polled = client.poll(&format!("since=2026-03-01T11:59:59Z&{query}")).await.expect_status(200);
        let events = polled["events"].as_array().unwrap().clone();
        events.iter().map(|event| format!("{} {}", event["type"], event["thread"]["id"])).collect::<Vec<_>>()
    };
    assert_eq!(found("").await.len(), 3);
    assert_eq!(found("type=OFFER").await, ["\"OFFER\" \"t1\""]);
    assert_eq!(found("thread=t2").await, ["\"REQUEST\" \"t2\""]);
    assert_eq!(found(&format!("recipient={}", client.did())).await, ["\"OFFER\" \"t1\""]);
    assert_eq!(found(&format!("sender={}&thread=t1", client.did())).await, ["\"REQUEST\" \"t1\""]);
    assert_eq!(found("x-nobody=knows&recipient=did:key:z6MkNobody").await.len(), 0);
}

#[apply(both)]
async fn invalid_parameters_are_named(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    for (query, parameter) in [
        ("timeout=0", "since"),
        ("since=yesterday", "since"),
        ("cursor=a", "cursor"),
        ("cursor=0&type=HELLO", "type"),
        ("cursor=0&timeout=-1", "timeout"),
        ("cursor=0&limit=0", "limit"),
        ("cursor=0&after=0", "after"),
    ] {
        let refused = app.anonymous().get(&format!("/v1/messages?{query}")).await;
        let refused = refused.expect_refusal(400, "INVALID_REQUEST", "invalid_parameter");
        assert_eq!(refused["errors"][0]["parameter"], parameter, "{query}");
    }
    // A longer timeout than the maximum is reduced to it.
    app.party("Client").request("t1").await.expect_status(200);
    app.anonymous().get("/events?cursor=0&timeout=3600").await.expect_status(200);
}

#[apply(both)]
async fn pages_show_whether_there_is_more(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let client = app.party("Client");
    for thread in ["t1", "t2", "t3"] {
        client.request(thread).await.expect_status(200);
    }
    let first = client.poll("cursor=0&limit=2").await.expect_status(200);
    assert_eq!((&first["hasMore"], &first["lastTs"]), (&json!(true), &json!("2026-03-01T12:00:00Z")));
    let rest = client.poll(&format!("limit=1&cursor={}", first.text_at("/cursor"))).await.expect_status(200);
    assert_eq!((rest["events"].as_array().map(Vec::len), &rest["hasMore"]), (Some(1), &json!(false)));
    let none = client.poll(&format!("cursor={}", rest.text_at("/cursor"))).await.expect_status(200);
    assert_eq!((&none["events"], &none["cursor"], &none["lastTs"]), (&json!([]), &rest["cursor"], &json!(null)));
    let after = client.poll(&format!("limit=1&after={}", first.text_at("/cursor"))).await.expect_status(200);
    assert_eq!(after.json, rest.json, "the name of a position in other operations");
    let none = client.poll("since=2026-03-01T12:00:00.5Z&recipient=nobody").await.expect_status(200);
    assert_eq!(none["lastTs"], "2026-03-01T12:00:00.5Z");
}

#[apply(both)]
async fn a_long_poll_returns_at_once(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let client = app.party("Client");
    let waiting = tokio::spawn({
        let (agent, query) = (app.anonymous(), "since=2026-03-01T12:00:00.5Z&type=REQUEST&timeout=60");
        async move { agent.get(&format!("/events?{query}")).await }
    });
    // Whether the poll waits already or arrives a moment later, it returns the envelope.
    client.request("t1").await.expect_status(200);
    let answered = timeout(Duration::from_secs(20), waiting).await.expect("it is woken").unwrap().expect_status(200);
    assert_eq!(answered["events"][0]["thread"]["id"], "t1");
}

#[rstest::rstest]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_long_poll_at_another_replica_returns_at_once() {
    let app = TestApp::start(Backend::Postgres).await;
    let replica = app.replica().await;
    let client = app.party("Client").at(&replica);
    let waiting = tokio::spawn({
        let agent = app.anonymous();
        async move { agent.get("/events?since=2026-03-01T12:00:00.5Z&timeout=60").await }
    });
    client.request("t1").await.expect_status(200);
    let answered = timeout(Duration::from_secs(20), waiting).await.expect("it is woken").unwrap().expect_status(200);
    assert_eq!(answered["events"][0]["thread"]["id"], "t1");
}
