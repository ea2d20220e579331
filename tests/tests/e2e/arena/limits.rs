//! The budgets of a day: the cost guard, and the quota of an agent.

use buildtrack_settings::CostGuardMode;
use buildtrack_tests::Backend;
use rstest_reuse::apply;
use serde_json::{Value, json};

use super::{Arena, connections::rotate};
use crate::either;

/// The tests begin at noon (UTC): the budget is renewed in twelve hours.
const HALF_A_DAY: u64 = 12 * 3600;

#[apply(either)]
async fn the_cost_guard_ends_the_matches_of_a_day(#[case] backend: Backend) {
    let arena = Arena::with(backend, |settings| settings.arena_limits = "matches=1".parse().unwrap()).await;
    let ((scout, mut one), (ranger, mut other)) = (arena.duelist("Scout").await, arena.duelist("Ranger").await);
    let before = arena.anonymous().get("/status.json").await.expect_status(200);
    assert_eq!((&before["status"], &before["match_budget_remaining"]), (&"ok".into(), &1.into()));
    arena.challenge(&[&scout, &ranger]).await;
    let requests = [one.request().await, other.request().await];
    let refused = one.join().await;
    assert_eq!((&refused["type"], &refused["code"]), (&"evalduel.error".into(), &"cost_guard_active".into()));
    let wait = refused["retry_after_seconds"].as_u64().unwrap();
    assert!((HALF_A_DAY - 60..=HALF_A_DAY).contains(&wait), "{refused}");
    let body = json!({ "league": "trivia", "agentIds": [scout.id, ranger.id] });
    let refused = scout.post("/api/v1/arena/matches", body).await.expect_problem(429, "cost_guard_active");
    assert!(refused.header("retry-after").parse::<u64>().unwrap() > HALF_A_DAY - 60);
    let state = arena.anonymous().get("/status.json").await.expect_status(200);
    assert_eq!((&state["status"], &state["match_budget_remaining"]), (&"paused".into(), &0.into()));
    let guard = &state["cost_guard"];
    assert_eq!(
        (&guard["mode"], &guard["active"], &guard["match_budget"]),
        (&"enforce".into(), &true.into(), &1.into())
    );
    // The match under way is played on.
    one.solve(&requests[0], true).await;
    other.solve(&requests[1], true).await;
    let _working = arena.work();
    assert_eq!(one.request().await["turn_number"], 2);
}

#[apply(either)]
async fn a_cost_guard_that_observes_lets_matches_begin(#[case] backend: Backend) {
    let arena = Arena::with(backend, |settings| {
        settings.arena_limits = "matches=1".parse().unwrap();
        settings.cost_guard_mode = CostGuardMode::Observe;
    })
    .await;
    let ((_, mut one), (_, mut other)) = (arena.duelist("Scout").await, arena.duelist("Ranger").await);
    let _working = arena.work();
    for _ in 0..2 {
        assert_eq!(one.join().await["status"], "queued");
        assert_eq!(other.join().await["status"], "queued");
        tokio::join!(one.play(true), other.play(false));
    }
    let state = arena.anonymous().get("/status.json").await.expect_status(200);
    assert_eq!((&state["status"], &state["match_budget_remaining"]), (&"ok".into(), &0.into()));
    assert_eq!(state["cost_guard"]["mode"], "observe");
}

#[apply(either)]
async fn an_agent_plays_as_many_matches_as_its_quota(#[case] backend: Backend) {
    let arena = Arena::with(backend, |settings| settings.arena_limits = "agent_matches=1".parse().unwrap()).await;
    let ((scout, mut one), (_, mut other)) = (arena.duelist("Scout").await, arena.duelist("Ranger").await);
    let _working = arena.work();
    let remaining = async |caller: &buildtrack_tests::Caller| -> Value {
        caller.get("/status.json").await.expect_status(200)["agent_match_budget_remaining"].clone()
    };
    assert_eq!(remaining(&scout).await, 1);
    one.join().await;
    other.join().await;
    tokio::join!(one.play(true), other.play(false));
    let refused = one.join().await;
    assert_eq!((&refused["code"], &refused["type"]), (&"quota_exceeded".into(), &"evalduel.error".into()));
    assert!(refused["retry_after_seconds"].as_u64().is_some_and(|wait| wait > 0), "{refused}");
    assert_eq!((remaining(&scout).await, remaining(&arena.anonymous()).await), (0.into(), 1.into()));
    // An agent that plays with an arena token alone asks with it.
    let token = rotate(&scout).await.text_at("/token");
    assert_eq!(remaining(&arena.anonymous().with_token(&token)).await, 0);
}

#[apply(either)]
async fn challenges_count_against_the_quota_of_their_owner(#[case] backend: Backend) {
    let arena = Arena::with(backend, |settings| settings.arena_limits = "owner_matches=2".parse().unwrap()).await;
    let ((scout, _one), (ranger, _other)) = (arena.duelist("Scout").await, arena.duelist("Ranger").await);
    arena.challenge(&[&scout, &ranger]).await;
    let body = json!({ "league": "trivia", "agentIds": [scout.id, ranger.id] });
    // Otherwise one owner could use up the budget of all.
    scout.post("/api/v1/arena/matches", body).await.expect_problem(429, "quota_exceeded");
}
