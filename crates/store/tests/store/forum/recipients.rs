//! Audience of a reply: the post's author and earlier repliers except the actor, as of the reply's position.

use buildtrack_domain::{
    actors::Actor,
    event::Event,
    ids::{PostId, WebhookId},
    webhooks::PushType,
};
use buildtrack_store::{PushedEvent, Store, Subscription, WebhookChange, WebhookView, verification};
use rstest_reuse::apply;

use super::cast::{ask, redact_post, redact_reply, reply};
use crate::{
    both,
    cast::{agent, agent_id, deactivate, owner},
    database::{Kind, TestDatabase},
};

/// Agents whose endpoints subscribe to everything.
async fn agents<const COUNT: usize>(store: &Store, owner: &Actor) -> [Actor; COUNT] {
    let mut agents = Vec::new();
    for _ in 0..COUNT {
        let one = agent(store, owner).await;
        let id = WebhookId::new(store.log().clock().uuid());
        let url = Some("https://example.org/hook".into());
        let webhook = WebhookView::new(id, agent_id(&one), url, PushType::ALL.to_vec(), "sealed".into());
        store.log().write_side(vec![WebhookChange::Webhook(Box::new(webhook))]).await.unwrap();
        agents.push(one);
    }
    agents.try_into().unwrap()
}

/// The events that each of them receives, as a replay finds them.
async fn received(store: &Store, agents: &[Actor]) -> Vec<Vec<i64>> {
    let mut all = Vec::new();
    for agent in agents {
        let (subscription, head) = (Subscription::whole(agent_id(agent)), store.log().tail().head());
        let received = store.webhooks().subscribed_events(&subscription, 0, head, 500).await.unwrap();
        let positions: Vec<_> = received.events.iter().map(|recorded| recorded.position).collect();
        let count = store.webhooks().count_subscribed_events(&subscription, 0, head).await.unwrap();
        assert_eq!(count, i64::try_from(positions.len()).unwrap());
        all.push(positions);
    }
    all
}

/// The events that each of them is pushed, as the dispatcher finds them. Redacted posts and replies have no event any more.
async fn pushed(store: &Store, agents: &[Actor]) -> Vec<Vec<i64>> {
    let recorded = store.log().recorded(0, 1000).await.unwrap();
    let pushed = recorded.iter().filter_map(|recorded| {
        let push = recorded.event.as_ref().and_then(Event::push)?;
        Some(PushedEvent::new(recorded.position, &push))
    });
    let subscribers = store.webhooks().subscribers(&pushed.collect::<Vec<_>>()).await.unwrap();
    assert!(subscribers.is_sorted_by_key(|subscriber| subscriber.position));
    let of = |agent: &Actor| {
        let own = subscribers.iter().filter(|subscriber| subscriber.agent_id == agent_id(agent));
        own.map(|subscriber| subscriber.position).collect()
    };
    agents.iter().map(of).collect()
}

/// The next position.
fn next(store: &Store) -> i64 {
    store.log().tail().head() + 1
}

async fn replied(store: &Store, post: PostId, author: &Actor) -> i64 {
    let position = next(store);
    reply(store, post, author, "So.").await;
    position
}

#[apply(both)]
async fn the_audience_of_a_reply_is_the_author_and_earlier_repliers_except_the_actor(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let agents: [Actor; 4] = agents(&store, &owner(&store).await).await;
    let [ada, bob, cyd, dan] = &agents;
    let (post, other) = (ask(&store, ada, "How?", None).await, ask(&store, dan, "Why?", None).await);
    let first = replied(&store, post, bob).await;
    let second = replied(&store, post, cyd).await;
    let third = replied(&store, post, ada).await;
    let fourth = replied(&store, post, bob).await;
    let elsewhere = replied(&store, other, cyd).await;
    let expected = [vec![first, second, fourth], vec![second, third], vec![third, fourth], vec![elsewhere]];
    assert_eq!(received(&store, &agents).await, expected);
    assert_eq!(pushed(&store, &agents).await, expected);
    // The same in pages.
    let subscription = Subscription::whole(agent_id(ada));
    let page = store.webhooks().subscribed_events(&subscription, first, store.log().tail().head(), 1).await.unwrap();
    assert_eq!((page.events[0].position, page.reached), (second, second));
}

#[apply(both)]
async fn a_redacted_reply_counts_as_participation_and_has_no_audience(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let agents: [Actor; 3] = agents(&store, &owner(&store).await).await;
    let [ada, bob, cyd] = &agents;
    let post = ask(&store, ada, "How?", None).await;
    let own = reply(&store, post, bob, "Never mind").await;
    redact_reply(&store, (post, own), bob).await.unwrap();
    redact_post(&store, post, ada).await.unwrap();
    let third = replied(&store, post, cyd).await;
    let gone = reply(&store, post, cyd, "Gone").await;
    redact_reply(&store, (post, gone), cyd).await.unwrap();
    let expected = [vec![third], vec![third], vec![]];
    assert_eq!(received(&store, &agents).await, expected);
    assert_eq!(pushed(&store, &agents).await, expected);
    // The same after a rebuild, in which their rows are inserted late.
    verification::rebuild(store.log(), |_| ()).await.unwrap();
    assert_eq!(received(&store, &agents).await, expected);
    assert_eq!(pushed(&store, &agents).await, expected);
}

#[apply(both)]
async fn events_outside_an_endpoints_filter_are_left_out(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let owner = owner(&store).await;
    let [ada, bob]: [Actor; 2] = agents(&store, &owner).await;
    let post = ask(&store, &ada, "How?", None).await;
    let position = replied(&store, post, &bob).await;
    let webhook = store.webhooks().webhook_of(agent_id(&ada)).await.unwrap().unwrap();
    let received = async |change: &dyn Fn(&mut WebhookView)| {
        let mut webhook = webhook.clone();
        change(&mut webhook);
        let (subscription, head) = (Subscription::from(&webhook), store.log().tail().head());
        let received = store.webhooks().subscribed_events(&subscription, 0, head, 500).await.unwrap();
        let count = store.webhooks().count_subscribed_events(&subscription, 0, head).await.unwrap();
        assert_eq!(count, i64::try_from(received.events.len()).unwrap());
        received.events.into_iter().map(|recorded| recorded.position).collect::<Vec<_>>()
    };
    let filter = |text: &str| serde_json::from_str(text).unwrap();
    assert_eq!(received(&|_| ()).await, [position]);
    assert_eq!(received(&|webhook| webhook.events = vec![PushType::ForumReply]).await, [position]);
    assert_eq!(received(&|webhook| webhook.events = vec![PushType::WorkspaceMessage]).await, <[i64; 0]>::default());
    for nothing in [
        r#"{"workspaces":["ws_01h2e8kqvbfwea724h75qc655w"]}"#,
        r#"{"fields":{"kind":["proposal"]}}"#,
        r#"{"fields":{"actorType":["human"]}}"#,
    ] {
        assert_eq!(received(&|webhook| webhook.filter = filter(nothing)).await, <[i64; 0]>::default(), "{nothing}");
    }
    let agents_only = r#"{"fields":{"actorType":["ai-agent"]}}"#;
    assert_eq!(received(&|webhook| webhook.filter = filter(agents_only)).await, [position]);
    deactivate(&store, &ada, &owner).await.unwrap();
    assert_eq!(pushed(&store, &[ada, bob]).await, [vec![], vec![]] as [Vec<i64>; 2]);
}
