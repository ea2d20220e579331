//! Checkpoints: the signed head of the log.

use std::collections::HashSet;

use agora_envelope::DidKey;
use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use buildtrack_domain::ids::WorkspaceId;
use buildtrack_store::{
    Secret, Settings, Store, StoreError,
    log::{Checkpoint, signed_head},
};
use ed25519_dalek::{Signature, VerifyingKey};
use futures_util::future::join_all;
use rstest_reuse::apply;
use serde_json::{Value, json};

use crate::{
    both,
    cast::{new_actor, open},
    database::{Kind, TestDatabase, noon},
};

fn decoded(part: &str) -> Vec<u8> {
    URL_SAFE_NO_PAD.decode(part).unwrap()
}

/// Verifies a checkpoint as an outsider does, from the published keys, and returns its header and payload.
async fn verified(store: &Store, checkpoint: &Checkpoint) -> (Value, Value) {
    let [header, payload, signature] = checkpoint.jws.split('.').collect::<Vec<_>>()[..] else {
        panic!("not a compact JWS: {}", checkpoint.jws)
    };
    let claims: Value = serde_json::from_slice(&decoded(header)).unwrap();
    let keys = store.log().public_keys().await.unwrap();
    let key = keys.iter().find(|key| claims["kid"] == *key.id).expect("the checkpoint's key is published");
    let key = VerifyingKey::from_bytes(&decoded(&key.x).try_into().unwrap()).unwrap();
    let signature = Signature::from_slice(&decoded(signature)).unwrap();
    key.verify_strict(format!("{header}.{payload}").as_bytes(), &signature).unwrap();
    (claims, serde_json::from_slice(&decoded(payload)).unwrap())
}

#[apply(both)]
async fn a_checkpoint_names_the_head_and_is_signed_with_a_published_key(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    open(&store, &new_actor(&store)).await;
    open(&store, &new_actor(&store)).await;
    let checkpoint = store.log().checkpoint().await.unwrap();
    let (header, payload) = verified(&store, &checkpoint).await;
    assert_eq!((&header["alg"], &header["typ"]), (&json!("EdDSA"), &json!("checkpoint+jwt")));
    let hash = hex::encode(&store.log().logged(1, 1).await.unwrap()[0].hash);
    assert_eq!(payload, json!({ "position": 2, "hash": hash, "iat": noon().timestamp() }));
    assert_eq!((checkpoint.position, checkpoint.hash), (2, hash));
    assert_eq!((checkpoint.recorded_at, checkpoint.issued_at), (noon(), noon()));
}

#[apply(both)]
async fn an_empty_log_has_a_checkpoint_too(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let checkpoint = store.log().checkpoint().await.unwrap();
    verified(&store, &checkpoint).await;
    assert_eq!((checkpoint.position, checkpoint.hash), (0, "0".repeat(64)));
}

#[apply(both)]
async fn concurrent_first_requests_create_one_signing_key(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let asked = join_all((0..20).map(|_| store.log().public_keys())).await;
    let keys = asked.into_iter().next_back().unwrap().unwrap();
    assert_eq!(keys.len(), 3, "the identity, the key of checkpoints, and that of exports");
    store.close().await;
    let store = database.open().await;
    assert_eq!(store.log().public_keys().await.unwrap(), keys);
    verified(&store, &store.log().checkpoint().await.unwrap()).await;
}

#[apply(both)]
async fn the_signing_key_is_sealed_with_the_servers_secret(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    store.log().checkpoint().await.unwrap();
    let secret = Secret::new(&Secret::generate()).unwrap();
    let settings = Settings { database: database.database(), secret, clock: database.clock.clone() };
    let refused = Store::open(settings).await;
    assert!(matches!(refused, Err(StoreError::ForeignSecret)), "{refused:?}");
}

#[apply(both)]
async fn each_kind_of_signature_has_a_published_key_of_its_own(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let header = |jws: &str| -> Value { serde_json::from_slice(&decoded(jws.split('.').next().unwrap())).unwrap() };
    let token = header(&store.log().sign_token("{}").await.unwrap());
    let checkpoint = header(&store.log().checkpoint().await.unwrap().jws);
    let document = header(&store.log().sign_detached("{}", "https://build.example/keys").await.unwrap().0);
    let head = store.log().checkpoint().await.unwrap();
    let workspace_id = WorkspaceId::new(store.log().clock().uuid());
    let track = header(&store.log().sign_track(workspace_id, 0, &[0; 32], &head).await.unwrap());
    let published = store.log().published_keys().await.unwrap();
    let identity: DidKey = store.relay().did().await.unwrap().as_str().parse().unwrap();
    assert_eq!(decoded(&published[0].x), *identity.public_key());
    let named = [&checkpoint, &track, &token, &document].map(|header| header["kid"].as_str().unwrap());
    assert_eq!(published[1..].iter().map(|key| &*key.id).collect::<Vec<_>>(), named);
    let ids: HashSet<_> = published.iter().map(|key| &key.id).collect();
    assert_eq!(ids.len(), 5);
    // A token is no checkpoint, even with the key that its header names.
    let jws = store.log().sign_token(r#"{"position":1,"hash":"00","iat":1}"#).await.unwrap();
    assert_eq!(signed_head(&jws, &published[3]), None);
    assert!(signed_head(&head.jws, &published[1]).is_some() && signed_head(&head.jws, &published[0]).is_none());
    store.close().await;
    let store = database.open().await;
    assert_eq!(store.log().published_keys().await.unwrap(), published);
}

#[apply(both)]
async fn the_claims_of_a_token_are_read_if_this_server_signed_it(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let (_other_database, other) = TestDatabase::with_store(kind).await;
    let claims = json!({ "sub": "ada", "exp": 1 });
    let token = store.log().sign_token(&claims.to_string()).await.unwrap();
    assert_eq!(store.log().token_claims::<Value>(&token).await.unwrap(), Some(claims));
    let foreign = other.log().sign_token("{}").await.unwrap();
    let [header, _, signature] = token.split('.').collect::<Vec<_>>()[..] else { panic!("{token} is no JWT") };
    let changed = format!("{header}.{}.{signature}", URL_SAFE_NO_PAD.encode("{}"));
    // What the server signs for another purpose is no token, with whichever key.
    let checkpoint = store.log().checkpoint().await.unwrap().jws;
    for refused in [&*foreign, &changed, &checkpoint, "", "a.b.c", &token[1..]] {
        assert_eq!(store.log().token_claims::<Value>(refused).await.unwrap(), None, "{refused}");
    }
}
