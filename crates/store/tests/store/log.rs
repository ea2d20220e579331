//! Positions, conflicts, batches.

use std::collections::BTreeSet;

use futures_util::future::join_all;
use rstest_reuse::apply;

use crate::{
    both,
    cast::{open, post, somebody},
    database::{Kind, TestDatabase},
};

#[apply(both)]
async fn positions_have_no_gaps_whoever_writes(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let ada = somebody(&store);
    let track = open(&store, &ada).await;
    let stores = [store.clone(), database.open().await, database.open().await];
    let posts = (0..90).map(|number| {
        let (store, ada) = (stores[number % 3].clone(), ada.clone());
        async move { post(&store, track, &ada, "Push, don't poll").await.unwrap() }
    });
    let ids: BTreeSet<_> = join_all(posts).await.into_iter().collect();
    assert_eq!(ids.len(), 90);
    let positions: Vec<_> = store.logged(0, 1000).await.unwrap().iter().map(|event| event.position).collect();
    assert_eq!(positions, (1..=91).collect::<Vec<_>>());
}
