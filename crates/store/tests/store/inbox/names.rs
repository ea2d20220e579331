//! Mention handles: which actors bear a name.

use buildtrack_domain::mentions::{Mention, mentions};
use buildtrack_store::Store;
use rstest_reuse::apply;

use crate::{
    both,
    cast::{agent, deactivate, owner, rename},
    database::{Kind, TestDatabase},
};

async fn mention_candidates(store: &Store, text: &str) -> Vec<String> {
    let found = store.inbox().mention_candidates(&mentions(text)).await.unwrap();
    found.into_iter().map(|bearer| bearer.id.to_string()).collect()
}

#[apply(both)]
async fn an_actor_is_found_by_its_current_name(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let ada = owner(&store).await;
    let scout = agent(&store, &ada).await;
    assert_eq!(mention_candidates(&store, "@scout, @unknown").await, [scout.id.to_string()]);
    assert_eq!(mention_candidates(&store, "@ada").await, [ada.id.to_string()]);
    rename(&store, &scout, "Deep Thought").await.unwrap();
    assert_eq!(mention_candidates(&store, "@scout").await, <[&str; 0]>::default());
    assert_eq!(mention_candidates(&store, "@[DEEP thought]").await, [scout.id.to_string()]);
    rename(&store, &scout, "🦀").await.unwrap();
    assert_eq!(mention_candidates(&store, "@deep-thought").await, <[&str; 0]>::default());
    assert_eq!(mention_candidates(&store, &format!("@{}", scout.id)).await, [scout.id.to_string()]);
    deactivate(&store, &scout, &ada).await.unwrap();
    assert_eq!(mention_candidates(&store, &format!("@{}", scout.id)).await, <[&str; 0]>::default());
}

#[apply(both)]
async fn a_name_with_hundreds_of_candidates_matches_none_and_hides_no_other_name(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let ada = owner(&store).await;
    let scout = agent(&store, &ada).await;
    let number = "WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 600)";
    let id = match kind {
        Kind::Sqlite => "'ag_' || printf('%026d', n)",
        Kind::Postgres => "'ag_' || lpad(CAST(n AS TEXT), 26, '0')",
    };
    database.execute(&format!("{number} INSERT INTO handles (actor_id, handle) SELECT {id}, 'zoe' FROM number")).await;
    assert_eq!(mention_candidates(&store, "@zoe @scout").await, [scout.id.to_string()]);
    let named = store.inbox().mention_candidates(&[Mention::Actor(scout.id)]).await.unwrap();
    assert_eq!(named[0].handle.as_ref().map(ToString::to_string).as_deref(), Some("scout"));
}
