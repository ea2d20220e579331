//! The writer at shutdown, after lost connections and after deadlocks.

use buildtrack_store::{LogChange, StoreError};
use futures_util::future::{join, join_all};
use rstest_reuse::apply;

use super::{busy_track, positions};
use crate::{
    both,
    cast::{Refusal, new_actor, open, post},
    database::{Kind, TestDatabase, eventually, noon},
};

#[apply(both)]
async fn closing_commits_accepted_writes_and_refuses_later_ones(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let ada = new_actor(&store);
    let track = busy_track(&store, &ada).await;
    let held = database.hold().await;
    let posts = join_all((0..20).map(|_| post(&store, track, &ada, "accepted")));
    let ((posted, ()), ()) = join(join(posts, store.clone().close()), held.release()).await;
    assert!(posted.iter().all(Result::is_ok), "{posted:?}");
    let late = post(&store, track, &ada, "too late").await;
    assert!(matches!(late, Err(Refusal::Store(StoreError::Closed))), "{late:?}");
    assert_eq!(positions(&database.open().await).await, (1..=22).collect::<Vec<_>>());
}

#[apply(both)]
async fn committed_events_are_there_after_reopening(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let ada = new_actor(&store);
    let track = open(&store, &ada).await;
    let message = post(&store, track, &ada, "🦀 <b>\u{1f}\"\\ é").await.unwrap();
    store.close().await;
    let store = database.open().await;
    assert_eq!(store.workspaces().message(track, message).await.unwrap().unwrap().content, "🦀 <b>\u{1f}\"\\ é");
    assert_eq!(store.workspaces().workspace(track).await.unwrap().unwrap().created_at, noon());
    post(&store, track, &ada, "on it goes").await.unwrap();
    assert_eq!(positions(&store).await, [1, 2, 3]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lost_connection_loses_no_write() {
    let (database, store) = TestDatabase::with_store(Kind::Postgres).await;
    let ada = new_actor(&store);
    let track = busy_track(&store, &ada).await;
    let terminate = "SELECT pg_terminate_backend(pid)::text FROM pg_stat_activity \
                     WHERE datname = current_database() AND pid <> pg_backend_pid()";
    assert!(!database.texts(terminate).await.is_empty());
    post(&store, track, &ada, "over a new connection").await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_read_over_a_closed_connection_is_sent_again() {
    let (database, store) = TestDatabase::with_store(Kind::Postgres).await;
    let ada = new_actor(&store);
    let track = open(&store, &ada).await;
    let terminate = "SELECT pg_terminate_backend(pid)::text FROM pg_stat_activity \
                     WHERE datname = current_database() AND pid <> pg_backend_pid()";
    for _ in 0..10 {
        let reads = join_all((0..8).map(|_| store.workspaces().workspace(track))).await;
        assert!(reads.into_iter().all(|read| read.unwrap().is_some()));
        assert!(!database.texts(terminate).await.is_empty());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_deadlock_with_another_session_is_retried() {
    let (database, store) = TestDatabase::with_store(Kind::Postgres).await;
    let waits = "SELECT 'yes' FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
    let step = |consumer, from| LogChange::Consumed { consumer, from, to: from + 1 };
    store.log().write_side(vec![step("a", 0), step("b", 0)]).await.unwrap();
    for from in 1..6 {
        let mut rival = database.connect().await;
        rival.execute("BEGIN; UPDATE consumers SET position = position WHERE name = 'b'").await;
        let rivalry = async {
            eventually(async || !database.texts(waits).await.is_empty()).await;
            rival.attempt("UPDATE consumers SET position = position WHERE name = 'a'; COMMIT").await
        };
        let (moved, rivalry) = join(store.log().write_side(vec![step("a", from), step("b", from)]), rivalry).await;
        moved.unwrap();
        // The store waited first, so PostgreSQL usually aborts the store's transaction.
        if rivalry.is_ok() {
            return;
        }
    }
    panic!("PostgreSQL always aborted the rival");
}

#[apply(both)]
async fn consumers_are_locked_in_a_fixed_order(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let stores = [store, database.open().await];
    let step = |consumer, from| LogChange::Consumed { consumer, from, to: from + 1 };
    for from in 0..20 {
        let there = stores[0].log().write_side(vec![step("a", from), step("b", from)]);
        let back = stores[1].log().write_side(vec![step("b", from), step("a", from)]);
        let (there, back) = join(there, back).await;
        for result in [&there, &back] {
            assert!(matches!(result, Ok(()) | Err(StoreError::Conflict { .. })), "{result:?}");
        }
        assert!(there.is_ok() != back.is_ok());
    }
}
