//! Stored responses: a request repeated with its idempotency key has one effect and one response.

use std::time::Duration;

use buildtrack_domain::{
    actors::Actor,
    ids::{MessageId, OwnerId, WorkspaceId},
};
use buildtrack_store::{Answer, Store, StoreError, StoredAnswer, Ticket, Unit, clock::Clock, sha256_hex};
use futures_util::future::{join, join_all};
use rstest_reuse::apply;

use crate::{
    both,
    cast::{NewMessage, Outcome, Refusal, begin_owner, new_actor, open, post, post_message},
    database::{Kind, TestDatabase},
};

const DAY: Duration = Duration::from_hours(24);

fn ticket(key: &str) -> Ticket {
    Ticket { scope: sha256_hex(key), fingerprint: sha256_hex("the body") }
}

fn refusal(body: &str) -> Answer {
    Answer { status: 422, location: None, body: body.to_owned(), withheld: None, subject: None }
}

async fn ask(store: &Store, track: WorkspaceId, author: &Actor, key: &str) -> Outcome<MessageId> {
    let new_message = NewMessage { author, content: "once", reply_to: None, ticket: Some(ticket(key)) };
    post_message(store, track, new_message).await
}

fn answered<T: std::fmt::Debug>(result: Result<T, Refusal>) -> StoredAnswer {
    match result {
        Err(Refusal::Store(StoreError::Answered(stored))) => *stored,
        other => panic!("{other:?}"),
    }
}

#[apply(both)]
async fn a_repeated_request_receives_the_first_response_and_has_no_effect(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let ada = new_actor(&store);
    let track = open(&store, &ada).await;
    let first = ask(&store, track, &ada, "key").await.unwrap().answer.unwrap();
    assert_eq!(first.body, r#"{"content":"once","position":2}"#);
    let repeat = answered(ask(&database.open().await, track, &ada, "key").await);
    assert_eq!((repeat.status, repeat.body.as_ref()), (201, Some(&first.body)));
    assert_eq!((repeat.location, repeat.fingerprint), (first.location, sha256_hex("the body")));
    assert_eq!(store.workspaces().workspace(track).await.unwrap().unwrap().message_count, 1);
}

#[apply(both)]
async fn concurrent_equal_requests_have_one_effect(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let ada = new_actor(&store);
    let track = open(&store, &ada).await;
    let stores = [store.clone(), database.open().await];
    for round in 0..10 {
        let key = format!("key {round}");
        let asked = join_all((0..6).map(|number| ask(&stores[number % 2], track, &ada, &key))).await;
        let (done, repeated): (Vec<_>, Vec<_>) = asked.into_iter().partition(Result::is_ok);
        assert_eq!(done.len(), 1);
        for repeat in repeated {
            answered(repeat);
        }
    }
    assert_eq!(store.workspaces().workspace(track).await.unwrap().unwrap().message_count, 10);
}

#[apply(both)]
async fn within_a_batch_the_second_request_finds_the_first_running(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let ada = new_actor(&store);
    let track = open(&store, &ada).await;
    post(&store, track, &ada, "so that the workspace is cached").await.unwrap();
    for round in 0..20 {
        let key = format!("key {round}");
        let held = database.hold().await;
        let ahead = post(&store, track, &ada, "waits for the lock");
        let twice = join_all([ask(&store, track, &ada, &key), ask(&store, track, &ada, &key)]);
        let ((_, mut twice), ()) = join(join(ahead, twice), held.release()).await;
        let status = answered(twice.remove(1)).status;
        twice.remove(0).unwrap();
        assert_eq!(answered(ask(&store, track, &ada, &key).await).status, 201);
        // Both are in one batch unless the writer began the first one's batch before the second was queued.
        if status != 201 {
            assert_eq!(status, 0);
            return;
        }
    }
    panic!("the two requests were never in one batch");
}

#[apply(both)]
async fn an_idempotency_key_expires_after_a_day(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let ada = new_actor(&store);
    let track = open(&store, &ada).await;
    ask(&store, track, &ada, "key").await.unwrap();
    database.clock.advance(DAY.saturating_sub(Duration::from_micros(1)));
    assert!(store.log().stored_answer(&ticket("key")).await.unwrap().is_some());
    answered(ask(&store, track, &ada, "key").await);

    database.clock.advance(Duration::from_micros(1));
    assert!(store.log().stored_answer(&ticket("key")).await.unwrap().is_none());
    let again = ask(&store, track, &ada, "key").await.unwrap().answer.unwrap();
    assert_eq!(answered(ask(&store, track, &ada, "key").await).body, Some(again.body));
    assert_eq!(store.workspaces().workspace(track).await.unwrap().unwrap().message_count, 2);
}

/// A clock that is set back is believed where there is no other; what it wrote must not be over once it is right again.
#[apply(both)]
async fn an_answer_of_a_clock_that_was_a_day_behind_is_retained(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let ada = new_actor(&store);
    let track = open(&store, &ada).await;
    let behind = database.open_at(Clock::fixed(database.clock.now() - DAY)).await;
    ask(&behind, track, &ada, "key").await.unwrap();
    answered(ask(&store, track, &ada, "key").await);
    assert_eq!(store.workspaces().workspace(track).await.unwrap().unwrap().message_count, 1);
}

#[apply(both)]
async fn expired_responses_are_pruned_in_small_batches(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    for key in ["one", "two", "three"] {
        store.log().store_answer(ticket(key), refusal("{}")).await.unwrap();
    }
    database.clock.advance(DAY);
    store.log().store_answer(ticket("four"), refusal("{}")).await.unwrap();
    store.log().prune(2, Duration::MAX).await.unwrap();
    assert_eq!(database.texts("SELECT scope FROM answers").await.len(), 2);
    store.log().prune(2, Duration::MAX).await.unwrap();
    assert_eq!(database.texts("SELECT scope FROM answers").await, [sha256_hex("four")]);
}

#[apply(both)]
async fn a_secret_is_never_stored(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let hint = "POST /api/v1/agents/ag_…/keys gives a new key.";
    let register = async |unit: &mut Unit<'_>| {
        begin_owner(unit, OwnerId::new(store.log().clock().uuid()));
        unit.answer(Some(ticket("key")), move |_| Answer {
            status: 201,
            location: Some("/api/v1/agents/ag_…".into()),
            body: r#"{"key":"araf_0123"}"#.into(),
            withheld: Some(hint.into()),
            subject: None,
        });
        Ok(())
    };
    let done = store.log().transact::<(), Refusal>(None, register).await.unwrap();
    assert_eq!(done.answer.unwrap().body, r#"{"key":"araf_0123"}"#);
    assert_eq!(database.tables_with("araf_0123").await, <[&str; 0]>::default());
    let stored = answered(store.log().transact::<(), Refusal>(None, register).await);
    assert_eq!((stored.status, stored.body, stored.withheld.as_deref()), (201, None, Some(hint)));
}

#[apply(both)]
async fn the_response_of_a_request_without_events_is_stored_once(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let stores = [store.clone(), database.open().await];
    let bodies = (0..10).map(|number| format!("{{\"attempt\":{number}}}")).collect::<Vec<_>>();
    let storing = bodies.iter().enumerate().map(|(number, body)| {
        let store = &stores[number % 2];
        async move { store.log().store_answer(ticket("key"), refusal(body)).await.map(|()| body.clone()) }
    });
    let (won, lost): (Vec<_>, Vec<_>) = join_all(storing).await.into_iter().partition(Result::is_ok);
    assert!(lost.iter().all(|result| matches!(result, Err(StoreError::Answered(_)))), "{lost:?}");
    let [Ok(first)] = &won[..] else { panic!("{won:?}") };
    assert_eq!(store.log().stored_answer(&ticket("key")).await.unwrap().unwrap().body.as_ref(), Some(first));
}

#[apply(both)]
async fn a_refused_write_stores_no_response(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let (ada, outsider) = (new_actor(&store), new_actor(&store));
    let track = open(&store, &ada).await;
    ask(&store, track, &outsider, "key").await.unwrap_err();
    assert!(store.log().stored_answer(&ticket("key")).await.unwrap().is_none());
}
