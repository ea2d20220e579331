//! What is taken back is nowhere any more; that it was there stays.

use std::time::Duration;

use buildtrack_domain::{
    ids::{DeliveryId, MessageId, WebhookId},
    webhooks::PushType,
    workspaces::MessageError,
};
use buildtrack_store::{
    Attempt, Database, DeliveryStatus, Kept, MessageFilter, NewDelivery, Outcome, Store, Ticket, Verdict, sha256_hex,
};
use rstest_reuse::apply;

use crate::{
    both,
    cast::{Refusal, Words, agent_id, open, post, redact, say, somebody},
    database::{Kind, TestDatabase, eventually},
};

const NEEDLE: &str = "the e-mail address of somebody else";

fn ticket() -> Ticket {
    Ticket { scope: sha256_hex("a request"), fingerprint: sha256_hex("its body") }
}

/// A push of the event at the position.
fn delivery(store: &Store, position: i64) -> NewDelivery {
    NewDelivery {
        id: DeliveryId::new(store.clock().uuid()),
        webhook_id: WebhookId::new(store.clock().uuid()),
        agent_id: agent_id(&somebody(store)),
        position,
        push_type: PushType::WorkspaceMessage,
        next_at: store.clock().now(),
    }
}

#[apply(both)]
async fn what_was_taken_back_is_nowhere_any_more(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let ada = somebody(&store);
    let track = open(&store, &ada).await;
    let words = Words { author: &ada, content: NEEDLE, reply_to: None, ticket: Some(ticket()) };
    let message = say(&store, track, words).await.unwrap().value;
    assert_eq!(database.tables_with(NEEDLE).await, ["answers", "events", "messages"]);

    redact(&store, track, ada.id, message).await.unwrap();
    assert_eq!(database.tables_with(NEEDLE).await, <[&str; 0]>::default());
    let event = store.logged(1, 1).await.unwrap().remove(0);
    assert_eq!((event.data, event.salt, event.redacted_by), (None, None, Some(3)));
    let answer = store.stored_answer(&ticket()).await.unwrap().unwrap();
    assert_eq!((answer.status, answer.body), (201, None));
}

#[tokio::test(flavor = "multi_thread")]
async fn it_leaves_the_file_of_sqlite_too() {
    let (database, store) = TestDatabase::with_store(Kind::Sqlite).await;
    let Database::Sqlite(path) = database.database() else { panic!("it is SQLite") };
    let ada = somebody(&store);
    let track = open(&store, &ada).await;
    // Long enough for pages of its own, which are given back and not written over.
    let long = NEEDLE.repeat(400);
    let words = Words { author: &ada, content: &long, reply_to: None, ticket: Some(ticket()) };
    let message = say(&store, track, words).await.unwrap().value;
    redact(&store, track, ada.id, message).await.unwrap();
    store.close().await;
    for file in std::fs::read_dir(path.parent().unwrap()).unwrap() {
        let bytes = std::fs::read(file.unwrap().path()).unwrap();
        assert!(!bytes.windows(NEEDLE.len()).any(|window| window == NEEDLE.as_bytes()));
    }
}

#[apply(both)]
async fn every_process_hears_of_it_once(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let other = database.open().await;
    let ada = somebody(&store);
    let track = open(&store, &ada).await;
    let [gone, left] =
        [post(&store, track, &ada, NEEDLE).await.unwrap(), post(&store, track, &ada, "…").await.unwrap()];
    other.tail().beyond(2).await;
    let read_at = other.tail().head();
    let stands = |message: MessageId, read_at| other.still_stands(&message.to_string(), read_at);
    assert!(stands(gone, read_at) && stands(left, read_at));
    redact(&store, track, ada.id, gone).await.unwrap();
    eventually(async || !stands(gone, read_at)).await;
    assert!(stands(left, read_at));
    // What was read since stands, however often the news comes.
    let head = store.head().await.unwrap();
    post(&store, track, &ada, "…").await.unwrap();
    other.tail().beyond(head).await;
    assert!(stands(gone, head) && !stands(gone, read_at));
}

#[apply(both)]
async fn what_was_read_before_is_not_given_from_memory_afterwards(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let other = database.open().await;
    let ada = somebody(&store);
    let track = open(&store, &ada).await;
    let [gone, _left] =
        [post(&store, track, &ada, NEEDLE).await.unwrap(), post(&store, track, &ada, "…").await.unwrap()];
    let position = store.head().await.unwrap() - 1;
    other.tail().beyond(position).await;
    let read = other.events_at(&[position, position + 1]).await.unwrap();
    assert!(read.iter().all(|event| event.as_ref().unwrap().event.is_some()));
    // From memory: it is there although the table's text is another one by now.
    database.execute(&format!("UPDATE events SET data = NULL WHERE position > {position}")).await;
    let said = async |position| other.recorded_at(position).await.unwrap().unwrap().event.is_some();
    assert!(said(position + 1).await);

    redact(&store, track, ada.id, gone).await.unwrap();
    eventually(async || !said(position).await).await;
}

#[apply(both)]
async fn its_place_and_the_count_stay(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let ada = somebody(&store);
    let track = open(&store, &ada).await;
    let mut ids = Vec::<MessageId>::new();
    for content in ["one", NEEDLE, "three"] {
        ids.push(post(&store, track, &ada, content).await.unwrap());
    }
    redact(&store, track, ada.id, ids[1]).await.unwrap();
    let filter = MessageFilter {
        workspace_id: track,
        kind: None,
        author: None,
        after: None,
        before: None,
        descending: false,
        limit: 10,
    };
    let shown = store.messages(&filter).await.unwrap().rows;
    let shown: Vec<_> = shown.iter().map(|view| (view.id, &*view.content, view.redacted)).collect();
    assert_eq!(shown, [(ids[0], "one", false), (ids[1], "", true), (ids[2], "three", false)]);
    assert_eq!(store.workspace(track).await.unwrap().unwrap().message_count, 3);
}

#[apply(both)]
async fn taking_it_back_twice_is_once_and_only_its_author_does(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let (ada, bob) = (somebody(&store), somebody(&store));
    let track = open(&store, &ada).await;
    let message = post(&store, track, &ada, NEEDLE).await.unwrap();
    let refused = redact(&store, track, bob.id, message).await;
    assert!(matches!(refused, Err(Refusal::Message(MessageError::NotAuthor))), "{refused:?}");
    assert_eq!(redact(&store, track, ada.id, message).await.unwrap().recorded.len(), 1);
    assert_eq!(redact(&store, track, ada.id, message).await.unwrap().recorded.len(), 0);
    assert_eq!(store.logged(0, 10).await.unwrap().len(), 3);
}

#[apply(both)]
async fn its_pushes_that_wait_are_cancelled(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let ada = somebody(&store);
    let track = open(&store, &ada).await;
    let message = post(&store, track, &ada, NEEDLE).await.unwrap();
    post(&store, track, &ada, "another").await.unwrap();
    let deliveries = [delivery(&store, 2), delivery(&store, 2), delivery(&store, 3)];
    store.keep(vec![Kept::Deliveries(deliveries.to_vec())]).await.unwrap();
    let now = store.clock().now();
    let response = Some(format!("you said: {NEEDLE}"));
    let attempt = Attempt { number: 1, started_at: now, duration_ms: 7, status_code: Some(200), error: None, response };
    let delivered = Outcome {
        delivery_id: deliveries[0].id,
        webhook_id: deliveries[0].webhook_id,
        attempt: Some(attempt),
        verdict: Verdict::Works,
        step: 0,
        status: DeliveryStatus::Delivered,
        next_at: now,
        expires_at: None,
        settled_at: Some(now),
    };
    store.keep(vec![Kept::Outcomes(vec![delivered])]).await.unwrap();

    redact(&store, track, ada.id, message).await.unwrap();
    let statuses = database.texts("SELECT position || ' ' || status FROM deliveries ORDER BY position, status").await;
    assert_eq!(statuses, ["2 cancelled", "2 delivered", "3 pending"]);
    // Not even where a receiver has repeated it.
    assert_eq!(database.tables_with(NEEDLE).await, <[&str; 0]>::default());
    let claimed = store.claim_due(Duration::from_mins(1), 10).await.unwrap();
    assert_eq!(claimed.iter().map(|delivery| delivery.id).collect::<Vec<_>>(), [deliveries[2].id]);
}
