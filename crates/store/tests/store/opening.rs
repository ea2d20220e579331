//! Opening a store: migrations run once, and the schema is the same on both databases.

use futures_util::future::join_all;
use rstest_reuse::apply;

use crate::{
    both,
    cast::{new_actor, open},
    database::{Kind, TestDatabase},
};

#[apply(both)]
async fn several_processes_can_open_an_empty_database_concurrently(#[case] kind: Kind) {
    let database = TestDatabase::empty(kind).await;
    let stores = join_all((0..8).map(|_| database.open())).await;
    for store in &stores {
        store.log().check().await.unwrap();
        open(store, &new_actor(store)).await;
    }
    assert_eq!(stores[0].log().logged(0, 10).await.unwrap().len(), 8);
}

#[tokio::test(flavor = "multi_thread")]
async fn both_databases_have_the_same_tables_and_columns() {
    let mut schemas = Vec::new();
    for kind in [Kind::Sqlite, Kind::Postgres] {
        let database = TestDatabase::empty(kind).await;
        let _store = database.open().await;
        let mut schema = Vec::new();
        for table in database.tables().await {
            schema.push((table.clone(), database.columns(&table).await));
        }
        schemas.push(schema);
    }
    let [mut sqlite, mut postgres] = schemas.try_into().unwrap();
    // SQLite stores the search index in tables of its own; PostgreSQL stores it as an index.
    sqlite.retain(|(table, _)| !table.starts_with("search_index"));
    // With SQLite there is one process, which holds rate limits in memory.
    postgres.retain(|(table, _)| table != "limits");
    assert_eq!(sqlite, postgres);
    assert!(sqlite.iter().any(|(table, columns)| table == "events" && columns.len() == 12));
}
