//! Traces, as a collector receives them.

use std::{net::TcpListener, time::Instant};

use buildtrack_tests::Backend;
use opentelemetry_proto::tonic::trace::v1::span::SpanKind;
use rstest_reuse::apply;
use serde_json::json;

use super::{
    cast::{Agent, Owner, Track, agents},
    client::text,
    collector::Collector,
    node::Node,
    receiver::{Push, Receiver, ReceiverOptions},
    site::{Server, Site, unique},
    waiting::{PATIENCE, until},
};
use crate::{both, either};

/// The trace and span of the caller.
const CALLER: (&str, &str) = ("4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7");

/// Exports spans immediately, and only to this collector.
fn traced(site: Site, collector: &str) -> Site {
    let site = site.with("OTEL_EXPORTER_OTLP_ENDPOINT", collector).with("OTEL_BSP_SCHEDULE_DELAY", "20");
    site.with("NO_PROXY", "127.0.0.1").with("no_proxy", "127.0.0.1")
}

async fn post_within_a_trace(server: &Server, author: &Agent, track: &Track, content: &str) {
    let traceparent = format!("00-{}-{}-01", CALLER.0, CALLER.1);
    let client = server.with(&author.token).sending("traceparent", &traceparent);
    client.post(&track.messages(), author.message(content)).await.expect(201);
}

/// The hash of the only message event.
async fn hash_of_the_message(server: &Server) -> String {
    let log = server.anyone().get("/api/v1/log?limit=200").await.expect(200);
    let events = log["items"].as_array().unwrap();
    text(events.iter().find(|event| event["type"] == "message.posted").unwrap(), "/hash")
}

/// Checks all spans of one message that was posted within the caller's trace, from its request to its push.
async fn assert_traced(collector: &Collector, server: &Server, push: &Push, worker: &str, messaging: &str) {
    let request =
        collector.span("the request's span", |span| span.trace_id == CALLER.0 && span.kind == SpanKind::Server).await;
    assert_eq!((&*request.service, &*request.parent), ("buildtrack", CALLER.1));
    assert_eq!(request.name, format!("POST {}", request.attribute("http.route")));
    assert!(request.attribute("http.route").ends_with("/messages"), "{request:?}");
    assert_eq!((request.attribute("http.request.method"), request.failed), ("POST", false));
    assert_eq!(request.attribute("http.response.status_code"), "201");

    let append = collector.span("the append", |span| span.name == "append" && span.parent == request.id).await;
    assert_eq!(append.trace_id, CALLER.0);
    let commit = collector.span("the commit", |span| append.links.contains(&span.context())).await;
    assert_eq!((&*commit.name, commit.kind), ("COMMIT", SpanKind::Client));
    assert!(commit.parent == append.id || commit.links.contains(&append.context()), "{commit:?}");

    // The event has its own trace, with an id derived from its hash.
    let hash = hash_of_the_message(server).await;
    let (event, creation) = (hash[..32].to_owned(), hash[32..48].to_owned());
    let created =
        collector.span("the event's creation", |span| span.context() == (event.clone(), creation.clone())).await;
    assert_eq!((&*created.name, created.kind, &*created.parent), ("create message.posted", SpanKind::Producer, ""));
    assert_eq!(created.links, [append.context()]);
    assert!(append.links.contains(&created.context()), "{append:?}");

    for (name, kind) in [("send message.posted", SpanKind::Producer), ("process message.posted", SpanKind::Consumer)] {
        let span = collector.span(name, |span| span.trace_id == event && span.name == name).await;
        assert_eq!((&*span.parent, span.kind, &*span.service), (&*creation, kind, worker));
        assert_eq!(span.attribute("messaging.system"), messaging);
    }
    let pushed = collector.span("the push", |span| span.trace_id == event && span.kind == SpanKind::Client).await;
    assert_eq!((&*pushed.name, &*pushed.parent, &*pushed.service), ("POST", &*creation, worker));
    assert_eq!(pushed.attribute("server.address"), "127.0.0.1");
    assert_eq!(pushed.attribute("http.response.status_code"), "200");
    assert_eq!(pushed.attribute("buildtrack.delivery.id"), push.header("x-araf-delivery"));
    assert_eq!(push.traceparent(), Some(&*format!("00-{event}-{}-01", pushed.id)));
}

#[apply(both)]
async fn a_message_is_traced_from_its_request_to_its_push(backend: Backend) {
    let collector = Collector::start();
    let site = traced(Site::new(backend).await, &collector.url);
    let server = site.serve().await;
    let [ada, ben] = agents(&server, ["Ada", "Ben"]).await;
    let track = Track::open(&server, &ada, &[&ben]).await;
    let mut receiver = Receiver::of(&server, &ben).await;
    post_within_a_trace(&server, &ada, &track, "hello").await;
    let push = receiver.next().await;
    assert_eq!(push.status, 200);
    assert_traced(&collector, &server, &push, "buildtrack", "buildtrack").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_message_is_traced_across_processes_and_a_broker() {
    let (collector, mut broker) = (Collector::start(), Node::new());
    let site = Site::new(Backend::Postgres).await.with("BUILDTRACK_WORKER", "off");
    let site = traced(site.with("AMQP_URL", &broker.start().await), &collector.url);
    let server = site.serve().await;
    let worker = site.work();
    let [ada, ben] = agents(&server, ["Ada", "Ben"]).await;
    let track = Track::open(&server, &ada, &[&ben]).await;
    let mut receiver = Receiver::of(&server, &ben).await;
    post_within_a_trace(&server, &ada, &track, "hello").await;
    let push = receiver.next().await;
    assert_traced(&collector, &server, &push, "buildtrack-worker", "rabbitmq").await;
    worker.kill().await;
}

#[apply(either)]
async fn every_attempt_is_a_span_of_the_event(backend: Backend) {
    let collector = Collector::start();
    let site = traced(Site::new(backend).await.with("BUILDTRACK_RETRY_SCHEDULE", "0.05"), &collector.url);
    let site = site.with("OTEL_SERVICE_NAME", "ours");
    let server = site.serve().await;
    let [ada, ben] = agents(&server, ["Ada", "Ben"]).await;
    let track = Track::open(&server, &ada, &[&ben]).await;
    let options = ReceiverOptions { reject_first: 1, ..ReceiverOptions::default() };
    let mut receiver = Receiver::with_options(&server, &ben, options).await;
    ada.posts(&server, &track, "hello").await;
    let pushes = receiver.next_ones(2).await;
    let event = hash_of_the_message(&server).await[..32].to_owned();
    for (push, (status, again)) in pushes.iter().zip([("503", ""), ("200", "1")]) {
        let id = push.traceparent().unwrap()[36..52].to_owned();
        let span = collector.span("an attempt", |span| span.id == id).await;
        assert_eq!((&*span.trace_id, &*span.service), (&*event, "ours"));
        assert_eq!(span.attribute("http.response.status_code"), status);
        assert_eq!(span.attribute("http.request.resend_count"), again);
        assert_eq!(span.failed, status == "503");
    }
}

#[apply(either)]
async fn ended_spans_are_exported_at_shutdown(backend: Backend) {
    let collector = Collector::start();
    // Not exported before the shutdown.
    let site = traced(Site::new(backend).await, &collector.url).with("OTEL_BSP_SCHEDULE_DELAY", "3600000");
    let server = site.serve().await;
    server.anyone().get("/api/v1/me").await.expect(401);
    server.stop().await;
    assert!(collector.spans().iter().any(|span| span.attribute("http.route") == "/api/v1/me"));
}

#[apply(either)]
async fn no_secret_is_in_a_span(backend: Backend) {
    let collector = Collector::start();
    let site = traced(Site::new(backend).await.with("BUILDTRACK_RETRY_SCHEDULE", "0.05"), &collector.url);
    let server = site.serve().await;
    let owner = Owner::sign_up(&server).await;
    let (ada, ben) = (owner.agent(&server, "Ada").await, owner.agent(&server, "Ben").await);
    let track = Track::open(&server, &ada, &[&ben]).await;
    let mut receiver = Receiver::of(&server, &ben).await;
    let (in_the_url, content) = (unique("token-of-the-url-"), unique("content-"));
    ben.changes(&server, json!({"webhookUrl": format!("{}?token={in_the_url}", receiver.url())})).await;
    ada.posts(&server, &track, &content).await;
    assert_eq!(receiver.next().await.status, 200);
    // The receiver has stopped: the span shows the failure.
    receiver.end().await;
    ada.posts(&server, &track, &content).await;
    site.wait_until_idle().await;
    let in_a_query = unique("query-");
    server.anyone().get(&format!("/api/v1/agents?secret={in_a_query}")).await;
    server.anyone().post("/agent-login", json!({"key": unique("araf_")})).await;
    let listed = "/build";
    server.anyone().get(listed).await.expect(200);
    let secret = site.setting("BUILDTRACK_SECRET").map(ToOwned::to_owned);
    let secret = secret.or_else(|| std::fs::read_to_string(site.folder().join("data/secret")).ok()).unwrap();
    server.stop().await;
    let spans = collector.spans();
    assert!(spans.iter().any(|span| span.attribute("error.type") == "connect"), "the failure is not seen");
    assert!(spans.iter().any(|span| span.attribute("url.path") == listed), "the last request is not seen");
    for (what, secret) in [
        ("the server's secret", &*secret),
        ("a password", &owner.password),
        ("an e-mail address", &owner.email),
        ("an owner's token", &owner.token),
        ("an agent's key", &ada.key),
        ("an agent's token", &ada.token),
        ("a webhook's secret", &ben.secret),
        ("a token in a webhook's address", &in_the_url),
        ("a webhook's path", "araf/webhook"),
        ("a query", &in_a_query),
        ("a message", &content),
    ] {
        let span = spans.iter().find(|span| format!("{span:?}").contains(secret));
        assert!(span.is_none(), "{what} is in {span:?}");
    }
}

#[apply(either)]
async fn an_unreachable_collector_logs_one_line(backend: Backend) {
    let unused = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let site = traced(Site::new(backend).await, &format!("http://{unused}"));
    let mut server = site.serve().await;
    let [ada, ben] = agents(&server, ["Ada", "Ben"]).await;
    let track = Track::open(&server, &ada, &[&ben]).await;
    let mut receiver = Receiver::of(&server, &ben).await;
    server.process.stderr.wait_for_text("the collector does not accept spans").await;
    ada.posts(&server, &track, "hello").await;
    assert_eq!(receiver.next().await.content(), "hello");
    until("more spans are lost", async || {
        let metrics = server.anyone().get("/metrics").await.body;
        let lost = metrics.as_str()?.lines().find(|line| line.contains(r#"spans_total{outcome="lost"}"#))?;
        (lost.rsplit_once(' ')?.1.parse::<u64>().ok()? > 100).then_some(())
    })
    .await;
    let finished = server.stop().await;
    assert_eq!(finished.stderr.matches("the collector does not accept spans").count(), 1, "{}", finished.stderr);
    assert!(!finished.stderr.contains(&unused.to_string()), "{}", finished.stderr);
}

#[apply(either)]
async fn an_unresponsive_collector_delays_nothing(backend: Backend) {
    // It accepts connections and never responds.
    let hanging = TcpListener::bind("127.0.0.1:0").unwrap();
    let site = traced(Site::new(backend).await, &format!("http://{}", hanging.local_addr().unwrap()));
    let server = site.serve().await;
    let [ada, ben] = agents(&server, ["Ada", "Ben"]).await;
    let track = Track::open(&server, &ada, &[&ben]).await;
    let mut receiver = Receiver::of(&server, &ben).await;
    ada.posts(&server, &track, "hello").await;
    assert_eq!(receiver.next().await.content(), "hello");
    let stopping = Instant::now();
    server.stop().await;
    assert!(stopping.elapsed() < PATIENCE / 3, "{:?}", stopping.elapsed());
}

#[apply(both)]
async fn without_a_collector_a_push_has_no_traceparent(
    backend: Backend,
    #[values(None, Some("true"))] off: Option<&str>,
) {
    let mut site = Site::new(backend).await;
    if let Some(off) = off {
        site = traced(site, "http://127.0.0.1:1").with("OTEL_SDK_DISABLED", off);
    }
    let server = site.serve().await;
    let [ada, ben] = agents(&server, ["Ada", "Ben"]).await;
    let track = Track::open(&server, &ada, &[&ben]).await;
    let mut receiver = Receiver::of(&server, &ben).await;
    post_within_a_trace(&server, &ada, &track, "hello").await;
    assert_eq!(receiver.next().await.traceparent(), None);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_invalid_collector_url_is_named_at_the_start() {
    for (key, value, named) in [
        ("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc", "OTEL_EXPORTER_OTLP_PROTOCOL: only http/protobuf"),
        ("OTEL_EXPORTER_OTLP_ENDPOINT", "no address, but hunter2", "OTEL_EXPORTER_OTLP_ENDPOINT"),
    ] {
        let site = traced(Site::new(Backend::Sqlite).await, "http://127.0.0.1:4318").with(key, value);
        let finished = site.run(&[]).await;
        assert_eq!(finished.code, Some(1), "{finished:?}");
        assert!(finished.stderr.contains(named) && !finished.stderr.contains("hunter2"), "{finished:?}");
    }
}
