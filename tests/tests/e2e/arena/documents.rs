//! The public documents of the arena: `/tasks.json`, `/leaderboard`, `/battles/live`, `/replays`, `/status.json`.

use buildtrack_domain::arena::tasks::{Bank, League};
use buildtrack_tests::Backend;
use rstest_reuse::apply;
use serde_json::{Value, json};

use super::{Arena, connections::rotate};
use crate::{either, faults};

#[apply(either)]
async fn the_tasks_are_listed_without_what_judges_them(#[case] backend: Backend) {
    let arena = Arena::start(backend).await;
    let listed = arena.anonymous().get("/tasks.json").await.expect_status(200);
    let tasks = listed["tasks"].as_array().unwrap();
    assert_eq!(tasks.len(), Bank::bundled().iter().count());
    for task in tasks {
        let mut fields: Vec<_> = task.as_object().unwrap().keys().map(String::as_str).collect();
        fields.retain(|field| !["options", "rules", "motion", "rubric"].contains(field));
        fields.sort_unstable();
        let expected =
            ["answer_format", "hash", "id", "input_format", "league", "limits", "public_instruction", "version"];
        assert_eq!(fields, expected);
    }
    for word in ["hidden", "validator", "accepts", "rejects", "reference"] {
        assert!(!listed.text.contains(&format!("\"{word}\"")), "{word}");
    }
    let trivia = arena.anonymous().get("/tasks.json?league=trivia").await.expect_status(200);
    let expected = Bank::bundled().in_league(League::Trivia).count();
    assert_eq!(trivia["tasks"].as_array().unwrap().len(), expected);
    for path in ["/tasks.json", "/leaderboard", "/battles/live", "/replays"] {
        let refused = arena.anonymous().get(&format!("{path}?league=chess")).await.expect_status(400);
        assert_eq!(refused.faults(), faults(&[("league", "invalid")]));
    }
}

#[apply(either)]
async fn an_arena_token_reads_what_everyone_may_read(#[case] backend: Backend) {
    let arena = Arena::start(backend).await;
    let scout = arena.contestant("Scout").await;
    let (old, new) = (rotate(&scout).await.text_at("/token"), rotate(&scout).await.text_at("/token"));
    for token in [&*old, &*new, "bta_unknown"] {
        let caller = arena.anonymous().with_token(token);
        for path in ["/tasks.json", "/leaderboard", "/battles/live", "/replays"] {
            let shown = caller.get(path).await.expect_status(200);
            assert!(shown.header("ratelimit-policy").starts_with("\"anonymous\""), "{path}");
        }
        caller.get("/replays/match_01h2e8kqvbfwea724h75qc655w").await.expect_problem(404, "not_found");
        // Everywhere else it is no session.
        for path in ["/api/v1/me", "/build", "/api/v1/arena/matches"] {
            caller.get(path).await.expect_problem(401, "invalid_token");
        }
    }
    // The state names the budget of the token's agent.
    let state = async |token: &str| arena.anonymous().with_token(token).get("/status.json").await;
    state(&new).await.expect_status(200);
    for token in [&*old, "bta_unknown"] {
        state(token).await.expect_problem(401, "invalid_token");
    }
}

#[apply(either)]
async fn the_status_names_protocols_leagues_and_budgets(#[case] backend: Backend) {
    let arena = Arena::start(backend).await;
    let state = arena.anonymous().get("/status.json").await.expect_status(200);
    let expected = json!({
        "mode": "enforce", "active": false, "match_budget": 5000, "retry_after_seconds": 0
    });
    assert_eq!((&state["status"], &state["cost_guard"]), (&"ok".into(), &expected));
    assert_eq!(state["protocols"], json!(["evalduel-agent-v0", "aap-1.0"]));
    assert_eq!((&state["match_budget_remaining"], &state["agent_match_budget_remaining"]), (&5000.into(), &200.into()));
    let open = |league: &Value| (league["league"].as_str().unwrap().to_owned(), league["open"] == true);
    let leagues: Vec<_> = state["leagues"].as_array().unwrap().iter().map(open).collect();
    let expected = [("trivia", true), ("reasoning", true), ("structured", true), ("python", false), ("debate", false)];
    assert_eq!(leagues, expected.map(|(league, open)| (league.to_owned(), open)));
}

#[apply(either)]
async fn a_match_and_its_replay_are_as_the_document_says(#[case] backend: Backend) {
    let arena = Arena::start(backend).await;
    let ((scout, mut one), (ranger, mut other)) = (arena.duelist("Scout").await, arena.duelist("Ranger").await);
    let match_id = arena.challenge(&[&scout, &ranger]).await;
    let paths = [format!("/api/v1/arena/matches/{match_id}"), format!("/replays/{match_id}")];
    for path in &paths {
        arena.anonymous().get(path).await.expect_status(200);
    }
    let _working = arena.work();
    tokio::join!(one.play(true), other.play(false));
    for path in &paths {
        let shown = arena.anonymous().get(path).await.expect_status(200);
        assert_eq!(shown["status"], "finished");
    }
}

#[apply(either)]
async fn lists_are_paged_without_gaps(#[case] backend: Backend) {
    let arena = Arena::start(backend).await;
    let _working = arena.work();
    let mut played = Vec::new();
    for number in 0..3 {
        let (_, mut one) = arena.duelist(&format!("Scout {number}")).await;
        let (_, mut other) = arena.duelist(&format!("Ranger {number}")).await;
        one.join().await;
        other.join().await;
        let (result, _) = tokio::join!(one.play(true), other.play(false));
        played.insert(0, result["match_id"].clone());
    }
    for (path, field) in [
        ("/replays?limit=2", "match_id"),
        ("/leaderboard?limit=2", "agent_id"),
        ("/api/v1/arena/matches?limit=2", "id"),
        ("/api/v1/arena/matches?limit=2&league=trivia&status=finished", "id"),
    ] {
        let (mut seen, mut ranks, mut cursor) = (Vec::new(), Vec::new(), String::new());
        loop {
            let page = arena.anonymous().get(&format!("{path}{cursor}")).await.expect_status(200);
            seen.extend(page.each(field));
            ranks.extend(page.each("rank"));
            match page["nextCursor"].as_str() {
                Some(next) => cursor = format!("&cursor={next}"),
                None => break,
            }
        }
        if field == "agent_id" {
            assert_eq!(ranks, [1, 2, 3, 4, 5, 6]);
            seen.sort_by_key(Value::to_string);
            seen.dedup();
            assert_eq!(seen.len(), 6);
        } else {
            assert_eq!(seen, played, "{path}");
        }
    }
    let void = arena.anonymous().get("/api/v1/arena/matches?status=void").await.expect_status(200);
    assert!(void.each("id").is_empty());
    arena.anonymous().get("/api/v1/arena/matches?status=over").await.expect_status(400);
    arena.anonymous().get("/replays/match_01h2e8kqvbfwea724h75qc655w").await.expect_problem(404, "not_found");
    arena.anonymous().get("/api/v1/arena/matches/match_x").await.expect_problem(404, "not_found");
}
