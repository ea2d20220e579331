//! Read tables are a function of the log: live and rebuilt tables are equal for random histories in batches of any size.

mod history;

use buildtrack_store::{Store, verification};
use futures_util::future::{join, join_all};
use proptest::test_runner::{Config, TestRunner};
use rstest_reuse::apply;
use tokio::runtime::Handle;

use self::history::{Step, World, history};
use crate::{
    arena, both,
    cast::{agent, agent_id, open, owner, post, redact},
    database::{Kind, TestDatabase},
    debates, directory, documents, exchange, head_to_heads, limit_requests, relay,
    reputation::cast::{count, counted, naive, the_ledger_is_even},
    subscribers::polls_and_pushes_agree,
    tournaments,
};

async fn live_and_rebuilt_tables_agree_after(kind: Kind, history: &[Vec<Step>]) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let mut world = World::new(store.clone()).await;
    relay::story(&store).await;
    directory::story(&store).await;
    documents::story(&store).await;
    exchange::story(&store).await;
    arena::story(&store).await;
    head_to_heads::story(&store).await;
    tournaments::story(&store).await;
    debates::story(&store).await;
    limit_requests::story(&store).await;
    for steps in history {
        database.clock.advance(std::time::Duration::from_millis(1));
        world.take(steps).await;
    }
    // The search index lags behind the log, and equals a rebuild up to its own offset, wherever that is.
    for _ in 0..3 {
        assert_eq!(differing(&store).await, <[&str; 0]>::default());
        store.search().index(7).await.unwrap();
    }
    while store.search().index(1000).await.unwrap().moved {}
    count(&store).await;
    let agents = || world.agents.iter().map(agent_id);
    assert_eq!(counted(&store, agents()).await, naive(&store).await);
    the_ledger_is_even(&store, agents()).await;
    polls_and_pushes_agree(&store, &world.agents).await;
    let verified = verification::verify(store.log(), store.reputation(), |_| ()).await.unwrap();
    assert_eq!((&verified.live, verified.miscounted), (&verified.rebuilt, vec![]));
    assert_eq!(verified.search.found, verified.search.expected);
    assert!(verified.search.found.rows > 0);
    assert!(verified.live.iter().all(|table| table.rows > 0), "a table is empty: {:?}", verified.live);
    // In one batch of all events, this time in the live tables.
    assert_eq!(verification::rebuild(store.log(), |_| ()).await.unwrap(), verified.live);
    assert_eq!(verification::verify(store.log(), store.reputation(), |_| ()).await.unwrap().live, verified.live);
    // In smaller batches, which may separate events that belong together.
    for size in [1, 7] {
        assert_eq!(
            verification::rebuild_in_steps(store.log(), size, |_| ()).await.unwrap(),
            verified.live,
            "in steps of {size}"
        );
    }
}

#[apply(both)]
async fn live_and_rebuilt_tables_agree_for_random_histories(#[case] kind: Kind) {
    let config = Config { cases: 4, max_shrink_iters: 40, failure_persistence: None, ..Config::default() };
    let check = |history: Vec<Vec<Step>>| {
        Handle::current().block_on(live_and_rebuilt_tables_agree_after(kind, &history));
        Ok(())
    };
    tokio::task::block_in_place(|| TestRunner::new(config).run(&history(), check)).unwrap();
}

/// The read tables that differ from the log.
async fn differing(store: &Store) -> Vec<&'static str> {
    verification::verify(store.log(), store.reputation(), |_| ()).await.unwrap().differing()
}

#[apply(both)]
async fn a_rebuild_repairs_changed_read_tables(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let ada = agent(&store, &owner(&store).await).await;
    let track = open(&store, &ada).await;
    let taken_back = post(&store, track, &ada, "one").await.unwrap();
    post(&store, track, &ada, "two").await.unwrap();
    redact(&store, track, ada.id, taken_back).await.unwrap();
    assert_eq!(differing(&store).await, <[&str; 0]>::default());

    database.execute("UPDATE messages SET content = 'three' WHERE content = 'two'").await;
    database.execute("UPDATE workspaces SET message_count = 3; DELETE FROM workspace_tags").await;
    assert_eq!(differing(&store).await, ["workspaces", "workspace_tags", "messages"]);

    let mut progressed = Vec::new();
    verification::rebuild(store.log(), |progress| progressed.push((progress.done, progress.total))).await.unwrap();
    assert_eq!(progressed, [(7, 7)]);
    assert_eq!(differing(&store).await, <[&str; 0]>::default());
    assert_eq!(store.workspaces().workspace(track).await.unwrap().unwrap().message_count, 2);
}

#[apply(both)]
async fn verification_and_rebuild_run_concurrently_with_writers(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let other = database.open().await;
    let ada = agent(&store, &owner(&store).await).await;
    let track = open(&store, &ada).await;
    let writing = async {
        for _ in 0..20 {
            let posts = (0..10).map(|number| post(if number % 2 == 0 { &store } else { &other }, track, &ada, "…"));
            for posted in join_all(posts).await {
                posted.unwrap();
            }
        }
    };
    let looking = async {
        for _ in 0..5 {
            assert_eq!(differing(&other).await, <[&str; 0]>::default());
            verification::rebuild(other.log(), |_| ()).await.unwrap();
        }
    };
    join(writing, looking).await;
    assert_eq!(differing(&store).await, <[&str; 0]>::default());
    assert_eq!(store.workspaces().workspace(track).await.unwrap().unwrap().message_count, 200);
}
