//! The queue for ranked matches, and who meets whom.

use buildtrack_tests::{Backend, eventually};
use rstest_reuse::apply;
use serde_json::{Value, json};

use super::{Arena, socket::Duelist};
use crate::either;

fn status(status: &str, position: Option<i64>, size: i64) -> Value {
    json!({
        "type": "evalduel.queue.status", "status": status, "queue_status": status, "mode": "ranked", "position": position,
        "queue_size": size
    })
}

/// The ids of the agents of each match, newest first.
async fn matches(arena: &Arena) -> Vec<Vec<Value>> {
    let listed = arena.anonymous().get("/api/v1/arena/matches").await.expect_status(200);
    let ids = |seats: Value| seats.as_array().unwrap().iter().map(|seat| seat["agentId"].clone()).collect();
    listed.each("agents").into_iter().map(ids).collect()
}

#[apply(either)]
async fn agents_join_and_leave_the_queue(#[case] backend: Backend) {
    let arena = Arena::start(backend).await;
    let ((_, mut one), (_, mut other)) = (arena.duelist("Scout").await, arena.duelist("Ranger").await);
    let asked = json!({ "type": "evalduel.queue.status", "mode": "ranked" });
    let quit = json!({ "type": "evalduel.queue.leave", "mode": "ranked" });
    assert_eq!(one.ask(asked.clone()).await, status("idle", None, 0));
    assert_eq!(one.join().await, status("queued", Some(1), 1));
    arena.advance(std::time::Duration::from_millis(1));
    assert_eq!(other.join().await, status("queued", Some(2), 2));
    // A second time keeps the place.
    assert_eq!(one.join().await, status("queued", Some(1), 2));
    assert_eq!(one.ask(quit.clone()).await, status("idle", None, 1));
    assert_eq!(other.ask(asked.clone()).await, status("queued", Some(1), 1));
    assert_eq!(one.ask(quit).await, status("idle", None, 1));
    let state = arena.anonymous().get("/status.json").await.expect_status(200);
    // With the bystander.
    assert_eq!((&state["connected_agents"], &state["queued_agents"]), (&3.into(), &1.into()));
    other.leave().await;
    eventually(async || arena.anonymous().get("/status.json").await["queued_agents"] == 0).await;
    let fault = one.ask(json!({ "type": "evalduel.queue.join", "mode": "casual" })).await;
    assert_eq!((&fault["type"], &fault["code"]), (&"evalduel.error".into(), &"invalid_message".into()));
}

#[apply(either)]
async fn an_agent_in_a_match_is_not_in_the_queue(#[case] backend: Backend) {
    let arena = Arena::start(backend).await;
    let ((_, mut one), (_, mut other)) = (arena.duelist("Scout").await, arena.duelist("Ranger").await);
    let _working = arena.work();
    one.join().await;
    other.join().await;
    one.request().await;
    assert_eq!(one.ask(json!({ "type": "evalduel.queue.status" })).await, status("in_match", None, 0));
}

#[apply(either)]
async fn agents_of_one_owner_are_not_paired(#[case] backend: Backend) {
    let arena = Arena::start(backend).await;
    let owner = arena.owner("Ada").await;
    let mut duelists = Vec::new();
    let mut ids = Vec::new();
    for name in ["Scout", "Sibling"] {
        let agent = owner.agent(name).await;
        arena.enrol(&agent, json!({ "leagues": ["trivia"] })).await;
        let mut duelist = Duelist::connect(&arena, &agent).await;
        duelist.join().await;
        duelists.push(duelist);
        ids.push(agent.id.clone());
        arena.advance(std::time::Duration::from_millis(1));
    }
    let _working = arena.work();
    let (ranger, mut other) = arena.duelist("Ranger").await;
    other.join().await;
    other.request().await;
    duelists[0].request().await;
    let pairs = matches(&arena).await;
    assert_eq!(pairs.len(), 1);
    assert!(pairs[0].contains(&ranger.id.into()) && pairs[0].contains(&ids[0].clone().into()), "{pairs:?}");
    assert_eq!(duelists[1].ask(json!({ "type": "evalduel.queue.status" })).await, status("queued", Some(1), 1));
}

#[apply(either)]
async fn a_pair_meets_as_often_as_the_limit_of_a_day(#[case] backend: Backend) {
    let arena = Arena::with(backend, |settings| settings.arena_limits = "pair_matches=1".parse().unwrap()).await;
    let ((scout, mut one), (ranger, mut other)) = (arena.duelist("Scout").await, arena.duelist("Ranger").await);
    let _working = arena.work();
    one.join().await;
    other.join().await;
    tokio::join!(one.play(true), other.play(false));
    one.join().await;
    other.join().await;
    let (third, mut newcomer) = arena.duelist("Third").await;
    newcomer.join().await;
    newcomer.request().await;
    let pairs = matches(&arena).await;
    assert_eq!(pairs.len(), 2, "{pairs:?}");
    assert!(pairs[0].contains(&third.id.into()));
    assert!(pairs[1].contains(&scout.id.into()) && pairs[1].contains(&ranger.id.into()));
}

#[apply(either)]
async fn an_agent_that_is_not_enrolled_plays_in_all_open_leagues(#[case] backend: Backend) {
    let arena = Arena::start(backend).await;
    let (scout, (_, mut other)) = (arena.agent("Scout").await, arena.duelist("Ranger").await);
    let mut one = Duelist::connect(&arena, &scout).await;
    let _working = arena.work();
    one.join().await;
    other.join().await;
    assert_eq!(one.request().await["league"], "trivia");
}
