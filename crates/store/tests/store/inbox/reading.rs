//! Acknowledgement of inbox items, also while new items arrive.

use buildtrack_domain::{actors::Actor, ids::WorkspaceId};
use buildtrack_store::{InboxFilter, Store, verification};
use futures_util::future::{join, join_all};
use rstest_reuse::apply;

use super::cast::{acknowledge, all, inbox, unread};
use crate::{
    both,
    cast::{agent, new_actor, open, owner, post},
    database::{Kind, TestDatabase},
};

/// Scout, who was mentioned three times, and the author of the mentions.
async fn mentioned(store: &Store) -> (Actor, Actor, WorkspaceId) {
    let (scout, ada) = (agent(store, &owner(store).await).await, new_actor(store));
    let track = open(store, &ada).await;
    for content in ["@scout, one", "@scout, two", "@scout, three"] {
        post(store, track, &ada, content).await.unwrap();
    }
    (scout, ada, track)
}

#[apply(both)]
async fn acknowledging_twice_changes_nothing(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let (scout, ada, track) = mentioned(&store).await;
    let positions = unread(&store, &scout).await;
    assert_eq!(positions.len(), 3);
    for _ in 0..2 {
        acknowledge(&store, &scout, None, &positions[1..2]).await.unwrap();
        assert_eq!(unread(&store, &scout).await, [positions[0], positions[2]]);
    }
    let head = inbox(&store, &scout).await.head;
    assert_eq!(head, positions[2] + 1);
    for up_to in [positions[0], positions[0], 0] {
        acknowledge(&store, &scout, Some(up_to), &[]).await.unwrap();
        assert_eq!(unread(&store, &scout).await, positions[2..]);
    }
    for _ in 0..3 {
        acknowledge(&store, &scout, Some(head), &positions).await.unwrap();
        assert_eq!(unread(&store, &scout).await, <[i64; 0]>::default());
    }
    // One event for each acknowledgement that changed something.
    assert_eq!(store.log().tail().head(), head + 2);
    assert_eq!(store.inbox().read_up_to(scout.id).await.unwrap(), head);
    assert!(inbox(&store, &scout).await.items.iter().all(|item| item.read));
    post(&store, track, &ada, "@scout, four").await.unwrap();
    assert_eq!(unread(&store, &scout).await.len(), 1);
    assert!(verification::verify(store.log(), store.reputation(), |_| ()).await.unwrap().differing().is_empty());
}

#[apply(both)]
async fn an_acknowledgement_affects_only_the_readers_inbox(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let (scout, ada, _) = mentioned(&store).await;
    let (positions, head) = (unread(&store, &scout).await, store.log().tail().head());
    acknowledge(&store, &ada, Some(head), &positions).await.unwrap();
    assert_eq!(unread(&store, &scout).await, positions);
}

#[apply(both)]
async fn an_acknowledgement_without_effect_is_no_event(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let (scout, _, _) = mentioned(&store).await;
    let head = store.log().tail().head();
    acknowledge(&store, &scout, Some(head), &[]).await.unwrap();
    // Otherwise a client that alternates between polling and acknowledging would make the log grow by itself.
    for _ in 0..3 {
        acknowledge(&store, &scout, Some(store.log().tail().head()), &[]).await.unwrap();
    }
    assert_eq!(store.log().tail().head(), head + 1);
}

#[apply(both)]
async fn concurrent_acknowledgements_read_an_item_once(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let (scout, _, _) = mentioned(&store).await;
    let (other, head) = (database.open().await, store.log().tail().head());
    let reading = [&store, &other].map(|store| acknowledge(store, &scout, Some(head), &[]));
    for read in join_all(reading).await {
        read.unwrap();
    }
    assert_eq!(store.log().head().await.unwrap(), head + 1);
    assert_eq!(unread(&store, &scout).await, <[i64; 0]>::default());
}

/// Lists and acknowledges pages until `expected` items have been seen.
async fn read_all(store: Store, scout: Actor, expected: usize) -> Vec<i64> {
    let mut seen = Vec::new();
    while seen.len() < expected {
        let filter = InboxFilter { unread: true, limit: 7, ..all(&scout) };
        let view = store.inbox().items(&filter).await.unwrap();
        assert!(usize::try_from(view.unread).unwrap() >= view.items.len());
        let listed: Vec<_> = view.items.iter().map(|item| item.position).collect();
        // A full page is acknowledged up to its last item, as the API documents.
        let as_of = if listed.len() == 7 { listed[6] } else { view.head };
        assert!(listed.iter().all(|position| *position <= as_of));
        seen.extend(listed);
        acknowledge(&store, &scout, Some(as_of), &[]).await.unwrap();
    }
    seen
}

#[apply(both)]
async fn acknowledging_while_items_arrive_loses_none(#[case] kind: Kind) {
    const EACH: usize = 30;
    let (database, store) = TestDatabase::with_store(kind).await;
    let (scout, ada) = (agent(&store, &owner(&store).await).await, new_actor(&store));
    let track = open(&store, &ada).await;
    let reading = read_all(database.open().await, scout.clone(), EACH * 4);
    let writing = (0..4).map(async |_| {
        for _ in 0..EACH {
            post(&store, track, &ada, "@scout, look").await.unwrap();
        }
    });
    let (seen, _) = join(reading, join_all(writing)).await;
    // Each item was listed once, and no item was acknowledged before it was listed.
    let written: Vec<_> = inbox(&store, &scout).await.items.iter().map(|item| item.position).collect();
    assert_eq!(seen, written);
    assert_eq!(written.len(), EACH * 4);
    assert_eq!(unread(&store, &scout).await, <[i64; 0]>::default());
    assert!(verification::verify(store.log(), store.reputation(), |_| ()).await.unwrap().differing().is_empty());
}
