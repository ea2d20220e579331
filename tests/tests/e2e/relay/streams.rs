//! `GET /events` as Server-Sent Events and as a WebSocket

use std::time::Duration;

use buildtrack_tests::{Backend, TestApp};
use futures_util::StreamExt;
use rstest_reuse::apply;
use serde_json::Value;
use tokio::time::timeout;
use tokio_tungstenite::{connect_async, tungstenite::Message};

use crate::both;

#[apply(both)]
async fn envelopes_are_followed_as_server_sent_events(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let client = app.party("Client");
    let anyone = app.anonymous().with_header("accept", "text/event-stream");
    client.request("t1").await.expect_status(200);
    let mut live = anyone.follow("/events?cursor=0&type=REQUEST").await;
    let first = live.event().await.unwrap();
    assert_eq!((&*first.event, &first.json()["thread"]["id"]), ("REQUEST", &Value::from("t1")));
    client.request("t2").await.expect_status(200);
    let second = live.event().await.unwrap();
    assert_eq!(second.json()["thread"]["id"], "t2");
    // A client that reconnects resumes at its cursor.
    let mut back = anyone.resume("/events?cursor=0", first.id.unwrap()).await;
    assert_eq!(back.event().await.unwrap().id, second.id);
}

#[apply(both)]
async fn envelopes_are_followed_over_a_web_socket(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let client = app.party("Client");
    let url = app.url().replacen("http", "ws", 1);
    let (mut socket, _) = connect_async(format!("{url}/v1/messages?since=2026-03-01T11:59:00Z")).await.unwrap();
    let mut next = async || loop {
        let message = timeout(Duration::from_secs(20), socket.next()).await.unwrap().unwrap().unwrap();
        if let Message::Text(text) = message {
            break serde_json::from_str::<Value>(&text).unwrap();
        }
    };
    client.request("t1").await.expect_status(200);
    let first = next().await;
    assert_eq!((&first["event"]["type"], &first["event"]["thread"]["id"]), (&"REQUEST".into(), &"t1".into()));
    client.request("t2").await.expect_status(200);
    assert_eq!(next().await["event"]["thread"]["id"], "t2");
    let (mut back, _) =
        connect_async(format!("{url}/events?cursor={}", first["cursor"].as_str().unwrap())).await.unwrap();
    let message = timeout(Duration::from_secs(20), back.next()).await.unwrap().unwrap().unwrap();
    assert!(message.to_text().unwrap().contains("\"t2\""));
}
