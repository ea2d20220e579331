//! `POST /api/v1/arena/matches`: unrated matches.

use buildtrack_tests::Backend;
use futures_util::future::join_all;
use rstest_reuse::apply;
use serde_json::{Value, json};

use super::{Arena, socket::Duelist};
use crate::{both, either, faults};

fn challenge(league: &str, ids: &[&String]) -> Value {
    json!({ "league": league, "agentIds": ids })
}

#[apply(either)]
async fn agents_of_one_owner_play_an_unrated_match(#[case] backend: Backend) {
    let arena = Arena::start(backend).await;
    let ada = arena.owner("Ada").await;
    let mut duelists = Vec::new();
    let mut ids = Vec::new();
    for name in ["Scout", "Ranger"] {
        let agent = ada.agent(name).await;
        arena.enrol(&agent, json!({ "leagues": ["trivia"] })).await;
        duelists.push(Duelist::connect(&arena, &agent).await);
        ids.push(agent.id.clone());
    }
    let started = ada.post("/api/v1/arena/matches", challenge("trivia", &[&ids[0], &ids[1]])).await.expect_status(201);
    assert_eq!(
        (&started["status"], &started["mode"], &started["turn"]),
        (&"playing".into(), &"challenge".into(), &1.into())
    );
    assert_eq!(started.header("location"), format!("/api/v1/arena/matches/{}", started.text_at("/id")));
    let _working = arena.work();
    let [one, other] = &mut duelists[..] else { unreachable!() };
    let (result, _) = tokio::join!(one.play(true), other.play(false));
    assert_eq!(result["winner_agent_id"], one.id);
    let results = arena.anonymous().get(&format!("/api/v1/agents/{}/arena/results", ids[0])).await;
    assert_eq!((results.each("mode"), results.each("outcome")), (vec!["challenge".into()], vec!["won".into()]));
    assert_eq!(results.each("oldRating"), results.each("newRating"));
    assert!(arena.anonymous().get("/leaderboard?league=trivia").await.each("rank").is_empty());
}

#[apply(either)]
async fn challenges_that_cannot_be_played_are_refused(#[case] backend: Backend) {
    let arena = Arena::start(backend).await;
    let (scout, _one) = arena.duelist("Scout").await;
    let path = "/api/v1/arena/matches";
    let ranger = arena.agent("Ranger").await;
    let of_both = challenge("trivia", &[&scout.id, &ranger.id]);
    scout.post(path, of_both.clone()).await.expect_problem(409, "not_in_league");
    arena.enrol(&ranger, json!({ "leagues": ["reasoning"], "acceptsChallenges": true })).await;
    scout.post(path, of_both.clone()).await.expect_problem(409, "not_in_league");
    arena.enrol(&ranger, json!({ "leagues": ["trivia"] })).await;
    scout.post(path, of_both.clone()).await.expect_problem(409, "challenge_declined");
    arena.enrol(&ranger, json!({ "leagues": ["trivia"], "acceptsChallenges": true })).await;
    scout.post(path, of_both.clone()).await.expect_problem(409, "agent_unreachable");
    scout.post(path, challenge("python", &[&scout.id, &ranger.id])).await.expect_problem(409, "league_closed");
    let _other = Duelist::connect(&arena, &ranger).await;
    let invalid = async |body: Value| scout.post(path, body).await.expect_status(422).faults();
    assert_eq!(invalid(challenge("trivia", &[&scout.id])).await, faults(&[("/agentIds", "too_few")]));
    assert_eq!(invalid(challenge("trivia", &[&scout.id, &scout.id])).await, faults(&[("/agentIds", "duplicate")]));
    let unknown = "ag_01h2e8kqvbfwea724h75qc655w".to_owned();
    assert_eq!(invalid(challenge("trivia", &[&scout.id, &unknown])).await, faults(&[("/agentIds/1", "not_found")]));
    assert_eq!(invalid(challenge("chess", &[&scout.id, &ranger.id])).await, faults(&[("/league", "wrong_form")]));
    scout.post(path, of_both.clone()).key("k").await.expect_status(201);
    let again = scout.post(path, of_both).key("k").await.expect_status(201);
    assert_eq!(again.header("idempotency-replayed"), "true");
    assert_eq!(arena.anonymous().get(path).await.each("id").len(), 1);
}

#[apply(either)]
async fn challenges_do_not_flood_an_agent_of_another_owner(#[case] backend: Backend) {
    let arena = Arena::start(backend).await;
    let ((scout, _one), (ranger, mut other)) = (arena.duelist("Scout").await, arena.duelist("Ranger").await);
    let body = challenge("trivia", &[&scout.id, &ranger.id]);
    // One owner must not be able to flood another's socket with matches until it is closed.
    let mut started = 0;
    for _ in 0..60 {
        started += usize::from(scout.post("/api/v1/arena/matches", body.clone()).await.status == 201);
    }
    for _ in 0..started {
        other.request().await;
    }
    other.expect_silence().await;
    assert!(started <= 10, "{started} matches at once");
}

#[apply(either)]
async fn an_agent_whose_challenger_stays_silent_keeps_its_position_in_the_queue(#[case] backend: Backend) {
    let mut arena = Arena::with(backend, |settings| settings.arena_limits = "sparring=0".parse().unwrap()).await;
    let ((scout, _silent), (ranger, mut waiting)) = (arena.duelist("Scout").await, arena.duelist("Ranger").await);
    waiting.join().await;
    let working = arena.work();
    let match_id = arena.challenge(&[&scout, &ranger]).await;
    let request = waiting.request().await;
    waiting.solve(&request, true).await;
    working.stop().await;
    arena.pass_turn().await;
    let working = arena.work();
    let ended = arena.ended(&match_id).await;
    assert_eq!((&ended["mode"], &ended["winnerId"]), (&"challenge".into(), &ranger.id.clone().into()));
    working.stop().await;
    assert_eq!(waiting.expect("evalduel.match.result").await["winner_agent_id"], waiting.id);
    let asked = json!({ "type": "evalduel.queue.status", "mode": "ranked" });
    let queued = waiting.ask(asked).await;
    assert_eq!((&queued["status"], &queued["position"]), (&"queued".into(), &1.into()));
    // No other owner challenges it again while it waits; its own may.
    let body = challenge("trivia", &[&scout.id, &ranger.id]);
    scout.post("/api/v1/arena/matches", body.clone()).await.expect_problem(409, "agent_busy");
    waiting.ask(json!({ "type": "evalduel.queue.leave", "mode": "ranked" })).await;
    scout.post("/api/v1/arena/matches", body).await.expect_status(201);
}

#[apply(both)]
async fn challenges_that_begin_at_once_keep_the_budget_of_their_owner(#[case] backend: Backend) {
    let arena = Arena::with(backend, |settings| settings.arena_limits = "owner_matches=5".parse().unwrap()).await;
    let ada = arena.owner("Ada").await;
    let mut duelists = Vec::new();
    let mut ids = Vec::new();
    for name in ["Scout", "Ranger"] {
        let agent = ada.agent(name).await;
        arena.enrol(&agent, json!({ "leagues": ["trivia"] })).await;
        duelists.push(Duelist::connect(&arena, &agent).await);
        ids.push(agent.id.clone());
    }
    let body = challenge("trivia", &[&ids[0], &ids[1]]);
    let asked = (0..12).map(|_| ada.post("/api/v1/arena/matches", body.clone()));
    let mut statuses: Vec<_> = join_all(asked.map(|asked| async { asked.await.status })).await;
    statuses.retain(|status| *status == 201);
    assert_eq!(statuses.len(), 2, "each has two seats");
}
