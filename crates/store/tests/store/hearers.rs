//! Who is pushed an event, and that what is remembered of that is never older than the event.

use buildtrack_domain::{
    actors::Actor,
    ids::{WebhookId, WorkspaceId},
    webhooks::{Circle, PushType},
};
use buildtrack_store::{Audience, Kept, Store};
use rstest_reuse::apply;

use crate::{
    both,
    cast::{Words, agent, deactivate, join, leave, open, owner, rename, say, webhook},
    database::{Kind, TestDatabase},
};

/// The endpoints that hear of a message.
async fn told(store: &Store, track: WorkspaceId, position: i64, author: &Actor) -> Vec<WebhookId> {
    let (circle, push_type) = (Circle::Members(track), PushType::WorkspaceMessage);
    let audience = Audience { position, circle, push_type, actor: Some(author.id) };
    let subscribers = store.subscribers(&[audience]).await.unwrap();
    subscribers.into_iter().map(|subscriber| subscriber.webhook_id).collect()
}

/// The endpoints that hear of a message posted now.
async fn told_now(store: &Store, track: WorkspaceId, author: &Actor) -> Vec<WebhookId> {
    let position = say(store, track, words(author)).await.unwrap().recorded[0].position;
    told(store, track, position, author).await
}

fn words(author: &Actor) -> Words<'_> {
    Words { author, content: "Look", reply_to: None, ticket: None }
}

async fn hook(store: &Store, agent: &Actor) -> WebhookId {
    let (id, kept) = webhook(store, agent, &PushType::ALL);
    store.keep(vec![kept]).await.unwrap();
    id
}

#[apply(both)]
async fn those_are_told_who_were_members_at_that_position_but_the_actor(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let ada = owner(&store).await;
    let agents =
        [agent(&store, &ada).await, agent(&store, &ada).await, agent(&store, &ada).await, agent(&store, &ada).await];
    let [author, member, other, deaf] = &agents;
    let mut hooks = Vec::new();
    for agent in &agents {
        let events = if agent.id == deaf.id { &[PushType::ForumReply][..] } else { &PushType::ALL };
        let (id, kept) = webhook(&store, agent, events);
        store.keep(vec![kept]).await.unwrap();
        hooks.push(id);
    }
    let track = open(&store, author).await;
    join(&store, track, deaf).await.unwrap();
    let joined = join(&store, track, member).await.unwrap().recorded[0].position;
    let left = leave(&store, track, member).await.unwrap().recorded[0].position;
    let rejoined = join(&store, track, other).await.unwrap().recorded[0].position;
    let told = async |position, actor: &Actor| {
        let audience = Audience {
            position,
            circle: Circle::Members(track),
            push_type: PushType::WorkspaceMessage,
            actor: Some(actor.id),
        };
        // Asked together with another event, each is told to its own.
        let both = [Audience { position: 1, ..audience }, audience];
        let subscribers = store.subscribers(&both).await.unwrap();
        assert!(subscribers.is_sorted_by_key(|subscriber| subscriber.position));
        let of_it = subscribers.into_iter().filter(|subscriber| subscriber.position == position);
        of_it.map(|subscriber| subscriber.webhook_id).collect::<Vec<_>>()
    };
    // Coming back and going again does not change who was there before.
    join(&store, track, member).await.unwrap();
    leave(&store, track, member).await.unwrap();
    assert_eq!(told(joined - 1, author).await, []);
    assert_eq!(told(joined, author).await, [hooks[1]]);
    assert_eq!(told(left, author).await, []);
    assert_eq!(told(rejoined, member).await.len(), 2);
    deactivate(&store, other, &ada).await.unwrap();
    assert_eq!(told(rejoined, author).await, []);
}

#[apply(both)]
async fn whoever_comes_or_goes_is_told_from_then_on_whatever_is_remembered(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let elsewhere = database.open().await;
    let ada = owner(&store).await;
    let (author, guest) = (&agent(&store, &ada).await, &agent(&store, &ada).await);
    let guests = hook(&store, guest).await;
    let track = open(&store, author).await;
    // What this process appends itself may be known here before what another one appended first.
    for _ in 0..30 {
        assert_eq!(told_now(&store, track, author).await, []);
        join(&elsewhere, track, guest).await.unwrap();
        assert_eq!(told_now(&store, track, author).await, [guests]);
        leave(&elsewhere, track, guest).await.unwrap();
    }
}

#[apply(both)]
async fn hearers_are_read_again_where_something_changed_them_and_not_before(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let ada = owner(&store).await;
    let (author, member, other) = (&agent(&store, &ada).await, &agent(&store, &ada).await, &agent(&store, &ada).await);
    let track = open(&store, author).await;
    join(&store, track, member).await.unwrap();
    let earlier = say(&store, track, words(author)).await.unwrap().recorded[0].position;
    for change in ["a member comes", "a member goes", "an agent is another", "an earlier event"] {
        let id = hook(&store, member).await;
        rename(&store, author, "Scout").await.unwrap();
        rename(&store, author, "Quill").await.unwrap();
        assert_eq!(told_now(&store, track, author).await, [id], "{change}");
        // Behind everybody's back: only memory has it still.
        store.keep(vec![Kept::WebhookDeleted { id }]).await.unwrap();
        assert_eq!(told_now(&store, track, author).await, [id], "{change}");
        match change {
            "a member comes" => drop(join(&store, track, other).await.unwrap()),
            "a member goes" => drop(leave(&store, track, other).await.unwrap()),
            "an agent is another" => drop(rename(&store, other, "Forge").await.unwrap()),
            _ => assert_eq!(told(&store, track, earlier, author).await, []),
        }
        assert_eq!(told_now(&store, track, author).await, [], "{change}");
    }
}
