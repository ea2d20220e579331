//! The sparring bot: from the queue, and as a challenge.

use std::time::Duration;

use buildtrack_tests::Backend;
use rstest_reuse::apply;
use serde_json::json;

use super::{
    Arena,
    endpoint::{Endpoint, wait_for_health},
};
use crate::{either, faults};

const BOT: &str = "ag_00000000000000000000000000";
const PATIENCE: Duration = Duration::from_secs(6);

#[apply(either)]
async fn an_agent_that_waits_alone_plays_the_bot_once_in_ten_minutes(#[case] backend: Backend) {
    let mut arena = Arena::start(backend).await;
    let (scout, mut one) = arena.duelist("Scout").await;
    let working = arena.work();
    let before = scout.get("/status.json").await;
    one.join().await;
    arena.pass(PATIENCE).await;
    let first = one.request().await;
    assert_eq!((&first["mode"], &first["turn_count"]), (&"sparring".into(), &10.into()));
    one.solve(&first, true).await;
    let result = one.play(true).await;
    assert_eq!((&result["winner_agent_id"], &result["reason"]), (&one.id.clone().into(), &"completed".into()));
    let results = arena.anonymous().get(&format!("/api/v1/agents/{}/arena/results", scout.id)).await;
    assert_eq!((results.each("mode"), results.each("outcome")), (vec!["sparring".into()], vec!["won".into()]));
    assert_eq!((results.each("oldRating"), results.each("opponentId")), (results.each("newRating"), vec![BOT.into()]));
    assert!(arena.anonymous().get("/leaderboard?league=trivia").await.each("rank").is_empty());
    // It kept its place in the queue.
    let queued = one.ask(json!({ "type": "evalduel.queue.status", "mode": "ranked" })).await;
    assert_eq!((&queued["status"], &queued["position"]), (&"queued".into(), &1.into()));
    // It uses the budget of the day, and not the agent's own.
    let after = scout.get("/status.json").await;
    let left = |reply: &buildtrack_tests::Reply, name: &str| reply[name].as_i64().unwrap();
    assert_eq!(left(&after, "match_budget_remaining"), left(&before, "match_budget_remaining") - 1);
    let own = "agent_match_budget_remaining";
    assert_eq!(left(&after, own), left(&before, own));
    // The next one follows ten minutes after the first began; another agent comes first.
    arena.pass(PATIENCE).await;
    one.expect_silence().await;
    // Its leases would end at each step of the clock.
    working.stop().await;
    arena.pass(Duration::from_mins(10)).await;
    let _working = arena.work();
    assert_eq!(one.request().await["mode"], "sparring");
}

#[apply(either)]
async fn an_endpoint_plays_the_bot_as_a_challenge(#[case] backend: Backend) {
    let arena = Arena::start(backend).await;
    let (scout, endpoint) = Endpoint::of(&arena, "Scout").await;
    let _working = arena.work();
    wait_for_health(&scout, "well").await;
    let body = json!({ "league": "trivia", "agentIds": [scout.id, "sparring"] });
    let started = scout.post("/api/v1/arena/matches", body).await.expect_status(201);
    assert_eq!(started["mode"], "sparring");
    assert_eq!((&started["agents"][1]["agentId"], &started["agents"][1]["channel"]), (&BOT.into(), &"system".into()));
    let ended = arena.ended(&started.text_at("/id")).await;
    assert_eq!((&ended["status"], &ended["winnerId"]), (&"finished".into(), &scout.id.clone().into()));
    assert_eq!(endpoint.rounds().len(), 10);
    // The bot has no account.
    arena.anonymous().get(&format!("/api/v1/agents/{BOT}")).await.expect_status(404);
    assert_eq!(super::events_of(&ended, "match.answer_revealed").len(), 20);
}

#[apply(either)]
async fn the_bot_plays_one_agent(#[case] backend: Backend) {
    let arena = Arena::start(backend).await;
    let ((scout, _one), (ranger, _other)) = (arena.duelist("Scout").await, arena.duelist("Ranger").await);
    let invalid = async |ids: &[&str]| {
        let body = json!({ "league": "trivia", "agentIds": ids });
        scout.post("/api/v1/arena/matches", body).await.expect_status(422).faults()
    };
    let crowd = [&*scout.id, &*ranger.id, "sparring"];
    assert_eq!(invalid(&crowd).await, faults(&[("/agentIds", "sparring_alone")]));
    assert_eq!(invalid(&["sparring", BOT]).await, faults(&[("/agentIds", "duplicate")]));
    assert_eq!(invalid(&[&scout.id, "bot"]).await, faults(&[("/agentIds/1", "wrong_form")]));
}

#[apply(either)]
async fn an_operator_turns_the_bot_off(#[case] backend: Backend) {
    let mut arena = Arena::with(backend, |settings| settings.arena_limits = "sparring=0".parse().unwrap()).await;
    let (scout, mut one) = arena.duelist("Scout").await;
    let _working = arena.work();
    let body = json!({ "league": "trivia", "agentIds": [scout.id, "sparring"] });
    scout.post("/api/v1/arena/matches", body).await.expect_problem(409, "sparring_off");
    one.join().await;
    arena.pass(PATIENCE).await;
    let (ranger, mut other) = arena.duelist("Ranger").await;
    other.join().await;
    // The matchmaker has seen the queue, and made a match of these two.
    assert_eq!((&one.request().await["mode"], &other.request().await["mode"]), (&"ranked".into(), &"ranked".into()));
    drop(ranger);
}
