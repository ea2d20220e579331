//! Clients that read or write slowly, many connections of one client, other protocols on the same port, compressed bodies

use std::{net::SocketAddr, time::Duration};

use buildtrack::ConnectionBounds;
use buildtrack_tests::{Backend, TestApp, eventually};
use rstest_reuse::apply;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpSocket, TcpStream},
};

use crate::either;

/// A long public answer: more than the system buffers on both sides.
const LONG: &str = "GET /openapi.json HTTP/1.1\r\nHost: a\r\n\r\n";
/// Answers that a client asks for at once.
const PIPELINED: usize = 8;
/// Bytes of a body, below the limit of 320 KiB.
const BODY_BYTES: usize = 300_000;

/// The bounds of the server, with times that a test can wait for.
fn short() -> ConnectionBounds {
    ConnectionBounds { tick: Duration::from_millis(20), window: 10, head: 10, ..ConnectionBounds::default() }
}

fn address(app: &TestApp) -> SocketAddr {
    app.url().trim_start_matches("http://").parse().unwrap()
}

async fn connect(app: &TestApp, from: &str) -> TcpStream {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind(from.parse().unwrap()).unwrap();
    socket.connect(address(app)).await.unwrap()
}

/// Asks for several long answers and reads none.
async fn deaf(app: &TestApp) -> TcpStream {
    let mut client = TcpStream::connect(address(app)).await.unwrap();
    client.write_all(LONG.repeat(PIPELINED).as_bytes()).await.unwrap();
    client
}

/// Reads until the server closes the connection, with or without an error.
async fn rest(mut client: TcpStream) -> Vec<u8> {
    let mut read = vec![];
    let closing = async { while matches!(client.read_buf(&mut read).await, Ok(more) if more > 0) {} };
    tokio::time::timeout(Duration::from_secs(20), closing).await.expect("the server does not close the connection");
    read
}

async fn send(app: &TestApp, request: &str) -> String {
    let mut client = TcpStream::connect(address(app)).await.unwrap();
    client.write_all(request.as_bytes()).await.unwrap();
    String::from_utf8_lossy(&rest(client).await).into_owned()
}

/// How many connections the process has ended for a reason. Other tests may end some as well.
async fn ended(app: &TestApp, reason: &str) -> u64 {
    let metrics = app.anonymous().get("/metrics").await.text;
    let name = format!("buildtrack_refused_total{{reason=\"{reason}\"}} ");
    metrics.lines().find_map(|line| line.strip_prefix(&name)).map_or(0, |count| count.parse().unwrap())
}

async fn long_answer(app: &TestApp) -> usize {
    app.anonymous().get("/openapi.json").await.text.len()
}

#[apply(either)]
async fn a_client_that_does_not_read_is_disconnected_and_an_idle_stream_is_not(#[case] backend: Backend) {
    let app = TestApp::start(backend).await.within(short()).await;
    let scout = app.agent("Scout").await;
    let track = scout.open("Slow readers").await;
    let mut following = app.anonymous().follow(&format!("/api/v1/workspaces/{}/live", track.id)).await;
    let whole = long_answer(&app).await * PIPELINED;
    let client = deaf(&app).await;
    // A closed socket resets the connection when more arrives.
    let closed = |error: std::io::Error| error.kind() != std::io::ErrorKind::WouldBlock;
    eventually(async || client.try_write(b"G").is_err_and(closed)).await;
    assert!(rest(client).await.len() < whole);
    assert!(ended(&app, "slow_reader").await > 0);
    // The stream was idle for longer than any client may be slow.
    scout.post_message(&track, "still here").await;
    assert_eq!(following.take(1).await.len(), 1);
}

#[apply(either)]
async fn every_request_head_of_a_connection_has_a_time_limit(#[case] backend: Backend) {
    let app = TestApp::start(backend).await.within(short()).await;
    for head in ["GET /livez", "GET /livez HTTP/1.1\r\nHost: a\r\nX-Slow: "] {
        let mut client = TcpStream::connect(address(&app)).await.unwrap();
        client.write_all(b"GET /livez HTTP/1.1\r\nHost: a\r\n\r\n").await.unwrap();
        assert!(client.read_u8().await.is_ok());
        client.write_all(head.as_bytes()).await.unwrap();
        rest(client).await;
    }
}

#[apply(either)]
async fn answers_that_wait_for_their_clients_take_a_bounded_amount_of_memory(#[case] backend: Backend) {
    let patient = ConnectionBounds { window: 1_000_000, waiting_bytes: 2 << 20, ..short() };
    let app = TestApp::start(backend).await.within(patient).await;
    let (before, whole) = (ended(&app, "answer_bytes").await, long_answer(&app).await);
    let mut clients = vec![];
    for _ in 0..12 {
        clients.push(deaf(&app).await);
    }
    // Twelve answers of half a megabyte wait; those that have waited the longest make room.
    eventually(async || ended(&app, "answer_bytes").await >= before + 6).await;
    assert_eq!(long_answer(&app).await, whole);
}

/// Requests that do not end: of a head, of a body, of a body in chunks, and of a head that follows a whole request.
fn unfinished() -> [String; 4] {
    let filling = "x".repeat(100_000);
    let post = "POST /agora HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n";
    [
        format!("GET /livez HTTP/1.1\r\nHost: a\r\nX-Slow: {filling}"),
        format!("{post}Content-Length: 200000\r\n\r\n\"{filling}"),
        format!("{post}Transfer-Encoding: chunked\r\n\r\n30000\r\n\"{filling}"),
        format!("GET /livez HTTP/1.1\r\nHost: a\r\n\r\nGET /livez HTTP/1.1\r\nHost: a\r\nX-Slow: {filling}"),
    ]
}

#[apply(either)]
async fn requests_that_do_not_end_take_a_bounded_amount_of_memory(#[case] backend: Backend) {
    let patient = ConnectionBounds { head: 1_000_000, waiting_bytes: 1 << 20, ..short() };
    let app = TestApp::start(backend).await.within(patient).await;
    for request in unfinished() {
        let (before, mut clients) = (ended(&app, "request_bytes").await, vec![]);
        for _ in 0..24 {
            let mut client = TcpStream::connect(address(&app)).await.unwrap();
            // The server may end it while it sends.
            let _ = client.write_all(request.as_bytes()).await;
            clients.push(client);
        }
        eventually(async || ended(&app, "request_bytes").await >= before + 12).await;
        let whole = format!("\"{}\"", "x".repeat(100_000));
        let answer = app.anonymous().send("POST", "/agora").body("application/json", whole).await;
        assert!(answer.status >= 400 && answer.status != 408, "{}: {}", answer.status, answer.text);
    }
}

#[apply(either)]
async fn a_head_that_came_with_the_previous_request_has_a_time_limit(#[case] backend: Backend) {
    let app = TestApp::start(backend).await.within(short()).await;
    let [.., after_another] = unfinished();
    let answer = send(&app, &after_another).await;
    assert!(answer.starts_with("HTTP/1.1 200") && ended(&app, "slow_head").await > 0, "{answer}");
}

#[apply(either)]
async fn connections_of_a_network_are_bounded_except_those_of_trusted_proxies(#[case] backend: Backend) {
    let configured = TestApp::with(backend, |settings| {
        (settings.live_streams_per_address, settings.waiting_per_network) = (1, 1);
        settings.trusted_proxies = vec!["127.0.0.8/32".parse().unwrap()];
    });
    let bounds = ConnectionBounds { of_network: 2, ..ConnectionBounds::default() };
    let app = configured.await.within(bounds).await;
    for (from, admitted) in [("127.0.0.9:0", 4), ("127.0.0.8:0", 9), ("127.0.0.7:0", 4)] {
        let mut open = vec![];
        for number in 0..9 {
            let mut client = connect(&app, from).await;
            let answered = client.write_all(b"GET /livez HTTP/1.1\r\nHost: a\r\n\r\n").await.is_ok()
                && client.read_u8().await.is_ok();
            assert_eq!(answered, number < admitted, "{from} {number}");
            open.push(client);
        }
        // A closed connection makes room for another.
        open.clear();
        eventually(async || {
            let mut client = connect(&app, from).await;
            let _ = client.write_all(b"GET /livez HTTP/1.1\r\nHost: a\r\n\r\n").await;
            client.read_u8().await.is_ok()
        })
        .await;
    }
}

#[apply(either)]
async fn the_port_speaks_http_1_only(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    // The preface of HTTP/2, with its first frame: SETTINGS.
    let answer = send(&app, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\u{4}\0\0\0\0\0").await;
    assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 400"), "{answer}");
    let upgrade = "GET /livez HTTP/1.1\r\nHost: a\r\nConnection: Upgrade, HTTP2-Settings, close\r\nUpgrade: h2c\r\n\
                   HTTP2-Settings: AAMAAABkAAQAAP__\r\n\r\n";
    let answer = send(&app, upgrade).await;
    assert!(!answer.contains(" 101 ") && answer.starts_with("HTTP/1.1 "), "{answer}");
}

#[apply(either)]
async fn a_flood_of_headers_is_refused(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let flood = "X-Flood: a\r\n".repeat(200_000);
    let answer = send(&app, &format!("GET /livez HTTP/1.1\r\nHost: a\r\n{flood}\r\n")).await;
    assert!(!answer.starts_with("HTTP/1.1 200"), "{answer:.100}");
}

#[apply(either)]
async fn no_door_expands_a_compressed_body(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let spaces = " ".repeat(BODY_BYTES);
    for path in ["/api/v1/workspaces", "/agent-login", "/api/v1/forum/posts"] {
        for coding in ["gzip", "br", "deflate", "zstd", "gzip, gzip"] {
            let refused = scout.send("POST", path).header("Content-Encoding", coding).body("application/json", "{}");
            refused.await.expect_problem(415, "unsupported_media_type");
        }
    }
    for path in ["/events", "/agora", "/v1/messages/batch", "/mcp", "/oauth/token", "/login"] {
        // Plain text that says it is compressed: a door that expanded it would complain of the coding.
        let answer =
            scout.send("POST", path).header("Content-Encoding", "gzip").body("application/json", spaces.clone());
        let answer = answer.await;
        assert!(answer.status >= 400 && answer.text.len() < 32 * 1024, "{path} {}: {}", answer.status, answer.text);
    }
}
