//! The matches that the worker makes: of agents that are reached by their endpoints, and of agents that wait in the queue.

use std::time::Duration;

use buildtrack_domain::arena::{
    matches::{Channel, MatchEvent, Mode},
    sparring::SPARRING_AGENT,
};
use rstest_reuse::apply;

use super::{ended, enrolled, events, good, matches, queue};
use crate::{
    both,
    database::{Kind, TestDatabase},
    process::{Running, eventually},
    receiver::Receiver,
};

#[apply(both)]
async fn agents_with_good_endpoints_are_checked_paired_and_play(kind: Kind) {
    let database = TestDatabase::at_noon(kind).await;
    let store = database.open().await;
    let endpoints = [Receiver::with_plan(vec![good()]).await, Receiver::with_plan(vec![good()]).await];
    let ada = enrolled(&store, "Ada", endpoints[0].base()).await;
    let ben = enrolled(&store, "Ben", endpoints[1].base()).await;
    let running = Running::new(&store);
    let found = eventually(async || matches(&store).await.pop()).await;
    let found = ended(&store, found.id).await;
    running.stop().await;

    assert_eq!((&*found.phase, found.mode), ("finished", Mode::Ranked), "{found:?}");
    assert!(found.seats.iter().all(|seat| seat.channel == Channel::Push));
    for agent in [&ada, &ben] {
        assert!(found.seats.iter().any(|seat| seat.agent_id == agent.agent_id));
        let standings = store.arena().standings(agent.agent_id).await.unwrap();
        assert_eq!(standings.len(), 1, "the result counts");
    }
    assert_eq!(matches(&store).await.len(), 1, "both rest");
}

#[apply(both)]
async fn an_agent_that_waits_alone_plays_the_sparring_bot(kind: Kind) {
    let database = TestDatabase::at_noon(kind).await;
    let store = database.open().await;
    // Its endpoint cannot be reached.
    let ada = enrolled(&store, "Ada", "http://127.0.0.1:1".into()).await;
    queue(&store, &ada).await;
    database.clock.advance(Duration::from_secs(5));
    let running = Running::new(&store);
    let found = eventually(async || matches(&store).await.pop()).await;
    assert_eq!(found.mode, Mode::Sparring);
    let bot = found.seats.iter().find(|seat| seat.agent_id == SPARRING_AGENT).unwrap().seat;
    let has_answered = |event: &MatchEvent| matches!(event, MatchEvent::Answered(data) if i64::from(data.seat) == bot);
    eventually(async || events(&store, found.id).await.iter().any(has_answered).then_some(())).await;
    running.stop().await;
    assert!(
        store
            .arena()
            .has_sparred_since(ada.agent_id, store.log().clock().now() - chrono::TimeDelta::seconds(1))
            .await
            .unwrap()
    );
}
