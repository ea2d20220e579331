//! Retries of failed pushes, across restarts and kills, with equal bodies and one delivery id.

use buildtrack_tests::Backend;
use rstest_reuse::apply;
use serde_json::json;
use tokio::{
    io::{AsyncBufReadExt, BufReader},
    net::TcpListener,
};

use super::{
    cast::{Agent, Track, agents},
    receiver::{Push, Receiver, ReceiverOptions, address},
    site::{Server, Site},
    waiting::soon,
};
use crate::both;

/// Retries without a delay, so that tests need not wait.
const WITHOUT_DELAY: &str =
    "0.2,0.2,0.2,0.2,0.2,0.2,0.2,0.2,0.2,0.2,0.2,0.2,0.2,0.2,0.2,0.2,0.2,0.2,0.2,0.2,0.2,0.2,0.2,0.2";

/// The common parts of all attempts at one push: the delivery id, and the signed bytes, represented by the signature.
fn identity(push: &Push) -> (&str, &str) {
    (push.header("x-araf-delivery"), push.header("x-araf-signature"))
}

fn attempt(push: &Push) -> i64 {
    push.header("x-araf-attempt").parse().unwrap()
}

struct Pair {
    author: Agent,
    reader: Agent,
    track: Track,
}

impl Pair {
    async fn new(server: &Server) -> Self {
        let [author, reader] = agents(server, ["Ada", "Ben"]).await;
        let track = Track::open(server, &author, &[&reader]).await;
        Self { author, reader, track }
    }

    async fn receiver(&self, server: &Server, reject_first: u32) -> Receiver {
        Receiver::with_options(server, &self.reader, ReceiverOptions { reject_first, port: None }).await
    }

    async fn post(&self, server: &Server, content: &str) -> serde_json::Value {
        self.author.posts(server, &self.track, content).await
    }
}

#[apply(both)]
async fn a_refused_push_is_retried(backend: Backend) {
    let site = Site::new(backend).await.with("BUILDTRACK_RETRY_SCHEDULE", WITHOUT_DELAY);
    let server = site.serve().await;
    let pair = Pair::new(&server).await;
    let mut receiver = pair.receiver(&server, 2).await;
    pair.post(&server, "third time lucky").await;
    let pushes = receiver.next_ones(3).await;
    let [first, second, third] = &pushes[..] else { unreachable!("three were asked for") };
    assert_eq!([first.status, second.status, third.status], [503, 503, 200]);
    assert_eq!([attempt(first), attempt(second), attempt(third)], [1, 2, 3]);
    assert_eq!((identity(first), identity(second)), (identity(third), identity(third)));
    assert_eq!(third.content(), "third time lucky");
    site.wait_for_only_delivery("delivered", 3).await;
}

#[apply(both)]
async fn a_delivery_fails_after_its_last_attempt(backend: Backend) {
    let site = Site::new(backend).await.with("BUILDTRACK_RETRY_SCHEDULE", "0.05,0.05");
    let server = site.serve().await;
    let pair = Pair::new(&server).await;
    let receiver = pair.receiver(&server, u32::MAX).await;
    pair.post(&server, "never").await;
    site.wait_for_only_delivery("failed", 3).await;
    assert_eq!(receiver.end().await.len(), 3);
}

#[apply(both)]
async fn a_stopped_receiver_gets_the_push_after_a_restart_of_both(backend: Backend) {
    let site = Site::new(backend).await.with("BUILDTRACK_RETRY_SCHEDULE", WITHOUT_DELAY);
    let server = site.serve().await;
    let pair = Pair::new(&server).await;
    let receiver = pair.receiver(&server, 0).await;
    let port = receiver.port();
    receiver.end().await;
    pair.post(&server, "anybody there?").await;
    let delivery = site.wait_for_only_delivery("pending", 2).await;
    server.stop().await;
    let mut receiver =
        Receiver::start(&pair.reader, ReceiverOptions { port: Some(port), ..ReceiverOptions::default() }).await;
    let _server = site.serve().await;
    let push = receiver.next().await;
    assert_eq!((push.status, push.content(), push.header("x-araf-delivery")), (200, "anybody there?", &*delivery));
    assert!(attempt(&push) > 2);
}

#[apply(both)]
async fn a_kill_between_attempts_loses_no_delivery(backend: Backend) {
    let site = Site::new(backend).await.with("BUILDTRACK_RETRY_SCHEDULE", "2,0.2,0.2,0.2");
    let server = site.serve().await;
    let pair = Pair::new(&server).await;
    let mut receiver = pair.receiver(&server, 1).await;
    pair.post(&server, "once more").await;
    let first = receiver.next().await;
    site.wait_for_only_delivery("pending", 1).await;
    server.process.kill().await;
    let _server = site.serve().await;
    let second = receiver.next().await;
    assert_eq!((first.status, second.status, attempt(&second)), (503, 200, 2));
    assert_eq!((identity(&first), second.content()), (identity(&second), "once more"));
    site.wait_for_only_delivery("delivered", 2).await;
}

/// Slow: an interrupted delivery stays leased for 30 seconds.
#[apply(both)]
async fn a_kill_during_an_attempt_loses_no_delivery(backend: Backend) {
    let site = Site::new(backend).await;
    let server = site.serve().await;
    let pair = Pair::new(&server).await;
    let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = silent.local_addr().unwrap().port();
    pair.reader.changes(&server, json!({"webhookUrl": address(port)})).await;
    pair.post(&server, "are you still there?").await;
    let (stream, _) = soon("a call", silent.accept()).await.unwrap();
    let mut lines = BufReader::new(stream).lines();
    let mut delivery = String::new();
    while delivery.is_empty() {
        let line = soon("a header", lines.next_line()).await.unwrap().expect("the head has an end");
        if let Some(id) = line.to_lowercase().strip_prefix("x-araf-delivery: ") {
            id.clone_into(&mut delivery);
        }
    }
    server.process.kill().await;
    drop((lines, silent));
    let mut receiver =
        Receiver::start(&pair.reader, ReceiverOptions { port: Some(port), ..ReceiverOptions::default() }).await;
    let _server = site.serve().await;
    let push = receiver.next_within_a_lease().await;
    assert_eq!((push.status, push.header("x-araf-delivery")), (200, &*delivery));
    assert_eq!(push.content(), "are you still there?");
}

#[apply(both)]
async fn messages_posted_without_a_worker_are_pushed_later(backend: Backend) {
    let site = Site::new(backend).await.with("BUILDTRACK_WORKER", "off");
    let server = site.serve().await;
    let pair = Pair::new(&server).await;
    let mut receiver = pair.receiver(&server, 0).await;
    pair.post(&server, "no hurry").await;
    server.stop().await;
    let site = site.with("BUILDTRACK_WORKER", "on");
    let _server = site.serve().await;
    assert_eq!(receiver.next().await.content(), "no hurry");
}

#[apply(both)]
async fn a_redacted_message_is_not_retried(backend: Backend) {
    let site = Site::new(backend).await.with("BUILDTRACK_RETRY_SCHEDULE", "2,2");
    let server = site.serve().await;
    let pair = Pair::new(&server).await;
    let mut receiver = pair.receiver(&server, 3).await;
    let regretted = pair.post(&server, "I regret this").await;
    let first = receiver.next().await;
    let delivery = site.wait_for_only_delivery("pending", 1).await;
    assert_eq!(first.header("x-araf-delivery"), delivery);
    pair.author.redacts(&server, &pair.track, &regretted).await;
    site.wait_for_only_delivery("cancelled", 1).await;
    // Refused twice, and therefore delivered long after the next attempt of the redacted one would have been.
    pair.post(&server, "but not that").await;
    let others = receiver.next_ones(3).await;
    assert_eq!(others.iter().map(|push| push.status).collect::<Vec<_>>(), [503, 503, 200]);
    assert!(others.iter().all(|push| push.header("x-araf-delivery") != delivery), "{others:?}");
    site.wait_until_idle().await;
    assert!(receiver.end().await.is_empty());
}
