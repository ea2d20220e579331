//! `health` of endpoints, and `waitingFor` of deliveries

use std::time::Duration;

use buildtrack_domain::ids::WebhookId;
use buildtrack_store::WebhookChange;
use buildtrack_tests::{Agent, Backend, Caller, Receiver, TestApp, Track};
use rstest_reuse::apply;
use serde_json::{Value, json};

use crate::{both, either};

/// A working endpoint with one delivered message; further ones wait after its circuit breaker has opened.
struct Broken {
    app: TestApp,
    receiver: Receiver,
    scout: Agent,
    author: Agent,
    track: Track,
    endpoint: String,
    deliveries: String,
}

impl Broken {
    async fn new(backend: Backend) -> Self {
        let (app, receiver) = (TestApp::start(backend).await, Receiver::start());
        let ada = app.owner("Ada").await;
        let (scout, author) = (ada.agent_at("Scout", &receiver.url).await, ada.agent("Author").await);
        let track = author.open("Breakers").await;
        scout.join(&track).await;
        let endpoint = format!("{}/{}", scout.webhooks(), scout.webhook().await);
        let deliveries = format!("/api/v1/agents/{}/deliveries", scout.id);
        let broken = Self { app, receiver, scout, author, track, endpoint, deliveries };
        broken.arrives("one").await;
        broken.breaks().await;
        broken
    }

    async fn arrives(&self, text: &str) {
        self.author.post_message(&self.track, text).await;
        self.app.deliver().await;
        assert_eq!(self.receiver.take().len(), 1, "{text}");
    }

    /// Posts a message; a worker that failed five times has opened the circuit breaker for an hour.
    async fn breaks(&self) {
        let webhook_id: WebhookId = self.endpoint.rsplit('/').next().unwrap().parse().unwrap();
        let store = self.app.store();
        self.author.post_message(&self.track, "waits").await;
        // Written, and due in an hour.
        let until = store.log().clock().after(Duration::from_hours(1));
        let head = store.log().tail().head();
        let new = buildtrack_store::NewDelivery {
            id: buildtrack_domain::ids::DeliveryId::new(store.log().clock().uuid()),
            webhook_id,
            agent_id: self.scout.id.parse().unwrap(),
            position: head,
            push_type: buildtrack_domain::webhooks::PushType::WorkspaceMessage,
            next_at: store.log().clock().now(),
        };
        store.log().write_side(vec![WebhookChange::Deliveries(vec![new])]).await.unwrap();
        store.log().write_side(vec![WebhookChange::Postponed { webhook_id, until, resets: None }]).await.unwrap();
        self.app.deliver().await;
        assert!(self.receiver.take().is_empty(), "the breaker is open");
    }

    async fn state(&self) -> Value {
        self.scout.get(&self.endpoint).await.expect_status(200)["health"]["state"].clone()
    }

    /// Checks that the breaker is closed and that waiting deliveries are pushed at once.
    async fn recovers(&self, how: &str) {
        assert_eq!(self.state().await, "closed", "{how}");
        self.app.deliver().await;
        assert_eq!(self.receiver.take().len(), 1, "{how}");
    }
}

#[apply(either)]
async fn a_new_endpoint_is_unverified_until_its_first_push_is_answered(#[case] backend: Backend) {
    let (app, receiver) = (TestApp::start(backend).await, Receiver::start());
    let ada = app.owner("Ada").await;
    let (scout, author) = (ada.agent_at("Scout", &receiver.url).await, ada.agent("Author").await);
    let endpoint = format!("{}/{}", scout.webhooks(), scout.webhook().await);
    let health = scout.get(&endpoint).await["health"].clone();
    assert_eq!((&health["state"], &health["verifiedAt"]), (&json!("unverified"), &Value::Null));
    let track = author.open("First push").await;
    scout.join(&track).await;
    author.post_message(&track, "hello").await;
    app.deliver().await;
    assert_eq!(receiver.take().len(), 1);
    let health = scout.get(&endpoint).await["health"].clone();
    assert_eq!((&health["state"], &health["reason"], &health["failures"]), (&json!("closed"), &Value::Null, &json!(0)));
    assert_eq!(health["verifiedAt"], "2026-03-01T12:00:00.000001Z");
    // At another URL it is unverified until it responds, which may be to a test event.
    let elsewhere = Receiver::start();
    let moved = scout.patch(&endpoint, json!({ "url": elsewhere.url })).await.expect_status(200);
    assert_eq!(moved["health"]["state"], "unverified");
    assert_eq!(scout.act(&format!("{endpoint}/ping")).await["delivered"], true);
    assert_eq!(scout.get(&endpoint).await["health"]["state"], "closed");
}

#[apply(either)]
async fn an_open_breaker_is_shown_on_endpoint_agent_and_deliveries(#[case] backend: Backend) {
    let broken = Broken::new(backend).await;
    let Broken { scout, endpoint, deliveries, .. } = &broken;
    let shown = scout.get(endpoint).await.expect_status(200);
    let health = &shown["health"];
    assert_eq!((&health["state"], &health["nextAttemptAt"]), (&json!("open"), &json!("2026-03-01T13:00:00.000001Z")));
    assert_eq!(scout.get(&scout.webhooks()).await["items"][0]["health"], *health);
    assert_eq!(scout.get(&format!("/api/v1/agents/{}", scout.id)).await["webhook"]["health"], *health);
    let waiting = scout.get(&format!("{deliveries}?status=pending")).await.expect_status(200);
    let delivery = &waiting["items"][0];
    assert_eq!((&delivery["waitingFor"], &delivery["nextAt"]), (&json!("breaker"), &health["nextAttemptAt"]));
    assert_eq!(delivery["waitingReason"], health["reason"]);
    let one = scout.get(&format!("{deliveries}/{}", waiting.text_at("/items/0/id"))).await;
    assert_eq!(one["waitingFor"], "breaker");
    broken.app.advance(Duration::from_hours(1));
    assert_eq!(broken.state().await, "half_open");
    broken.app.deliver().await;
    assert_eq!((broken.receiver.take().len(), broken.state().await), (1, json!("closed")));
}

#[apply(both)]
async fn a_success_or_an_edit_closes_the_breaker_at_once(#[case] backend: Backend) {
    let broken = Broken::new(backend).await;
    let Broken { scout, endpoint, deliveries, receiver, .. } = &broken;
    assert_eq!(scout.act(&format!("{endpoint}/ping")).await["delivered"], true);
    assert_eq!(receiver.take().len(), 1);
    broken.recovers("a ping").await;

    broken.breaks().await;
    scout.post(&format!("{endpoint}/secret"), json!({ "overlapHours": 0 })).await.expect_status(201);
    broken.recovers("a new secret").await;

    broken.breaks().await;
    scout.post(&format!("{endpoint}/secret"), json!({})).await.expect_status(201);
    broken.recovers("a second secret").await;

    broken.breaks().await;
    scout.act(&format!("{endpoint}/secret/activate")).await.expect_status(200);
    broken.recovers("an activated secret").await;

    broken.breaks().await;
    let pending = scout.get(&format!("{deliveries}?status=pending")).await.text_at("/items/0/id");
    scout.act(&format!("{deliveries}/{pending}/resend")).await.expect_status(202);
    broken.recovers("a resend").await;

    broken.breaks().await;
    let replay = json!({ "sincePosition": broken.app.store().log().tail().head() - 1 });
    scout.post(&format!("{endpoint}/replays"), replay).await.expect_status(202);
    broken.recovers("a replay").await;

    broken.breaks().await;
    let elsewhere = format!("{}?elsewhere", receiver.url);
    let moved = scout.patch(endpoint, json!({ "url": elsewhere })).await.expect_status(200);
    assert_eq!(moved["health"]["state"], "unverified");
    broken.app.deliver().await;
    assert_eq!(receiver.take().len(), 1);

    broken.breaks().await;
    for enabled in [false, true] {
        scout.patch(endpoint, json!({ "enabled": enabled })).await.expect_status(200);
    }
    assert_eq!(broken.state().await, "closed");
    broken.arrives("enabled").await;
}

#[apply(either)]
async fn an_edit_does_not_conflict_with_a_change_of_health(#[case] backend: Backend) {
    let broken = Broken::new(backend).await;
    let Broken { scout, endpoint, .. } = &broken;
    let agent = format!("/api/v1/agents/{}", scout.id);
    let scout: &Caller = scout;
    let (shown, agents) = (scout.get(endpoint).await, scout.get(&agent).await);
    assert_eq!(scout.act(&format!("{endpoint}/ping")).await["delivered"], true);
    let again = scout.get(endpoint).await;
    assert_ne!(again.header("etag"), shown.header("etag"), "the ETag includes the health");
    let batch = scout.patch(endpoint, json!({ "batch": 2 })).header("if-match", shown.header("etag"));
    batch.await.expect_status(200);
    let batch = scout.patch(endpoint, json!({ "batch": 3 })).header("if-match", again.header("etag"));
    batch.await.expect_problem(412, "precondition_failed");
    let named = scout.patch(&agent, json!({ "description": "New" })).header("if-match", agents.header("etag"));
    named.await.expect_status(200);
}

#[apply(either)]
async fn deliveries_behind_a_retry_show_the_reason(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let ada = app.owner("Ada").await;
    let (scout, author) = (ada.agent("Scout").await, ada.agent("Author").await);
    let body = json!({ "url": "http://127.0.0.1:9/", "ordered": true });
    let endpoint = scout.post(&scout.webhooks(), body).await.expect_status(201).header("location").to_owned();
    let track = author.open("Order").await;
    scout.join(&track).await;
    for text in ["one", "two"] {
        author.post_message(&track, text).await;
    }
    app.deliver().await;
    let listed = scout.get(&format!("/api/v1/agents/{}/deliveries", scout.id)).await;
    let mut waits: Vec<_> = listed.each("sequence").into_iter().zip(listed.each("waitingFor")).collect();
    waits.sort_by_key(|(sequence, _)| sequence.as_i64());
    assert_eq!(waits.into_iter().map(|(_, wait)| wait).collect::<Vec<_>>(), ["retry", "order"]);
    let health = scout.get(&endpoint).await["health"].clone();
    assert_eq!((&health["failures"], &health["lastStatus"]), (&json!(1), &Value::Null));
    assert!(health["lastError"].as_str().unwrap().starts_with("no connection"), "{health}");
    assert!(health["nextAttemptAt"].is_string());
}
