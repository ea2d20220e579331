//! Keys of agents: found by their hashes, and ended with their sessions.

use std::time::Duration;

use buildtrack_domain::{actors::Actor, ids::KeyId};
use buildtrack_store::{IdentityChange, Scope, Store, sha256_hex};
use rstest_reuse::apply;

use crate::{
    both,
    cast::{agent, agent_id, create_key, deactivate, depart, log_in, log_in_with, owner, revoke_key, rotate_key},
    database::{Kind, TestDatabase},
};

async fn key_of(store: &Store, hash: &str) -> Option<Option<KeyId>> {
    store.identity().credential(&sha256_hex(hash)).await.unwrap().map(|found| found.key_id)
}

async fn is_valid(store: &Store, token: &str) -> bool {
    store.identity().session(token, false).await.unwrap().is_some()
}

/// The names of an agent's keys; the primary one has none.
async fn names(store: &Store, agent: &Actor) -> Vec<String> {
    store.identity().keys_of(agent_id(agent)).await.unwrap().into_iter().map(|key| key.name).collect()
}

#[apply(both)]
async fn each_key_of_an_agent_is_found_by_its_hash(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let ada = owner(&store).await;
    let (scout, ranger) = (agent(&store, &ada).await, agent(&store, &ada).await);
    let laptop = create_key(&store, &scout, &ada, "Laptop").await;
    database.clock.advance(Duration::from_secs(1));
    let server = create_key(&store, &scout, &ada, "Server").await;
    assert_eq!(key_of(&store, &scout.id.to_string()).await, Some(None));
    assert_eq!(key_of(&store, &laptop.to_string()).await, Some(Some(laptop)));
    assert_eq!(key_of(&store, "unknown").await, None);
    let found = store.identity().credential(&sha256_hex(server.to_string())).await.unwrap().unwrap();
    assert_eq!((found.agent_id, found.key_id, found.expires_at), (agent_id(&scout), Some(server), None));
    assert_eq!(found.scopes, [Scope::Read, Scope::Write]);
    assert_eq!(names(&store, &scout).await, ["", "Laptop", "Server"]);
    assert_eq!(names(&store, &ranger).await, [""]);
}

#[apply(both)]
async fn a_use_is_recorded_for_its_key_alone(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let ada = owner(&store).await;
    let scout = agent(&store, &ada).await;
    let laptop = create_key(&store, &scout, &ada, "Laptop").await;
    let now = database.clock.now();
    for key_id in [None, Some(laptop)] {
        database.clock.advance(Duration::from_secs(1));
        store.log().write_side(vec![IdentityChange::KeyUsed { agent_id: agent_id(&scout), key_id }]).await.unwrap();
    }
    let uses = store
        .identity()
        .keys_of(agent_id(&scout))
        .await
        .unwrap()
        .into_iter()
        .map(|key| key.last_used_at.unwrap() - now);
    assert_eq!(uses.map(|passed| passed.num_seconds()).collect::<Vec<_>>(), [1, 2]);
    let found = store.identity().credential(&sha256_hex(laptop.to_string())).await.unwrap().unwrap();
    let used_at = found.last_used_at.unwrap();
    assert!(
        !found.is_use_due(used_at + Duration::from_secs(3599)) && found.is_use_due(used_at + Duration::from_hours(1))
    );
    // A new primary key has not been used.
    rotate_key(&store, &scout, &ada).await.unwrap();
    assert_eq!(store.identity().keys_of(agent_id(&scout)).await.unwrap()[0].last_used_at, None);
}

#[apply(both)]
async fn a_key_ends_its_own_sessions_and_no_others(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let ada = owner(&store).await;
    let scout = agent(&store, &ada).await;
    let (laptop, server) =
        (create_key(&store, &scout, &ada, "Laptop").await, create_key(&store, &scout, &ada, "Server").await);
    let of_primary = log_in(&store, &scout, &Scope::ALL).await;
    let of_laptop = log_in_with(&store, &scout, &Scope::ALL, Some(laptop)).await;
    let of_server = log_in_with(&store, &scout, &Scope::ALL, Some(server)).await;
    for token in [&of_primary, &of_laptop, &of_server] {
        assert!(is_valid(&store, token).await);
    }
    revoke_key(&store, &scout, &ada, laptop).await.unwrap();
    assert_eq!(key_of(&store, &laptop.to_string()).await, None);
    assert!(!is_valid(&store, &of_laptop).await);
    assert!(is_valid(&store, &of_primary).await && is_valid(&store, &of_server).await);
    assert!(revoke_key(&store, &scout, &ada, laptop).await.is_err());
    rotate_key(&store, &scout, &ada).await.unwrap();
    assert!(!is_valid(&store, &of_primary).await && is_valid(&store, &of_server).await);
    assert_eq!(names(&store, &scout).await, ["", "Server"]);
}

#[apply(both)]
async fn deactivation_and_deletion_remove_all_keys(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let ada = owner(&store).await;
    let (scout, ranger) = (agent(&store, &ada).await, agent(&store, &ada).await);
    for agent in [&scout, &ranger] {
        create_key(&store, agent, &ada, "Laptop of Adalbertine").await;
    }
    deactivate(&store, &scout, &ada).await.unwrap();
    assert_eq!((names(&store, &scout).await.len(), names(&store, &ranger).await.len()), (0, 2));
    depart(&store, &ada).await.unwrap();
    assert_eq!(names(&store, &ranger).await.len(), 0);
    assert_eq!(database.tables_with("Adalbertine").await, <[&str; 0]>::default());
}
