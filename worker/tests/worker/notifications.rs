//! Notifications of owners: messages to chats and mails about unread items, and what becomes of those that fail.

use std::time::Duration;

use buildtrack_domain::{
    ids::{OwnerId, WorkspaceId},
    notifications::{Channel, ChatForm, FAILURES_MAX, MailPace, Setting, StopReason, retry_wait},
};
use buildtrack_store::{ChannelView, NewChannel, NotificationChange, Purpose, Store};
use buildtrack_worker::{Worker, WorkerSettings};
use rstest_reuse::apply;

use crate::{
    both,
    cast::{Member, agent, agent_of, local_bus, mention, owner, settings, worker, workspace},
    database::{Kind, TestDatabase},
    mail::{enqueue, mailer},
    mailbox::Mailbox,
    receiver::{Reaction, Receiver},
};

/// An owner with an agent, and another agent that mentions it.
struct Scene {
    owner_id: OwnerId,
    scout: Member,
    ben: Member,
    workspace_id: WorkspaceId,
}

impl Scene {
    async fn new(store: &Store) -> Self {
        let owner_id = owner(store).await;
        let (scout, ben) = (agent_of(store, owner_id, "Scout").await, agent(store, "Ben", None).await);
        let workspace_id = workspace(store, &[&ben]).await;
        Self { owner_id, scout, ben, workspace_id }
    }

    async fn mention(&self, store: &Store) {
        mention(store, self.workspace_id, &self.ben, &self.scout).await;
    }

    /// Sets a channel, which is due at once.
    async fn set(&self, store: &Store, setting: Setting, address_sealed: String) {
        let (owner_id, notified_to, next_at) = (self.owner_id, store.log().tail().head(), store.log().clock().now());
        let channel = NewChannel { owner_id, setting, address_sealed, notified_to, next_at };
        store.log().write_side([NotificationChange::Set(Box::new(channel))]).await.unwrap();
    }

    async fn chat(&self, store: &Store, form: ChatForm, url: &str) {
        self.set(store, Setting::Chat(form), store.log().secret().seal(Purpose::ChatAddress, url).unwrap()).await;
    }

    /// The address of the owner.
    fn email(&self) -> String {
        format!("{}@example.org", self.owner_id)
    }

    async fn channel(&self, store: &Store) -> ChannelView {
        store.notifications().channels(self.owner_id).await.unwrap().pop().expect("a channel is set")
    }
}

#[apply(both)]
async fn a_chat_is_notified_of_unread_items_once_and_at_most_once_a_minute(kind: Kind) {
    let database = TestDatabase::at_noon(kind).await;
    let (store, mut chat) = (database.open().await, Receiver::friendly().await);
    let (scene, worker) = (Scene::new(&store).await, worker(&store));
    scene.chat(&store, ChatForm::Discord, &chat.url()).await;
    worker.drain().await.unwrap();
    assert!(chat.rest().is_empty(), "nothing is unread");
    scene.mention(&store).await;
    worker.drain().await.unwrap();
    let [received] = &chat.rest()[..] else { panic!("one message is posted") };
    assert_eq!(received.request_line, "POST /araf/webhook?token=of-the-url HTTP/1.1");
    assert_eq!(received.header("content-type"), "application/json");
    let text = received.json()["content"].as_str().unwrap().to_owned();
    assert!(text.starts_with("1 unread item") && text.contains("https://build.example/portal/inbox"), "{text}");
    assert_eq!(scene.channel(&store).await.notified_at, Some(store.log().clock().now()));

    scene.mention(&store).await;
    scene.mention(&store).await;
    database.clock.advance(Duration::from_secs(59));
    worker.drain().await.unwrap();
    assert!(chat.rest().is_empty(), "at most one message a minute");
    database.clock.advance(Duration::from_secs(1));
    worker.drain().await.unwrap();
    let [received] = &chat.rest()[..] else { panic!("one message covers both") };
    assert!(received.json()["content"].as_str().unwrap().starts_with("2 unread items"));
}

#[apply(both)]
async fn a_chat_that_fails_is_notified_later_and_turned_off_at_last(kind: Kind) {
    let database = TestDatabase::at_noon(kind).await;
    let asks = Reaction::Responds(500, "Retry-After: 120\r\n", String::new());
    let plan = vec![asks, Reaction::HangsUp, Reaction::Status(200), Reaction::Status(500)];
    let (store, mut chat) = (database.open().await, Receiver::with_plan(plan).await);
    let (scene, worker) = (Scene::new(&store).await, worker(&store));
    scene.chat(&store, ChatForm::Slack, &chat.url()).await;
    scene.mention(&store).await;
    worker.drain().await.unwrap();
    let channel = scene.channel(&store).await;
    assert_eq!(
        (channel.failures, channel.failure.as_deref()),
        (1, Some("the chat answered 500 Internal Server Error"))
    );
    database.clock.advance(Duration::from_secs(119));
    worker.drain().await.unwrap();
    assert_eq!(scene.channel(&store).await.failures, 1, "the chat asked to wait for two minutes");
    database.clock.advance(Duration::from_secs(1));
    worker.drain().await.unwrap();
    assert_eq!(scene.channel(&store).await.failures, 2);
    database.clock.advance(retry_wait(2));
    worker.drain().await.unwrap();
    let channel = scene.channel(&store).await;
    assert_eq!((channel.failures, channel.failure, chat.rest().len()), (0, None, 3), "a success ends the failures");

    scene.mention(&store).await;
    database.clock.advance(Duration::from_mins(1));
    for failures in 1..=FAILURES_MAX {
        assert_eq!(scene.channel(&store).await.stopped, None);
        worker.drain().await.unwrap();
        assert_eq!(chat.rest().len(), 1, "attempt {failures}");
        database.clock.advance(retry_wait(failures));
    }
    assert_eq!(scene.channel(&store).await.stopped, Some(StopReason::Failing));
    worker.drain().await.unwrap();
    assert!(chat.rest().is_empty());
}

#[apply(both)]
async fn a_chat_that_is_gone_is_turned_off_at_once_and_an_unreadable_address_fails(kind: Kind) {
    let database = TestDatabase::at_noon(kind).await;
    let store = database.open().await;
    for status in [404, 410] {
        let (scene, chat) = (Scene::new(&store).await, Receiver::with_plan(vec![Reaction::Status(status)]).await);
        scene.chat(&store, ChatForm::Slack, &chat.url()).await;
        scene.mention(&store).await;
        worker(&store).drain().await.unwrap();
        let channel = scene.channel(&store).await;
        assert_eq!((channel.stopped, &*channel.address_sealed), (Some(StopReason::Gone), ""), "{status}");
    }
    let scene = Scene::new(&store).await;
    scene.set(&store, Setting::Chat(ChatForm::Slack), "of another secret".into()).await;
    scene.mention(&store).await;
    worker(&store).drain().await.unwrap();
    let channel = scene.channel(&store).await;
    assert_eq!(channel.failure.as_deref(), Some("the address was sealed with another secret"));
}

#[apply(both)]
async fn a_mail_tells_of_unread_items_if_the_server_sends_mail(kind: Kind) {
    let database = TestDatabase::at_noon(kind).await;
    let (store, mailbox) = (database.open().await, Mailbox::start().await);
    let scene = Scene::new(&store).await;
    scene.set(&store, Setting::Mail(MailPace::AtOnce), String::new()).await;
    scene.mention(&store).await;
    worker(&store).drain().await.unwrap();
    assert_eq!(store.notifications().due(Channel::Mail, 10).await.unwrap().len(), 1, "this worker sends no mail");
    let mailing = worker(&store).mailing(mailer(&mailbox));
    mailing.drain().await.unwrap();
    let [received] = &mailbox.take()[..] else { panic!("one mail") };
    assert_eq!(received.to, scene.email());
    assert!(received.text.contains("Subject: 1 unread item (https://build.example)\n"), "{}", received.text);
    scene.mention(&store).await;
    database.clock.advance(Duration::from_mins(20) - Duration::from_secs(1));
    mailing.drain().await.unwrap();
    assert!(mailbox.take().is_empty(), "at most one mail in 20 minutes");
    database.clock.advance(Duration::from_secs(1));
    mailing.drain().await.unwrap();
    assert_eq!(mailbox.take().len(), 1);
}

#[apply(both)]
async fn a_digest_waits_while_the_queue_has_no_room_for_it(kind: Kind) {
    let database = TestDatabase::at_noon(kind).await;
    let (store, mailbox) = (database.open().await, Mailbox::start().await);
    let scene = Scene::new(&store).await;
    scene.set(&store, Setting::Mail(MailPace::AtOnce), String::new()).await;
    scene.mention(&store).await;
    let small = WorkerSettings { mails_per_hour: 6, ..settings() };
    let small = Worker::new(store.clone(), local_bus(), small).unwrap().mailing(mailer(&mailbox));
    let large = worker(&store).mailing(mailer(&mailbox));
    // Digests take half of the mails of an hour.
    for number in 0..3 {
        enqueue(&store, &format!("{number}@example.org"), "To another").await;
    }
    small.drain().await.unwrap();
    assert_eq!(mailbox.take().len(), 3, "mails about accounts pass");
    database.clock.advance(Duration::from_mins(10) - Duration::from_secs(1));
    large.drain().await.unwrap();
    assert!(mailbox.take().is_empty(), "it waits for ten minutes");
    // Three mails to one address within an hour.
    for _ in 0..3 {
        enqueue(&store, &scene.email(), "To this one").await;
    }
    database.clock.advance(Duration::from_secs(1));
    large.drain().await.unwrap();
    assert_eq!(mailbox.take().len(), 3);
    database.clock.advance(Duration::from_hours(1));
    large.drain().await.unwrap();
    assert!(mailbox.take().pop().unwrap().text.contains("Subject: 1 unread item"));
}
