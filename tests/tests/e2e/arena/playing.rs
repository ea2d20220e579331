//! Playing without a socket: by calls of the API, and with the tools of the Model Context Protocol.

use std::time::Duration;

use buildtrack_tests::{Agent, Backend, Caller, Reply, Request, eventually};
use futures_util::future::join_all;
use rstest_reuse::apply;
use serde_json::{Value, json};

use super::{Arena, answer_to, events_of, socket::Duelist};
use crate::{both, either, faults, mcp};

const PRESENCE: &str = "/api/v1/arena/presence";
/// More calls than a match of ten turns needs.
const CALLS: usize = 40;

async fn attend(caller: &Caller, body: Value) -> Reply {
    caller.put(PRESENCE).json(body).await.expect_status(200)
}

fn answer(caller: &Caller, match_id: &str, turn: &str, output: Value) -> Request {
    let path = format!("/api/v1/arena/matches/{match_id}/turns/{turn}/answer");
    let mut body = json!({ "wait": 0 });
    body["output"] = output;
    caller.put(&path).json(body)
}

/// Plays with the tool alone, at these servers in turn, until a match has ended; returns the last answer.
async fn play<const N: usize>(callers: [&Caller; N], right: bool) -> Value {
    let mut seen = mcp::tool(callers[0], "arena", json!({ "action": "wait" })).await;
    for call in 0..CALLS {
        if !seen["result"].is_null() {
            return seen;
        }
        let mut arguments = json!({ "action": "wait" });
        if let Some(task_id) = seen["request"]["task"]["id"].as_str() {
            let (match_id, turn_id) = (&seen["request"]["match_id"], &seen["request"]["turn_id"]);
            let output = answer_to(task_id, right);
            arguments =
                json!({ "action": "answer", "match_id": match_id, "turn_id": turn_id, "output": output, "wait": 30 });
        }
        seen = mcp::tool(callers[call % N], "arena", arguments).await;
    }
    panic!("the match does not end: {seen}")
}

async fn status_of_queue(arena: &Arena) -> (Value, Value) {
    let state = arena.anonymous().get("/status.json").await.expect_status(200);
    (state["connected_agents"].clone(), state["queued_agents"].clone())
}

#[apply(either)]
async fn an_agent_with_tools_plays_a_ranked_match_against_one_with_a_socket(#[case] backend: Backend) {
    let arena = Arena::start(backend).await;
    let (scout, (_ranger, mut socket)) = (arena.contestant("Scout").await, arena.duelist("Ranger").await);
    let _working = arena.work();
    let queued = mcp::tool(&scout, "arena", json!({ "action": "queue", "wait": 0 })).await;
    let expected = json!({ "status": "queued", "position": 1, "queueSize": 1, "request": null, "result": null });
    assert_eq!(queued, expected);
    socket.join().await;
    let (seen, result) = tokio::join!(play([&*scout], true), socket.play(false));
    assert_eq!((&seen["status"], &seen["request"], &seen["result"]), (&"idle".into(), &Value::Null, &result));
    let winner = scout.id.replace("ag_", "agt_");
    assert_eq!((&result["winner_agent_id"], &result["reason"]), (&winner.into(), &"completed".into()));
    let ended = arena.ended(result["match_id"].as_str().unwrap()).await;
    assert_eq!((&ended["status"], &ended["mode"]), (&"finished".into(), &"ranked".into()));
    assert_eq!(events_of(&ended, "match.answered").len(), 20);
    let results = arena.anonymous().get(&format!("/api/v1/agents/{}/arena/results", scout.id)).await;
    assert_eq!(results.each("outcome"), ["won"]);
    // The result is no reason to end a wait in the queue.
    let again = mcp::tool(&scout, "arena", json!({ "action": "queue", "wait": 0 })).await;
    assert_eq!((&again["status"], &again["result"]), (&"queued".into(), &result));
    let left = mcp::tool(&scout, "arena", json!({ "action": "leave" })).await;
    assert_eq!((&left["status"], &left["queueSize"]), (&"idle".into(), &0.into()));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn agents_with_tools_play_each_other_although_each_call_reaches_another_server() {
    let arena = Arena::start(Backend::Postgres).await;
    let there = arena.replica().await;
    let (scout, ranger) = (arena.contestant("Scout").await, arena.contestant("Ranger").await);
    let (scout_there, ranger_there) = (scout.at(&there), ranger.at(&there));
    let queued = mcp::tool(&scout, "arena", json!({ "action": "queue", "wait": 0 })).await;
    assert_eq!((&queued["status"], &queued["position"]), (&"queued".into(), &1.into()));
    for caller in [&scout_there, &*scout, &scout_there] {
        let queued = mcp::tool(caller, "arena", json!({ "action": "wait", "wait": 0 })).await;
        assert_eq!((&queued["status"], &queued["position"]), (&"queued".into(), &1.into()));
    }
    let _working = arena.work();
    mcp::tool(&ranger_there, "arena", json!({ "action": "queue", "wait": 0 })).await;
    let (won, lost) = tokio::join!(play([&*scout, &scout_there], true), play([&ranger_there, &*ranger], false));
    assert_eq!((&won["result"], &won["result"]["reason"]), (&lost["result"], &"completed".into()));
    assert_eq!(won["result"]["winner_agent_id"], scout.id.replace("ag_", "agt_"));
}

#[apply(either)]
async fn an_agent_that_calls_no_more_leaves_the_queue(#[case] backend: Backend) {
    let mut arena = Arena::start(backend).await;
    let scout = arena.contestant("Scout").await;
    attend(&scout, json!({ "queue": true })).await;
    // With the bystander.
    assert_eq!(status_of_queue(&arena).await, (2.into(), 1.into()));
    arena.pass(Duration::from_secs(40)).await;
    attend(&scout, json!({})).await;
    arena.pass(Duration::from_secs(40)).await;
    assert_eq!(status_of_queue(&arena).await, (2.into(), 1.into()));
    arena.pass(Duration::from_secs(21)).await;
    eventually(async || status_of_queue(&arena).await == (1.into(), 0.into())).await;
    assert_eq!(attend(&scout, json!({})).await["status"], "idle");
}

#[apply(both)]
async fn the_first_calls_of_an_agent_at_the_same_moment_share_a_connection(#[case] backend: Backend) {
    let arena = Arena::start(backend).await;
    for number in 1_i64..=4 {
        // The earlier an agent joins the queue, the smaller its place.
        arena.advance(Duration::from_secs(1));
        let scout = arena.contestant(&format!("Scout {number}")).await;
        let seen = join_all((0..8).map(async |_| attend(&scout, json!({ "queue": true })).await)).await;
        assert!(seen.iter().all(|seen| seen["status"] == "queued" && seen["position"] == number), "{seen:?}");
        assert_eq!(status_of_queue(&arena).await, ((number + 1).into(), number.into()));
    }
}

#[apply(either)]
async fn an_agent_with_an_open_socket_keeps_it(#[case] backend: Backend) {
    let arena = Arena::start(backend).await;
    let (scout, mut socket) = arena.duelist("Scout").await;
    let queued = attend(&scout, json!({ "queue": true })).await;
    assert_eq!((&queued["status"], &queued["position"]), (&"queued".into(), &1.into()));
    let queued = socket.ask(json!({ "type": "evalduel.queue.status" })).await;
    assert_eq!((&queued["status"], &queued["position"]), (&"queued".into(), &1.into()));
    assert_eq!(attend(&scout, json!({ "queue": false })).await["status"], "idle");
    socket.expect_silence().await;
    // A socket replaces a connection without one.
    let ranger = arena.contestant("Ranger").await;
    attend(&ranger, json!({})).await;
    Duelist::connect(&arena, &ranger).await.expect_silence().await;
}

#[apply(either)]
async fn answers_that_match_no_open_turn_are_refused_and_silence_loses(#[case] backend: Backend) {
    let mut arena = Arena::start(backend).await;
    let (scout, ranger, cleo) =
        (arena.contestant("Scout").await, arena.contestant("Ranger").await, arena.contestant("Cleo").await);
    let body = json!({ "league": "trivia", "agentIds": [scout.id, ranger.id] });
    scout.post("/api/v1/arena/matches", body).await.expect_problem(409, "agent_unreachable");
    attend(&scout, json!({})).await;
    attend(&ranger, json!({})).await;
    let match_id = arena.challenge(&[&scout, &ranger]).await;
    let seen = attend(&ranger, json!({ "wait": 20 })).await;
    assert_eq!((&seen["request"]["turn_id"], &seen["request"]["mode"]), (&"turn_1".into(), &"challenge".into()));
    for (caller, turn, output, status, code) in [
        (&scout, "turn_2", json!("A"), 409, "wrong_turn"),
        (&cleo, "turn_1", json!("A"), 403, "not_your_match"),
        (&scout, "turn_x", json!("A"), 404, "not_found"),
        (&scout, "1", json!("A"), 404, "not_found"),
    ] {
        answer(caller, &match_id, turn, output).await.expect_problem(status, code);
    }
    let unknown = "match_01h2e8kqvbfwea724h75qc655w";
    answer(&scout, unknown, "turn_1", json!("A")).await.expect_problem(404, "not_found");
    for output in [Value::Null, json!("x".repeat(65_537)), json!("\0")] {
        let refused = answer(&scout, &match_id, "turn_1", output).await.expect_status(422);
        assert_eq!(refused.faults()[0].0, "/output", "{}", refused.text);
    }
    let too_long = scout.put(PRESENCE).json(json!({ "wait": 31 })).await.expect_status(422);
    assert_eq!(too_long.faults().len(), 1);
    assert!(events_of(&arena.shown(&match_id).await, "match.answered").is_empty());

    let waiting = answer(&ranger, &match_id, "turn_1", json!("A")).await.expect_status(200);
    assert_eq!((&waiting["status"], &waiting["request"]), (&"playing".into(), &Value::Null));
    answer(&ranger, &match_id, "turn_1", json!("B")).await.expect_problem(409, "already_answered");
    arena.pass_turn().await;
    answer(&scout, &match_id, "turn_1", json!("A")).await.expect_problem(409, "late_answer");
    arena.deliver().await;
    let ended = attend(&scout, json!({ "wait": 20 })).await;
    assert_eq!((&ended["status"], &ended["result"]["reason"]), (&"idle".into(), &"forfeited".into()));
    assert_eq!(ended["result"]["winner_agent_id"], ranger.id.replace("ag_", "agt_"));
    answer(&scout, &match_id, "turn_1", json!("A")).await.expect_problem(409, "match_over");
    let judged = &events_of(&arena.shown(&match_id).await, "match.turn_judged")[0]["results"];
    assert_eq!(judged[0]["reason"], "timeout");
    for (minutes, is_shown) in [(9, true), (2, false)] {
        arena.advance(Duration::from_mins(minutes));
        assert_eq!(attend(&scout, json!({})).await["result"].is_object(), is_shown);
    }
}

#[apply(both)]
async fn every_answer_counts_of_many_agents_that_answer_at_the_same_moment(#[case] backend: Backend) {
    let arena = Arena::start(backend).await;
    let (mut callers, mut agents, mut sockets) = (Vec::new(), Vec::new(), Vec::new());
    for number in 1..=16 {
        let caller = arena.contestant(&format!("Caller {number}")).await;
        attend(&caller, json!({})).await;
        callers.push(caller);
        let (agent, socket) = arena.duelist(&format!("Duelist {number}")).await;
        agents.push(agent);
        sockets.push(socket);
    }
    let match_id = arena.challenge(&callers.iter().chain(&agents).collect::<Vec<_>>()).await;
    let mut requests = Vec::new();
    for socket in &mut sockets {
        requests.push(socket.request().await);
    }
    let called = join_all(callers.iter().map(async |caller| answer(caller, &match_id, "turn_1", json!("A")).await));
    let sent =
        join_all(sockets.iter_mut().zip(&requests).map(async |(socket, request)| socket.solve(request, true).await));
    let (called, _) = tokio::join!(called, sent);
    for reply in called {
        assert_eq!(reply.expect_status(200)["status"], "playing");
    }
    eventually(async || events_of(&arena.shown(&match_id).await, "match.answered").len() == 32).await;
    for socket in &mut sockets {
        socket.expect_silence().await;
    }
}

#[apply(either)]
async fn owners_cannot_take_part(#[case] backend: Backend) {
    let arena = Arena::start(backend).await;
    let ada = arena.owner("Ada").await;
    ada.put(PRESENCE).json(json!({})).await.expect_problem(403, "agent_required");
    let scout = ada.agent("Scout").await;
    // serde would read an array as an object without names.
    scout.put(PRESENCE).json(json!([null, null])).await.expect_problem(422, "validation_failed");
    let invalid = scout.put(PRESENCE).json(json!({ "queue": "ranked" })).await.expect_status(422).faults();
    assert_eq!(invalid, faults(&[("/queue", "wrong_type")]));
    let reader = scout.session(&["read"]).await;
    reader.put(PRESENCE).json(json!({})).await.expect_problem(403, "missing_scope");
}

#[apply(either)]
async fn judges_vote_by_calls(#[case] backend: Backend) {
    let arena = Arena::start(backend).await;
    let mut judges = Vec::new();
    for name in ["Judge 1", "Judge 2", "Judge 3"] {
        let judge = arena.agent(name).await;
        arena.enrol(&judge, json!({ "leagues": [], "judges": ["debate"] })).await;
        attend(&judge, json!({})).await;
        judges.push(judge);
    }
    let mut players: Vec<Agent> = Vec::new();
    for name in ["Scout", "Ranger"] {
        let player = arena.agent(name).await;
        arena.enrol(&player, json!({ "leagues": ["debate"], "acceptsChallenges": true })).await;
        attend(&player, json!({})).await;
        players.push(player);
    }
    let _working = arena.work();
    let body = json!({ "league": "debate", "agentIds": [players[0].id, players[1].id] });
    let match_id = players[0].post("/api/v1/arena/matches", body).await.expect_status(201).text_at("/id");
    for player in &players {
        answer(player, &match_id, "turn_1", json!("Because it is so.")).await.expect_status(200);
    }
    for judge in &judges {
        let ballot = attend(judge, json!({ "wait": 20 })).await;
        assert_eq!(
            (&ballot["request"]["mode"], &ballot["request"]["match_id"]),
            (&"judge".into(), &match_id.as_str().into())
        );
        let refused = answer(judge, &match_id, "turn_1", json!("C")).await.expect_status(422);
        assert_eq!(refused.faults(), faults(&[("/output", "invalid")]));
        answer(judge, &match_id, "turn_1", json!("A")).await.expect_status(200);
    }
    eventually(async || events_of(&arena.shown(&match_id).await, "match.vote_cast").len() == 3).await;
    let next = attend(&players[0], json!({ "wait": 20 })).await;
    assert_eq!(next["request"]["turn_id"], "turn_2");
}
