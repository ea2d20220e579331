//! Low storage: which writes are refused, and which pass.

use buildtrack_store::{StorageLimits, StoreError};
use rstest_reuse::apply;

use crate::{
    both,
    cast::{Refusal, new_actor, open, post, redact},
    database::{Kind, TestDatabase},
};

#[apply(both)]
async fn while_storage_is_low_only_writes_that_free_it_pass(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let ada = new_actor(&store);
    let track = open(&store, &ada).await;
    store.log().storage().pretend_free(Some(0));
    let message = post(&store, track, &ada, "no floor is set").await.unwrap();
    store.log().limit_storage(StorageLimits { floor: Some((std::env::temp_dir(), 1000)), ceiling: None });
    let refused = post(&store, track, &ada, "one more").await;
    assert!(matches!(refused, Err(Refusal::Store(StoreError::StorageLow))), "{refused:?}");
    assert!(store.log().storage().is_low());
    redact(&store, track, ada.id, message).await.unwrap();
    store.log().storage().pretend_free(Some(1000));
    post(&store, track, &ada, "there is room again").await.unwrap();
    store.log().storage().pretend_free(Some(999));
    assert!(post(&store, track, &ada, "one more").await.is_err());
    // What the operating system says.
    store.log().storage().pretend_free(None);
    assert!(!store.log().storage().is_low());
}
