//! Circuit breakers of endpoints, shared by all processes, and verification of endpoints.

use std::time::Duration;

use buildtrack_domain::{
    ids::{DeliveryId, WebhookId},
    webhooks::PushType,
};
use buildtrack_store::{
    Attempt, Delivery, DeliveryStatus, EndpointHealth, NewDelivery, Outcome, Store, StoredBreaker, Verdict, WaitsFor,
    WebhookChange, WebhookView,
};
use rstest_reuse::apply;

use crate::{
    both,
    cast::{agent_id, new_actor},
    database::{Kind, TestDatabase},
};

const LEASE: Duration = Duration::from_secs(30);
const HOUR: Duration = Duration::from_hours(1);

async fn endpoint(store: &Store, url: &str) -> WebhookView {
    let id = WebhookId::new(store.log().clock().uuid());
    let agent_id = agent_id(&new_actor(store));
    let webhook = WebhookView::new(id, agent_id, Some(url.to_owned()), PushType::ALL.to_vec(), "sealed".into());
    keep(store, WebhookChange::Webhook(Box::new(webhook.clone()))).await;
    webhook
}

async fn keep(store: &Store, registered: WebhookChange) {
    store.log().write_side(vec![registered]).await.unwrap();
}

/// Enqueues due deliveries of an endpoint.
async fn enqueue(store: &Store, webhook: &WebhookView, positions: std::ops::RangeInclusive<i64>) -> Vec<DeliveryId> {
    let new = |position| NewDelivery {
        id: DeliveryId::new(store.log().clock().uuid()),
        webhook_id: webhook.id,
        agent_id: webhook.agent_id,
        position,
        push_type: PushType::WorkspaceJoin,
        next_at: store.log().clock().now(),
    };
    let deliveries: Vec<_> = positions.map(new).collect();
    keep(store, WebhookChange::Deliveries(deliveries.clone())).await;
    deliveries.iter().map(|delivery| delivery.id).collect()
}

async fn attempt(store: &Store, delivery: &Delivery, status: Result<i64, &str>, retry: Duration) {
    let (now, number) = (store.log().clock().now(), delivery.attempts + 1);
    let works = status.is_ok_and(|status| status == 200);
    let (status_code, error) = (status.ok(), status.err().map(ToOwned::to_owned));
    let attempt = Attempt { number, started_at: now, duration_ms: 7, status_code, error, response: None };
    let outcome = Outcome {
        delivery_id: delivery.id,
        webhook_id: delivery.webhook_id,
        attempt: Some(attempt),
        verdict: if works { Verdict::Works } else { Verdict::Fails },
        step: delivery.step + i64::from(!works),
        status: if works { DeliveryStatus::Delivered } else { DeliveryStatus::Pending },
        next_at: store.log().clock().after(retry),
        expires_at: None,
        settled_at: works.then_some(now),
    };
    keep(store, WebhookChange::Outcomes(vec![outcome])).await;
}

async fn claim(store: &Store) -> Vec<Delivery> {
    store.webhooks().claim_due(LEASE, 10).await.unwrap()
}

async fn health(store: &Store, webhook: &WebhookView) -> EndpointHealth {
    store.webhooks().endpoint_health(webhook.id).await.unwrap()
}

#[apply(both)]
async fn consecutive_failures_are_counted_until_an_attempt_succeeds(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let webhook = endpoint(&store, "https://scout.example/").await;
    assert_eq!(health(&store, &webhook).await, EndpointHealth::default());
    enqueue(&store, &webhook, 1..=1).await;
    let began = store.log().clock().now();
    for (failures, status) in [(1, Err("no answer in time")), (2, Ok(503))] {
        let [delivery] = claim(&store).await.try_into().unwrap();
        attempt(&store, &delivery, status, HOUR).await;
        let health = health(&store, &webhook).await;
        assert_eq!((health.failures, health.last_status), (failures, status.ok()));
        assert_eq!((health.last_error.as_deref(), health.failing_since), (status.err(), Some(began)));
        assert_eq!((health.next_at, health.first_position), (Some(store.log().clock().after(HOUR)), Some(1)));
        store.log().clock().advance(HOUR);
    }
    let [delivery] = claim(&store).await.try_into().unwrap();
    attempt(&store, &delivery, Ok(200), HOUR).await;
    let health = health(&store, &webhook).await;
    assert_eq!((health.failures, health.failing_since, health.next_at), (0, None, None));
}

#[apply(both)]
async fn an_open_breaker_applies_to_every_process_and_resets_are_counted(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let (webhook, other) = (endpoint(&store, "https://a.example/").await, endpoint(&store, "https://b.example/").await);
    let webhook_id = webhook.id;
    enqueue(&store, &webhook, 1..=2).await;
    enqueue(&store, &other, 3..=3).await;
    let until = store.log().clock().after(HOUR);
    keep(&store, WebhookChange::Postponed { webhook_id, until, resets: Some(0) }).await;
    assert_eq!(health(&store, &webhook).await.open_until, Some(until));
    let claimed = claim(&store).await;
    assert_eq!(claimed.iter().map(|delivery| delivery.position).collect::<Vec<_>>(), [3]);
    // New deliveries show the open breaker to a process that did not open it.
    enqueue(&store, &webhook, 4..=4).await;
    let [fresh] = claim(&store).await.try_into().unwrap();
    assert_eq!(fresh.breaker, Some(StoredBreaker { resets: 0, open_until: Some(until) }));
    keep(&store, WebhookChange::Released { deliveries: vec![fresh.id], at: until, waits_for: Some(WaitsFor::Breaker) })
        .await;

    keep(&store, WebhookChange::BreakerClosed { webhook_id }).await;
    assert_eq!(health(&store, &webhook).await.open_until, None);
    // A process that has stale information does not open the breaker.
    keep(&store, WebhookChange::Postponed { webhook_id, until, resets: Some(0) }).await;
    let claimed = claim(&store).await;
    assert_eq!(claimed.iter().map(|delivery| delivery.position).collect::<Vec<_>>(), [1, 2, 4]);
    let closed = Some(StoredBreaker { resets: 1, open_until: None });
    assert!(claimed.iter().all(|delivery| delivery.breaker == closed));
    // It does not postpone deliveries either.
    keep(
        &store,
        WebhookChange::Released { deliveries: vec![claimed[2].id], at: until, waits_for: Some(WaitsFor::Breaker) },
    )
    .await;
    assert_eq!(claim(&store).await.len(), 1);
    // A successful attempt closes it too.
    keep(&store, WebhookChange::Postponed { webhook_id, until, resets: Some(1) }).await;
    assert_eq!(store.webhooks().stored_breaker(webhook_id).await.unwrap().open_until, Some(until));
    attempt(&store, &claimed[0], Ok(200), HOUR).await;
    assert_eq!(
        store.webhooks().stored_breaker(webhook_id).await.unwrap(),
        StoredBreaker { resets: 2, open_until: None }
    );
    keep(&store, WebhookChange::Postponed { webhook_id, until, resets: Some(1) }).await;
    assert_eq!(health(&store, &webhook).await.open_until, None);
}

#[apply(both)]
async fn forgiven_deliveries_are_retried_unless_a_process_leases_them(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let webhook = endpoint(&store, "https://scout.example/").await;
    enqueue(&store, &webhook, 1..=2).await;
    let claimed = claim(&store).await;
    attempt(&store, &claimed[0], Ok(500), HOUR).await;
    keep(&store, WebhookChange::BreakerClosed { webhook_id: webhook.id }).await;
    assert!(claim(&store).await.is_empty(), "a retry waits for its time");
    keep(&store, WebhookChange::FailuresForgiven { webhook_id: webhook.id }).await;
    let again = claim(&store).await;
    assert_eq!(again.iter().map(|delivery| delivery.position).collect::<Vec<_>>(), [1]);
    assert_eq!(health(&store, &webhook).await.failing_since, None);
}

#[apply(both)]
async fn a_single_delivery_can_be_claimed_when_it_is_due(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let webhook = endpoint(&store, "https://scout.example/").await;
    let ids = enqueue(&store, &webhook, 1..=2).await;
    let claimed = store.webhooks().claim_one(LEASE, ids[1]).await.unwrap().unwrap();
    assert_eq!((claimed.id, claimed.position, claimed.previous), (ids[1], 2, Some(Some(1))));
    assert!(store.webhooks().claim_one(LEASE, ids[1]).await.unwrap().is_none(), "another process has claimed it");
    assert_eq!(claim(&store).await.len(), 1);
    store.log().clock().advance(LEASE);
    assert!(store.webhooks().claim_one(LEASE, ids[1]).await.unwrap().is_some());
}

#[apply(both)]
async fn an_endpoint_is_verified_for_the_url_that_responded(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let webhook = endpoint(&store, "https://scout.example/").await;
    let verified = async || store.webhooks().webhook(webhook.id).await.unwrap().unwrap().verified_at;
    store.webhooks().verify_endpoint(webhook.id, "https://elsewhere.example/").await.unwrap();
    assert_eq!(verified().await, None);
    store.webhooks().verify_endpoint(webhook.id, "https://scout.example/").await.unwrap();
    let since = verified().await;
    assert_eq!(since, Some(store.log().clock().now()));
    // A write based on an older read does not change the verified address, unless the URL changes.
    keep(&store, WebhookChange::Webhook(Box::new(WebhookView { batch: 2, ..webhook.clone() }))).await;
    assert_eq!(verified().await, since);
    let moved = WebhookView { url: Some("https://elsewhere.example/".into()), ..webhook.clone() };
    keep(&store, WebhookChange::Webhook(Box::new(moved))).await;
    assert_eq!(verified().await, None);
}

#[apply(both)]
async fn the_endpoints_of_several_agents_are_listed_with_their_failures(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let (first, second) =
        (endpoint(&store, "https://scout.example/").await, endpoint(&store, "https://b.example/").await);
    let other = endpoint(&store, "https://other.example/").await;
    enqueue(&store, &first, 1..=1).await;
    let [delivery] = claim(&store).await.try_into().unwrap();
    attempt(&store, &delivery, Ok(503), HOUR).await;
    let agents = [first.agent_id, second.agent_id];
    let mut expected = vec![first.clone(), second.clone()];
    expected.sort_by_key(|webhook| webhook.agent_id.to_string());
    assert_eq!(store.webhooks().webhooks_of_agents(&agents, 10).await.unwrap(), expected);
    assert_eq!(store.webhooks().webhooks_of_agents(&agents, 1).await.unwrap(), expected[..1]);
    assert!(store.webhooks().webhooks_of_agents(&[], 10).await.unwrap().is_empty());
    let failures = store.webhooks().endpoint_failures(&[first.id, second.id, other.id]).await.unwrap();
    assert_eq!((failures[&first.id].failures, failures[&first.id].last_status), (1, Some(503)));
    assert_eq!(failures.get(&other.id).map_or(0, |health| health.failures), 0);
}
