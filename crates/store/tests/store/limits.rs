//! Rate limits: exact across replicas.

use std::time::Duration;

use buildtrack_domain::limits::Quota;
use buildtrack_store::{Allowance, Store, clock::Clock};
use chrono::TimeDelta;
use futures_util::future::join_all;
use rstest_reuse::apply;

use crate::{
    both,
    database::{Kind, TestDatabase, noon},
};

/// The replicas that share a limit. SQLite has one process.
async fn replicas(database: &TestDatabase) -> Vec<Store> {
    let first = database.open().await;
    let second = if database.kind == Kind::Sqlite { first.clone() } else { database.open().await };
    vec![first, second]
}

/// Sends `requests` at once, and returns how many were admitted.
async fn storm(stores: &[Store], quota: Quota, requests: usize) -> usize {
    let asking = (0..requests).map(|number| stores[number % stores.len()].limits().admit("ag_1", quota));
    join_all(asking).await.into_iter().filter(|allowance| allowance.as_ref().unwrap().allowed).count()
}

/// Sends requests until one is refused, and returns how many were admitted. Permits taken in advance are not lost.
async fn all_there_is(stores: &[Store], quota: Quota) -> usize {
    let mut admitted = 0;
    loop {
        match storm(stores, quota, 1000).await {
            0 => return admitted,
            more => admitted += more,
        }
    }
}

#[apply(both)]
async fn concurrent_requests_are_admitted_up_to_the_quota(#[case] kind: Kind) {
    let database = TestDatabase::new(kind).await;
    let stores = replicas(&database).await;
    let quota = Quota::at_least_one(15);
    assert_eq!(storm(&stores, quota, 200).await, 15);
    assert_eq!(storm(&stores, quota, 50).await, 0);
    // One permit every four seconds.
    database.clock.advance(Duration::from_secs(12));
    assert_eq!(storm(&stores, quota, 50).await, 3);
    database.clock.advance(Duration::from_hours(1));
    assert_eq!(storm(&stores, quota, 200).await, 15);
}

#[apply(both)]
async fn open_streams_count_until_they_end(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let hold = || store.limits().hold_here("live 192.0.2.1", 2);
    let (first, second) = (hold().unwrap(), hold().unwrap());
    assert!(hold().is_none() && store.limits().hold_here("live 192.0.2.2", 2).is_some());
    drop(first);
    let third = hold().unwrap();
    assert!(hold().is_none());
    drop((second, third));
    assert!(hold().is_some());
}

#[apply(both)]
async fn a_fast_tier_is_exact_too(#[case] kind: Kind) {
    let database = TestDatabase::new(kind).await;
    let stores = replicas(&database).await;
    let quota = Quota::at_least_one(3000);
    assert_eq!(all_there_is(&stores, quota).await, 3000);
    database.clock.advance(Duration::from_secs(2));
    assert_eq!(all_there_is(&stores, quota).await, 100);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_fast_tier_takes_permits_in_advance_and_uses_each_once() {
    let database = TestDatabase::new(Kind::Postgres).await;
    let stores = replicas(&database).await;
    let quota = Quota::at_least_one(3000);
    assert!(stores[0].limits().admit("ag_1", quota).await.unwrap().allowed);
    // Ten permits were taken from the table: nine are held here and are admitted without the table.
    database.execute("ALTER TABLE limits RENAME TO elsewhere").await;
    assert_eq!(storm(&stores[..1], quota, 9).await, 9);
    assert!(stores[0].limits().admit("ag_1", quota).await.is_err());
    database.execute("ALTER TABLE elsewhere RENAME TO limits").await;
    assert_eq!(all_there_is(&stores[1..], quota).await, 2990);
}

#[tokio::test(flavor = "multi_thread")]
async fn permits_taken_in_advance_expire_after_a_second() {
    let database = TestDatabase::new(Kind::Postgres).await;
    let stores = replicas(&database).await;
    let quota = Quota::at_least_one(3000);
    assert!(stores[0].limits().admit("ag_1", quota).await.unwrap().allowed);
    assert_eq!(all_there_is(&stores[1..], quota).await, 2990);
    database.clock.advance(Duration::from_secs(1));
    assert_eq!(all_there_is(&stores[..1], quota).await, 50);
}

#[apply(both)]
async fn an_allowance_reports_the_remainder_and_its_reset(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let quota = Quota::at_least_one(15);
    for left in (0..15).rev() {
        let allowance = store.limits().admit("ag_1", quota).await.unwrap();
        let reset = Duration::from_secs(4 * (15 - u64::from(left)));
        assert_eq!(allowance, Allowance { allowed: true, remaining: left, reset, retry_after: Duration::ZERO });
    }
    database.clock.advance(Duration::from_secs(1));
    // A look at what is left counts no request.
    let subjects = ["ag_1", "ag_2"].map(|subject| (subject.to_owned(), quota));
    let seconds = Duration::from_secs;
    let used_up = Allowance { allowed: false, remaining: 0, reset: seconds(59), retry_after: seconds(3) };
    let whole = Allowance { allowed: true, remaining: 15, reset: Duration::ZERO, retry_after: Duration::ZERO };
    assert_eq!(store.limits().allowances(&subjects).await.unwrap(), [used_up, whole]);
    for _ in 0..2 {
        assert_eq!(store.limits().admit("ag_1", quota).await.unwrap(), used_up);
    }
    database.clock.advance(Duration::from_secs(3));
    assert!(store.limits().admit("ag_1", quota).await.unwrap().allowed);
}

#[apply(both)]
async fn each_caller_has_a_separate_allowance(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let quota = Quota::at_least_one(1);
    assert!(store.limits().admit("ag_1", quota).await.unwrap().allowed);
    assert!(!store.limits().admit("ag_1", quota).await.unwrap().allowed);
    assert!(store.limits().admit("ag_2", quota).await.unwrap().allowed);
    assert!(store.limits().admit_here("192.0.2.1", quota).allowed);
    assert!(!store.limits().admit_here("192.0.2.1", quota).allowed);
}

#[apply(both)]
async fn a_higher_tier_applies_at_once(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    assert_eq!(storm(std::slice::from_ref(&store), Quota::at_least_one(15), 20).await, 15);
    // The burst is used up for a minute in either tier, and is restored twenty times as fast in the higher one.
    let refused = store.limits().admit("ag_1", Quota::at_least_one(300)).await.unwrap();
    assert_eq!(refused.retry_after, Duration::from_millis(200));
}

#[tokio::test(flavor = "multi_thread")]
async fn rows_with_a_full_allowance_are_pruned_in_small_batches() {
    let (database, store) = TestDatabase::with_store(Kind::Postgres).await;
    let quota = Quota::at_least_one(60);
    for number in 0..5 {
        assert!(store.limits().admit(&format!("did:key:{number}"), quota).await.unwrap().allowed);
    }
    let rows = async || database.texts("SELECT subject FROM limits ORDER BY subject").await;
    assert!(!store.limits().prune(2).await.unwrap());
    assert_eq!(rows().await.len(), 5, "they still count");
    database.clock.advance(Duration::from_mins(2));
    assert!(store.limits().admit("did:key:3", quota).await.unwrap().allowed);
    for left in [3, 1, 1] {
        store.limits().prune(2).await.unwrap();
        assert_eq!(rows().await.len(), left);
    }
    assert_eq!(rows().await, ["did:key:3"]);
}

#[apply(both)]
async fn a_clock_that_ran_ahead_locks_no_caller_out(#[case] kind: Kind) {
    let database = TestDatabase::new(kind).await;
    let ahead = database.open_at(Clock::fixed(noon() + TimeDelta::days(365))).await;
    let quota = Quota::at_least_one(2);
    assert!(ahead.limits().admit("ag_1", quota).await.unwrap().allowed);
    ahead.close().await;
    let store = database.open().await;
    for allowed in [true, true, false] {
        assert_eq!(store.limits().admit("ag_1", quota).await.unwrap().allowed, allowed);
    }
}

#[apply(both)]
async fn a_refunded_request_can_be_used_again(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let quota = Quota::at_least_one(1);
    assert!(store.limits().admit_here("192.0.2.1", quota).allowed);
    store.limits().refund_here("192.0.2.1", quota);
    assert!(store.limits().admit_here("192.0.2.1", quota).allowed);
    assert!(!store.limits().admit_here("192.0.2.1", quota).allowed);
    assert!(store.limits().admit("ag_1", quota).await.unwrap().allowed);
    store.limits().refund("ag_1", quota).await.unwrap();
    for allowed in [true, false] {
        assert_eq!(store.limits().admit("ag_1", quota).await.unwrap().allowed, allowed);
    }
}

#[apply(both)]
async fn ten_thousand_new_callers_do_not_reduce_other_allowances(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let quota = Quota::at_least_one(60);
    for _ in 0..60 {
        assert!(store.limits().admit_here("victim", quota).allowed);
    }
    let _held = store.limits().hold_here("victim", 1).unwrap();
    for number in 0..150_000 {
        store.limits().admit_here(&format!("anonymous 2001:db8:{number:x}::"), quota);
    }
    assert!(store.limits().counted_here() <= 100_000, "{}", store.limits().counted_here());
    assert!(!store.limits().admit_here("victim", quota).allowed);
    assert!(store.limits().hold_here("victim", 1).is_none());
}
