//! Recipients and payloads of pushes.

use buildtrack_domain::webhooks::PushType;
use buildtrack_store::Subscription;
use serde_json::json;

use crate::{
    both,
    cast::{
        agent, agent_with_events, answer, ask, changes, deactivate, join, leave, moves, post, remove, ship, worker,
        workspace,
    },
    database::{Kind, TestDatabase},
    receiver::Receiver,
};

use rstest_reuse::apply;

#[apply(both)]
async fn a_message_reaches_the_other_members_and_not_its_author(kind: Kind) {
    let (database, mut ada, mut ben) =
        tokio::join!(TestDatabase::at_noon(kind), Receiver::friendly(), Receiver::friendly());
    let store = database.open().await;
    let (author, reader) = (agent(&store, "Ada", Some(ada.url())).await, agent(&store, "Ben", Some(ben.url())).await);
    let workspace_id = workspace(&store, &[&author, &reader]).await;
    worker(&store).drain().await.unwrap();
    ada.rest();

    let content = "Push, don't \"poll\"\u{1}\u{2028}🤖";
    let message_id = post(&store, workspace_id, &author, content).await;
    worker(&store).drain().await.unwrap();

    let [push] = ben.rest().try_into().unwrap();
    assert!(push.is_signed_with(&reader.secret));
    assert_eq!(push.request_line, "POST /araf/webhook?token=of-the-url HTTP/1.1");
    assert_eq!(push.header("content-type"), "application/json");
    assert_eq!(push.header("user-agent"), concat!("Buildtrack/", env!("CARGO_PKG_VERSION")));
    assert_eq!(push.header("x-araf-event"), "workspace.message");
    assert_eq!(push.header("x-araf-attempt"), "1");
    assert!(push.header("x-araf-delivery").starts_with("dlv_"));
    assert_eq!(
        push.json(),
        json!({
            "event": "workspace.message",
            "agentId": reader.agent_id,
            "data": {
                "workspaceId": workspace_id,
                "kind": "proposal",
                "authorName": "Ada",
                "content": content,
                "messageId": message_id,
                "authorId": author.agent_id,
                "authorType": "ai-agent",
                "authorModel": "claude-opus-4-8",
                "url": format!("https://build.example/build/{workspace_id}/messages/{message_id}"),
            },
            "sentAt": 1_772_366_400,
        })
    );
    assert_eq!(ada.rest(), []);
}

#[apply(both)]
async fn a_join_is_pushed_to_earlier_members(kind: Kind) {
    let (database, mut ada, mut ben, mut cyd) =
        tokio::join!(TestDatabase::at_noon(kind), Receiver::friendly(), Receiver::friendly(), Receiver::friendly());
    let store = database.open().await;
    let members = [
        agent(&store, "Ada", Some(ada.url())).await,
        agent(&store, "Ben", Some(ben.url())).await,
        agent(&store, "Cyd", Some(cyd.url())).await,
    ];
    workspace(&store, &members.each_ref()).await;
    worker(&store).drain().await.unwrap();
    assert_eq!(ada.said(), ["Ben", "Cyd"]);
    let [push] = ben.rest().try_into().unwrap();
    assert_eq!((push.header("x-araf-event"), &*push.said()), ("workspace.join", "Cyd"));
    assert_eq!(cyd.rest(), []);
}

#[apply(both)]
async fn recipients_are_the_members_at_the_time_of_the_event(kind: Kind) {
    let (database, mut ben) = tokio::join!(TestDatabase::at_noon(kind), Receiver::friendly());
    let store = database.open().await;
    let (author, reader) = (agent(&store, "Ada", None).await, agent(&store, "Ben", Some(ben.url())).await);
    let workspace_id = workspace(&store, &[&author]).await;
    post(&store, workspace_id, &author, "before").await;
    join(&store, workspace_id, &reader).await;
    post(&store, workspace_id, &author, "during").await;
    leave(&store, workspace_id, &reader).await;
    post(&store, workspace_id, &author, "after").await;
    join(&store, workspace_id, &reader).await;
    post(&store, workspace_id, &author, "again").await;
    // All events are dispatched in one step.
    worker(&store).drain().await.unwrap();
    assert_eq!(ben.said(), ["again", "during"]);
}

#[apply(both)]
async fn a_removed_member_receives_no_further_events(kind: Kind) {
    let (database, mut ben) = tokio::join!(TestDatabase::at_noon(kind), Receiver::friendly());
    let store = database.open().await;
    let (author, reader) = (agent(&store, "Ada", None).await, agent(&store, "Ben", Some(ben.url())).await);
    let workspace_id = workspace(&store, &[&author, &reader]).await;
    post(&store, workspace_id, &author, "before").await;
    remove(&store, workspace_id, &reader, &author).await;
    post(&store, workspace_id, &author, "after").await;
    worker(&store).drain().await.unwrap();
    assert_eq!(ben.said(), ["before"]);
}

#[apply(both)]
async fn a_shipped_track_is_pushed_to_the_other_members_and_another_workspace_is_not(kind: Kind) {
    let (database, mut ada, mut ben) =
        tokio::join!(TestDatabase::at_noon(kind), Receiver::friendly(), Receiver::friendly());
    let store = database.open().await;
    let (shipper, reader) = (agent(&store, "Ada", Some(ada.url())).await, agent(&store, "Ben", Some(ben.url())).await);
    let filtered = agent_with_events(&store, "Cyd", Some(ben.url()), &[PushType::WorkspaceMessage]).await;
    let (track, other) = (
        workspace(&store, &[&shipper, &reader, &filtered]).await,
        workspace(&store, &[&shipper, &reader, &filtered]).await,
    );
    worker(&store).drain().await.unwrap();
    let head = store.log().tail().head();
    ada.rest();
    ben.rest();
    ship(&store, track, &shipper, &["tools", "build"], "a track").await;
    ship(&store, other, &shipper, &["tools"], "something else").await;
    worker(&store).drain().await.unwrap();
    let [push] = ben.rest().try_into().unwrap();
    assert_eq!((push.header("x-araf-event"), &*push.said()), ("track.shipped", "a track"));
    assert!(push.is_signed_with(&reader.secret));
    assert_eq!(ada.rest(), []);
    // Replays select the same events as pushes.
    for (member, expected) in [(&reader, 1), (&filtered, 0), (&shipper, 0)] {
        let webhook = store.webhooks().webhook_of(member.agent_id).await.unwrap().unwrap();
        let filter = Subscription::from(&webhook);
        assert_eq!(
            store.webhooks().count_subscribed_events(&filter, head, store.log().tail().head()).await.unwrap(),
            expected
        );
        let selected = store.webhooks().subscribed_events(&filter, head, store.log().tail().head(), 10).await.unwrap();
        assert_eq!(i64::try_from(selected.events.len()).unwrap(), expected);
    }
}

#[apply(both)]
async fn an_endpoint_receives_only_the_events_of_its_filter(kind: Kind) {
    let (database, mut ben) = tokio::join!(TestDatabase::at_noon(kind), Receiver::friendly());
    let store = database.open().await;
    let author = agent(&store, "Ada", None).await;
    let reader = agent_with_events(&store, "Ben", Some(ben.url()), &[PushType::WorkspaceJoin]).await;
    let workspace_id = workspace(&store, &[&author, &reader]).await;
    post(&store, workspace_id, &author, "a message").await;
    join(&store, workspace_id, &agent(&store, "Cyd", None).await).await;
    worker(&store).drain().await.unwrap();
    assert_eq!(ben.said(), ["Cyd"]);
}

#[apply(both)]
async fn deactivated_agents_and_endpoints_without_an_address_receive_nothing(kind: Kind) {
    let (database, mut ben, mut cyd) =
        tokio::join!(TestDatabase::at_noon(kind), Receiver::friendly(), Receiver::friendly());
    let store = database.open().await;
    let author = agent(&store, "Ada", None).await;
    let (gone, unreachable) =
        (agent(&store, "Ben", Some(ben.url())).await, agent(&store, "Cyd", Some(cyd.url())).await);
    let workspace_id = workspace(&store, &[&author, &gone, &unreachable]).await;
    worker(&store).drain().await.unwrap();
    ben.rest();
    cyd.rest();
    deactivate(&store, &gone).await;
    moves(&store, &unreachable, None).await;
    post(&store, workspace_id, &author, "hello?").await;
    worker(&store).drain().await.unwrap();
    assert_eq!((ben.rest(), cyd.rest()), (vec![], vec![]));
    assert_eq!(store.webhooks().queue_depth("webhooks").await.unwrap().behind, 0);
}

#[apply(both)]
async fn two_workers_push_everything_once(kind: Kind) {
    let (database, mut ben) = tokio::join!(TestDatabase::at_noon(kind), Receiver::friendly());
    let (store, other) = tokio::join!(database.open(), database.open());
    let (author, reader) = (agent(&store, "Ada", None).await, agent(&store, "Ben", Some(ben.url())).await);
    let workspace_id = workspace(&store, &[&author, &reader]).await;
    let mut expected = Vec::new();
    for round in 0..5 {
        for number in 0..20 {
            let content = format!("{round}.{number:02}");
            post(&store, workspace_id, &author, &content).await;
            expected.push(content);
        }
        // Neither takes the lease: both see the same events, and one of them commits second.
        let (one, two) = (worker(&store), worker(&other));
        let (one, two) = tokio::join!(one.drain(), two.drain());
        one.and(two).unwrap();
    }
    assert_eq!(ben.said(), expected);
    assert!(
        database.deliveries().await.iter().all(|(_, status, answers)| status == "delivered" && answers == &["200"])
    );
}

#[apply(both)]
async fn a_reply_reaches_the_posts_author_and_earlier_repliers_each_once_and_several_in_one_push(kind: Kind) {
    let (database, mut ada, mut ben, mut cyd) =
        tokio::join!(TestDatabase::at_noon(kind), Receiver::friendly(), Receiver::friendly(), Receiver::friendly());
    let store = database.open().await;
    let asker = agent(&store, "Ada", Some(ada.url())).await;
    let (first, second) = (agent(&store, "Ben", Some(ben.url())).await, agent(&store, "Cyd", Some(cyd.url())).await);
    changes(&store, &asker, |webhook| buildtrack_store::WebhookView { batch: 10, ..webhook }).await;
    let post_id = ask(&store, &asker).await;
    for (author, body) in [(&first, "one"), (&first, "two"), (&second, "three"), (&asker, "four")] {
        answer(&store, post_id, author, body).await;
    }
    worker(&store).drain().await.unwrap();
    assert_eq!((ben.said(), cyd.said()), (vec!["four".to_owned(), "three".to_owned()], vec!["four".to_owned()]));
    let bodies: Vec<_> = ada.rest().iter().map(|push| push.json()["data"].clone()).collect();
    let entries = bodies
        .iter()
        .flat_map(|data| data["events"].as_array().cloned().unwrap_or_else(|| vec![json!({ "data": data })]));
    let said: Vec<_> = entries.map(|entry| entry["data"]["content"].clone()).collect();
    assert_eq!(said, ["one", "two", "three"]);
}
