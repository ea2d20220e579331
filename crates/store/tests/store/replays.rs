//! Replays: an endpoint's past events, found backwards, and the replay's progress.

use std::time::Duration;

use buildtrack_domain::{
    actors::Actor,
    ids::{DeliveryId, ReplayId, WebhookId},
    webhooks::PushType,
};
use buildtrack_store::{
    DeliveryFilter, DeliveryStatus, Purpose, ReplayStatus, ReplayStep, ReplayView, Replayed, Store, Subscription,
    WebhookChange, WebhookView,
};
use rstest_reuse::apply;

use crate::{
    both,
    cast::{agent_id, join, leave, new_actor, open, post, redact},
    database::{Kind, TestDatabase, noon},
};

/// An endpoint that subscribes to everything.
fn endpoint(store: &Store, agent: &Actor) -> WebhookView {
    let id = WebhookId::new(store.log().clock().uuid());
    let url = Some("https://example.org/hook".into());
    WebhookView::new(
        id,
        agent_id(agent),
        url,
        PushType::ALL.to_vec(),
        store.log().secret().seal(Purpose::WebhookSecret, "whsec_1").unwrap(),
    )
}

async fn positions(store: &Store, subscription: &Subscription) -> Vec<i64> {
    let head = store.log().tail().head();
    let page = store.webhooks().subscribed_events(subscription, 0, head, 500).await.unwrap();
    assert_eq!(page.reached, head);
    let count = store.webhooks().count_subscribed_events(subscription, 0, head).await.unwrap();
    assert_eq!(count, i64::try_from(page.events.len()).unwrap());
    page.events.iter().map(|recorded| recorded.position).collect()
}

#[apply(both)]
async fn members_receive_events_of_others_during_their_membership(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let [ada, ben, cai] = [new_actor(&store), new_actor(&store), new_actor(&store)];
    let (track, other) = (open(&store, &ada).await, open(&store, &ada).await);
    post(&store, track, &ada, "before").await.unwrap();
    join(&store, track, &ben).await.unwrap();
    post(&store, track, &ada, "five").await.unwrap();
    post(&store, track, &ben, "own").await.unwrap();
    post(&store, other, &ada, "elsewhere").await.unwrap();
    join(&store, track, &cai).await.unwrap();
    let gone = post(&store, track, &cai, "gone").await.unwrap();
    leave(&store, track, &ben).await.unwrap();
    post(&store, track, &ada, "missed").await.unwrap();
    join(&store, track, &ben).await.unwrap();
    post(&store, track, &cai, "thirteen").await.unwrap();
    redact(&store, track, cai.id, gone).await.unwrap();
    let mut webhook = endpoint(&store, &ben);
    assert_eq!(positions(&store, &Subscription::whole(agent_id(&ben))).await, [5, 8, 13]);
    assert_eq!(positions(&store, &Subscription::whole(agent_id(&ada))).await, [4, 6, 8, 12, 13]);
    webhook.events = vec![PushType::WorkspaceMessage];
    assert_eq!(positions(&store, &Subscription::from(&webhook)).await, [5, 13]);
    webhook.filter = serde_json::from_str(&format!(r#"{{"fields":{{"actorId":["{}"]}}}}"#, ada.id)).unwrap();
    assert_eq!(positions(&store, &Subscription::from(&webhook)).await, [5]);
    webhook.filter = serde_json::from_str(&format!(r#"{{"workspaces":["{other}"]}}"#)).unwrap();
    assert_eq!(positions(&store, &Subscription::from(&webhook)).await, <[i64; 0]>::default());
}

#[apply(both)]
async fn past_events_are_found_in_pages(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let (ada, ben) = (new_actor(&store), new_actor(&store));
    let track = open(&store, &ada).await;
    join(&store, track, &ben).await.unwrap();
    for _ in 0..5 {
        post(&store, track, &ada, "…").await.unwrap();
    }
    let subscription = Subscription::whole(agent_id(&ben));
    let mut reached = 0;
    for expected in [vec![3, 4], vec![5, 6]] {
        let page = store.webhooks().subscribed_events(&subscription, reached, 6, 2).await.unwrap();
        assert_eq!(page.events.iter().map(|event| event.position).collect::<Vec<_>>(), expected);
        reached = page.reached;
    }
    assert_eq!(reached, 6);
    assert_eq!(store.webhooks().subscribed_events(&subscription, 9, 7, 2).await.unwrap().reached, 9);
}

#[apply(both)]
async fn the_position_of_a_time_is_found(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let ada = new_actor(&store);
    assert_eq!(store.log().position_before(noon()).await.unwrap(), 0);
    for _ in 0..5 {
        open(&store, &ada).await;
        open(&store, &ada).await;
        database.clock.advance(Duration::from_secs(1));
    }
    for (seconds, position) in [(0, 0), (1, 2), (4, 8), (5, 10), (9, 10)] {
        assert_eq!(store.log().position_before(noon() + Duration::from_secs(seconds)).await.unwrap(), position);
    }
}

fn replay(store: &Store, webhook: &WebhookView, until_position: i64) -> ReplayView {
    ReplayView {
        id: ReplayId::new(store.log().clock().uuid()),
        webhook_id: webhook.id,
        agent_id: webhook.agent_id,
        from_position: 0,
        until_position,
        position: 0,
        total: 3,
        enqueued: 0,
        status: ReplayStatus::Running,
        created_at: store.log().clock().now(),
        settled_at: None,
    }
}

fn step(store: &Store, replay: &ReplayView, to: i64, positions: &[i64]) -> WebhookChange {
    let replayed = |position: &i64| Replayed {
        id: DeliveryId::new(store.log().clock().uuid()),
        position: *position,
        push_type: PushType::WorkspaceMessage,
        previous: Some(position - 1),
    };
    let deliveries = positions.iter().map(replayed).collect();
    WebhookChange::ReplayStep(Box::new(ReplayStep { replay: replay.clone(), to, deliveries }))
}

#[apply(both)]
async fn a_replay_step_applies_once_and_only_from_the_replays_position(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let other = database.open().await;
    let webhook = endpoint(&store, &new_actor(&store));
    let begun = replay(&store, &webhook, 9);
    store.log().write_side(vec![WebhookChange::Replay(Box::new(begun.clone()))]).await.unwrap();
    other.log().write_side(vec![WebhookChange::Replay(Box::new(replay(&other, &webhook, 9)))]).await.unwrap();
    assert_eq!(store.webhooks().replays(webhook.id, None, 9).await.unwrap(), std::slice::from_ref(&begun));
    let (here, there) = tokio::join!(
        store.log().write_side(vec![step(&store, &begun, 5, &[3, 5])]),
        other.log().write_side(vec![step(&other, &begun, 5, &[3, 5])]),
    );
    here.unwrap();
    there.unwrap();
    let after = store.webhooks().replay(webhook.id, begun.id).await.unwrap().unwrap();
    assert_eq!((after.position, after.enqueued, after.status), (5, 2, ReplayStatus::Running));
    store.log().write_side(vec![step(&store, &after, 9, &[8])]).await.unwrap();
    let done = store.webhooks().replay(webhook.id, begun.id).await.unwrap().unwrap();
    assert_eq!((done.position, done.enqueued, done.status), (9, 3, ReplayStatus::Done));
    assert_eq!(done.settled_at, Some(store.log().clock().now()));
    let queued = database.texts("SELECT position || ' ' || previous FROM deliveries ORDER BY position").await;
    assert_eq!(queued, ["3 2", "5 4", "8 7"]);
    assert!(store.webhooks().running_replays().await.unwrap().is_empty());
    // A second replay may begin now; after its cancellation it makes no progress.
    let second = replay(&store, &webhook, 9);
    store.log().write_side(vec![WebhookChange::Replay(Box::new(second.clone()))]).await.unwrap();
    store.log().write_side(vec![WebhookChange::ReplayCancelled { id: second.id }]).await.unwrap();
    store.log().write_side(vec![step(&store, &second, 9, &[9])]).await.unwrap();
    let cancelled = store.webhooks().replay(webhook.id, second.id).await.unwrap().unwrap();
    assert_eq!((cancelled.position, cancelled.status), (0, ReplayStatus::Cancelled));
    let ids: Vec<_> =
        store.webhooks().replays(webhook.id, None, 1).await.unwrap().iter().map(|replay| replay.id).collect();
    assert_eq!(ids, [second.id.max(begun.id)]);
}

#[apply(both)]
async fn a_replayed_delivery_keeps_its_id(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let webhook = endpoint(&store, &new_actor(&store));
    let begun = replay(&store, &webhook, 9);
    store
        .log()
        .write_side(vec![WebhookChange::Replay(Box::new(begun.clone())), step(&store, &begun, 3, &[1, 2, 3])])
        .await
        .unwrap();
    let all = DeliveryFilter { limit: 9, ..DeliveryFilter::default() };
    let listed = async || store.webhooks().deliveries(webhook.agent_id, &all).await.unwrap();
    let first = listed().await;
    database
        .execute("UPDATE deliveries SET status = 'failed', attempts = 4, settled_at = created_at, step = 4 WHERE position = 1")
        .await;
    database.clock.advance(Duration::from_secs(10));
    // A delivery that is being attempted, or is due soon, is not replayed.
    let claimed = store.webhooks().claim_due(Duration::from_secs(30), 1).await.unwrap().remove(0);
    let again = store.webhooks().replay(webhook.id, begun.id).await.unwrap().unwrap();
    store.log().write_side(vec![step(&store, &again, 9, &[1, 2, 3])]).await.unwrap();
    let second = listed().await;
    assert_eq!(
        first.iter().map(|delivery| delivery.id).collect::<Vec<_>>(),
        second.iter().map(|delivery| delivery.id).collect::<Vec<_>>()
    );
    let revived = second.iter().find(|delivery| delivery.position == 1).unwrap();
    assert_eq!((revived.status, revived.attempts, revived.settled_at), (DeliveryStatus::Pending, 4, None));
    assert_eq!(revived.next_at, store.log().clock().now());
    let left = second.iter().find(|delivery| delivery.id == claimed.id).unwrap();
    assert_eq!(left.next_at, store.log().clock().after(Duration::from_secs(30)));
}
