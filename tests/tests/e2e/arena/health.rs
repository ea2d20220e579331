//! Health checks of agents' endpoints.

use std::time::Duration;

use buildtrack_store::{ArenaChange, PauseReason};
use buildtrack_tests::{Backend, eventually};
use rstest_reuse::apply;
use serde_json::{Value, json};

use super::{
    Arena,
    endpoint::{Endpoint, mark_well, wait_for_health},
    enrolment_of,
    reports::try_reporting,
    rounds::verified,
};
use crate::either;

const INTERVAL: Duration = Duration::from_secs(30);

#[apply(either)]
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
        endpoint.respond_with([503, 200, 500, 200][misses - 1], ["", r#"{"status":"down"}"#, "", "ok"][misses - 1]);
        arena.pass(INTERVAL).await;
        eventually(async || scout.get(&enrolment_of(&scout)).await["endpoint"]["misses"] == misses).await;
        let health = scout.get(&enrolment_of(&scout)).await["endpoint"].clone();
        assert_eq!(health["status"], status, "{health}");
        assert!(health["reason"].as_str().is_some_and(|reason| !reason.is_empty()), "{health}");
    }
    endpoint.respond_with(200, r#"{"status":"ok"}"#);
    arena.pass(INTERVAL).await;
    let well = wait_for_health(&scout, "well").await;
    assert_eq!((&well["misses"], &well["reason"]), (&0.into(), &Value::Null));
    // No rating changed.
    assert!(arena.anonymous().get("/leaderboard").await.each("rank").is_empty());
}

#[apply(either)]
async fn an_endpoint_that_was_never_well_gets_no_match(#[case] backend: Backend) {
    let mut arena = Arena::start(backend).await;
    let ((sick, bad), (well, good)) = (Endpoint::of(&arena, "Sick").await, Endpoint::of(&arena, "Well").await);
    bad.respond_with(500, "");
    let _working = arena.work();
    wait_for_health(&well, "well").await;
    eventually(async || bad.checks() > 0).await;
    let (ranger, mut duelist) = arena.duelist("Ranger").await;
    let body = json!({ "league": "trivia", "agentIds": [ranger.id, sick.id] });
    ranger.post("/api/v1/arena/matches", body).await.expect_problem(409, "agent_unreachable");
    duelist.join().await;
    arena.pass(Duration::from_secs(3)).await;
    duelist.play(true).await;
    assert_eq!((good.rounds().len(), bad.rounds().len()), (10, 0));
    assert!(arena.anonymous().get(&format!("/api/v1/arena/matches?agent={}", sick.id)).await.each("id").is_empty());
}

#[apply(either)]
async fn an_endpoint_that_is_unavailable_when_a_match_is_made_gets_none(#[case] backend: Backend) {
    let mut arena = Arena::start(backend).await;
    let (scout, endpoint) = Endpoint::of(&arena, "Scout").await;
    let (_ranger, mut duelist) = arena.duelist("Ranger").await;
    let working = arena.work();
    wait_for_health(&scout, "well").await;
    endpoint.respond_with(503, "");
    duelist.join().await;
    arena.pass(Duration::from_secs(3)).await;
    // The check before the match fails.
    eventually(async || scout.get(&enrolment_of(&scout)).await["endpoint"]["status"] == "paused").await;
    working.stop().await;
    assert!(arena.anonymous().get("/api/v1/arena/matches").await.each("id").is_empty());
    assert!(endpoint.rounds().is_empty());
    duelist.expect_silence().await;
}

#[apply(either)]
async fn a_new_address_ends_a_pause_and_the_same_one_does_not(#[case] backend: Backend) {
    let arena = Arena::start(backend).await;
    let ((scout, endpoint), next) = (Endpoint::of(&arena, "Scout").await, Endpoint::start());
    let path = enrolment_of(&scout);
    let pause = async || {
        let (agent_id, until) = (scout.id.parse().unwrap(), arena.store().log().clock().after(Duration::from_mins(5)));
        let endpoint_url = arena.store().arena().enrolment(agent_id).await.unwrap().unwrap().endpoint_url.unwrap();
        let change = ArenaChange::EndpointPaused { agent_id, endpoint_url, until, reason: PauseReason::RateLimited };
        arena.store().log().write_side([change]).await.unwrap();
    };
    mark_well(&arena, &scout).await;
    pause().await;
    let enrol = async |url: Option<&str>| {
        let changed = arena.enrol(&scout, json!({ "leagues": ["trivia"], "endpointUrl": url })).await;
        (changed["endpoint"]["status"].clone(), changed["endpoint"]["pausedUntil"].is_null())
    };
    assert_eq!(enrol(Some(&endpoint.url)).await, ("paused".into(), false));
    assert_eq!(enrol(Some(&next.url)).await, ("new".into(), true));
    let new = scout.get(&path).await.expect_status(200)["endpoint"].clone();
    assert_eq!((&new["reason"], &new["latencyMs"], &new["checkedAt"]), (&Value::Null, &Value::Null, &Value::Null));
    mark_well(&arena, &scout).await;
    pause().await;
    assert_eq!(enrol(None).await, (Value::Null, true));
    assert_eq!(enrol(Some(&next.url)).await, ("new".into(), true));
}

#[apply(either)]
async fn an_answer_of_the_old_address_says_nothing_of_the_new_one(#[case] backend: Backend) {
    let arena = Arena::start(backend).await;
    let ((scout, old), new) = (Endpoint::of(&arena, "Scout").await, Endpoint::start());
    old.hold_checks();
    new.respond_with(500, "");
    let _working = arena.work();
    eventually(async || old.checks() > 0).await;
    arena.enrol(&scout, json!({ "leagues": ["trivia"], "endpointUrl": new.url })).await;
    old.release();
    eventually(async || new.checks() > 0).await;
    let failing = wait_for_health(&scout, "failing").await;
    assert_eq!((&failing["misses"], &failing["reason"]), (&1.into(), &"status 500".into()));
}

#[apply(either)]
async fn a_check_carries_a_token_that_names_no_match_and_opens_no_stream(#[case] backend: Backend) {
    let arena = Arena::start(backend).await;
    let (scout, endpoint) = Endpoint::of(&arena, "Scout").await;
    let _working = arena.work();
    wait_for_health(&scout, "well").await;
    let token = endpoint.check_tokens().remove(0);
    let mut claims = verified(&arena, &token).await;
    assert!(claims.as_object_mut().unwrap().remove("jti").is_some_and(|id| id.is_string()));
    let expires_at = "2026-03-01T12:01:00Z".parse::<chrono::DateTime<chrono::Utc>>().unwrap().timestamp();
    let expected = json!({
        "agent_id": scout.id, "match_id": null, "expires_at": expires_at, "exp": expires_at,
        "iss": "https://build.example", "aud": endpoint.url, "sub": scout.id
    });
    assert_eq!(claims, expected);
    // An endpoint that learns it cannot report for the agent.
    assert_eq!(try_reporting(&arena, &token).await.err(), Some(401));
}

#[apply(either)]
async fn checks_beyond_the_limits_of_a_target_are_postponed(#[case] backend: Backend) {
    let one_at_once = |settings: &mut buildtrack_settings::Settings| {
        settings.target_rate = "unverified_concurrency=1".parse().unwrap();
    };
    let mut arena = Arena::with(backend, one_at_once).await;
    let (endpoint, mut agents) = (Endpoint::start(), Vec::new());
    endpoint.hold_checks();
    for name in ["Scout", "Ranger", "Third"] {
        let agent = arena.agent(name).await;
        arena.enrol(&agent, json!({ "leagues": ["trivia"], "endpointUrl": endpoint.url })).await;
        agents.push(agent);
    }
    let _working = arena.work();
    // The limits of the target postpone two of them, by less than the interval of checks.
    let soon = arena.store().log().clock().after(Duration::from_secs(20));
    eventually(async || {
        let mut postponed = 0;
        for agent in &agents {
            let state = arena.store().arena().endpoint(agent.id.parse().unwrap()).await.unwrap().unwrap();
            postponed += u32::from(state.check_at <= soon && state.check_at > arena.store().log().clock().now());
        }
        postponed == 2 && endpoint.checks() == 1
    })
    .await;
    // They come when the target allows it.
    arena.pass(Duration::from_secs(20)).await;
    for agent in &agents {
        eventually(async || {
            endpoint.release();
            agent.get(&enrolment_of(agent)).await["endpoint"]["status"] == "well"
        })
        .await;
    }
}
