//! Replays of past events.

use std::time::Duration;

use buildtrack_domain::{
    ids::{DeliveryId, ReplayId},
    webhooks::PushType,
};
use buildtrack_store::{NewDelivery, ReplayStatus, ReplayView, Store, Subscription, WebhookChange};
use rstest_reuse::apply;
use tokio_util::sync::CancellationToken;

use crate::{
    both,
    cast::{Member, agent, deactivate, moves, post, worker, workspace},
    database::{Kind, TestDatabase},
    receiver::{Reaction, Received, Receiver},
};

/// Starts a replay of the whole log.
async fn replay(store: &Store, member: &Member) -> ReplayView {
    let webhook = store.webhooks().webhook_of(member.agent_id).await.unwrap().unwrap();
    let until_position = store.log().tail().head();
    let replay = ReplayView {
        id: ReplayId::new(store.log().clock().uuid()),
        webhook_id: webhook.id,
        agent_id: webhook.agent_id,
        from_position: 0,
        until_position,
        position: 0,
        total: store
            .webhooks()
            .count_subscribed_events(&Subscription::from(&webhook), 0, until_position)
            .await
            .unwrap(),
        enqueued: 0,
        status: ReplayStatus::Running,
        created_at: store.log().clock().now(),
        settled_at: None,
    };
    store.log().write_side(vec![WebhookChange::Replay(Box::new(replay.clone()))]).await.unwrap();
    replay
}

async fn now(store: &Store, replay: &ReplayView) -> ReplayView {
    store.webhooks().replay(replay.webhook_id, replay.id).await.unwrap().unwrap()
}

#[apply(both)]
async fn a_replay_pushes_delivered_and_missed_events(kind: Kind) {
    let (database, mut receiver) = tokio::join!(TestDatabase::at_noon(kind), Receiver::friendly());
    let store = database.open().await;
    let (ada, ben) = (agent(&store, "Ada", None).await, agent(&store, "Ben", None).await);
    let track = workspace(&store, &[&ada, &ben]).await;
    post(&store, track, &ada, "missed").await;
    worker(&store).drain().await.unwrap();
    moves(&store, &ben, Some(receiver.url())).await;
    post(&store, track, &ada, "delivered").await;
    post(&store, track, &ben, "own").await;
    worker(&store).drain().await.unwrap();
    let delivered = receiver.next().await;
    let begun = replay(&store, &ben).await;
    worker(&store).drain().await.unwrap();
    let mut again = [receiver.next().await, receiver.next().await];
    again.sort_by_key(|received| received.said() == "missed");
    assert_eq!(again.each_ref().map(Received::said), ["delivered", "missed"]);
    assert_eq!(again[0].body, delivered.body);
    assert_eq!(again[0].header("x-araf-delivery"), delivered.header("x-araf-delivery"));
    assert_eq!((again[0].header("x-araf-attempt"), again[1].header("x-araf-attempt")), ("2", "1"));
    let done = now(&store, &begun).await;
    assert_eq!((done.status, done.total, done.enqueued), (ReplayStatus::Done, 2, 2));
}

#[apply(both)]
async fn an_interrupted_replay_resumes_at_its_position(kind: Kind) {
    let database = TestDatabase::at_noon(kind).await;
    let store = database.open().await;
    let (ada, ben) = (agent(&store, "Ada", None).await, agent(&store, "Ben", None).await);
    let track = workspace(&store, &[&ada, &ben]).await;
    for number in 0..1100 {
        post(&store, track, &ada, &number.to_string()).await;
    }
    moves(&store, &ben, Some("http://127.0.0.1:9/".into())).await;
    worker(&store).drain().await.unwrap();
    let begun = replay(&store, &ben).await;
    assert_eq!(begun.total, 1100);
    // A worker that is stopped at arbitrary moments.
    for _ in 0..50 {
        let stop = CancellationToken::new();
        let running = tokio::spawn(worker(&store).run(stop.clone()));
        tokio::time::sleep(Duration::from_millis(100)).await;
        stop.cancel();
        running.await.unwrap();
        if now(&store, &begun).await.status == ReplayStatus::Done {
            break;
        }
    }
    let done = now(&store, &begun).await;
    assert_eq!((done.status, done.enqueued), (ReplayStatus::Done, 1100));
    assert_eq!(database.deliveries().await.len(), 1100);
}

#[apply(both)]
async fn a_replay_waits_for_a_disabled_endpoint_and_is_cancelled_with_its_agent(kind: Kind) {
    let (database, receiver) = tokio::join!(TestDatabase::at_noon(kind), Receiver::friendly());
    let store = database.open().await;
    let (ada, ben) = (agent(&store, "Ada", None).await, agent(&store, "Ben", Some(receiver.url())).await);
    let track = workspace(&store, &[&ada, &ben]).await;
    post(&store, track, &ada, "Hello").await;
    worker(&store).drain().await.unwrap();
    moves(&store, &ben, None).await;
    let begun = replay(&store, &ben).await;
    worker(&store).drain().await.unwrap();
    assert_eq!(now(&store, &begun).await.status, ReplayStatus::Running);
    deactivate(&store, &ben).await;
    worker(&store).drain().await.unwrap();
    let ended = now(&store, &begun).await;
    assert_eq!((ended.status, ended.enqueued), (ReplayStatus::Cancelled, 0));
}

#[apply(both)]
async fn a_replay_waits_while_too_many_deliveries_are_pending(kind: Kind) {
    let (database, receiver) =
        tokio::join!(TestDatabase::at_noon(kind), Receiver::with_plan(vec![Reaction::Status(500)]));
    let store = database.open().await;
    let (ada, ben) = (agent(&store, "Ada", None).await, agent(&store, "Ben", Some(receiver.url())).await);
    let track = workspace(&store, &[&ada, &ben]).await;
    post(&store, track, &ada, "Hello").await;
    worker(&store).drain().await.unwrap();
    let webhook = store.webhooks().webhook_of(ben.agent_id).await.unwrap().unwrap();
    let waiting = (0..2000).map(|number| NewDelivery {
        id: DeliveryId::new(store.log().clock().uuid()),
        webhook_id: webhook.id,
        agent_id: ben.agent_id,
        position: 1_000_000 + number,
        push_type: PushType::WorkspaceMessage,
        next_at: store.log().clock().after(Duration::from_hours(1)),
    });
    store.log().write_side(vec![WebhookChange::Deliveries(waiting.collect())]).await.unwrap();
    let begun = replay(&store, &ben).await;
    worker(&store).drain().await.unwrap();
    assert_eq!(now(&store, &begun).await.position, 0);
    store.log().write_side(vec![WebhookChange::ReplayCancelled { id: begun.id }]).await.unwrap();
    worker(&store).drain().await.unwrap();
    assert_eq!(now(&store, &begun).await.status, ReplayStatus::Cancelled);
}
