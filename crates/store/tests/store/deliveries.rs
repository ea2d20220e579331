//! Consumer offsets, and deliveries from being due to a final status.

use std::{collections::BTreeSet, time::Duration};

use buildtrack_domain::{
    ids::{DeliveryId, WebhookId},
    webhooks::PushType,
};
use buildtrack_store::{
    Attempt, ClaimLimits, Delivery, DeliveryStatus, LogChange, NewDelivery, Outcome, QueueDepth, SideChange, Store,
    StoreError, Verdict, WebhookChange,
};
use futures_util::future::join;
use rstest_reuse::apply;

use crate::{
    both,
    cast::{agent_id, new_actor, open},
    database::{Kind, TestDatabase},
};

const MINUTE: Duration = Duration::from_mins(1);

fn delivery(store: &Store, position: i64) -> NewDelivery {
    NewDelivery {
        id: DeliveryId::new(store.log().clock().uuid()),
        webhook_id: WebhookId::new(store.log().clock().uuid()),
        agent_id: agent_id(&new_actor(store)),
        position,
        push_type: PushType::WorkspaceJoin,
        next_at: store.log().clock().now(),
    }
}

async fn deliver(store: &Store, deliveries: &[NewDelivery]) {
    store.log().write_side(vec![WebhookChange::Deliveries(deliveries.to_vec())]).await.unwrap();
}

/// The outcome of an attempt made now.
fn outcome(store: &Store, delivery: &Delivery, status: DeliveryStatus, next_in: Duration) -> Outcome {
    let now = store.log().clock().now();
    let number = delivery.attempts + 1;
    let attempt =
        Attempt { number, started_at: now, duration_ms: 7, status_code: Some(503), error: None, response: None };
    Outcome {
        delivery_id: delivery.id,
        webhook_id: delivery.webhook_id,
        attempt: Some(attempt),
        verdict: if status == DeliveryStatus::Delivered { Verdict::Works } else { Verdict::Fails },
        step: delivery.step + 1,
        status,
        next_at: store.log().clock().after(next_in),
        expires_at: None,
        settled_at: (status != DeliveryStatus::Pending).then_some(now),
    }
}

/// PostgreSQL keeps the plan that it made while the tables were small.
#[tokio::test]
async fn deliveries_and_their_outcomes_are_written_without_reading_old_ones_or_other_endpoints() {
    let (database, store) = TestDatabase::with_store(Kind::Postgres).await;
    let others: Vec<_> = (1..=300).map(|position| delivery(&store, position)).collect();
    let one = delivery(&store, 0);
    let to_one = |position| NewDelivery { id: DeliveryId::new(store.log().clock().uuid()), position, ..one.clone() };
    for position in 1001..=1010 {
        deliver(&store, &[to_one(position)]).await;
    }
    deliver(&store, &others).await;
    for batch in 1..=20 {
        deliver(&store, &(0..100).map(|number| to_one(2000 + batch * 100 + number)).collect::<Vec<_>>()).await;
    }
    for _ in 0..20 {
        let [claimed] = store.webhooks().claim_due(MINUTE, 1).await.unwrap().try_into().unwrap();
        let failed = outcome(&store, &claimed, DeliveryStatus::Pending, MINUTE);
        store.log().write_side([WebhookChange::Outcomes(vec![failed])]).await.unwrap();
    }
    assert_eq!(statuses(&database).await.len(), 2310);
    store.close().await;
    let read = [database.rows_read("deliveries").await, database.rows_read("webhook_progress").await];
    assert!(read[0] < 5000 && read[1] < 2000, "{read:?}");
}

async fn statuses(database: &TestDatabase) -> Vec<String> {
    database.texts("SELECT status || ' ' || attempts FROM deliveries ORDER BY position").await
}

#[apply(both)]
async fn a_consumer_advances_only_from_its_current_offset(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let other = database.open().await;
    assert_eq!(store.log().consumer_position("webhooks").await.unwrap(), 0);
    for from in [0, 5, 10] {
        let consumed = || LogChange::Consumed { consumer: "webhooks", from, to: from + 5 };
        let here = store
            .log()
            .write_side([consumed().into(), SideChange::from(WebhookChange::Deliveries(vec![delivery(&store, from)]))]);
        let there = other
            .log()
            .write_side([consumed().into(), SideChange::from(WebhookChange::Deliveries(vec![delivery(&other, from)]))]);
        let (here, there) = join(here, there).await;
        let (Ok(()), Err(StoreError::Conflict { stream })) = (if here.is_ok() { (here, there) } else { (there, here) })
        else {
            panic!("one of them advances the offset")
        };
        assert_eq!(stream, "consumer:webhooks");
    }
    assert_eq!(other.log().consumer_position("webhooks").await.unwrap(), 15);
    // The losing consumer has written nothing.
    assert_eq!(statuses(&database).await, ["pending 0"; 3]);
}

#[apply(both)]
async fn several_consumers_advance_atomically(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let step = |consumer, from| LogChange::Consumed { consumer, from, to: from + 1 };
    let late = store.log().write_side(vec![step("webhooks", 0), step("reputation", 7)]).await;
    assert!(matches!(late, Err(StoreError::Conflict { .. })), "{late:?}");
    store.log().write_side(vec![step("webhooks", 0), step("webhooks", 1)]).await.unwrap_err();
    store.log().write_side(vec![step("webhooks", 0), step("reputation", 0)]).await.unwrap();
}

#[apply(both)]
async fn concurrent_processes_claim_different_deliveries(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let other = database.open().await;
    let deliveries: Vec<_> = (1..=200).map(|position| delivery(&store, position)).collect();
    deliver(&store, &deliveries).await;
    let claim = async |store: &Store| {
        let mut claimed = Vec::new();
        loop {
            let more = store.webhooks().claim_due(MINUTE, 7).await.unwrap();
            assert!(more.len() <= 7, "{} claimed", more.len());
            if more.is_empty() {
                break claimed;
            }
            claimed.extend(more.into_iter().map(|delivery| delivery.id));
        }
    };
    let (here, there) = join(claim(&store), claim(&other)).await;
    assert_eq!(here.len() + there.len(), 200);
    let claimed: BTreeSet<_> = here.into_iter().chain(there).collect();
    assert_eq!(claimed, deliveries.iter().map(|delivery| delivery.id).collect());
}

#[apply(both)]
async fn a_claim_takes_of_each_endpoint_what_its_limit_allows(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let endpoints = [1, 2, 3].map(|position| delivery(&store, position));
    let [slow, closed, other] = endpoints.each_ref().map(|delivery| delivery.webhook_id);
    let many = |number: usize| {
        let NewDelivery { webhook_id, agent_id, .. } = endpoints[number % 3];
        let position = 10 + i64::try_from(number).unwrap();
        NewDelivery { webhook_id, agent_id, ..delivery(&store, position) }
    };
    deliver(&store, &(0..30).map(many).collect::<Vec<_>>()).await;
    let limits = |all| ClaimLimits { all, endpoints: [(slow, 2), (closed, 0)].into() };
    let claim = async |all| {
        let claimed = store.webhooks().claim_due_within(MINUTE, limits(all)).await.unwrap();
        let of = |id| claimed.deliveries.iter().filter(|delivery| delivery.webhook_id == id).count();
        (of(slow), of(closed), of(other), claimed.is_partial)
    };
    // It looks at eight deliveries, four of each of two endpoints.
    assert_eq!(claim(8).await, (2, 0, 4, true));
    assert_eq!(claim(100).await, (2, 0, 6, false));
    assert_eq!(claim(100).await, (2, 0, 0, false));
    assert_eq!(store.webhooks().claim_due(MINUTE, 100).await.unwrap().len(), 14);
}

#[apply(both)]
async fn a_claim_lasts_as_long_as_its_lease(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let mut due = delivery(&store, 1);
    due.next_at = store.log().clock().after(MINUTE);
    deliver(&store, &[due.clone()]).await;
    assert_eq!(store.webhooks().next_due().await.unwrap(), Some(due.next_at));
    assert!(store.webhooks().claim_due(MINUTE, 10).await.unwrap().is_empty());
    database.clock.advance(MINUTE);
    let claimed = store.webhooks().claim_due(MINUTE, 10).await.unwrap().remove(0);
    assert_eq!((claimed.id, claimed.webhook_id, claimed.agent_id), (due.id, due.webhook_id, due.agent_id));
    assert_eq!((claimed.position, claimed.push_type, claimed.attempts), (1, PushType::WorkspaceJoin, 0));
    assert!(store.webhooks().claim_due(MINUTE, 10).await.unwrap().is_empty());
    database.clock.advance(MINUTE);
    assert_eq!(store.webhooks().claim_due(MINUTE, 10).await.unwrap().len(), 1);
}

#[apply(both)]
async fn an_event_is_enqueued_once_for_each_endpoint(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let first = delivery(&store, 1);
    let again = NewDelivery { id: DeliveryId::new(store.log().clock().uuid()), ..first.clone() };
    deliver(&store, &[first.clone(), again.clone()]).await;
    deliver(&store, &[again]).await;
    assert_eq!(database.texts("SELECT id FROM deliveries").await, [first.id.to_string()]);
}

#[apply(both)]
async fn each_delivery_names_the_previous_one_of_its_endpoint(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let endpoints = [delivery(&store, 0), delivery(&store, 0)];
    let to = |endpoint: usize, position| NewDelivery {
        id: DeliveryId::new(store.log().clock().uuid()),
        position,
        ..endpoints[endpoint].clone()
    };
    let enqueue = async |deliveries: Vec<NewDelivery>| {
        let placed = store.webhooks().enqueue(vec![WebhookChange::Deliveries(deliveries)]).await.unwrap();
        let line = |delivery: Delivery| (delivery.position, delivery.previous.unwrap());
        placed.into_iter().map(line).collect::<Vec<_>>()
    };
    let first = enqueue(vec![to(0, 3), to(1, 3), to(0, 5), to(0, 5)]).await;
    assert_eq!(first, [(3, None), (3, None), (5, Some(3))]);
    // One endpoint has a stored position and the other has none, one delivery exists already, and an earlier event arrives late.
    let other = delivery(&store, 7);
    let second = enqueue(vec![to(0, 7), to(0, 5), other.clone(), to(1, 7), to(0, 4)]).await;
    assert_eq!(second, [(7, Some(5)), (7, None), (7, Some(3)), (4, Some(7))]);
    assert_eq!(enqueue(vec![to(0, 9), to(1, 3)]).await, [(9, Some(4))]);
    let stored = "SELECT position || ' ' || coalesce(previous, 0) FROM deliveries WHERE webhook_id = ";
    let stored = database.texts(&format!("{stored}'{}' ORDER BY position", endpoints[0].webhook_id)).await;
    assert_eq!(stored, ["3 0", "4 7", "5 3", "7 5", "9 4"]);
}

#[apply(both)]
async fn outcomes_set_the_final_status_of_deliveries(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let deliveries: Vec<_> = (1..=4).map(|position| delivery(&store, position)).collect();
    deliver(&store, &deliveries).await;
    let mut claimed = store.webhooks().claim_due(MINUTE, 10).await.unwrap();
    claimed.sort_by_key(|delivery| delivery.position);
    let outcomes = vec![
        outcome(&store, &claimed[0], DeliveryStatus::Delivered, Duration::ZERO),
        outcome(&store, &claimed[1], DeliveryStatus::Pending, MINUTE * 5),
        outcome(&store, &claimed[2], DeliveryStatus::Failed, Duration::ZERO),
    ];
    store.log().write_side(vec![WebhookChange::Outcomes(outcomes)]).await.unwrap();
    assert_eq!(statuses(&database).await, ["delivered 1", "pending 1", "failed 1", "pending 0"]);
    let depth = QueueDepth { pending: 2, behind: 0 };
    assert_eq!(store.webhooks().queue_depth("webhooks").await.unwrap(), depth);

    // Another process's claim expires after one minute; the failed delivery is due again after five.
    database.clock.advance(MINUTE);
    assert_eq!(store.webhooks().claim_due(MINUTE * 10, 10).await.unwrap()[0].position, 4);
    database.clock.advance(MINUTE * 4);
    let again = store.webhooks().claim_due(MINUTE * 10, 10).await.unwrap().remove(0);
    assert_eq!((again.position, again.attempts), (2, 1));
    let delivered = outcome(&store, &again, DeliveryStatus::Delivered, Duration::ZERO);
    store.log().write_side(vec![WebhookChange::Outcomes(vec![delivered])]).await.unwrap();
    let attempts = "SELECT number || ' ' || status_code FROM attempts JOIN deliveries ON id = delivery_id \
                    WHERE position = 2 ORDER BY number";
    assert_eq!(database.texts(attempts).await, ["1 503", "2 503"]);
}

#[apply(both)]
async fn a_final_status_does_not_change(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    deliver(&store, &[delivery(&store, 1)]).await;
    let claimed = store.webhooks().claim_due(MINUTE, 1).await.unwrap().remove(0);
    for status in [DeliveryStatus::Cancelled, DeliveryStatus::Pending, DeliveryStatus::Delivered] {
        let late = outcome(&store, &claimed, status, Duration::ZERO);
        store.log().write_side(vec![WebhookChange::Outcomes(vec![late])]).await.unwrap();
    }
    assert_eq!(statuses(&database).await, ["cancelled 1"]);
    assert_eq!(store.webhooks().next_due().await.unwrap(), None);
}

#[apply(both)]
async fn the_queue_depth_is_the_lag_of_a_consumer(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    for _ in 0..3 {
        open(&store, &new_actor(&store)).await;
    }
    store.log().write_side(vec![LogChange::Consumed { consumer: "webhooks", from: 0, to: 1 }]).await.unwrap();
    assert_eq!(store.webhooks().queue_depth("webhooks").await.unwrap(), QueueDepth { pending: 0, behind: 2 });
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lease_has_one_holder_until_it_expires_or_is_released() {
    let (database, store) = TestDatabase::with_store(Kind::Postgres).await;
    assert!(store.log().lease("publisher", "a", MINUTE).await.unwrap());
    assert!(store.log().lease("publisher", "a", MINUTE).await.unwrap());
    assert!(!store.log().lease("publisher", "b", MINUTE).await.unwrap());
    assert!(store.log().lease("pruner", "b", MINUTE).await.unwrap());
    database.clock.advance(MINUTE);
    assert!(store.log().lease("publisher", "b", MINUTE).await.unwrap());
    store.log().release("publisher", "a").await.unwrap();
    assert!(!store.log().lease("publisher", "a", MINUTE).await.unwrap());
    store.log().release("publisher", "b").await.unwrap();
    assert!(store.log().lease("publisher", "a", MINUTE).await.unwrap());
}
