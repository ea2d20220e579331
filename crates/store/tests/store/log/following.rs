//! Followers of the log, and their notifications.

use std::time::Duration;

use buildtrack_domain::{event::Event, workspaces::MessageEvent};
use buildtrack_store::{Database, Recorded, Store};
use futures_util::future::join;
use rstest_reuse::apply;
use sqlx::postgres::PgListener;

use crate::{
    both,
    cast::{new_actor, open, owner, post, redact},
    database::{Kind, TestDatabase},
};

#[apply(both)]
async fn a_reader_of_another_process_is_woken(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let other = database.open().await;
    let woken = other.log().tail().wait_past(0);
    let (_, woken) = join(open(&store, &new_actor(&store)), tokio::time::timeout(Duration::from_secs(5), woken)).await;
    woken.expect("the tail follows");
    assert_eq!(other.log().tail().head(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_batch_sends_one_commit_notification() {
    let (database, store) = TestDatabase::with_store(Kind::Postgres).await;
    let Database::Postgres(url) = database.database() else { panic!("the database is PostgreSQL") };
    let mut listener = PgListener::connect(&url).await.unwrap();
    listener.listen("buildtrack_log").await.unwrap();
    let ada = owner(&store).await;
    let track = open(&store, &ada).await;
    post(&store, track, &ada, "Push, don't poll").await.unwrap();
    let mut notices = Vec::new();
    for _ in 0..3 {
        let notice =
            tokio::time::timeout(Duration::from_secs(10), listener.recv()).await.expect("a notification arrives");
        notices.push(notice.unwrap().payload().to_owned());
    }
    let begun = [
        format!("0 2 email.claimed,owner.registered {}", ada.id),
        format!("2 3 workspace.opened {track}"),
        "3 4 message.posted ".to_owned(),
    ];
    assert_eq!(notices, begun);
}

/// The events beyond a position that a follower receives.
async fn follow(store: &Store, after: i64) -> Vec<Recorded> {
    let announced = store.log().announced(after, 100).await.unwrap();
    let positions: Vec<_> = announced.iter().map(|(position, _)| *position).collect();
    let shown: Vec<_> = store.log().events_at(&positions).await.unwrap().into_iter().map(Result::unwrap).collect();
    let types = shown.iter().filter_map(|recorded| recorded.event.as_ref()).map(Event::event_type);
    let announced_type = announced
        .iter()
        .zip(&shown)
        .filter(|(_, shown)| shown.event.is_some())
        .map(|((_, announced_type), _)| &**announced_type);
    assert!(announced_type.eq(types));
    shown
}

/// Their texts; none for redacted ones.
async fn followed(store: &Store, after: i64) -> Vec<Option<String>> {
    let content = |recorded: Recorded| match recorded.event {
        Some(Event::Message(MessageEvent::Posted(posted))) => Some(posted.content),
        _ => None,
    };
    follow(store, after).await.into_iter().map(content).collect()
}

#[apply(both)]
async fn a_follower_receives_the_events_of_every_process(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let other = database.open().await;
    let ada = new_actor(&store);
    let track = open(&store, &ada).await;
    for round in 0..6 {
        post(if round % 3 == 0 { &other } else { &store }, track, &ada, "Push, don't poll").await.unwrap();
        for follower in [&store, &other] {
            follower.log().tail().wait_past(round + 1).await;
            for after in 0..round + 2 {
                let shown = follow(follower, after).await;
                let shown: Vec<_> = shown.iter().map(|recorded| recorded.position).collect();
                assert_eq!(shown, (after + 1..=round + 2).collect::<Vec<_>>());
            }
        }
    }
}

#[apply(both)]
async fn a_follower_does_not_receive_redacted_texts(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let other = database.open().await;
    let ada = new_actor(&store);
    let track = open(&store, &ada).await;
    for redactor in [&store, &other] {
        let message = post(&store, track, &ada, "taken back").await.unwrap();
        let posted = store.log().tail().head();
        assert_eq!(followed(&store, posted - 1).await, [Some("taken back".to_owned())]);
        redact(redactor, track, ada.id, message).await.unwrap();
        store.log().tail().wait_past(posted).await;
        assert_eq!(followed(&store, posted - 1).await, [None, None]);
    }
}
