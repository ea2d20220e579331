//! Audience of an event, and that its cache is never older than the event.

use buildtrack_domain::{
    actors::Actor,
    ids::{WebhookId, WorkspaceId},
    webhooks::{Circle, PushType},
};
use buildtrack_store::{Audience, Store, WebhookChange};
use rstest_reuse::apply;

use crate::{
    both,
    cast::{NewMessage, agent, deactivate, join, leave, open, owner, post_message, rename, webhook},
    database::{Kind, TestDatabase},
};

/// The endpoints in the audience of a message.
async fn endpoints_of(store: &Store, track: WorkspaceId, position: i64, author: &Actor) -> Vec<WebhookId> {
    let (circle, push_type) = (Circle::Members(track), PushType::WorkspaceMessage);
    let audience = Audience { position, circle, push_type, actor: Some(author.id) };
    let subscribers = store.subscribers(&[audience]).await.unwrap();
    subscribers.into_iter().map(|subscriber| subscriber.webhook_id).collect()
}

/// The endpoints in the audience of a message posted now.
async fn endpoints_now(store: &Store, track: WorkspaceId, author: &Actor) -> Vec<WebhookId> {
    let position = post_message(store, track, new_message(author)).await.unwrap().recorded[0].position;
    endpoints_of(store, track, position, author).await
}

fn new_message(author: &Actor) -> NewMessage<'_> {
    NewMessage { author, content: "Look", reply_to: None, ticket: None }
}

async fn hook(store: &Store, agent: &Actor) -> WebhookId {
    let (id, kept) = webhook(store, agent, &PushType::ALL);
    store.write_side(vec![kept]).await.unwrap();
    id
}

#[apply(both)]
async fn the_audience_is_the_members_at_that_position_except_the_actor(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let ada = owner(&store).await;
    let agents =
        [agent(&store, &ada).await, agent(&store, &ada).await, agent(&store, &ada).await, agent(&store, &ada).await];
    let [author, member, other, deaf] = &agents;
    let mut hooks = Vec::new();
    for agent in &agents {
        let events = if agent.id == deaf.id { &[PushType::ForumReply][..] } else { &PushType::ALL };
        let (id, kept) = webhook(&store, agent, events);
        store.write_side(vec![kept]).await.unwrap();
        hooks.push(id);
    }
    let track = open(&store, author).await;
    join(&store, track, deaf).await.unwrap();
    let joined = join(&store, track, member).await.unwrap().recorded[0].position;
    let left = leave(&store, track, member).await.unwrap().recorded[0].position;
    let rejoined = join(&store, track, other).await.unwrap().recorded[0].position;
    let endpoints_of = async |position, actor: &Actor| {
        let audience = Audience {
            position,
            circle: Circle::Members(track),
            push_type: PushType::WorkspaceMessage,
            actor: Some(actor.id),
        };
        // Queried together with another event, each event has its own audience.
        let both = [Audience { position: 1, ..audience }, audience];
        let subscribers = store.subscribers(&both).await.unwrap();
        assert!(subscribers.is_sorted_by_key(|subscriber| subscriber.position));
        let of_it = subscribers.into_iter().filter(|subscriber| subscriber.position == position);
        of_it.map(|subscriber| subscriber.webhook_id).collect::<Vec<_>>()
    };
    // Joining and leaving again does not change who was a member at the earlier position.
    join(&store, track, member).await.unwrap();
    leave(&store, track, member).await.unwrap();
    assert_eq!(endpoints_of(joined - 1, author).await, []);
    assert_eq!(endpoints_of(joined, author).await, [hooks[1]]);
    assert_eq!(endpoints_of(left, author).await, []);
    assert_eq!(endpoints_of(rejoined, member).await.len(), 2);
    deactivate(&store, other, &ada).await.unwrap();
    assert_eq!(endpoints_of(rejoined, author).await, []);
}

#[apply(both)]
async fn joining_and_leaving_change_the_audience_at_once_despite_the_cache(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let elsewhere = database.open().await;
    let ada = owner(&store).await;
    let (author, guest) = (&agent(&store, &ada).await, &agent(&store, &ada).await);
    let guests = hook(&store, guest).await;
    let track = open(&store, author).await;
    // This process may learn of its own appends before it learns of another process's earlier ones.
    for _ in 0..30 {
        assert_eq!(endpoints_now(&store, track, author).await, []);
        join(&elsewhere, track, guest).await.unwrap();
        assert_eq!(endpoints_now(&store, track, author).await, [guests]);
        leave(&elsewhere, track, guest).await.unwrap();
    }
}

#[apply(both)]
async fn a_change_of_the_audience_invalidates_its_cache(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let ada = owner(&store).await;
    let (author, member, other) = (&agent(&store, &ada).await, &agent(&store, &ada).await, &agent(&store, &ada).await);
    let track = open(&store, author).await;
    join(&store, track, member).await.unwrap();
    let earlier = post_message(&store, track, new_message(author)).await.unwrap().recorded[0].position;
    for change in ["a member joins", "a member leaves", "an agent is renamed", "an earlier event"] {
        let id = hook(&store, member).await;
        rename(&store, author, "Scout").await.unwrap();
        rename(&store, author, "Quill").await.unwrap();
        assert_eq!(endpoints_now(&store, track, author).await, [id], "{change}");
        // Deleted without a commit notification: only the cache still has it.
        store.write_side(vec![WebhookChange::WebhookDeleted { id }]).await.unwrap();
        assert_eq!(endpoints_now(&store, track, author).await, [id], "{change}");
        match change {
            "a member joins" => drop(join(&store, track, other).await.unwrap()),
            "a member leaves" => drop(leave(&store, track, other).await.unwrap()),
            "an agent is renamed" => drop(rename(&store, other, "Forge").await.unwrap()),
            _ => assert_eq!(endpoints_of(&store, track, earlier, author).await, []),
        }
        assert_eq!(endpoints_now(&store, track, author).await, [], "{change}");
    }
}
