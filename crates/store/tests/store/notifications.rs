//! Channels of notifications, and what they tell.

use std::time::Duration;

use buildtrack_domain::{
    actors::Actor,
    notifications::{Channel, ChatForm, MailPace, Setting, StopReason},
};
use buildtrack_store::{ChannelView, NewChannel, NotificationChange, Notified, Store};
use rstest_reuse::apply;

use crate::{
    both,
    cast::{agent, new_actor, open, owner, owner_id, post, set_owner_suspended},
    database::{Kind, TestDatabase, noon},
};

fn slack(store: &Store, owner: &Actor, address: &str, notified_to: i64) -> NotificationChange {
    NotificationChange::Set(Box::new(NewChannel {
        owner_id: owner_id(owner),
        setting: Setting::Chat(ChatForm::Slack),
        address_sealed: address.to_owned(),
        notified_to,
        next_at: store.log().clock().now(),
    }))
}

#[apply(both)]
async fn an_outcome_counts_for_its_own_address_alone(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let (ada, bob) = (owner(&store).await, new_actor(&store));
    let (scout, track) = (agent(&store, &ada).await, open(&store, &bob).await);
    let (id, head) = (owner_id(&ada), store.log().tail().head());
    store.log().write_side([slack(&store, &ada, "first", head)]).await.unwrap();
    let due = async || store.notifications().due(Channel::Chat, 10).await.unwrap();
    assert_eq!(due().await, []);
    post(&store, track, &bob, &format!("@{}, one", scout.id)).await.unwrap();
    let [found] = &due().await[..] else { panic!("one channel is due") };
    assert_eq!((found.owner_id, found.notified_to, &*found.address_sealed, found.failures), (id, head, "first", 0));
    assert_eq!(store.notifications().due(Channel::Mail, 10).await.unwrap(), []);
    let digest = store.notifications().digest(id, head).await.unwrap();
    assert_eq!((digest.up_to, digest.total(), digest.parts.len()), (store.log().tail().head(), 1, 1));
    assert_eq!(digest.parts[0].recipient, scout.id);

    let notified = |address: &str, notified_to| {
        NotificationChange::Notified(Box::new(Notified {
            owner_id: id,
            channel: Channel::Chat,
            address_sealed: address.to_owned(),
            notified_to,
            is_sent: true,
            next_at: store.log().clock().after(Duration::from_mins(1)),
        }))
    };
    store.log().write_side([notified("second", digest.up_to)]).await.unwrap();
    assert_eq!(due().await.len(), 1, "another address was told");
    let failed = |address: &str| NotificationChange::Failed {
        owner_id: id,
        channel: Channel::Chat,
        address_sealed: address.to_owned(),
        failure: "no connection".to_owned(),
        next_at: store.log().clock().now(),
    };
    store.log().write_side([failed("second"), failed("first")]).await.unwrap();
    assert_eq!(due().await[0].failures, 1);
    store.log().write_side([notified("first", digest.up_to)]).await.unwrap();
    assert_eq!(due().await, []);
    let [view] = &store.notifications().channels(id).await.unwrap()[..] else { panic!("one channel") };
    let setting = Setting::Chat(ChatForm::Slack);
    assert_eq!((view.setting, view.notified_at, view.failures, &view.failure), (setting, Some(noon()), 0, &None));

    // Set again, it tells nothing twice; stopped, it holds no address and tells nothing.
    store.log().write_side([slack(&store, &ada, "second", 0)]).await.unwrap();
    assert_eq!(due().await, []);
    let stopped = NotificationChange::Stopped { owner_id: id, channel: Channel::Chat, reason: StopReason::Gone };
    store.log().write_side([stopped]).await.unwrap();
    post(&store, track, &bob, &format!("@{}, two", scout.id)).await.unwrap();
    assert_eq!(due().await, []);
    let [ChannelView { address_sealed, stopped, .. }] = &store.notifications().channels(id).await.unwrap()[..] else {
        panic!("one channel")
    };
    assert_eq!((&**address_sealed, *stopped), ("", Some(StopReason::Gone)));
    store.log().write_side([slack(&store, &ada, "third", 0)]).await.unwrap();
    assert_eq!(due().await.len(), 1);
    set_owner_suspended(&store, &ada, true).await.unwrap();
    assert_eq!(due().await, [], "a suspended owner is not told");
    let removed = NotificationChange::Removed { owner_id: id, channel: Channel::Chat };
    store.log().write_side([removed]).await.unwrap();
    assert_eq!(store.notifications().channels(id).await.unwrap(), []);
}

#[apply(both)]
async fn mail_and_chat_are_separate_and_inboxes_listed_by_their_latest_item(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let (ada, bob) = (owner(&store).await, new_actor(&store));
    let (scout, quill, track) = (agent(&store, &ada).await, agent(&store, &ada).await, open(&store, &bob).await);
    let id = owner_id(&ada);
    let mail = NotificationChange::Set(Box::new(NewChannel {
        owner_id: id,
        setting: Setting::Mail(MailPace::Daily),
        address_sealed: String::new(),
        notified_to: 0,
        next_at: store.log().clock().after(Duration::from_hours(24)),
    }));
    store.log().write_side([mail, slack(&store, &ada, "first", 0)]).await.unwrap();
    for number in 0..4 {
        post(&store, track, &bob, &format!("@{}, {number}", scout.id)).await.unwrap();
    }
    post(&store, track, &bob, &format!("@{} and @{}", quill.id, ada.id)).await.unwrap();
    assert_eq!(store.notifications().due(Channel::Mail, 10).await.unwrap(), []);
    assert_eq!(store.notifications().due(Channel::Chat, 10).await.unwrap().len(), 1);
    store.log().clock().advance(Duration::from_hours(24));
    assert_eq!(store.notifications().due(Channel::Mail, 10).await.unwrap().len(), 1);

    let inboxes = store.inbox().owned_inboxes(id, (0, 10), 3).await.unwrap();
    let shown: Vec<_> = inboxes.iter().map(|inbox| (inbox.recipient, inbox.unread, inbox.items.len())).collect();
    let mut latest = vec![(quill.id, 1, 1), (ada.id, 1, 1)];
    latest.sort_by_key(|(id, ..)| id.to_string());
    assert_eq!(shown, [latest, vec![(scout.id, 4, 3)]].concat());
    assert!(inboxes.iter().all(|inbox| inbox.active && inbox.items.iter().all(|item| !item.read)));
    let positions: Vec<_> = inboxes[2].items.iter().map(|item| item.position).collect();
    assert!(positions.is_sorted_by(|one, next| one > next), "the latest comes first");
    let second = store.inbox().owned_inboxes(id, (1, 1), 3).await.unwrap();
    assert_eq!((second.len(), second[0].recipient), (1, inboxes[1].recipient));
}
