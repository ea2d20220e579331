//! Clients of every WebSocket that send frames without end.

use std::time::Duration;

use buildtrack_tests::Backend;
use futures_util::{SinkExt, StreamExt};
use rstest_reuse::apply;
use tokio::time::timeout;
use tokio_tungstenite::{
    connect_async,
    tungstenite::{
        Message,
        client::IntoClientRequest,
        protocol::frame::{
            Frame,
            coding::{Data, OpCode},
        },
    },
};

use super::{Arena, reports::Stream};
use crate::either;

/// How long the server may take to close.
const PATIENCE: Duration = Duration::from_secs(20);
/// Control frames that a client may send at once, and frames of one message.
const CONTROL_FRAMES: usize = 60;
const MESSAGE_FRAMES: usize = 1024;

async fn open(arena: &Arena, path: &str, token: Option<&str>) -> Stream {
    let mut request = format!("{}{path}", arena.url().replacen("http", "ws", 1)).into_client_request().unwrap();
    if let Some(token) = token {
        request.headers_mut().insert("authorization", format!("Bearer {token}").parse().unwrap());
    }
    connect_async(request).await.unwrap().0
}

/// Sends frames until the server closes. Returns the code of its close message, and the pongs before it. The connection ends.
async fn flood(stream: Stream, frames: impl IntoIterator<Item = Message>) -> (u16, usize) {
    let (mut sink, mut stream) = stream.split();
    let mut pongs = 0;
    let reading = async {
        let mut code = 0;
        while let Some(Ok(message)) = stream.next().await {
            match message {
                Message::Pong(_) => pongs += 1,
                Message::Close(frame) => code = frame.unwrap().code.into(),
                _ => {}
            }
        }
        code
    };
    let sending = async {
        for frame in frames {
            if sink.send(frame).await.is_err() {
                break;
            }
        }
    };
    let (code, ()) = timeout(PATIENCE, async { tokio::join!(reading, sending) }).await.expect("the server closes");
    (code, pongs)
}

fn pings() -> impl Iterator<Item = Message> {
    (0..1000).map(|_| Message::Ping("flood".into()))
}

fn continuations() -> impl Iterator<Item = Message> {
    let first = Message::Frame(Frame::message("", OpCode::Data(Data::Text), false));
    let more = || Message::Frame(Frame::message("", OpCode::Data(Data::Continue), false));
    std::iter::once(first).chain((0..2 * MESSAGE_FRAMES).map(move |_| more()))
}

#[apply(either)]
async fn a_client_that_pings_without_end_is_closed_at_every_door(#[case] backend: Backend) {
    let arena = Arena::start(backend).await;
    let ((scout, _one), (ranger, _other)) = (arena.duelist("Scout").await, arena.duelist("Ranger").await);
    let match_id = arena.challenge(&[&scout, &ranger]).await;
    let third = arena.app.agent("Third").await;
    let watching = format!("/v1/stream?match={match_id}");
    for (path, token) in [
        (&*watching, None),
        ("/v1/stream", Some(&scout.token)),
        ("/agent/connect", Some(&third.token)),
        ("/events?cursor=0", None),
    ] {
        let token = token.map(String::as_str);
        let (code, pongs) = flood(open(&arena, path, token).await, pings()).await;
        assert!(code == 1008 && pongs <= CONTROL_FRAMES, "{path}: {code}, {pongs} pongs");
        let pongs = (0..1000).map(|_| Message::Pong("flood".into()));
        assert_eq!(flood(open(&arena, path, token).await, pongs).await.0, 1008, "{path}");
        let (code, _) = flood(open(&arena, path, token).await, continuations()).await;
        assert_eq!(code, 1008, "{path}");
    }
}

#[apply(either)]
async fn a_client_that_sends_what_no_door_reads_is_closed(#[case] backend: Backend) {
    let arena = Arena::start(backend).await;
    let ((scout, _one), (ranger, _other)) = (arena.duelist("Scout").await, arena.duelist("Ranger").await);
    let match_id = arena.challenge(&[&scout, &ranger]).await;
    let watching = format!("/v1/stream?match={match_id}");
    let texts = || (0..1000).map(|_| Message::text("{}"));
    for path in [&*watching, "/events?cursor=0"] {
        assert_eq!(flood(open(&arena, path, None).await, texts()).await.0, 1008, "{path}");
    }
    // 50 reports are answered in ten seconds; 60 more are dropped, each with an answer.
    let reporting = open(&arena, "/v1/stream", Some(&scout.token)).await;
    assert_eq!(flood(reporting, texts()).await.0, 1008);
    let binary = (0..1000).map(|_| Message::binary("{}"));
    let reporting = open(&arena, "/v1/stream", Some(&scout.token)).await;
    assert_eq!(flood(reporting, binary).await.0, 1008);
}

#[apply(either)]
async fn a_spectator_may_ping_and_send_a_message_in_parts(#[case] backend: Backend) {
    let arena = Arena::start(backend).await;
    let ((scout, _one), (ranger, _other)) = (arena.duelist("Scout").await, arena.duelist("Ranger").await);
    arena.challenge(&[&scout, &ranger]).await;
    let mut stream = open(&arena, "/v1/stream", Some(&scout.token)).await;
    // A report in three frames with pings between them is one report.
    for (text, code, is_last) in
        [("{\"type\":", Data::Text, false), ("\"guess", Data::Continue, false), ("ing\"}", Data::Continue, true)]
    {
        stream.send(Message::Ping("between".into())).await.unwrap();
        stream.send(Message::Frame(Frame::message(text, OpCode::Data(code), is_last))).await.unwrap();
    }
    let mut pongs = 0;
    let refusal = loop {
        match timeout(PATIENCE, stream.next()).await.unwrap().unwrap().unwrap() {
            Message::Pong(_) => pongs += 1,
            Message::Text(text) => break text,
            other => panic!("{other:?}"),
        }
    };
    assert!(pongs == 3 && refusal.contains("invalid_report"), "{pongs} {refusal}");
}
