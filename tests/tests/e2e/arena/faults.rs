//! What endpoints may answer beside an answer: the table of AAP's codes, and worse.

use std::time::Duration;

use buildtrack_tests::{Agent, Backend, eventually};
use rstest_reuse::apply;
use serde_json::{Value, json};

use super::{
    Arena,
    endpoint::{Endpoint, Reaction, mark_well, wait_for_health},
    enrolment_of, events_of,
};
use crate::either;

/// Turn, reason and status of every missed turn.
async fn missed(arena: &Arena, match_id: &str) -> Vec<(i64, String, Value)> {
    let missed = events_of(&arena.shown(match_id).await, "match.missed");
    let row = |event: Value| {
        (event["turn"].as_i64().unwrap(), event["reason"].as_str().unwrap().to_owned(), event["status"].clone())
    };
    missed.into_iter().map(row).collect()
}

fn row(turn: i64, reason: &str, status: impl Into<Value>) -> (i64, String, Value) {
    (turn, reason.to_owned(), status.into())
}

#[apply(either)]
async fn each_status_has_the_outcome_of_the_table(#[case] backend: Backend) {
    let arena = Arena::start(backend).await;
    let (scout, endpoint) = Endpoint::of(&arena, "Scout").await;
    let trap = Endpoint::start();
    let (ranger, mut duelist) = arena.duelist("Ranger").await;
    let _working = arena.work();
    wait_for_health(&scout, "well").await;
    endpoint.react([
        Reaction::Status(408),
        Reaction::Body("<html>It works!</html>".to_owned()),
        Reaction::Redirect(format!("{}/agora", trap.url)),
        Reaction::Endless,
        // The server tries again once.
        Reaction::Status(500),
        Reaction::Right,
        Reaction::Status(500),
        Reaction::Status(500),
        Reaction::Body(r#"{"answer":null}"#.to_owned()),
        Reaction::Status(404),
        Reaction::Body(json!({ "answer": "x".repeat(70_000) }).to_string()),
        Reaction::Status(204),
    ]);
    let match_id = arena.challenge(&[&ranger, &scout]).await;
    let result = duelist.play(false).await;
    let expected = [
        row(1, "timeout", 408),
        row(2, "invalid_answer", 200),
        row(3, "invalid_answer", 302),
        row(4, "invalid_answer", 200),
        row(6, "server_error", 500),
        row(7, "invalid_answer", 200),
        row(8, "invalid_answer", 404),
        row(9, "invalid_answer", 200),
        row(10, "invalid_answer", 204),
    ];
    assert_eq!(missed(&arena, &match_id).await, expected);
    assert_eq!(result["scores"][scout.id.replace("ag_", "agt_")], 0.1);
    assert_eq!((endpoint.rounds().len(), trap.rounds().len(), trap.strays().len()), (12, 0, 0));
    // Both tries of a round are the same.
    let rounds = endpoint.rounds();
    assert_eq!(rounds[4].body, rounds[5].body);
}

#[apply(either)]
async fn an_endpoint_that_answers_429_is_paused_for_five_minutes(#[case] backend: Backend) {
    let mut arena = Arena::start(backend).await;
    let (scout, endpoint) = Endpoint::of(&arena, "Scout").await;
    let (ranger, mut duelist) = arena.duelist("Ranger").await;
    let _working = arena.work();
    wait_for_health(&scout, "well").await;
    endpoint.react([Reaction::Status(429)]);
    let match_id = arena.challenge(&[&ranger, &scout]).await;
    duelist.play(true).await;
    let missed = missed(&arena, &match_id).await;
    assert_eq!(missed[0], row(1, "rate_limited", 429));
    assert!(missed[1..].iter().all(|(_, reason, status)| reason == "rate_limited" && status.is_null()), "{missed:?}");
    assert_eq!((missed.len(), endpoint.rounds().len()), (10, 1));
    let shown = scout.get(&enrolment_of(&scout)).await.expect_status(200);
    let health = &shown["endpoint"];
    assert_eq!((&health["status"], &health["reason"]), (&"paused".into(), &"rate_limited".into()));
    assert_eq!(health["pausedUntil"], "2026-03-01T12:05:00.000001Z");
    let body = json!({ "league": "trivia", "agentIds": [ranger.id, scout.id] });
    ranger.post("/api/v1/arena/matches", body).await.expect_problem(409, "agent_unreachable");
    // A good check does not end this pause.
    let checks = endpoint.checks();
    arena.pass(Duration::from_secs(31)).await;
    eventually(async || endpoint.checks() > checks).await;
    assert_eq!(scout.get(&enrolment_of(&scout)).await["endpoint"]["status"], "paused");
    arena.pass(Duration::from_secs(5 * 60 - 31)).await;
    wait_for_health(&scout, "well").await;
}

#[apply(either)]
async fn an_endpoint_that_goes_away_loses_the_remaining_rounds(#[case] backend: Backend) {
    let arena = Arena::start(backend).await;
    let (scout, endpoint) = Endpoint::of(&arena, "Scout").await;
    let (ranger, mut duelist) = arena.duelist("Ranger").await;
    let _working = arena.work();
    wait_for_health(&scout, "well").await;
    let match_id = arena.challenge(&[&ranger, &scout]).await;
    let request = duelist.request().await;
    endpoint.wait_for_rounds(1).await;
    eventually(async || !events_of(&arena.shown(&match_id).await, "match.answered").is_empty()).await;
    endpoint.stop().await;
    duelist.solve(&request, true).await;
    duelist.play(true).await;
    let missed = missed(&arena, &match_id).await;
    assert_eq!(missed.len(), 9);
    assert!(missed.iter().all(|(_, reason, status)| reason == "unreachable" && status.is_null()), "{missed:?}");
}

#[apply(either)]
async fn an_answer_after_the_deadline_does_not_count(#[case] backend: Backend) {
    let mut arena = Arena::start(backend).await;
    let (scout, endpoint) = Endpoint::of(&arena, "Scout").await;
    let (ranger, mut duelist) = arena.duelist("Ranger").await;
    let _working = arena.work();
    wait_for_health(&scout, "well").await;
    endpoint.react([Reaction::Hang, Reaction::Right]);
    let match_id = arena.challenge(&[&ranger, &scout]).await;
    let request = duelist.request().await;
    duelist.solve(&request, true).await;
    endpoint.wait_for_rounds(1).await;
    eventually(async || !events_of(&arena.shown(&match_id).await, "match.answered").is_empty()).await;
    arena.pass_turn().await;
    endpoint.wait_for_rounds(2).await;
    endpoint.release();
    let result = duelist.play(false).await;
    let shown = arena.shown(&match_id).await;
    let first = &events_of(&shown, "match.turn_judged")[0]["results"][1];
    assert_eq!((&first["score"], &first["reason"]), (&0.into(), &"timeout".into()));
    assert_eq!(result["scores"][scout.id.replace("ag_", "agt_")], 0.9);
    assert_eq!(endpoint.rounds().len(), 10);
}

#[apply(either)]
async fn an_agent_that_is_withdrawn_loses_the_remaining_rounds(#[case] backend: Backend) {
    let arena = Arena::start(backend).await;
    let (scout, endpoint) = Endpoint::of(&arena, "Scout").await;
    let (ranger, mut duelist) = arena.duelist("Ranger").await;
    let _working = arena.work();
    wait_for_health(&scout, "well").await;
    let match_id = arena.challenge(&[&ranger, &scout]).await;
    let request = duelist.request().await;
    eventually(async || !events_of(&arena.shown(&match_id).await, "match.answered").is_empty()).await;
    scout.delete(&enrolment_of(&scout)).await.expect_status(204);
    duelist.solve(&request, false).await;
    let result = duelist.play(false).await;
    assert_eq!(result["reason"], "completed");
    let missed = missed(&arena, &match_id).await;
    assert!(missed.len() == 9 && missed.iter().all(|(_, reason, _)| reason == "withdrawn"), "{missed:?}");
    assert_eq!(endpoint.rounds().len(), 1);
}

#[apply(either)]
async fn an_endpoint_that_answers_503_in_mid_match_is_unavailable_for_the_rounds_that_follow(#[case] backend: Backend) {
    let arena = Arena::start(backend).await;
    let (scout, endpoint) = Endpoint::of(&arena, "Scout").await;
    let (ranger, mut duelist) = arena.duelist("Ranger").await;
    let _working = arena.work();
    wait_for_health(&scout, "well").await;
    endpoint.react([Reaction::Right, Reaction::Status(503)]);
    let match_id = arena.challenge(&[&ranger, &scout]).await;
    duelist.play(true).await;
    let missed = missed(&arena, &match_id).await;
    assert_eq!(missed[0], row(2, "unavailable", 503));
    assert!(missed[1..].iter().all(|(_, reason, status)| reason == "unavailable" && status.is_null()), "{missed:?}");
    assert_eq!((missed.len(), endpoint.rounds().len()), (9, 2));
}

#[apply(either)]
async fn an_agent_skips_two_matches_a_day_without_penalty(#[case] backend: Backend) {
    let mut arena = Arena::start(backend).await;
    let (scout, endpoint) = Endpoint::of(&arena, "Scout").await;
    let (ranger, mut duelist) = arena.duelist("Ranger").await;
    for skips in [true, true, false] {
        // The worker's leases would end at a step of the clock.
        let working = arena.work();
        wait_for_health(&scout, "well").await;
        arena.open_leagues().await;
        endpoint.react([Reaction::Status(503)]);
        arena.challenge(&[&ranger, &scout]).await;
        if skips {
            duelist.request().await;
            assert_eq!(duelist.expect("evalduel.match.result").await["reason"], "void: unavailable");
        } else {
            assert_eq!(duelist.play(true).await["reason"], "completed");
        }
        working.stop().await;
        arena.pass(Duration::from_mins(5)).await;
    }
    let results = arena.anonymous().get(&format!("/api/v1/agents/{}/arena/results", scout.id)).await;
    assert_eq!(results.each("outcome"), ["lost"]);
}

#[apply(either)]
async fn a_match_of_three_goes_on_without_an_endpoint_that_answers_503_to_the_first_round(#[case] backend: Backend) {
    let arena = Arena::start(backend).await;
    let (scout, one) = Endpoint::of(&arena, "Scout").await;
    let (ranger, other) = Endpoint::of(&arena, "Ranger").await;
    let (third, leaving) = Endpoint::of(&arena, "Third").await;
    for agent in [&scout, &ranger, &third] {
        mark_well(&arena, agent).await;
    }
    leaving.react([Reaction::Status(503)]);
    let match_id = arena.challenge(&[&scout, &ranger, &third]).await;
    let _working = arena.work();
    let ended = arena.ended(&match_id).await;
    assert_eq!((&ended["status"], &ended["ending"]), (&"finished".into(), &"completed".into()));
    assert_eq!((one.rounds().len(), other.rounds().len(), leaving.rounds().len()), (10, 10, 1));
    assert_eq!(missed(&arena, &match_id).await, [row(1, "unavailable", 503)]);
    let placings = &events_of(&ended, "match.finished")[0]["placings"];
    assert_eq!((&placings[2]["place"], &placings[2]["excused"]), (&3.into(), &true.into()));
    // No result, and so no penalty; the others have one opponent.
    let results = async |agent: &Agent| {
        arena.anonymous().get(&format!("/api/v1/agents/{}/arena/results", agent.id)).await.each("opponents")
    };
    assert_eq!((results(&scout).await, results(&third).await), (vec![1.into()], vec![]));
}

#[apply(either)]
async fn an_endpoint_that_answers_503_to_the_first_round_is_not_penalised(#[case] backend: Backend) {
    let arena = Arena::start(backend).await;
    let (scout, endpoint) = Endpoint::of(&arena, "Scout").await;
    let (ranger, mut duelist) = arena.duelist("Ranger").await;
    let _working = arena.work();
    wait_for_health(&scout, "well").await;
    endpoint.react([Reaction::Status(503)]);
    let match_id = arena.challenge(&[&ranger, &scout]).await;
    duelist.request().await;
    // Seed: «503 | Unavailable | Skip match, no penalty».
    let result = duelist.expect("evalduel.match.result").await;
    assert_eq!((&result["winner_agent_id"], &result["reason"]), (&Value::Null, &"void: unavailable".into()));
    let shown = arena.shown(&match_id).await;
    assert_eq!((&shown["status"], &shown["ending"]), (&"void".into(), &"unavailable".into()));
    assert!(shown["evidence"].as_str().is_some_and(|evidence| evidence.contains(&scout.id)), "{}", shown.text);
}
