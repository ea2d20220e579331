//! Read tables that an upgrade adds are filled from the log before the first read.

use buildtrack_store::verification;
use futures_util::future::join_all;
use rstest_reuse::apply;

use super::cast::unread;
use crate::{
    both,
    cast::{agent, new_actor, open, owner, post},
    database::{Kind, TestDatabase},
};

const MIGRATIONS: [&str; 2] = [
    include_str!("../../../../../migrations/sqlite/0012_inbox.sql"),
    include_str!("../../../../../migrations/postgres/0012_inbox.sql"),
];

#[apply(both)]
async fn opening_the_store_fills_new_read_tables_from_the_log(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let (scout, ada) = (agent(&store, &owner(&store).await).await, new_actor(&store));
    let track = open(&store, &ada).await;
    post(&store, track, &ada, "@scout, look").await.unwrap();
    let tables = "DROP TABLE unfilled; DROP TABLE handles; DROP TABLE inbox; DROP TABLE acknowledgements; \
                  DROP INDEX posts_unanswered;";
    database.execute(tables).await;
    database.execute(MIGRATIONS[usize::from(kind == Kind::Postgres)]).await;
    assert_eq!(database.texts("SELECT reason FROM unfilled").await, ["inbox"]);
    // Stores that open at the same moment find the tables filled.
    let opened = join_all((0..3).map(|_| database.open())).await.remove(0);
    assert_eq!(unread(&opened, &scout).await.len(), 1);
    assert!(verification::verify(opened.log(), opened.reputation(), |_| ()).await.unwrap().differing().is_empty());
    assert_eq!(database.texts("SELECT reason FROM unfilled").await, <[&str; 0]>::default());
}

#[apply(both)]
async fn an_empty_log_fills_no_read_tables(#[case] kind: Kind) {
    let (database, _store) = TestDatabase::with_store(kind).await;
    assert_eq!(database.texts("SELECT reason FROM unfilled").await, <[&str; 0]>::default());
}
