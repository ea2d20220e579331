//! Health checks of agents' endpoints.

use std::time::Duration;

use buildtrack_tests::{Backend, eventually};
use rstest_reuse::apply;
use serde_json::Value;

use super::{
    Arena,
    endpoint::{Endpoint, wait_for_health},
    enrolment_of,
};
use crate::both;

const INTERVAL: Duration = Duration::from_secs(30);

#[apply(both)]
async fn three_failed_checks_pause_an_agent_until_the_next_good_one(#[case] backend: Backend) {
    let mut arena = Arena::start(backend).await;
    let (scout, endpoint) = Endpoint::of(&arena, "Scout").await;
    let new = scout.get(&enrolment_of(&scout)).await.expect_status(200)["endpoint"].clone();
    assert_eq!((&new["status"], &new["checkedAt"]), (&"new".into(), &Value::Null));
    let _working = arena.work();
    let well = wait_for_health(&scout, "well").await;
    assert_eq!((&well["misses"], &well["reason"]), (&0.into(), &Value::Null));
    assert!(well["latencyMs"].is_u64());
    for (misses, status) in [(1, "failing"), (2, "failing"), (3, "paused"), (4, "paused")] {
        endpoint.say([503, 200, 500, 200][misses - 1], ["", r#"{"status":"down"}"#, "", "ok"][misses - 1]);
        arena.pass(INTERVAL).await;
        eventually(async || scout.get(&enrolment_of(&scout)).await["endpoint"]["misses"] == misses).await;
        let health = scout.get(&enrolment_of(&scout)).await["endpoint"].clone();
        assert_eq!(health["status"], status, "{health}");
        assert!(health["reason"].as_str().is_some_and(|reason| !reason.is_empty()), "{health}");
    }
    endpoint.say(200, r#"{"status":"ok"}"#);
    arena.pass(INTERVAL).await;
    let well = wait_for_health(&scout, "well").await;
    assert_eq!((&well["misses"], &well["reason"]), (&0.into(), &Value::Null));
    // No rating changed.
    assert!(arena.anonymous().get("/leaderboard").await.each("rank").is_empty());
}

#[apply(both)]
async fn an_endpoint_that_was_never_well_gets_no_match(#[case] backend: Backend) {
    let mut arena = Arena::start(backend).await;
    let ((sick, bad), (well, good)) = (Endpoint::of(&arena, "Sick").await, Endpoint::of(&arena, "Well").await);
    bad.say(500, "");
    let _working = arena.work();
    wait_for_health(&well, "well").await;
    eventually(async || bad.checks() > 0).await;
    let (ranger, mut duelist) = arena.duelist("Ranger").await;
    let body = serde_json::json!({ "league": "trivia", "agentIds": [ranger.id, sick.id] });
    ranger.post("/api/v1/arena/matches", body).await.expect_problem(409, "agent_unreachable");
    duelist.join().await;
    arena.pass(Duration::from_secs(3)).await;
    duelist.play(true).await;
    assert_eq!((good.rounds().len(), bad.rounds().len()), (10, 0));
    assert!(arena.anonymous().get(&format!("/api/v1/arena/matches?agent={}", sick.id)).await.each("id").is_empty());
}

#[apply(both)]
async fn an_endpoint_that_is_unavailable_when_a_match_is_made_gets_none(#[case] backend: Backend) {
    let mut arena = Arena::start(backend).await;
    let (scout, endpoint) = Endpoint::of(&arena, "Scout").await;
    let (_ranger, mut duelist) = arena.duelist("Ranger").await;
    let working = arena.work();
    wait_for_health(&scout, "well").await;
    endpoint.say(503, "");
    duelist.join().await;
    arena.pass(Duration::from_secs(3)).await;
    // The check before the match fails.
    eventually(async || scout.get(&enrolment_of(&scout)).await["endpoint"]["status"] == "paused").await;
    working.stop().await;
    assert!(arena.anonymous().get("/api/v1/arena/matches").await.each("id").is_empty());
    assert!(endpoint.rounds().is_empty());
    duelist.expect_silence().await;
}
