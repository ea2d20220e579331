//! Wrong clocks: what they write stays within a second of the reference, and what they have written does not hold.

use std::time::Duration;

use buildtrack_domain::limits::Quota;
use buildtrack_store::{Store, clock::Clock};
use chrono::{DateTime, TimeDelta, Utc};
use rstest_reuse::apply;

use crate::{
    both,
    cast::owner,
    database::{Kind, TestDatabase},
};

const HOUR: Duration = Duration::from_hours(1);

/// When the last event was recorded.
async fn recorded_at(store: &Store) -> DateTime<Utc> {
    owner(store).await;
    store.logged(store.tail().head() - 1, 1).await.unwrap()[0].recorded_at
}

/// How far ahead of the machine's clock a time is.
fn ahead(time: DateTime<Utc>) -> TimeDelta {
    time - Clock::System.now()
}

#[apply(both)]
async fn a_clock_that_jumps_forward_takes_the_log_along_for_a_second_at_most(#[case] kind: Kind) {
    let database = TestDatabase::new(kind).await;
    let clock = Clock::wrong_by(TimeDelta::zero());
    let store = database.open_at(clock.clone()).await;
    recorded_at(&store).await;
    clock.advance(HOUR);
    assert!(ahead(recorded_at(&store).await) <= TimeDelta::seconds(2));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_replica_whose_clock_is_an_hour_off_goes_by_the_databases() {
    let database = TestDatabase::new(Kind::Postgres).await;
    for wrong in [TimeDelta::hours(1), TimeDelta::hours(-1)] {
        let store = database.open_at(Clock::wrong_by(wrong)).await;
        // Opening has asked for the time already.
        assert!(ahead(store.clock().now()).abs() <= TimeDelta::seconds(3), "{wrong}");
        assert!(ahead(recorded_at(&store).await).abs() <= TimeDelta::seconds(3), "{wrong}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lease_that_a_wrong_clock_has_written_is_over() {
    let (database, store) = TestDatabase::with_store(Kind::Postgres).await;
    let length = Duration::from_secs(10);
    assert!(store.lease("publisher", "wrong", HOUR).await.unwrap());
    assert!(store.lease("publisher", "right", length).await.unwrap());
    // One that was just taken is not.
    assert!(!store.lease("publisher", "other", length).await.unwrap());
    database.clock.advance(Duration::from_millis(1500));
    assert!(!store.lease("publisher", "other", length).await.unwrap());
}

#[apply(both)]
async fn an_allowance_that_a_wrong_clock_has_spent_is_whole(#[case] kind: Kind) {
    let database = TestDatabase::new(kind).await;
    let (quota, subject) = (Quota::at_least_one(15), "ag_1");
    let wrong = database.open().await;
    database.clock.advance(HOUR);
    for _ in 0..15 {
        assert!(wrong.admit(subject, quota).await.unwrap().allowed);
    }
    assert!(!wrong.admit(subject, quota).await.unwrap().allowed);
    let right = Clock::fixed(database.clock.now() - TimeDelta::hours(1));
    let right = if kind == Kind::Sqlite { return } else { database.open_at(right).await };
    assert!(right.admit(subject, quota).await.unwrap().allowed);
}
