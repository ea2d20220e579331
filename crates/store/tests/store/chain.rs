//! The hash chain: which changes verification detects, and how outsiders recompute the chain from the public log.

use std::time::Duration;

use buildtrack_domain::{
    actors::Actor,
    ids::WorkspaceId,
    log::{GENESIS, Hash, Header, chain, data_hash},
};
use buildtrack_store::{
    Store,
    verification::{self, VerifyError},
};
use rstest_reuse::apply;

use crate::{
    both,
    cast::{agent, join, open, owner, post, redact},
    database::{Kind, TestDatabase},
};

/// Two events of an account, one of an agent, then a workspace (4), a member (5) and three messages (6 to 8).
async fn history(store: &Store) -> (Actor, WorkspaceId) {
    let ada = owner(store).await;
    let scout = agent(store, &ada).await;
    let track = open(store, &scout).await;
    join(store, track, &ada).await.unwrap();
    for content in ["one", "two", "three"] {
        store.log().clock().advance(Duration::from_secs(1));
        post(store, track, &scout, content).await.unwrap();
    }
    (scout, track)
}

/// The verification error after these statements changed the database.
async fn tampered(kind: Kind, statements: &str) -> VerifyError {
    let (database, store) = TestDatabase::with_store(kind).await;
    history(&store).await;
    database.execute(statements).await;
    verification::verify(store.log(), store.reputation(), |_| ()).await.expect_err("verification fails")
}

#[apply(both)]
async fn an_unchanged_log_verifies(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    assert_eq!(verification::verify(store.log(), store.reputation(), |_| ()).await.unwrap().position, 0);
    history(&store).await;
    let verification = verification::verify(store.log(), store.reputation(), |_| ()).await.unwrap();
    assert_eq!(verification.position, 8);
    assert_eq!(verification.hash, hex::encode(&store.log().logged(7, 1).await.unwrap()[0].hash));
    assert_eq!(verification.redactions, []);
    assert_eq!(verification.live, verification.rebuilt);
}

#[apply(both)]
async fn changed_data_are_detected(#[case] kind: Kind) {
    let error = tampered(kind, "UPDATE events SET data = replace(data, 'two', 'too') WHERE position = 7").await;
    assert!(matches!(error, VerifyError::Data { position: 7 }), "{error:?}");
}

#[apply(both)]
async fn a_changed_salt_is_detected(#[case] kind: Kind) {
    let statement = "UPDATE events SET salt = (SELECT salt FROM events WHERE position = 6) WHERE position = 7";
    let error = tampered(kind, statement).await;
    assert!(matches!(error, VerifyError::Data { position: 7 }), "{error:?}");
}

#[apply(both)]
async fn data_changed_together_with_their_hash_are_detected(#[case] kind: Kind) {
    let columns = ["data", "salt", "data_hash"];
    let moved = columns.map(|column| format!("{column} = (SELECT {column} FROM events WHERE position = 6)"));
    let error = tampered(kind, &format!("UPDATE events SET {} WHERE position = 7", moved.join(", "))).await;
    assert!(matches!(error, VerifyError::Chain { position: 7 }), "{error:?}");
}

#[apply(both)]
async fn a_changed_header_is_detected(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    history(&store).await;
    database.execute("CREATE TABLE kept_event AS SELECT * FROM events WHERE position = 7").await;
    for (column, change) in [
        ("type", "'message.redacted'"),
        ("metadata", "'{}'"),
        ("recorded_at", "(SELECT recorded_at FROM events WHERE position = 1)"),
        ("version", "2"),
        ("stream", "'msg_elsewhere'"),
    ] {
        database.execute(&format!("UPDATE events SET {column} = {change} WHERE position = 7")).await;
        let error =
            verification::verify(store.log(), store.reputation(), |_| ()).await.expect_err("the header was changed");
        assert!(matches!(error, VerifyError::Chain { position: 7 }), "{column}: {error:?}");
        let undo = format!("UPDATE events SET {column} = (SELECT {column} FROM kept_event) WHERE position = 7");
        database.execute(&undo).await;
    }
    verification::verify(store.log(), store.reputation(), |_| ()).await.unwrap();
}

#[apply(both)]
async fn a_missing_event_is_detected(#[case] kind: Kind) {
    let error = tampered(kind, "DELETE FROM events WHERE position = 7").await;
    assert!(matches!(error, VerifyError::Gap { expected: 7, found: 8 }), "{error:?}");
}

#[apply(both)]
async fn a_truncated_log_is_detected(#[case] kind: Kind) {
    let error = tampered(kind, "DELETE FROM events WHERE position = 8").await;
    assert!(matches!(error, VerifyError::Head { expected: 8, found: 7 }), "{error:?}");
}

#[apply(both)]
async fn a_head_with_another_position_is_detected(#[case] kind: Kind) {
    let error = tampered(kind, "UPDATE log_head SET position = 9").await;
    assert!(matches!(error, VerifyError::Head { expected: 9, found: 8 }), "{error:?}");
}

#[apply(both)]
async fn a_head_with_another_hash_is_detected(#[case] kind: Kind) {
    let hash = "UPDATE log_head SET hash = (SELECT hash FROM events WHERE position = 7)";
    let error = tampered(kind, hash).await;
    assert!(matches!(error, VerifyError::Head { expected: 8, found: 8 }), "{error:?}");
}

#[apply(both)]
async fn data_cleared_without_a_redaction_are_detected(#[case] kind: Kind) {
    let cleared = "UPDATE events SET data = NULL, salt = NULL WHERE position = 7";
    let error = tampered(kind, cleared).await;
    assert!(matches!(error, VerifyError::Unaccounted { position: 7, .. }), "{error:?}");
}

#[apply(both)]
async fn only_a_later_redaction_of_the_same_stream_accounts_for_missing_data(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let (scout, track) = history(&store).await;
    let message = post(&store, track, &scout, "four").await.unwrap();
    redact(&store, track, scout.id, message).await.unwrap();
    // The redaction of another message, and an event of the same stream that redacts nothing.
    for (position, by) in [(8, 10), (4, 5)] {
        let clear =
            format!("UPDATE events SET data = NULL, salt = NULL, redacted_by = {by} WHERE position = {position}");
        database.execute(&clear).await;
        let error = verification::verify(store.log(), store.reputation(), |_| ())
            .await
            .expect_err("no redaction accounts for it");
        assert!(matches!(error, VerifyError::Unaccounted { position: found, .. } if found == position), "{error:?}");
    }
}

#[apply(both)]
async fn a_redacted_log_verifies_and_lists_its_redactions(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let (scout, track) = history(&store).await;
    let message = post(&store, track, &scout, "taken back").await.unwrap();
    redact(&store, track, scout.id, message).await.unwrap();
    let verification = verification::verify(store.log(), store.reputation(), |_| ()).await.unwrap();
    let redactions: Vec<_> = verification.redactions.iter().map(|r| (r.position, &*r.stream, r.by)).collect();
    assert_eq!(redactions, [(9, &*message.to_string(), 10)]);
    assert_eq!(verification.differing(), <[&str; 0]>::default());
}

#[apply(both)]
async fn the_chain_can_be_recomputed_from_the_public_log(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let (scout, track) = history(&store).await;
    let message = post(&store, track, &scout, "taken back").await.unwrap();
    redact(&store, track, scout.id, message).await.unwrap();
    let mut hash = GENESIS;
    let mut without_data = Vec::new();
    for shown in store.log().public_log(0, 100).await.unwrap() {
        let event = shown.event;
        let recorded: Hash = event.data_hash[..].try_into().unwrap();
        match (&event.data, &event.salt) {
            (Some(data), Some(salt)) => assert_eq!(data_hash(&salt[..].try_into().unwrap(), data), recorded),
            (None, None) => without_data.push((event.position, shown.withheld.is_some())),
            other => panic!("only data or salt is shown: {other:?}"),
        }
        let header = Header {
            position: event.position,
            stream: &event.stream,
            version: event.version,
            event_type: &event.event_type,
            metadata: &event.metadata,
            recorded_at: event.recorded_at,
        };
        hash = chain(&hash, &header, &recorded);
        assert_eq!(hash[..], event.hash[..]);
    }
    // The claim of the address, and the redacted message.
    assert_eq!(without_data, [(1, true), (9, false)]);
    assert_eq!(hex::encode(hash), store.log().checkpoint().await.unwrap().hash);
}

#[apply(both)]
async fn the_public_log_is_paginated(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    history(&store).await;
    let page = store.log().public_log(3, 2).await.unwrap();
    assert_eq!(page.iter().map(|shown| shown.event.position).collect::<Vec<_>>(), [4, 5]);
    assert!(store.log().public_log(8, 2).await.unwrap().is_empty());
    assert_eq!(store.log().recorded_at(6).await.unwrap().unwrap().version, 1);
    assert!(store.log().recorded_at(9).await.unwrap().is_none());
}
