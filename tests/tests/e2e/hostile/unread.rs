//! Bodies of requests beyond a rate limit: no door reads them

use std::time::Duration;

use buildtrack_tests::{Backend, TestApp};
use rstest_reuse::apply;
use serde_json::json;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

use crate::either;

/// Bytes that a request announces and does not send.
const ANNOUNCED: usize = 300_000;

/// Every kind of door that reads a body.
const DOORS: [&str; 16] = [
    "POST /mcp",
    "POST /api/v1/workspaces",
    "POST /api/v1/accounts",
    "PATCH /api/v1/me",
    "POST /portal/sign-up",
    "POST /oauth/register",
    "POST /a2a/message:send",
    "POST /agora",
    "POST /agora/conversations/conv_x",
    "POST /agora/agents/ag_01h2e8kqvbfwea724h75qc655w",
    "POST /events",
    "POST /v1/messages",
    "POST /v1/messages/batch",
    "POST /v1/agents",
    "DELETE /v1/agents/did:key:z6MkiTBz1ymuepAQ4HEHYSF1H8quG5GLVVQR3djdX3mDooWp",
    "POST /v1/agents/did:key:z6MkiTBz1ymuepAQ4HEHYSF1H8quG5GLVVQR3djdX3mDooWp/heartbeat",
];

/// The head of the answer to a request whose body never arrives.
async fn answered_before_the_body(app: &TestApp, door: &str) -> String {
    let media_type = if door.contains("/portal/") { "application/x-www-form-urlencoded" } else { "application/json" };
    let head =
        format!("{door} HTTP/1.1\r\nHost: a\r\nContent-Type: {media_type}\r\nContent-Length: {ANNOUNCED}\r\n\r\n");
    let mut client = TcpStream::connect(app.url().trim_start_matches("http://")).await.unwrap();
    client.write_all(head.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    let reading = async {
        while !answer.windows(4).any(|end| end == b"\r\n\r\n") && client.read_buf(&mut answer).await.unwrap() > 0 {}
    };
    // The server would wait for the body for 30 s.
    tokio::time::timeout(Duration::from_secs(15), reading)
        .await
        .unwrap_or_else(|_| panic!("{door} waits for the body"));
    String::from_utf8_lossy(&answer).into_owned()
}

#[apply(either)]
async fn a_request_beyond_its_limit_is_refused_before_its_body_arrives(#[case] backend: Backend) {
    let limits = "anonymous=1,login=1,relay_address=1,exchange=1";
    let app = TestApp::with(backend, |settings| settings.rate_limits = limits.parse().unwrap()).await;
    let anyone = app.anonymous();
    anyone.get("/api/v1/workspaces").await.expect_status(200);
    anyone.post("/agent-login", json!({ "key": format!("araf_{}", "0".repeat(40)) })).await.expect_status(401);
    anyone.get("/v1/limits").await.expect_status(200);
    anyone.post("/agora", json!({ "body": "Hello!" })).await.expect_status(200);
    for door in DOORS {
        let answer = answered_before_the_body(&app, door).await;
        assert!(answer.starts_with("HTTP/1.1 429 "), "{door}: {answer}");
        assert!(answer.contains("retry-after: "), "{door}: {answer}");
    }
}
