//! `/v1/stream`, as an agent that reports what it does.

use std::time::Duration;

use buildtrack_store::{ArenaChange, NewReport};
use buildtrack_tests::{Backend, events, eventually};
use futures_util::{SinkExt, StreamExt};
use rstest_reuse::apply;
use serde_json::{Value, json};
use tokio::{net::TcpStream, time::timeout};
use tokio_tungstenite::{
    MaybeTlsStream, WebSocketStream, connect_async,
    tungstenite::{Error, Message, client::IntoClientRequest},
};

use super::Arena;
use crate::either;

pub(super) type Stream = WebSocketStream<MaybeTlsStream<TcpStream>>;

/// Connects as the agent with this token, or returns the status with which the server refuses it.
pub(super) async fn try_reporting(arena: &Arena, token: &str) -> Result<Stream, u16> {
    let address = format!("{}/v1/stream", arena.url().replacen("http", "ws", 1));
    let mut request = address.into_client_request().unwrap();
    request.headers_mut().insert("authorization", format!("Bearer {token}").parse().unwrap());
    match connect_async(request).await {
        Ok((stream, _)) => Ok(stream),
        Err(Error::Http(refusal)) => Err(refusal.status().as_u16()),
        Err(error) => panic!("{error}"),
    }
}

/// Connects as the agent with this token.
pub(super) async fn reporting(arena: &Arena, token: &str) -> Stream {
    try_reporting(arena, token).await.unwrap()
}

async fn send(stream: &mut Stream, event_type: &str) {
    send_report(stream, json!({ "type": event_type })).await;
}

/// Reports anything.
pub(super) async fn send_report(stream: &mut Stream, report: Value) {
    stream.send(Message::text(report.to_string())).await.unwrap();
}

/// The code of the next error.
async fn refusal(stream: &mut Stream) -> String {
    let message = timeout(Duration::from_secs(20), stream.next()).await.expect("an answer in time").unwrap().unwrap();
    let error: Value = serde_json::from_str(message.to_text().unwrap()).unwrap();
    events::check_refusal(&error);
    error["code"].as_str().unwrap().to_owned()
}

#[apply(either)]
async fn an_agent_learns_once_that_its_reports_are_full(#[case] backend: Backend) {
    let arena = Arena::start(backend).await;
    let ((scout, _one), (ranger, _other)) = (arena.duelist("Scout").await, arena.duelist("Ranger").await);
    let match_id = arena.challenge(&[&scout, &ranger]).await;
    let report = NewReport {
        match_id: match_id.parse().unwrap(),
        agent_id: scout.id.parse().unwrap(),
        turn: 1,
        body: json!({ "type": "thinking" }).to_string(),
    };
    arena.store().log().write_side(vec![ArenaChange::Reported(Box::new(report)); 199]).await.unwrap();
    let mut stream = reporting(&arena, &scout.token).await;
    // The 200th is stored, the next one is refused, and later ones are dropped.
    for _ in 0..3 {
        send(&mut stream, "thinking").await;
    }
    send(&mut stream, "guessing").await;
    assert_eq!(refusal(&mut stream).await, "too_many_reports");
    assert_eq!(refusal(&mut stream).await, "invalid_report");
    let stored = arena
        .store()
        .arena()
        .match_reports(match_id.parse().unwrap(), 0, arena.store().log().clock().now(), 1000)
        .await
        .unwrap();
    assert_eq!(stored.len(), 200);
}

#[apply(either)]
async fn an_agent_may_report_types_of_its_own(#[case] backend: Backend) {
    let arena = Arena::start(backend).await;
    let ((scout, _one), (ranger, _other)) = (arena.duelist("Scout").await, arena.duelist("Ranger").await);
    let match_id = arena.challenge(&[&scout, &ranger]).await;
    let mut stream = reporting(&arena, &scout.token).await;
    send(&mut stream, "x-plan").await;
    for refused in ["x-", "x-Plan", "plan"] {
        send(&mut stream, refused).await;
        assert_eq!(refusal(&mut stream).await, "invalid_report", "{refused}");
    }
    let stored = arena
        .store()
        .arena()
        .match_reports(match_id.parse().unwrap(), 0, arena.store().log().clock().now(), 1000)
        .await
        .unwrap();
    let bodies: Vec<_> = stored.iter().map(|report| &*report.body).collect();
    assert_eq!(bodies, [r#"{"type":"x-plan"}"#]);
}

#[apply(either)]
async fn an_agent_that_reports_too_fast_learns_so(#[case] backend: Backend) {
    let arena = Arena::start(backend).await;
    let ((scout, _one), (ranger, _other)) = (arena.duelist("Scout").await, arena.duelist("Ranger").await);
    let match_id = arena.challenge(&[&scout, &ranger]).await;
    let mut stream = reporting(&arena, &scout.token).await;
    // Refused ones count, too.
    for _ in 0..50 {
        send(&mut stream, "guessing").await;
    }
    for _ in 0..2 {
        send(&mut stream, "thinking").await;
    }
    for _ in 0..50 {
        assert_eq!(refusal(&mut stream).await, "invalid_report");
    }
    for _ in 0..2 {
        assert_eq!(refusal(&mut stream).await, "rate_limited");
    }
    // The limit is that of a connection.
    let mut other = reporting(&arena, &scout.token).await;
    send(&mut other, "x-plan").await;
    let id = match_id.parse().unwrap();
    let stored =
        async || arena.store().arena().match_reports(id, 0, arena.store().log().clock().now(), 1000).await.unwrap();
    eventually(async || !stored().await.is_empty()).await;
    let bodies: Vec<_> = stored().await.into_iter().map(|report| report.body).collect();
    assert_eq!(bodies, [r#"{"type":"x-plan"}"#]);
}

#[apply(either)]
async fn a_report_has_at_most_2048_bytes_and_a_larger_message_ends_the_connection(#[case] backend: Backend) {
    let arena = Arena::start(backend).await;
    let ((scout, _one), (ranger, _other)) = (arena.duelist("Scout").await, arena.duelist("Ranger").await);
    let match_id = arena.challenge(&[&scout, &ranger]).await;
    let mut stream = reporting(&arena, &scout.token).await;
    let frame = json!({ "type": "thinking", "message": "" }).to_string().len();
    for (size, is_stored) in [(2048, true), (2049, false), (8192, false)] {
        send_report(&mut stream, json!({ "type": "thinking", "message": "x".repeat(size - frame) })).await;
        if !is_stored {
            assert_eq!(refusal(&mut stream).await, "report_too_large", "{size}");
        }
    }
    let id = match_id.parse().unwrap();
    let stored = arena.store().arena().match_reports(id, 0, arena.store().log().clock().now(), 1000).await.unwrap();
    assert_eq!(stored.len(), 1);
    send_report(&mut stream, json!({ "type": "thinking", "message": "x".repeat(8193 - frame) })).await;
    assert_eq!(refusal(&mut stream).await, "report_too_large");
    let closed = timeout(Duration::from_secs(20), stream.next()).await.expect("an answer in time").unwrap().unwrap();
    assert!(matches!(&closed, Message::Close(Some(frame)) if u16::from(frame.code) == 1009), "{closed:?}");
}
