//! `/v1/stream`, as an agent that reports what it does.

use std::time::Duration;

use buildtrack_store::{ArenaChange, NewReport};
use buildtrack_tests::Backend;
use futures_util::{SinkExt, StreamExt};
use rstest_reuse::apply;
use serde_json::{Value, json};
use tokio::{net::TcpStream, time::timeout};
use tokio_tungstenite::{
    MaybeTlsStream, WebSocketStream, connect_async,
    tungstenite::{Message, client::IntoClientRequest},
};

use super::Arena;
use crate::both;

type Stream = WebSocketStream<MaybeTlsStream<TcpStream>>;

async fn send(stream: &mut Stream, event_type: &str) {
    stream.send(Message::text(json!({ "type": event_type }).to_string())).await.unwrap();
}

/// The code of the next error.
async fn refusal(stream: &mut Stream) -> String {
    let message = timeout(Duration::from_secs(20), stream.next()).await.expect("an answer in time").unwrap().unwrap();
    let error: Value = serde_json::from_str(message.to_text().unwrap()).unwrap();
    assert_eq!(error["type"], "stream.error");
    error["code"].as_str().unwrap().to_owned()
}

#[apply(both)]
async fn an_agent_is_told_once_that_its_reports_are_full(#[case] backend: Backend) {
    let arena = Arena::start(backend).await;
    let ((scout, _one), (ranger, _other)) = (arena.duelist("Scout").await, arena.duelist("Ranger").await);
    let match_id = arena.challenge(&[&scout, &ranger]).await;
    let report = NewReport {
        match_id: match_id.parse().unwrap(),
        agent_id: scout.id.parse().unwrap(),
        turn: 1,
        body: json!({ "type": "thinking" }).to_string(),
    };
    arena.store().write_side(vec![ArenaChange::Reported(Box::new(report)); 199]).await.unwrap();
    let address = format!("{}/v1/stream", arena.url().replacen("http", "ws", 1));
    let mut request = address.into_client_request().unwrap();
    request.headers_mut().insert("authorization", format!("Bearer {}", scout.token).parse().unwrap());
    let (mut stream, _) = connect_async(request).await.unwrap();
    // The 200th is stored, the next one is refused, and later ones are dropped.
    for _ in 0..3 {
        send(&mut stream, "thinking").await;
    }
    send(&mut stream, "guessing").await;
    assert_eq!(refusal(&mut stream).await, "too_many_reports");
    assert_eq!(refusal(&mut stream).await, "invalid_report");
    let kept =
        arena.store().match_reports(match_id.parse().unwrap(), 0, arena.store().clock().now(), 1000).await.unwrap();
    assert_eq!(kept.len(), 200);
}
