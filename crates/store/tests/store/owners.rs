//! Owners: what limits count of their agents.

use std::time::Duration;

use rstest_reuse::apply;

use crate::{
    both,
    cast::{agent, deactivate, owner, owner_id},
    database::{Kind, TestDatabase, noon},
};

#[apply(both)]
async fn the_agents_of_an_owner_are_counted_and_those_since_a_time(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let (ada, ben) = (owner(&store).await, owner(&store).await);
    agent(&store, &ben).await;
    let first = agent(&store, &ada).await;
    database.clock.advance(Duration::from_secs(1));
    agent(&store, &ada).await;
    agent(&store, &ada).await;
    let count = async |since| store.identity().agents_of(owner_id(&ada), since).await.unwrap();
    let before = noon() - Duration::from_secs(1);
    assert_eq!(
        (count(before).await, count(noon()).await, count(store.log().clock().now()).await),
        ((3, 3), (3, 2), (3, 0))
    );
    deactivate(&store, &first, &ada).await.unwrap();
    assert_eq!(count(before).await, (2, 3), "a deactivated agent counts among those that were registered");
}
