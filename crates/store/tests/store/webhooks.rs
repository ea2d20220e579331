//! Additional endpoints of an agent, their secrets, and the effects of deleting or disabling them.

use std::time::Duration;

use buildtrack_domain::{
    ids::{AgentId, DeliveryId, WebhookId},
    webhooks::{DisabledReason, PushType},
};
use buildtrack_store::{NewDelivery, Store, WebhookChange, WebhookView};
use rstest_reuse::apply;

use crate::{
    both,
    cast::{agent_id, new_actor},
    database::{Kind, TestDatabase},
};

async fn endpoint(store: &Store, agent_id: AgentId, further: bool) -> WebhookView {
    let id = WebhookId::new(store.log().clock().uuid());
    let first = WebhookView::new(id, agent_id, None, PushType::ALL.to_vec(), "old".into());
    keep(store, WebhookView { further, ..first }).await
}

async fn keep(store: &Store, webhook: WebhookView) -> WebhookView {
    store.log().write_side(vec![WebhookChange::Webhook(Box::new(webhook.clone()))]).await.unwrap();
    webhook
}

fn delivery(store: &Store, webhook: &WebhookView, position: i64) -> WebhookChange {
    WebhookChange::Deliveries(vec![NewDelivery {
        id: DeliveryId::new(store.log().clock().uuid()),
        webhook_id: webhook.id,
        agent_id: webhook.agent_id,
        position,
        push_type: PushType::WorkspaceJoin,
        next_at: store.log().clock().now(),
    }])
}

async fn statuses(database: &TestDatabase) -> Vec<String> {
    database.texts("SELECT status FROM deliveries ORDER BY position").await
}

#[apply(both)]
async fn the_first_endpoint_stays_first_regardless_of_its_id(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let scout = agent_id(&new_actor(&store));
    let mut all = Vec::new();
    for number in 0..5 {
        all.push(endpoint(&store, scout, number > 0).await);
        // Created in the same millisecond, their ids have no defined order.
        store.log().clock().advance(Duration::from_micros(1));
    }
    endpoint(&store, agent_id(&new_actor(&store)), false).await;
    assert_eq!(store.webhooks().webhook_of(scout).await.unwrap().as_ref(), all.first());
    assert_eq!(store.webhooks().webhooks_of(scout).await.unwrap(), all);
}

#[apply(both)]
async fn deleting_an_endpoint_cancels_its_pending_deliveries(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let scout = agent_id(&new_actor(&store));
    let (first, further) = (endpoint(&store, scout, false).await, endpoint(&store, scout, true).await);
    store.log().write_side(vec![delivery(&store, &first, 1), delivery(&store, &further, 2)]).await.unwrap();
    // A delivery that the same batch enqueues is cancelled too.
    store
        .log()
        .write_side(vec![WebhookChange::WebhookDeleted { id: further.id }, delivery(&store, &further, 3)])
        .await
        .unwrap();
    assert_eq!(statuses(&database).await, ["pending", "cancelled", "cancelled"]);
    assert_eq!(database.texts("SELECT webhook_id FROM webhook_progress").await, [first.id.to_string()]);
    assert_eq!(store.webhooks().webhooks_of(scout).await.unwrap(), [first]);
}

#[apply(both)]
async fn disabling_an_endpoint_cancels_its_pending_deliveries(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let scout = agent_id(&new_actor(&store));
    let (first, further) = (endpoint(&store, scout, false).await, endpoint(&store, scout, true).await);
    store.log().write_side(vec![delivery(&store, &first, 1), delivery(&store, &further, 2)]).await.unwrap();
    let disabled = keep(&store, further.disabled(DisabledReason::Failing, store.log().clock().now())).await;
    store.log().write_side(vec![WebhookChange::DeliveriesCancelled { webhook_id: disabled.id }]).await.unwrap();
    assert_eq!(statuses(&database).await, ["pending", "cancelled"]);
    assert_eq!(store.webhooks().webhook(disabled.id).await.unwrap(), Some(disabled.clone()));
    let enabled = keep(&store, disabled.enabled()).await;
    assert_eq!((enabled.disabled_reason, enabled.disabled_at), (None, None));
}

#[apply(both)]
async fn failures_are_reset_for_one_endpoint_only(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let scout = agent_id(&new_actor(&store));
    let hooks = [endpoint(&store, scout, false).await, endpoint(&store, scout, true).await];
    for WebhookView { id, .. } in &hooks {
        let since = "'2026-03-01T00:00:00.000000+00:00'";
        let columns = "webhook_id, last_position, failing_since";
        database.execute(&format!("INSERT INTO webhook_progress ({columns}) VALUES ('{id}', 7, {since})")).await;
    }
    store.log().write_side(vec![WebhookChange::FailuresForgiven { webhook_id: hooks[0].id }]).await.unwrap();
    let failing = "SELECT webhook_id FROM webhook_progress WHERE failing_since IS NOT NULL";
    assert_eq!(database.texts(failing).await, [hooks[1].id.to_string()]);
}

#[apply(both)]
async fn both_secrets_are_valid_until_the_overlap_ends(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let first = endpoint(&store, agent_id(&new_actor(&store)), false).await;
    let (now, tomorrow) = (store.log().clock().now(), store.log().clock().after(Duration::from_hours(24)));
    let rotated = keep(&store, first.rotated("new".into(), now, tomorrow)).await;
    let shown = store.webhooks().webhook(rotated.id).await.unwrap().unwrap();
    assert_eq!(shown.secrets(now), ("old", Some("new")));
    assert_eq!(shown.secrets(tomorrow), ("new", None));
    assert_eq!(shown.clone().activated().secrets(now), ("new", None));
    // The newest secret replaces the pending one; after the overlap, that one is the old secret.
    assert_eq!(shown.clone().rotated("newer".into(), now, tomorrow).secrets(now), ("old", Some("newer")));
    let later = tomorrow + Duration::from_hours(24);
    assert_eq!(shown.clone().rotated("newer".into(), tomorrow, later).secrets(tomorrow), ("new", Some("newer")));
    assert_eq!(shown.rotated("newer".into(), now, now).secrets(now), ("newer", None));
}
