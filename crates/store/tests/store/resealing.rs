//! Values of earlier versions, which had one key for everything that is sealed: they are read, and sealed anew.

use base64::{Engine, engine::general_purpose::STANDARD};
use buildtrack_store::{Purpose, Secret, Settings, Store, StoreError};
use chacha20poly1305::{KeyInit, XChaCha20Poly1305, XNonce, aead::Aead};
use hmac::{Hmac, Mac};
use rstest_reuse::apply;
use sha2::Sha256;

use crate::{
    both,
    cast::{new_actor, sign_up, webhook},
    database::{Kind, TestDatabase},
};

const SECRET: &str = "a secret of the tests with 32 characters";

fn keyed(key: &[u8], text: &str) -> [u8; 32] {
    Hmac::<Sha256>::new_from_slice(key).unwrap().chain_update(text).finalize().into_bytes().into()
}

/// Seals a text as earlier versions did.
fn sealed_earlier(text: &str, nonce: u8) -> String {
    let (key, nonce) = (keyed(SECRET.as_bytes(), "buildtrack sealing v1"), [nonce; 24]);
    let sealed = XChaCha20Poly1305::new(&key.into()).encrypt(&XNonce::from(nonce), text.as_bytes()).unwrap();
    STANDARD.encode([&nonce[..], &sealed].concat())
}

/// The fingerprint as earlier versions stored it.
fn earlier_fingerprint() -> String {
    let key = keyed(SECRET.as_bytes(), "buildtrack keyed hash v1");
    hex::encode(keyed(&key, "buildtrack secret fingerprint v1"))
}

const COLUMNS: [(&str, &str); 3] =
    [("signing_keys", "secret_sealed"), ("accounts", "email_sealed"), ("webhooks", "secret_sealed")];

async fn values(database: &TestDatabase, (table, column): (&str, &str)) -> Vec<String> {
    database.texts(&format!("SELECT {column} FROM {table} ORDER BY {column}")).await
}

/// A database as an earlier version has left it, with the values that it sealed.
async fn earlier(kind: Kind) -> (TestDatabase, [String; 3]) {
    let mut database = TestDatabase::new(kind).await;
    database.secret = Secret::new(SECRET).unwrap();
    let store = database.open().await;
    store.log().checkpoint().await.unwrap();
    sign_up(&store, "ada@example.org").await.unwrap();
    store.log().write_side([webhook(&store, &new_actor(&store), &[]).1]).await.unwrap();
    let seed = store.log().secret().open(Purpose::SigningKey, &values(&database, COLUMNS[0]).await[0]).unwrap();
    store.close().await;
    let texts = [seed, "ada@example.org".to_owned(), "whsec_1".to_owned()];
    for (index, ((table, column), text)) in (0..).zip(COLUMNS.into_iter().zip(&texts)) {
        database.execute(&format!("UPDATE {table} SET {column} = '{}'", sealed_earlier(text, index))).await;
    }
    database.execute(&format!("UPDATE secret_fingerprint SET fingerprint = '{}'", earlier_fingerprint())).await;
    (database, texts)
}

#[apply(both)]
async fn values_of_an_earlier_version_are_read_and_sealed_anew_in_steps(#[case] kind: Kind) {
    let (database, texts) = earlier(kind).await;
    let store = database.open().await;
    let keys = store.log().published_keys().await.unwrap();
    let (id, _) = store.identity().account_with_email("ada@example.org").await.unwrap().unwrap();
    assert_eq!(store.identity().account_of(id).await.unwrap().unwrap().email, "ada@example.org");
    let steps = async |store: &Store| {
        let mut steps = 0;
        while store.log().reseal(1).await.unwrap() {
            steps += 1;
        }
        steps
    };
    assert_eq!(steps(&store).await, 1, "one value of each column");
    let purposes = [Purpose::SigningKey, Purpose::EmailAddress, Purpose::WebhookSecret];
    for ((column, purpose), text) in COLUMNS.into_iter().zip(purposes).zip(&texts) {
        let sealed = values(&database, column).await.remove(0);
        assert!(sealed.starts_with("2."), "{column:?}: {sealed}");
        assert_eq!(store.log().secret().open(purpose, &sealed).unwrap(), *text);
    }
    assert_eq!(store.identity().account_of(id).await.unwrap().unwrap().email, "ada@example.org");
    store.close().await;
    // Nothing is looked for any more.
    let fingerprint = database.texts("SELECT fingerprint FROM secret_fingerprint").await;
    assert_ne!(fingerprint, [earlier_fingerprint()]);
    let store = database.open().await;
    assert_eq!((steps(&store).await, store.log().published_keys().await.unwrap()), (0, keys));
    // The earlier key opens only what expires by itself.
    let sealed = sealed_earlier("a text", 9);
    assert!(purposes.iter().all(|purpose| store.log().secret().open(*purpose, &sealed).is_err()));
    assert_eq!(store.log().secret().open(Purpose::Mail, &sealed).unwrap(), "a text");
}

#[apply(both)]
async fn values_beyond_those_that_the_secret_does_not_open_are_sealed_anew(#[case] kind: Kind) {
    let (database, _) = earlier(kind).await;
    let store = database.open().await;
    sign_up(&store, "ben@example.org").await.unwrap();
    sign_up(&store, "cyd@example.org").await.unwrap();
    let (first, last) = ("(SELECT min(owner_id) FROM accounts)", "(SELECT max(owner_id) FROM accounts)");
    let put = async |value: &str, owners: &str| {
        database.execute(&format!("UPDATE accounts SET email_sealed = '{value}' WHERE owner_id {owners}")).await;
    };
    put("AAAA", &format!("<> {last}")).await;
    put("BBBB", &format!("= {first}")).await;
    put(&sealed_earlier("cyd@example.org", 9), &format!("= {last}")).await;
    while store.log().reseal(1).await.unwrap() {}
    let values = values(&database, COLUMNS[1]).await;
    assert!(values[0].starts_with("2."), "{values:?}");
    assert_eq!(values[1..], ["AAAA", "BBBB"]);
}

#[apply(both)]
async fn a_value_that_the_secret_does_not_open_stays_and_stops_nothing(#[case] kind: Kind) {
    let (database, _) = earlier(kind).await;
    database.execute("UPDATE webhooks SET secret_sealed = 'AAAA'").await;
    let store = database.open().await;
    while store.log().reseal(10).await.unwrap() {}
    assert_eq!(values(&database, COLUMNS[2]).await, ["AAAA"]);
    assert!(values(&database, COLUMNS[1]).await[0].starts_with("2."));
}

#[apply(both)]
async fn another_secret_is_refused_by_the_fingerprint_of_either_version(#[case] kind: Kind) {
    let (database, _) = earlier(kind).await;
    let other = || Settings {
        database: database.database(),
        secret: Secret::new(&Secret::generate()).unwrap(),
        clock: database.clock.clone(),
    };
    assert!(matches!(Store::open(other()).await, Err(StoreError::ForeignSecret)));
    let store = database.open().await;
    while store.log().reseal(10).await.unwrap() {}
    store.close().await;
    assert!(matches!(Store::open(other()).await, Err(StoreError::ForeignSecret)));
    // A database from before there were fingerprints.
    database.execute("DELETE FROM secret_fingerprint").await;
    assert!(matches!(Store::open(other()).await, Err(StoreError::ForeignSecret)));
    database.open().await.close().await;
}
