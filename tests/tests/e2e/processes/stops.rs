//! Shutdown with SIGTERM and SIGINT: requests in flight are completed, acknowledged writes are durable, the exit code is 0.

use std::time::Duration;

use buildtrack_tests::Backend;
use reqwest::Method;
use rstest_reuse::apply;
use rustix::process::Signal;
use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    net::{TcpListener, TcpStream},
    time::timeout,
};

use super::{
    cast::{Agent, Track, agents},
    checks::assert_complete,
    client::text,
    load::Load,
    receiver::address,
    site::{Server, Site, unique},
    waiting::{soon, until},
};
use crate::both;

/// A POST request whose head the server has read and whose body it waits for.
struct HalfSent {
    stream: BufReader<TcpStream>,
    content: String,
    body: String,
}

impl HalfSent {
    async fn new(server: &Server, agent: &Agent, track: &Track) -> Self {
        let content = unique("half sent ");
        let body = agent.message(&content).to_string();
        let host = server.url().strip_prefix("http://").unwrap();
        let head = format!(
            "POST {path} HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {token}\r\nContent-Type: application/json\r\n\
             Content-Length: {length}\r\nExpect: 100-continue\r\n\r\n",
            path = track.messages(),
            token = agent.token,
            length = body.len(),
        );
        let mut stream = BufReader::new(TcpStream::connect(host).await.unwrap());
        stream.write_all(head.as_bytes()).await.unwrap();
        let mut half_sent = Self { stream, content, body };
        assert_eq!(half_sent.head().await, ["HTTP/1.1 100 Continue"]);
        half_sent
    }

    /// The lines of a response's head.
    async fn head(&mut self) -> Vec<String> {
        let mut lines = Vec::new();
        loop {
            let mut line = String::new();
            let read = soon("an answer", self.stream.read_line(&mut line)).await.unwrap();
            assert_ne!(read, 0, "the connection was closed without an answer: {lines:?}");
            match line.trim_end() {
                "" => return lines,
                line => lines.push(line.to_owned()),
            }
        }
    }

    /// Sends the rest; returns id and content of the message, which must be accepted with 201.
    async fn finish(mut self) -> (String, String) {
        self.stream.write_all(self.body.as_bytes()).await.unwrap();
        let head = self.head().await;
        assert_eq!(head[0], "HTTP/1.1 201 Created");
        let length = head.iter().find_map(|line| line.to_lowercase().strip_prefix("content-length: ")?.parse().ok());
        let mut body = vec![0; length.unwrap()];
        soon("a body", self.stream.read_exact(&mut body)).await.unwrap();
        let message: Value = serde_json::from_slice(&body).unwrap();
        (text(&message, "/id"), self.content)
    }
}

#[apply(both)]
async fn a_signal_completes_requests_in_flight(backend: Backend, #[values(Signal::TERM, Signal::INT)] signal: Signal) {
    let site = Site::new(backend).await;
    let mut server = site.serve().await;
    let agent = Agent::new(&server, "Scout").await;
    let track = Track::open(&server, &agent, &[]).await;
    let mut load = Load::on(&server, &agent, &track);
    load.wait_for_messages(100).await;
    let mut half_sent = Vec::new();
    for _ in 0..8 {
        half_sent.push(HalfSent::new(&server, &agent, &track).await);
    }
    server.process.signal(signal);
    server.process.stderr.wait_for_text("stopping: completing the requests in flight").await;
    let mut finished = Vec::new();
    for half_sent in half_sent {
        finished.push(half_sent.finish().await);
    }
    let mut written = load.finish().await;
    assert_eq!(written.refused, [""; 0]);
    written.receipts.extend(finished);
    let ended = server.process.end().await;
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    // Messages without a 201 response were written, but the connection ended before the response.
    assert_eq!(assert_complete(&site.serve().await, &track, &written).await, 0);
}

#[apply(both)]
async fn a_stopping_server_refuses_new_requests(backend: Backend) {
    let site = Site::new(backend).await;
    let mut server = site.serve().await;
    let agent = Agent::new(&server, "Scout").await;
    let track = Track::open(&server, &agent, &[]).await;
    let half_sent = HalfSent::new(&server, &agent, &track).await;
    server.process.signal(Signal::TERM);
    server.process.stderr.wait_for_text("stopping: completing the requests in flight").await;
    until("connections are refused", async || {
        server.anyone().send(Method::GET, "/livez", None).await.is_err().then_some(())
    })
    .await;
    half_sent.finish().await;
    assert_eq!(server.process.end().await.code, Some(0));
}

/// Far less than the grace periods of requests in flight (10 s) and of pushes (5 s).
const SHUTDOWN_TIME: Duration = Duration::from_secs(3);

#[apply(both)]
async fn silent_connections_do_not_delay_the_shutdown(backend: Backend) {
    let site = Site::new(backend).await;
    let server = site.serve().await;
    let client = server.anyone();
    client.get("/livez").await.expect(200);
    let _silent = TcpStream::connect(server.url().strip_prefix("http://").unwrap()).await.unwrap();
    let finished = timeout(SHUTDOWN_TIME, server.stop()).await.expect("it stops at once");
    assert!(finished.stderr.contains("stopped"), "{}", finished.stderr);
}

#[apply(both)]
async fn an_unresponsive_receiver_does_not_delay_the_shutdown(backend: Backend) {
    let site = Site::new(backend).await;
    let server = site.serve().await;
    let [author, reader] = agents(&server, ["Ada", "Ben"]).await;
    let track = Track::open(&server, &author, &[&reader]).await;
    let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = address(silent.local_addr().unwrap().port());
    reader.changes(&server, json!({"webhookUrl": url})).await;
    author.posts(&server, &track, "hello?").await;
    let _call = soon("a call", silent.accept()).await.unwrap();
    timeout(Duration::from_secs(10), server.stop()).await.expect("it stops within seconds");
    site.wait_for_only_delivery("pending", 0).await;
}
