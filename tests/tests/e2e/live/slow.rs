//! Backpressure of live streams: the server disconnects a client that does not read, and sends a gap.

use buildtrack::ConnectionBounds;
use buildtrack_domain::{
    actors::{Actor, ActorKind},
    ids::MessageId,
    mentions::Recipients,
    workspaces::{MessageEvent, MessageKind, MessagePosted},
};
use buildtrack_store::StoreError;
use buildtrack_tests::{Backend, Frame, TestApp};
use rstest_reuse::apply;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpSocket,
};

use super::live;
use crate::either;

/// Approximate bytes that the operating system buffers for a connection, plus the server's own buffer (`BYTES` of
/// api/community/src/log/live/hub/mod.rs).
const SOCKETS: usize = 7 * 1024 * 1024;
const CACHE_BYTES: usize = 8 * 1024 * 1024;

#[apply(either)]
async fn a_client_that_does_not_read_is_disconnected_with_a_gap(#[case] backend: Backend) {
    // The connection itself must outlive the queue.
    let patient = ConnectionBounds { window: 1_000_000, ..ConnectionBounds::default() };
    let app = TestApp::start(backend).await.within(patient).await;
    let scout = app.agent("Scout").await;
    let track = scout.open("Webhooks").await;
    let after = app.store().log().tail().head();
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(16 * 1024).unwrap();
    let address = app.url().strip_prefix("http://").unwrap().parse().unwrap();
    let mut stream = socket.connect(address).await.unwrap();
    let request = format!("GET {} HTTP/1.1\r\nhost: x\r\n\r\n", live(&track));
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut first = [0; 17];
    stream.read_exact(&mut first).await.unwrap();
    assert_eq!(&first, b"HTTP/1.1 200 OK\r\n");
    // Four bytes per character.
    for animal in ('🐀'..).take((SOCKETS + CACHE_BYTES) / 80_000) {
        scout.post_message(&track, &animal.to_string().repeat(20_000)).await;
    }
    let mut rest = Vec::new();
    stream.read_to_end(&mut rest).await.unwrap();
    let frames = frames(&rest);
    let (gap, events) = frames.split_last().unwrap();
    assert_eq!(gap.event, "gap");
    let last = events.last().and_then(|event| event.id).unwrap();
    assert_eq!(gap.json(), serde_json::json!({ "reason": "too_slow", "after": last }));
    assert_eq!(gap.id, None);
    let ids: Vec<_> = events.iter().filter(|event| !event.event.is_empty()).filter_map(|event| event.id).collect();
    assert_eq!(ids, (after + 1..=last).collect::<Vec<_>>());
    // A client that reconnects receives the rest.
    let rest = app.store().log().tail().head() - last;
    assert!(rest > 10, "{rest}");
    let missed = app.anonymous().resume(&live(&track), last).await.take(usize::try_from(rest).unwrap()).await;
    assert_eq!(missed.last().unwrap()["position"], app.store().log().tail().head());
}

#[apply(either)]
async fn a_reading_client_survives_a_burst_larger_than_the_buffer(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let workspace_id = scout.open("Webhooks").await.id.parse().unwrap();
    let mut following = app.anonymous().follow("/api/v1/live?types=message.*").await;
    let agent = app.store().identity().agent(scout.id.parse().unwrap()).await.unwrap().unwrap();
    let author = Actor { id: agent.id.into(), name: agent.name, kind: ActorKind::AiAgent, model: Some(agent.model) };
    let posted = || {
        let (message_id, author) = (MessageId::new(app.store().log().clock().uuid()), author.clone());
        let (kind, content, reply_to) = (MessageKind::Update, "🦀".repeat(24_000), None);
        MessagePosted { message_id, workspace_id, author, kind, content, reply_to, concerns: Recipients::default() }
    };
    // In one commit, so that the server reads them together.
    let count = CACHE_BYTES / (4 * 24_000) + 10;
    let committed = app.store().log().transact(None, async |unit| {
        for _ in 0..count {
            let posted = posted();
            unit.begin(posted.message_id, [MessageEvent::from(posted)]);
        }
        Ok::<_, StoreError>(())
    });
    let last = committed.await.unwrap().recorded.last().unwrap().position;
    let shown = following.take(count).await;
    assert_eq!(shown.last().unwrap()["position"], last);
}

/// The frames of a chunked response (RFC 9112, section 7.1) after its first line.
fn frames(answer: &[u8]) -> Vec<Frame> {
    let head = answer.windows(4).position(|bytes| bytes == b"\r\n\r\n").unwrap();
    let (mut rest, mut body) = (&answer[head + 4..], Vec::new());
    loop {
        let line = rest.windows(2).position(|bytes| bytes == b"\r\n").unwrap();
        let size = usize::from_str_radix(std::str::from_utf8(&rest[..line]).unwrap(), 16).unwrap();
        if size == 0 {
            break;
        }
        body.extend_from_slice(&rest[line + 2..line + 2 + size]);
        rest = &rest[line + 2 + size + 2..];
    }
    let body = String::from_utf8(body).unwrap();
    body.split_terminator("\n\n").map(Frame::parse).collect()
}
