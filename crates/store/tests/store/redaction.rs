//! Redaction: the text is gone everywhere, and the event's position on the log remains.

use std::time::Duration;

use buildtrack_domain::{
    ids::{DeliveryId, MessageId, WebhookId},
    webhooks::PushType,
    workspaces::MessageError,
};
use buildtrack_store::{
    Attempt, Database, DeliveryStatus, NewDelivery, Outcome, Store, Ticket, Verdict, WebhookChange, sha256_hex,
};
use rstest_reuse::apply;

use crate::{
    both,
    cast::{NewMessage, Refusal, agent_id, all_messages, new_actor, open, post, post_message, redact},
    database::{Kind, TestDatabase, eventually},
};

const NEEDLE: &str = "the e-mail address of another person";

fn ticket() -> Ticket {
    Ticket { scope: sha256_hex("a request"), fingerprint: sha256_hex("its body") }
}

/// A delivery of the event at the position.
fn delivery(store: &Store, position: i64) -> NewDelivery {
    NewDelivery {
        id: DeliveryId::new(store.log().clock().uuid()),
        webhook_id: WebhookId::new(store.log().clock().uuid()),
        agent_id: agent_id(&new_actor(store)),
        position,
        push_type: PushType::WorkspaceMessage,
        next_at: store.log().clock().now(),
    }
}

#[apply(both)]
async fn a_redacted_text_is_deleted_everywhere(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let ada = new_actor(&store);
    let track = open(&store, &ada).await;
    let new_message = NewMessage { author: &ada, content: NEEDLE, reply_to: None, ticket: Some(ticket()) };
    let message = post_message(&store, track, new_message).await.unwrap().value;
    assert_eq!(database.tables_with(NEEDLE).await, ["answers", "events", "messages"]);

    redact(&store, track, ada.id, message).await.unwrap();
    assert_eq!(database.tables_with(NEEDLE).await, <[&str; 0]>::default());
    let event = store.log().logged(1, 1).await.unwrap().remove(0);
    assert_eq!((event.data, event.salt, event.redacted_by), (None, None, Some(3)));
    let answer = store.log().stored_answer(&ticket()).await.unwrap().unwrap();
    assert_eq!((answer.status, answer.body), (201, None));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_redacted_text_leaves_the_sqlite_file() {
    let (database, store) = TestDatabase::with_store(Kind::Sqlite).await;
    let Database::Sqlite(path) = database.database() else { panic!("it is SQLite") };
    let ada = new_actor(&store);
    let track = open(&store, &ada).await;
    // Long enough for overflow pages, which SQLite frees without overwriting them.
    let long = NEEDLE.repeat(400);
    let new_message = NewMessage { author: &ada, content: &long, reply_to: None, ticket: Some(ticket()) };
    let message = post_message(&store, track, new_message).await.unwrap().value;
    redact(&store, track, ada.id, message).await.unwrap();
    store.close().await;
    for file in std::fs::read_dir(path.parent().unwrap()).unwrap() {
        let bytes = std::fs::read(file.unwrap().path()).unwrap();
        assert!(!bytes.windows(NEEDLE.len()).any(|window| window == NEEDLE.as_bytes()));
    }
}

#[apply(both)]
async fn every_process_is_notified_of_a_redaction_once(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let other = database.open().await;
    let ada = new_actor(&store);
    let track = open(&store, &ada).await;
    let [gone, left] =
        [post(&store, track, &ada, NEEDLE).await.unwrap(), post(&store, track, &ada, "…").await.unwrap()];
    other.log().tail().wait_past(2).await;
    let read_at = other.log().tail().head();
    let is_current = |message: MessageId, read_at| other.log().is_current_text(&message.to_string(), read_at);
    assert!(is_current(gone, read_at) && is_current(left, read_at));
    redact(&store, track, ada.id, gone).await.unwrap();
    eventually(async || !is_current(gone, read_at)).await;
    assert!(is_current(left, read_at));
    // Later reads stay cached, even if the notification arrives again.
    let head = store.log().head().await.unwrap();
    post(&store, track, &ada, "…").await.unwrap();
    other.log().tail().wait_past(head).await;
    assert!(is_current(gone, head) && !is_current(gone, read_at));
}

#[apply(both)]
async fn a_redaction_invalidates_cached_events_in_other_processes(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let other = database.open().await;
    let ada = new_actor(&store);
    let track = open(&store, &ada).await;
    let [gone, _left] =
        [post(&store, track, &ada, NEEDLE).await.unwrap(), post(&store, track, &ada, "…").await.unwrap()];
    let position = store.log().head().await.unwrap() - 1;
    other.log().tail().wait_past(position).await;
    let read = other.log().events_at(&[position, position + 1]).await.unwrap();
    assert!(read.iter().all(|event| event.as_ref().unwrap().event.is_some()));
    // From the cache: the event is readable although the table's data are gone by now.
    database.execute(&format!("UPDATE events SET data = NULL WHERE position > {position}")).await;
    let said = async |position| other.log().recorded_at(position).await.unwrap().unwrap().event.is_some();
    assert!(said(position + 1).await);

    redact(&store, track, ada.id, gone).await.unwrap();
    eventually(async || !said(position).await).await;
}

#[apply(both)]
async fn a_redacted_message_keeps_its_position_and_count(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let ada = new_actor(&store);
    let track = open(&store, &ada).await;
    let mut ids = Vec::<MessageId>::new();
    for content in ["one", NEEDLE, "three"] {
        ids.push(post(&store, track, &ada, content).await.unwrap());
    }
    redact(&store, track, ada.id, ids[1]).await.unwrap();
    let shown = store.workspaces().messages(&all_messages(track)).await.unwrap().rows;
    let shown: Vec<_> = shown.iter().map(|view| (view.id, &*view.content, view.redacted)).collect();
    assert_eq!(shown, [(ids[0], "one", false), (ids[1], "", true), (ids[2], "three", false)]);
    assert_eq!(store.workspaces().workspace(track).await.unwrap().unwrap().message_count, 3);
}

#[apply(both)]
async fn only_the_author_redacts_and_a_second_redaction_has_no_effect(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let (ada, bob) = (new_actor(&store), new_actor(&store));
    let track = open(&store, &ada).await;
    let message = post(&store, track, &ada, NEEDLE).await.unwrap();
    let refused = redact(&store, track, bob.id, message).await;
    assert!(matches!(refused, Err(Refusal::Message(MessageError::NotAuthor))), "{refused:?}");
    assert_eq!(redact(&store, track, ada.id, message).await.unwrap().recorded.len(), 1);
    assert_eq!(redact(&store, track, ada.id, message).await.unwrap().recorded.len(), 0);
    assert_eq!(store.log().logged(0, 10).await.unwrap().len(), 3);
}

#[apply(both)]
async fn pending_pushes_of_a_redacted_message_are_cancelled(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let ada = new_actor(&store);
    let track = open(&store, &ada).await;
    let message = post(&store, track, &ada, NEEDLE).await.unwrap();
    post(&store, track, &ada, "another").await.unwrap();
    let deliveries = [delivery(&store, 2), delivery(&store, 2), delivery(&store, 3)];
    store.log().write_side(vec![WebhookChange::Deliveries(deliveries.to_vec())]).await.unwrap();
    let now = store.log().clock().now();
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
    store.log().write_side(vec![WebhookChange::Outcomes(vec![delivered])]).await.unwrap();

    redact(&store, track, ada.id, message).await.unwrap();
    let statuses = database.texts("SELECT position || ' ' || status FROM deliveries ORDER BY position, status").await;
    assert_eq!(statuses, ["2 cancelled", "2 delivered", "3 pending"]);
    // The text is gone even from a receiver's recorded response.
    assert_eq!(database.tables_with(NEEDLE).await, <[&str; 0]>::default());
    let claimed = store.webhooks().claim_due(Duration::from_mins(1), 10).await.unwrap();
    assert_eq!(claimed.iter().map(|delivery| delivery.id).collect::<Vec<_>>(), [deliveries[2].id]);
}
