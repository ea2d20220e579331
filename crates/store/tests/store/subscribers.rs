//! Subscribers of an event, and that the cache of its audience is never older than the event.

use buildtrack_domain::{
    actors::Actor,
    audience::Audience,
    ids::{WebhookId, WorkspaceId},
    webhooks::PushType,
};
use buildtrack_store::{PushedEvent, Store, Subscription, WebhookChange};
use rstest_reuse::apply;

use crate::{
    both,
    cast::{NewMessage, agent, agent_id, deactivate, join, leave, open, owner, post_message, rename, webhook},
    database::{Kind, TestDatabase},
};

/// The endpoints in the audience of a message.
async fn endpoints_of(store: &Store, track: WorkspaceId, position: i64, author: &Actor) -> Vec<WebhookId> {
    let (audience, push_type) = (Audience::Members(track), PushType::WorkspaceMessage);
    let event = PushedEvent { position, audience, push_type, actor: Some(author.id) };
    let subscribers = store.webhooks().subscribers(&[event]).await.unwrap();
    subscribers.into_iter().map(|subscriber| subscriber.webhook_id).collect()
}

/// The endpoints in the audience of a message posted now.
async fn endpoints_now(store: &Store, track: WorkspaceId, author: &Actor) -> Vec<WebhookId> {
    let position = post_message(store, track, new_message(author)).await.unwrap().recorded[0].position;
    endpoints_of(store, track, position, author).await
}

/// Every agent finds exactly the events whose audience includes it. The agents have no endpoints yet.
pub(crate) async fn polls_and_pushes_agree(store: &Store, agents: &[Actor]) {
    for agent in agents {
        hook(store, agent).await;
    }
    let head = store.log().tail().head();
    let events = store.log().events_at(&(1..=head).collect::<Vec<_>>()).await.unwrap();
    let pushed = events.into_iter().filter_map(|recorded| {
        let recorded = recorded.unwrap();
        Some(PushedEvent::new(recorded.position, &recorded.event.as_ref()?.push()?))
    });
    let subscribers = store.webhooks().subscribers(&pushed.collect::<Vec<_>>()).await.unwrap();
    for agent in agents {
        let id = agent_id(agent);
        if !store.identity().agent(id).await.unwrap().is_some_and(|agent| agent.active) {
            continue;
        }
        let pushed = subscribers.iter().filter(|subscriber| subscriber.agent_id == id);
        let pushed: Vec<_> = pushed.map(|subscriber| subscriber.position).collect();
        let polled =
            store.webhooks().subscribed_events(&Subscription::whole(id), 0, head, i64::MAX).await.unwrap().events;
        assert_eq!(polled.iter().map(|recorded| recorded.position).collect::<Vec<_>>(), pushed);
    }
}

fn new_message(author: &Actor) -> NewMessage<'_> {
    NewMessage { author, content: "Look", reply_to: None, ticket: None }
}

async fn hook(store: &Store, agent: &Actor) -> WebhookId {
    let (id, registered) = webhook(store, agent, &PushType::ALL);
    store.log().write_side(vec![registered]).await.unwrap();
    id
}

#[apply(both)]
async fn the_audience_is_the_members_at_that_position_except_the_actor(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let ada = owner(&store).await;
    let agents =
        [agent(&store, &ada).await, agent(&store, &ada).await, agent(&store, &ada).await, agent(&store, &ada).await];
    let [author, member, other, unsubscribed] = &agents;
    let mut hooks = Vec::new();
    for agent in &agents {
        let events = if agent.id == unsubscribed.id { &[PushType::ForumReply][..] } else { &PushType::ALL };
        let (id, registered) = webhook(&store, agent, events);
        store.log().write_side(vec![registered]).await.unwrap();
        hooks.push(id);
    }
    let track = open(&store, author).await;
    join(&store, track, unsubscribed).await.unwrap();
    let joined = join(&store, track, member).await.unwrap().recorded[0].position;
    let left = leave(&store, track, member).await.unwrap().recorded[0].position;
    let rejoined = join(&store, track, other).await.unwrap().recorded[0].position;
    let endpoints_of = async |position, actor: &Actor| {
        let event = PushedEvent {
            position,
            audience: Audience::Members(track),
            push_type: PushType::WorkspaceMessage,
            actor: Some(actor.id),
        };
        // Queried together with another event, each event has its own audience.
        let both = [PushedEvent { position: 1, ..event }, event];
        let subscribers = store.webhooks().subscribers(&both).await.unwrap();
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
        store.log().write_side(vec![WebhookChange::WebhookDeleted { id }]).await.unwrap();
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
