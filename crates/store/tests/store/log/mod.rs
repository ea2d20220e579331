//! The log: positions, conflicts and batches.

mod failures;
mod following;

use std::{cell::Cell, time::Duration};

use buildtrack_domain::{
    actors::Actor,
    identity::{Agent, AgentEvent, AgentKeyRotated, EmailClaimed, EmailEvent, OwnerError},
    ids::{OwnerId, WorkspaceId},
};
use buildtrack_store::{Answer, Store, StoreError, Ticket, Unit, clock::Clock, sha256_hex, verification};
use chrono::TimeDelta;
use futures_util::future::{join, join_all};
use rstest_reuse::apply;

use crate::{
    both,
    cast::{self, Refusal, account, agent_id, begin_owner, new_actor, open, owner, post, sign_up, touch},
    database::{Kind, TestDatabase, noon},
};

/// A workspace whose state is cached, so that posting in it is queued without a database query.
async fn busy_track(store: &Store, owner: &Actor) -> WorkspaceId {
    let track = open(store, owner).await;
    post(store, track, owner, "Let's begin").await.unwrap();
    track
}

async fn positions(store: &Store) -> Vec<i64> {
    store.log().logged(0, 10_000).await.unwrap().iter().map(|event| event.position).collect()
}

#[apply(both)]
async fn a_log_without_a_head_refuses_appends(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let ada = new_actor(&store);
    let track = open(&store, &ada).await;
    database.execute("DELETE FROM log_head").await;
    let refused = post(&store, track, &ada, "Lost?").await.unwrap_err();
    assert!(format!("{refused:?}").contains("the log has no head"), "{refused:?}");
    assert_eq!(positions(&store).await, [1]);
}

#[apply(both)]
async fn positions_have_no_gaps_with_concurrent_writers(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let ada = new_actor(&store);
    let track = open(&store, &ada).await;
    let stores = [store.clone(), database.open().await, database.open().await];
    let posts = (0..90).map(|number| post(&stores[number % 3], track, &ada, "Push, don't poll"));
    for posted in join_all(posts).await {
        posted.unwrap();
    }
    assert_eq!(positions(&store).await, (1..=91).collect::<Vec<_>>());
    assert!(verification::verify(store.log(), store.reputation(), |_| ()).await.unwrap().differing().is_empty());
}

#[apply(both)]
async fn a_reader_never_sees_a_gap(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let ada = new_actor(&store);
    let track = open(&store, &ada).await;
    let (reader, other) = (database.open().await, database.open().await);
    let reading = tokio::spawn(async move {
        let mut seen = 0;
        while seen < 301 {
            for event in reader.log().logged(seen, 50).await.unwrap() {
                assert_eq!(event.position, seen + 1);
                seen = event.position;
            }
            reader.log().tail().wait_past(seen.min(300)).await;
        }
    });
    for _ in 0..10 {
        let posts = (0..30).map(|number| post(if number % 2 == 0 { &store } else { &other }, track, &ada, "…"));
        for posted in join_all(posts).await {
            posted.unwrap();
        }
    }
    tokio::time::timeout(Duration::from_secs(10), reading).await.expect("the reader sees all of it").unwrap();
}

#[apply(both)]
async fn an_address_is_claimed_once_by_concurrent_requests(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let stores = [store.clone(), database.open().await];
    let claims = (0..10).map(|number| sign_up(&stores[number % 2], "ada@example.org"));
    let (won, lost): (Vec<_>, Vec<_>) = join_all(claims).await.into_iter().partition(Result::is_ok);
    assert_eq!(won.len(), 1);
    for refusal in lost {
        assert!(matches!(refusal, Err(Refusal::Owner(OwnerError::EmailTaken))), "{refusal:?}");
    }
    assert_eq!(positions(&store).await, [1, 2]);
}

/// Claims an address without loading its stream.
async fn claim_unseen(store: &Store, owner_id: OwnerId) -> Result<(), StoreError> {
    let claim = async |unit: &mut Unit<'_>| {
        unit.begin("email:0123", [EmailEvent::from(EmailClaimed { owner_id })]);
        Ok(())
    };
    store.log().transact::<_, StoreError>(None, claim).await.map(drop)
}

#[apply(both)]
async fn a_second_claim_of_an_address_is_a_conflict(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let owner_id = OwnerId::new(store.log().clock().uuid());
    claim_unseen(&store, owner_id).await.unwrap();
    let conflict = claim_unseen(&store, owner_id).await;
    assert!(matches!(&conflict, Err(StoreError::Conflict { stream }) if stream == "email:0123"), "{conflict:?}");
}

#[apply(both)]
async fn an_outdated_version_is_a_conflict(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let agent = cast::agent(&store, &owner(&store).await).await;
    let seen = async |unit: &mut Unit<'_>| {
        unit.expect(agent.id, 1);
        begin_owner(unit, OwnerId::new(store.log().clock().uuid()));
        Ok(())
    };
    store.log().transact::<(), StoreError>(None, seen).await.unwrap();
    touch(&database.open().await, &agent).await.unwrap();
    let conflict = store.log().transact::<(), StoreError>(None, seen).await.map(drop);
    let stream = agent.id.to_string();
    assert!(matches!(&conflict, Err(StoreError::Conflict { stream: of }) if *of == stream), "{conflict:?}");
}

#[apply(both)]
async fn a_conflict_fails_no_other_commit_in_the_batch(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let ada = new_actor(&store);
    let track = busy_track(&store, &ada).await;
    let owner_id = OwnerId::new(store.log().clock().uuid());
    claim_unseen(&store, owner_id).await.unwrap();
    let held = database.hold().await;
    let posts = join_all((0..20).map(|_| post(&store, track, &ada, "Push, don't poll")));
    let claims = join_all((0..20).map(|_| claim_unseen(&store, owner_id)));
    let ((posted, claimed), ()) = join(join(posts, claims), held.release()).await;
    assert!(posted.iter().all(Result::is_ok), "{posted:?}");
    assert!(claimed.iter().all(|claim| matches!(claim, Err(StoreError::Conflict { .. }))), "{claimed:?}");
    assert_eq!(positions(&store).await, (1..=23).collect::<Vec<_>>());
}

#[apply(both)]
async fn within_a_batch_the_first_claim_wins(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let ada = new_actor(&store);
    let track = busy_track(&store, &ada).await;
    let owner_id = OwnerId::new(store.log().clock().uuid());
    let held = database.hold().await;
    // The first write waits for the lock; the claims queue behind it and become one batch.
    let ahead = post(&store, track, &ada, "…");
    let claims = join_all((0..5).map(|_| claim_unseen(&store, owner_id)));
    let ((_, claimed), ()) = join(join(ahead, claims), held.release()).await;
    assert_eq!(claimed.iter().filter(|claim| claim.is_ok()).count(), 1, "{claimed:?}");
    assert_eq!(store.log().logged(3, 10).await.unwrap().len(), 1);
}

#[apply(both)]
async fn a_write_that_violates_a_constraint_fails_alone(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let ada = new_actor(&store);
    let track = busy_track(&store, &ada).await;
    sign_up(&store, "ada@example.org").await.unwrap();
    let begun = positions(&store).await.len();
    // Without the address's stream, which would conflict, the table's own constraint must refuse the row.
    let bad = async |unit: &mut Unit<'_>| {
        let owner_id = OwnerId::new(store.log().clock().uuid());
        begin_owner(unit, owner_id);
        unit.write_side(account(&store, owner_id, "ada@example.org"));
        Ok(owner_id)
    };
    let held = database.hold().await;
    let before = join_all((0..10).map(|_| post(&store, track, &ada, "before")));
    let refused = store.log().transact::<_, StoreError>(None, bad);
    let after = join_all((0..10).map(|_| post(&store, track, &ada, "after")));
    let ((before, (refused, after)), ()) = join(join(before, join(refused, after)), held.release()).await;
    assert!(before.iter().chain(&after).all(Result::is_ok), "{before:?} {after:?}");
    assert!(matches!(refused, Err(StoreError::Database(_))), "{refused:?}");
    assert_eq!(positions(&store).await.len(), begun + 20);
    assert!(verification::verify(store.log(), store.reputation(), |_| ()).await.unwrap().differing().is_empty());
}

#[apply(both)]
async fn a_response_that_cannot_be_rendered_fails_alone(#[case] kind: Kind, #[values(false, true)] stored: bool) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let ada = new_actor(&store);
    let track = busy_track(&store, &ada).await;
    let ticket = stored.then(|| Ticket { scope: sha256_hex("a request"), fingerprint: sha256_hex("its body") });
    let unrenderable = async |unit: &mut Unit<'_>| {
        begin_owner(unit, OwnerId::new(store.log().clock().uuid()));
        unit.answer(ticket.clone(), |recorded| -> Answer { panic!("{} events cannot be rendered", recorded.len()) });
        Ok(())
    };
    let held = database.hold().await;
    let posts = join_all((0..5).map(|_| post(&store, track, &ada, "Push, don't poll")));
    let ((failed, posted), ()) =
        join(join(store.log().transact::<(), StoreError>(None, unrenderable), posts), held.release()).await;
    assert!(matches!(failed, Err(StoreError::Damaged(_))), "{failed:?}");
    assert!(posted.iter().all(Result::is_ok), "{posted:?}");
    // A response that was to be stored with its events is rolled back with them.
    let last = if stored { 7 } else { 8 };
    assert_eq!(positions(&store).await, (1..=last).collect::<Vec<_>>());
}

/// Runs a command on an agent while a rival commits first `rivals` times, and returns how often the command was decided. `conflicts`
/// are those that it expects.
async fn decisions(kind: Kind, rivals: u32, conflicts: usize) -> (u32, Result<(), Refusal>) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let other = database.open().await;
    let agent = cast::agent(&store, &owner(&store).await).await;
    let made = Cell::new(0);
    let decide = async |unit: &mut Unit<'_>| {
        let agent_id = agent_id(&agent);
        unit.retry_up_to(conflicts);
        let loaded = unit.load::<Agent>(agent_id).await?;
        made.set(made.get() + 1);
        if made.get() <= rivals {
            touch(&other, &agent).await?;
        }
        unit.append(agent_id, &loaded, vec![AgentEvent::from(AgentKeyRotated { agent_id })]);
        Ok(())
    };
    let result = store.log().transact::<(), Refusal>(None, decide).await.map(drop);
    (made.get(), result)
}

#[apply(both)]
async fn a_command_is_decided_again_after_a_conflict(#[case] kind: Kind) {
    let (made, result) = decisions(kind, 3, 0).await;
    assert!(result.is_ok(), "{result:?}");
    assert_eq!(made, 4);
}

#[apply(both)]
async fn after_three_retries_the_caller_receives_the_conflict(#[case] kind: Kind) {
    let (made, result) = decisions(kind, u32::MAX, 0).await;
    assert!(matches!(result, Err(Refusal::Store(StoreError::Conflict { .. }))), "{result:?}");
    assert_eq!(made, 4);
}

#[apply(both)]
async fn a_command_is_retried_after_as_many_conflicts_as_it_expects(#[case] kind: Kind) {
    let (made, result) = decisions(kind, 10, 10).await;
    assert!(result.is_ok(), "{result:?}");
    assert_eq!(made, 11);
    let (made, result) = decisions(kind, u32::MAX, 10).await;
    assert!(matches!(result, Err(Refusal::Store(StoreError::Conflict { .. }))), "{result:?}");
    assert_eq!(made, 11);
}

#[apply(both)]
async fn a_refusal_from_cached_state_is_confirmed_by_the_database(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let (ada, bob) = (new_actor(&store), new_actor(&store));
    let track = open(&store, &ada).await;
    assert!(post(&store, track, &bob, "not a member yet").await.is_err());
    cast::join(&database.open().await, track, &bob).await.unwrap();
    post(&store, track, &bob, "a member, as another process knows").await.unwrap();
}

#[apply(both)]
async fn recorded_times_never_decrease_along_the_log(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let late = database.open_at(Clock::fixed(noon() - TimeDelta::hours(1))).await;
    let ada = new_actor(&store);
    let track = open(&store, &ada).await;
    post(&late, track, &ada, "an hour behind").await.unwrap();
    database.clock.advance(Duration::from_micros(1));
    post(&store, track, &ada, "a microsecond later").await.unwrap();
    let times: Vec<_> = store.log().logged(0, 10).await.unwrap().iter().map(|event| event.recorded_at).collect();
    assert_eq!(times, [noon(), noon(), noon() + TimeDelta::microseconds(1)]);
}
