//! Wrong clocks: recorded times stay within a second of the reference clock, and wrong times already written have no effect.
//! Without a database's clock, a wall clock that keeps another time becomes the reference.

use std::time::Duration;

use buildtrack_domain::{budgets::Budget, limits::Quota};
use buildtrack_store::{
    Store,
    clock::{Clock, SETTLED},
};
use chrono::{DateTime, TimeDelta, Utc};
use rstest_reuse::apply;

use crate::{
    both,
    cast::owner,
    database::{Kind, TestDatabase},
};

const HOUR: Duration = Duration::from_hours(1);
const DAY: Duration = Duration::from_hours(24);
/// How long the store may take to look at its clock again.
const LOOK: Duration = Duration::from_secs(30);

/// Time of the last event.
async fn recorded_at(store: &Store) -> DateTime<Utc> {
    owner(store).await;
    store.log().logged(store.log().tail().head() - 1, 1).await.unwrap()[0].recorded_at
}

/// Difference between a time and the machine's clock.
fn ahead(time: DateTime<Utc>) -> TimeDelta {
    time - Clock::System.now()
}

/// Lets time pass until the wall clock is the reference.
async fn settle(clock: &Clock) {
    let settled = async {
        while clock.is_corrected() {
            clock.elapse(SETTLED / 2);
            tokio::time::sleep(Duration::from_millis(300)).await;
        }
    };
    tokio::time::timeout(LOOK, settled).await.expect("the reference follows the wall clock");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_started_in_the_past_follows_its_clock_when_that_is_set_right() {
    let database = TestDatabase::new(Kind::Sqlite).await;
    let years = TimeDelta::days(20_000);
    let clock = Clock::wrong_by(-years);
    let store = database.open_at(clock.clone()).await;
    assert!(ahead(recorded_at(&store).await) < -years + TimeDelta::minutes(1));
    clock.jump(years);
    assert!(ahead(recorded_at(&store).await) < -years + TimeDelta::minutes(1), "it may be reverted");
    settle(&clock).await;
    assert!(ahead(recorded_at(&store).await) > TimeDelta::zero());
}

#[apply(both)]
async fn a_jump_that_is_reverted_leaves_no_trace(#[case] kind: Kind) {
    let database = TestDatabase::new(kind).await;
    let clock = Clock::wrong_by(TimeDelta::zero());
    let store = database.open_at(clock.clone()).await;
    for jump in [TimeDelta::hours(1), TimeDelta::hours(-1)] {
        clock.jump(jump);
        assert!(ahead(store.log().clock().now()).abs() <= TimeDelta::seconds(2), "{jump}");
        assert!(ahead(recorded_at(&store).await).abs() <= TimeDelta::seconds(3), "{jump}");
        clock.jump(-jump);
    }
    assert!(!clock.is_corrected());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_clock_that_is_set_back_or_forward_renews_no_allowance() {
    let database = TestDatabase::new(Kind::Sqlite).await;
    let clock = Clock::wrong_by(TimeDelta::zero());
    let store = database.open_at(clock.clone()).await;
    let (quota, budget) = (Quota::at_least_one(15), Budget::new(1000, DAY));
    let spend = |cost| store.limits().spend_here(&[("network".to_owned(), budget)], cost).is_ok();
    while store.limits().admit("ag_1", quota).await.unwrap().allowed {}
    assert!(spend(1000));
    for jump in [TimeDelta::days(-2), TimeDelta::days(4)] {
        clock.jump(jump);
        assert!(!store.limits().admit("ag_1", quota).await.unwrap().allowed && !spend(20), "{jump}");
    }
    for jump in [TimeDelta::days(-4), TimeDelta::days(8)] {
        clock.jump(jump);
        settle(&clock).await;
        assert!(!spend(500), "{jump}");
    }
    clock.elapse(DAY);
    assert!(spend(1000) && store.limits().admit("ag_1", quota).await.unwrap().allowed);
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
        assert!(ahead(store.log().clock().now()).abs() <= TimeDelta::seconds(3), "{wrong}");
        assert!(ahead(recorded_at(&store).await).abs() <= TimeDelta::seconds(3), "{wrong}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lease_written_by_a_wrong_clock_has_expired() {
    let (database, store) = TestDatabase::with_store(Kind::Postgres).await;
    let length = Duration::from_secs(10);
    assert!(store.log().lease("publisher", "wrong", HOUR).await.unwrap());
    assert!(store.log().lease("publisher", "right", length).await.unwrap());
    // A lease with a correct expiry is still in force.
    assert!(!store.log().lease("publisher", "other", length).await.unwrap());
    database.clock.advance(Duration::from_millis(1500));
    assert!(!store.log().lease("publisher", "other", length).await.unwrap());
}

#[apply(both)]
async fn an_allowance_spent_by_a_wrong_clock_is_full(#[case] kind: Kind) {
    let database = TestDatabase::new(kind).await;
    let (quota, subject) = (Quota::at_least_one(15), "ag_1");
    let wrong = database.open().await;
    database.clock.advance(HOUR);
    for _ in 0..15 {
        assert!(wrong.limits().admit(subject, quota).await.unwrap().allowed);
    }
    assert!(!wrong.limits().admit(subject, quota).await.unwrap().allowed);
    let right = Clock::fixed(database.clock.now() - TimeDelta::hours(1));
    let right = if kind == Kind::Sqlite { return } else { database.open_at(right).await };
    assert!(right.limits().admit(subject, quota).await.unwrap().allowed);
}
