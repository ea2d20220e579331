//! Read tables that an upgrade brought are filled before anybody reads them.

use futures_util::future::join_all;
use rstest_reuse::apply;

use super::cast::unread;
use crate::{
    both,
    cast::{agent, open, owner, post, somebody},
    database::{Kind, TestDatabase},
};

const MIGRATIONS: [&str; 2] = [
    include_str!("../../../../../migrations/sqlite/0012_inbox.sql"),
    include_str!("../../../../../migrations/postgres/0012_inbox.sql"),
];

#[apply(both)]
async fn a_log_from_before_is_read_when_the_store_is_opened(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let (scout, ada) = (agent(&store, &owner(&store).await).await, somebody(&store));
    let track = open(&store, &ada).await;
    post(&store, track, &ada, "@scout, look").await.unwrap();
    let tables = "DROP TABLE unfilled; DROP TABLE handles; DROP TABLE inbox; DROP TABLE acknowledgements; \
                  DROP INDEX posts_unanswered;";
    database.execute(tables).await;
    database.execute(MIGRATIONS[usize::from(kind == Kind::Postgres)]).await;
    assert_eq!(database.texts("SELECT reason FROM unfilled").await, ["inbox"]);
    // Whoever starts at the same moment finds them filled.
    let opened = join_all((0..3).map(|_| database.open())).await.remove(0);
    assert_eq!(unread(&opened, &scout).await.len(), 1);
    assert!(opened.verify(|_| ()).await.unwrap().differing().is_empty());
    assert_eq!(database.texts("SELECT reason FROM unfilled").await, <[&str; 0]>::default());
}

#[apply(both)]
async fn an_empty_log_has_nothing_to_fill_them_with(#[case] kind: Kind) {
    let (database, _store) = TestDatabase::with_store(kind).await;
    assert_eq!(database.texts("SELECT reason FROM unfilled").await, <[&str; 0]>::default());
}
