//! Sessions: cached, and invalidated by every change, in this process and in others.

use std::time::Duration;

use buildtrack_domain::{
    actors::Actor,
    decide::Command,
    identity::{GrantOperator, Owner, SessionEnded, SessionEvent},
    ids::SessionId,
    limits::Tier,
};
use buildtrack_store::{CachedToken, IdentityChange, Scope, Session, Store, Unit};
use rstest_reuse::apply;

use crate::{
    both,
    cast::{Refusal, agent, deactivate, log_in, new_actor, open, owner, owner_id, post, rename, rotate_key, set_tier},
    database::{Kind, TestDatabase, eventually},
};

async fn session(store: &Store, token: &str) -> Option<Session> {
    store.identity().session(token, false).await.unwrap().map(|session| Session::clone(&session))
}

/// An owner, an agent, and the agent's session, which is cached.
async fn logged_in(store: &Store) -> (Actor, Actor, String) {
    let ada = owner(store).await;
    let scout = agent(store, &ada).await;
    let token = log_in(store, &scout, &Scope::ALL).await;
    assert!(session(store, &token).await.is_some());
    (ada, scout, token)
}

async fn end(store: &Store, session_id: SessionId) {
    let ended = async |unit: &mut Unit<'_>| {
        unit.begin(session_id, [SessionEvent::from(SessionEnded { session_id })]);
        unit.write_side(IdentityChange::SessionEnded { id: session_id });
        Ok(())
    };
    store.log().transact::<(), Refusal>(None, ended).await.unwrap();
}

#[apply(both)]
async fn a_token_identifies_its_holder(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let (ada, scout, token) = logged_in(&store).await;
    let session = session(&store, &token).await.unwrap();
    assert_eq!((&session.actor, session.owner_id), (&scout, owner_id(&ada)));
    assert_eq!((session.tier, session.operator, session.version), (Tier::Free, false, 1));
    assert_eq!(session.scopes, Scope::ALL);
    assert_eq!(session.expires_at, store.log().clock().after(Duration::from_hours(24)));
    assert!(store.identity().session("no such token", false).await.unwrap().is_none());
}

#[apply(both)]
async fn an_owner_has_the_allowance_of_pro_and_may_become_operator(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let ada = owner(&store).await;
    let token = log_in(&store, &ada, &Scope::ALL).await;
    let before = session(&store, &token).await.unwrap();
    assert_eq!((before.actor, before.tier, before.operator), (ada.clone(), Tier::Pro, false));
    let owner_id = owner_id(&ada);
    let grant = async |unit: &mut Unit<'_>| {
        let owner = unit.load::<Owner>(owner_id).await?;
        unit.append(owner_id, &owner, GrantOperator { owner_id }.decide(&owner.state)?);
        Ok(())
    };
    store.log().transact::<(), Refusal>(None, grant).await.unwrap();
    let after = session(&store, &token).await.unwrap();
    assert_eq!((after.operator, after.version), (true, 2));
}

#[apply(both)]
async fn a_session_has_the_scopes_it_was_given(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let scout = agent(&store, &owner(&store).await).await;
    for scopes in [&[Scope::Read][..], &[Scope::Write, Scope::Webhooks], &[]] {
        let token = log_in(&store, &scout, scopes).await;
        assert_eq!(session(&store, &token).await.unwrap().scopes, scopes);
    }
}

#[apply(both)]
async fn a_cached_session_expires_at_its_time(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let (_, _, token) = logged_in(&store).await;
    database.clock.advance(Duration::from_hours(24) - Duration::from_micros(1));
    assert!(session(&store, &token).await.is_some());
    database.clock.advance(Duration::from_micros(1));
    assert!(session(&store, &token).await.is_none());
    assert!(store.identity().session(&token, true).await.unwrap().is_none());
    store.log().prune(10, Duration::MAX).await.unwrap();
    assert_eq!(database.texts("SELECT id FROM sessions").await, <[&str; 0]>::default());
}

#[apply(both)]
async fn a_new_key_ends_the_sessions_of_the_old_one_at_once(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let (ada, scout, token) = logged_in(&store).await;
    let of_the_owner = log_in(&store, &ada, &Scope::ALL).await;
    rotate_key(&store, &scout, &ada).await.unwrap();
    assert!(session(&store, &token).await.is_none());
    assert!(session(&store, &of_the_owner).await.is_some());
}

#[apply(both)]
async fn logging_out_ends_only_that_session(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let (_, scout, token) = logged_in(&store).await;
    let other = log_in(&store, &scout, &Scope::ALL).await;
    assert!(session(&store, &other).await.is_some());
    end(&store, session(&store, &token).await.unwrap().id).await;
    assert!(session(&store, &token).await.is_none());
    assert!(session(&store, &other).await.is_some());
}

#[apply(both)]
async fn changes_of_the_holder_apply_to_the_session_at_once(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let (ada, scout, token) = logged_in(&store).await;
    rename(&store, &scout, "Ranger").await.unwrap();
    assert_eq!(session(&store, &token).await.unwrap().actor.name, "Ranger");
    set_tier(&store, &scout, Tier::Enterprise).await.unwrap();
    let changed = session(&store, &token).await.unwrap();
    assert_eq!((changed.tier, changed.version), (Tier::Enterprise, 3));
    deactivate(&store, &scout, &ada).await.unwrap();
    assert!(session(&store, &token).await.is_none());
}

#[apply(both)]
async fn another_process_invalidates_the_session_on_notification(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let (ada, scout, token) = logged_in(&store).await;
    let other = database.open().await;
    assert!(session(&other, &token).await.is_some());
    let rotated = rotate_key(&store, &scout, &ada).await.unwrap();
    other.log().tail().wait_past(rotated.recorded[0].position - 1).await;
    assert!(session(&other, &token).await.is_none());
}

#[apply(both)]
async fn a_process_invalidates_the_session_even_when_its_own_writes_advance_the_tail(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let (ada, scout, token) = logged_in(&store).await;
    let track = open(&store, &scout).await;
    let other = database.open().await;
    for _ in 0..5 {
        let token = log_in(&store, &scout, &Scope::ALL).await;
        assert!(session(&other, &token).await.is_some());
        rotate_key(&store, &scout, &ada).await.unwrap();
        post(&other, track, &scout, "its own head is the newest at once").await.unwrap();
        eventually(async || session(&other, &token).await.is_none()).await;
    }
    assert!(session(&store, &token).await.is_none());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lost_commit_notification_leaves_no_stale_session() {
    let (database, store) = TestDatabase::with_store(Kind::Postgres).await;
    let (ada, scout, token) = logged_in(&store).await;
    let other = database.open().await;
    assert!(session(&other, &token).await.is_some());
    // The listening connection is terminated, and misses notifications until it reconnects.
    let listening = "FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN%'";
    let listeners = format!("SELECT pid::text {listening}");
    eventually(async || database.texts(&listeners).await.len() == 2).await;
    database.texts(&format!("SELECT pg_terminate_backend(pid)::text {listening}")).await;
    rotate_key(&store, &scout, &ada).await.unwrap();
    eventually(async || session(&other, &token).await.is_none()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_process_that_does_not_follow_the_log_queries_the_database() {
    let (database, store) = TestDatabase::with_store(Kind::Postgres).await;
    let (_, _, token) = logged_in(&store).await;
    // Deleted without an event, so that only a database query shows it.
    database.execute("DELETE FROM sessions").await;
    assert!(session(&store, &token).await.is_some());
    let mut blocking = database.connect().await;
    blocking.execute("BEGIN; LOCK TABLE log_head IN ACCESS EXCLUSIVE MODE").await;
    eventually(async || session(&store, &token).await.is_none()).await;
}

#[apply(both)]
async fn a_fresh_read_queries_the_database(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let (_, _, token) = logged_in(&store).await;
    database.execute("DELETE FROM sessions").await;
    assert!(store.identity().session(&token, true).await.unwrap().is_none());
}

#[apply(both)]
async fn an_unknown_token_has_no_session(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    // A session whose holder is not on the log.
    let token = log_in(&store, &new_actor(&store), &Scope::ALL).await;
    assert!(session(&store, &token).await.is_none());
}

#[apply(both)]
async fn the_cache_distinguishes_unknown_tokens_from_tokens_that_were_valid(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let (_, _, token) = logged_in(&store).await;
    assert_eq!(store.identity().cached_token(&token), CachedToken::Valid);
    assert_eq!(store.identity().cached_token("bogus"), CachedToken::Unknown);
    assert!(session(&store, "bogus").await.is_none());
    assert_eq!(store.identity().cached_token("bogus"), CachedToken::Invalid);
    // The cache answers without the database unless a fresh read is required.
    database.execute("ALTER TABLE sessions RENAME TO elsewhere").await;
    assert!(session(&store, "bogus").await.is_none());
    assert!(store.identity().session("bogus", true).await.is_err());
    database.execute("ALTER TABLE elsewhere RENAME TO sessions").await;
    // A session that has ended is no longer valid.
    database.clock.advance(Duration::from_hours(25));
    assert!(store.identity().session(&token, true).await.unwrap().is_none());
    assert_eq!(store.identity().cached_token(&token), CachedToken::Invalid);
}
