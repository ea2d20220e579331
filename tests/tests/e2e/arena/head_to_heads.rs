//! `/api/v1/arena/head-to-heads`: sequential tests between two agents of an owner.

use std::time::Duration;

use buildtrack_tests::{Agent, Backend, Caller, Owner, Reply, eventually};
use futures_util::future::join_all;
use rstest_reuse::apply;
use serde_json::{Value, json};

use super::{Arena, events_of, socket::Duelist};
use crate::{both, either, faults};

const PATH: &str = "/api/v1/arena/head-to-heads";

/// Two agents of an owner that play trivia.
async fn versions(arena: &Arena) -> (Owner, [Agent; 2]) {
    let ada = arena.owner("Ada").await;
    let agents = [ada.agent("Newer").await, ada.agent("Older").await];
    for agent in &agents {
        arena.enrol(agent, json!({ "leagues": ["trivia"] })).await;
    }
    (ada, agents)
}

fn body([first, second]: &[Agent; 2]) -> Value {
    json!({ "league": "trivia", "agentIds": [first.id, second.id], "elo1": 200, "alpha": 0.2, "beta": 0.2 })
}

/// Starts a test; returns its path.
async fn start(owner: &Owner, body: Value) -> String {
    owner.post(PATH, body).await.expect_status(201).header("location").to_owned()
}

/// Waits until a test has ended; returns it.
async fn ended(owner: &Caller, path: &str) -> Reply {
    eventually(async || owner.get(path).await["status"] == "ended").await;
    owner.get(path).await
}

#[apply(either)]
async fn a_test_plays_matches_until_it_knows(#[case] backend: Backend) {
    let arena = Arena::start(backend).await;
    let (ada, agents) = versions(&arena).await;
    let mut newer = Duelist::connect(&arena, &agents[0]).await;
    let mut older = Duelist::connect(&arena, &agents[1]).await;
    let started = ada.post(PATH, body(&agents)).await.expect_status(201);
    assert_eq!((&started["status"], &started["verdict"]), (&"running".into(), &Value::Null));
    assert_eq!((&started["llr"], &started["elo"], &started["upperBound"]), (&0.0.into(), &Value::Null, &1.386.into()));
    let path = started.header("location").to_owned();
    let _working = arena.work();
    // Four wins in a row say it.
    for _ in 0..4 {
        let (result, _) = tokio::join!(newer.play(true), older.play(false));
        assert_eq!(result["winner_agent_id"], newer.id);
    }
    let over = ended(&ada, &path).await;
    assert_eq!((&over["verdict"], &over["won"], &over["lost"]), (&"first_stronger".into(), &4.into(), &0.into()));
    assert!(over["llr"].as_f64() >= over["upperBound"].as_f64() && over["elo"].as_f64() > Some(0.0), "{}", over.text);
    newer.expect_silence().await;
    let matches = over["matches"].as_array().unwrap();
    assert!(matches.len() == 4 && matches.iter().all(|played| played["result"] == "won"), "{}", over.text);
    let mut first_seats = Vec::new();
    for played in matches {
        let shown = arena.shown(played["matchId"].as_str().unwrap()).await;
        assert_eq!(shown["mode"], "head_to_head");
        first_seats.push(shown["agents"][0]["agentId"].clone());
    }
    let (one, other) = (Value::from(agents[0].id.clone()), Value::from(agents[1].id.clone()));
    assert_eq!(first_seats, [other.clone(), one.clone(), other, one], "the seats alternate");
    assert!(events_of(&arena.shown(matches[0]["matchId"].as_str().unwrap()).await, "match.finished").len() == 1);
    // The matches are unrated, and the test is its owner's alone.
    assert!(arena.anonymous().get("/leaderboard?league=trivia").await.each("rank").is_empty());
    assert_eq!(ada.get(PATH).await.each("id"), vec![over["id"].clone()]);
    let grace = arena.owner("Grace").await;
    assert!(grace.get(PATH).await.each("id").is_empty());
    grace.get(&path).await.expect_problem(404, "not_found");
    grace.delete(&path).await.expect_problem(404, "not_found");
    ada.delete(&path).await.expect_problem(409, "head_to_head_over");
}

#[apply(either)]
async fn a_test_waits_for_its_agents_and_ends_after_a_day(#[case] backend: Backend) {
    let arena = Arena::start(backend).await;
    let (ada, agents) = versions(&arena).await;
    let _newer = Duelist::connect(&arena, &agents[0]).await;
    let path = start(&ada, body(&agents)).await;
    let shown = ada.get(&path).await;
    assert_eq!((&shown["status"], &shown["pausedBy"]), (&"paused".into(), &"agent_unreachable".into()));
    let mut older = Duelist::connect(&arena, &agents[1]).await;
    let shown = ada.get(&path).await;
    assert_eq!((&shown["status"], &shown["pausedBy"]), (&"running".into(), &Value::Null));
    let working = arena.work();
    older.request().await;
    let played = ada.get(&path).await;
    assert!(played["matchId"].is_string() && played["status"] == "running", "{}", played.text);
    working.stop().await;
    // No worker runs for a day.
    let other = start(&ada, body(&agents)).await;
    arena.app.advance(Duration::from_hours(24));
    let _working = arena.work();
    // Her session has ended.
    let credentials = json!({ "email": ada.email, "password": ada.password });
    let session = arena.anonymous().post("/api/v1/sessions", credentials).await.expect_status(201);
    let over = ended(&ada.with_token(&session.text_at("/token")), &other).await;
    assert_eq!((&over["verdict"], &over["pausedBy"]), (&"inconclusive".into(), &Value::Null));
}

#[apply(either)]
async fn a_cancelled_test_plays_no_further_match(#[case] backend: Backend) {
    let arena = Arena::start(backend).await;
    let (ada, agents) = versions(&arena).await;
    let mut newer = Duelist::connect(&arena, &agents[0]).await;
    let mut older = Duelist::connect(&arena, &agents[1]).await;
    let path = start(&ada, body(&agents)).await;
    let _working = arena.work();
    let requests = [newer.request().await, older.request().await];
    ada.delete(&path).await.expect_status(204);
    let over = ada.get(&path).await;
    assert_eq!((&over["verdict"], &over["matchId"]), (&"cancelled".into(), &Value::Null));
    newer.solve(&requests[0], true).await;
    older.solve(&requests[1], false).await;
    let (result, _) = tokio::join!(newer.play(true), older.play(false));
    assert_eq!(result["winner_agent_id"], newer.id);
    let over = ada.get(&path).await;
    assert_eq!((&over["won"], &over["matches"][0]["result"]), (&0.into(), &Value::Null));
    newer.expect_silence().await;
}

#[apply(either)]
async fn wrong_tests_are_refused_and_an_owner_runs_three(#[case] backend: Backend) {
    let arena = Arena::start(backend).await;
    let (ada, agents) = versions(&arena).await;
    let stranger = arena.contestant("Stranger").await;
    let with = |change: Value| {
        let mut body = body(&agents);
        body.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
        body
    };
    let invalid = async |change: Value| ada.post(PATH, with(change)).await.expect_status(422).faults();
    let (one, two) = (&agents[0].id, &agents[1].id);
    assert_eq!(invalid(json!({ "agentIds": [one] })).await, faults(&[("/agentIds", "too_few")]));
    assert_eq!(invalid(json!({ "agentIds": [one, one] })).await, faults(&[("/agentIds", "duplicate")]));
    assert_eq!(invalid(json!({ "agentIds": [one, stranger.id] })).await, faults(&[("/agentIds/1", "not_found")]));
    assert_eq!(invalid(json!({ "elo0": 200 })).await, faults(&[("", "hypotheses")]));
    for (field, value) in [("elo0", json!(-401)), ("alpha", json!(0.5)), ("beta", json!(0)), ("maxMatches", json!(501))]
    {
        let found = invalid(json!({ field: value })).await;
        assert!(found.iter().all(|(pointer, _)| *pointer == format!("/{field}")), "{found:?}");
    }
    assert_eq!(invalid(json!({ "league": "debate" })).await, faults(&[("/league", "out_of_range")]));
    ada.post(PATH, with(json!({ "league": "python" }))).await.expect_problem(409, "league_closed");
    ada.post(PATH, with(json!({ "league": "reasoning" }))).await.expect_problem(409, "not_in_league");
    let mut paths = Vec::new();
    for _ in 0..3 {
        paths.push(start(&ada, body(&agents)).await);
    }
    ada.post(PATH, body(&agents)).await.expect_problem(409, "too_many_head_to_heads");
    ada.delete(&paths[0]).await.expect_status(204);
    let again = ada.post(PATH, with(json!({ "agentIds": [two, one] }))).key("k").await.expect_status(201);
    let same = ada.post(PATH, with(json!({ "agentIds": [two, one] }))).key("k").await.expect_status(201);
    assert_eq!((&same["id"], same.header("idempotency-replayed")), (&again["id"], "true"));
}

#[apply(both)]
async fn an_owner_runs_three_tests_under_concurrency(#[case] backend: Backend) {
    let arena = Arena::start(backend).await;
    let (ada, agents) = versions(&arena).await;
    for round in 0..3 {
        let replies = join_all((0..8).map(async |_| ada.post(PATH, body(&agents)).await)).await;
        let (started, refused): (Vec<_>, Vec<_>) = replies.into_iter().partition(|reply| reply.status == 201);
        assert_eq!(started.len(), 3, "round {round}");
        for reply in refused {
            reply.expect_problem(409, "too_many_head_to_heads");
        }
        for reply in started {
            ada.delete(reply.header("location")).await.expect_status(204);
        }
    }
}

#[apply(either)]
async fn a_test_keeps_within_the_owners_budget(#[case] backend: Backend) {
    let arena = Arena::with(backend, |settings| settings.arena_limits = "owner_matches=3".parse().unwrap()).await;
    let (ada, agents) = versions(&arena).await;
    let mut newer = Duelist::connect(&arena, &agents[0]).await;
    let mut older = Duelist::connect(&arena, &agents[1]).await;
    let path = start(&ada, body(&agents)).await;
    let _working = arena.work();
    tokio::join!(newer.play(true), older.play(false));
    eventually(async || ada.get(&path).await["pausedBy"] == "budget_used_up").await;
    assert_eq!(ada.get(&path).await["won"], 1);
    newer.expect_silence().await;
}
