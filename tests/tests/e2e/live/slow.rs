//! Whoever does not read is cut off, and told so.

use buildtrack_tests::{Backend, Frame, TestApp};
use rstest_reuse::apply;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpSocket,
};

use super::live;
use crate::both;

/// Bytes that the system keeps for a connection, more or less, and what the server keeps of the log (`BYTES` of
/// api/src/log/live/hub.rs).
const SOCKETS: usize = 7 * 1024 * 1024;
const KEPT: usize = 8 * 1024 * 1024;

#[apply(both)]
async fn whoever_does_not_read_is_cut_off_with_a_gap(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let track = scout.open("Webhooks").await;
    let after = app.store().tail().head();
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(16 * 1024).unwrap();
    let address = app.url().strip_prefix("http://").unwrap().parse().unwrap();
    let mut stream = socket.connect(address).await.unwrap();
    let request = format!("GET {} HTTP/1.1\r\nhost: x\r\n\r\n", live(&track));
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut first = [0; 17];
    stream.read_exact(&mut first).await.unwrap();
    assert_eq!(&first, b"HTTP/1.1 200 OK\r\n");
    // Four bytes a character.
    let text = "🦀".repeat(20_000);
    let posts = (SOCKETS + KEPT) / text.len();
    for _ in 0..posts {
        scout.say(&track, &text).await;
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
    // Whoever comes back finds the rest.
    let rest = app.store().tail().head() - last;
    assert!(rest > 10, "{rest}");
    let missed = app.anonymous().come_back(&live(&track), last).await.take(usize::try_from(rest).unwrap()).await;
    assert_eq!(missed.last().unwrap()["position"], app.store().tail().head());
}

/// The frames of an answer in chunks (RFC 9112, section 7.1), behind its first line.
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
