//! Wrong clocks: recorded times stay within a second of the reference clock, and wrong times already written have no effect.

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

/// Time of the last event.
async fn recorded_at(store: &Store) -> DateTime<Utc> {
    owner(store).await;
    store.logged(store.tail().head() - 1, 1).await.unwrap()[0].recorded_at
}

/// Difference between a time and the machine's clock.
fn ahead(time: DateTime<Utc>) -> TimeDelta {
    time - Clock::System.now()
}

#[apply(both)]
async fn a_clock_that_jumps_forward_moves_the_log_by_at_most_a_second(#[case] kind: Kind) {
    let database = TestDatabase::new(kind).await;
    let clock = Clock::wrong_by(TimeDelta::zero());
    let store = database.open_at(clock.clone()).await;
    recorded_at(&store).await;
    clock.advance(HOUR);
    assert!(ahead(recorded_at(&store).await) <= TimeDelta::seconds(2));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_replica_whose_clock_is_an_hour_off_uses_the_databases_clock() {
    let database = TestDatabase::new(Kind::Postgres).await;
    for wrong in [TimeDelta::hours(1), TimeDelta::hours(-1)] {
        let store = database.open_at(Clock::wrong_by(wrong)).await;
        // Opening the store has already queried the database's time.
        assert!(ahead(store.clock().now()).abs() <= TimeDelta::seconds(3), "{wrong}");
        assert!(ahead(recorded_at(&store).await).abs() <= TimeDelta::seconds(3), "{wrong}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lease_written_by_a_wrong_clock_has_expired() {
    let (database, store) = TestDatabase::with_store(Kind::Postgres).await;
    let length = Duration::from_secs(10);
    assert!(store.lease("publisher", "wrong", HOUR).await.unwrap());
    assert!(store.lease("publisher", "right", length).await.unwrap());
    // A lease with a correct expiry is still in force.
    assert!(!store.lease("publisher", "other", length).await.unwrap());
    database.clock.advance(Duration::from_millis(1500));
    assert!(!store.lease("publisher", "other", length).await.unwrap());
}

#[apply(both)]
async fn an_allowance_spent_by_a_wrong_clock_is_full(#[case] kind: Kind) {
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
