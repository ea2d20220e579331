//! Debates: arguments of two agents, and the votes of a panel of judges.

use std::{collections::BTreeSet, time::Duration};

use buildtrack_tests::{Agent, Backend, eventually};
use rstest_reuse::apply;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::{
    Arena,
    endpoint::{Endpoint, Reaction, wait_for_health},
    events_of,
    socket::Duelist,
};
use crate::{either, faults};

/// The time after which the votes of a panel are counted.
const VOTING: Duration = Duration::from_secs(62);

/// An agent of a new owner with an open socket, enrolled as it says.
async fn connected(arena: &Arena, name: &str, enrolment: Value) -> (Agent, Duelist) {
    let agent = arena.agent(name).await;
    arena.enrol(&agent, enrolment).await;
    let duelist = Duelist::connect(arena, &agent).await;
    (agent, duelist)
}

pub(super) async fn debater(arena: &Arena, name: &str) -> (Agent, Duelist) {
    connected(arena, name, json!({ "leagues": ["debate"], "acceptsChallenges": true })).await
}

pub(super) async fn judge(arena: &Arena, name: &str) -> (Agent, Duelist) {
    connected(arena, name, json!({ "leagues": [], "judges": ["debate"] })).await
}

pub(super) async fn judges(arena: &Arena) -> [(Agent, Duelist); 3] {
    [judge(arena, "Judge 1").await, judge(arena, "Judge 2").await, judge(arena, "Judge 3").await]
}

fn challenge(one: &Agent, other: &Agent) -> Value {
    json!({ "league": "debate", "agentIds": [one.id, other.id] })
}

pub(super) async fn begin(one: &Agent, other: &Agent) -> String {
    one.post("/api/v1/arena/matches", challenge(one, other)).await.expect_status(201).text_at("/id")
}

/// Both players argue in the open turn; their arguments begin with their names.
pub(super) async fn argue(players: &mut [(Agent, Duelist); 2]) -> [Value; 2] {
    let mut requests = Vec::new();
    for (number, (_, player)) in players.iter_mut().enumerate() {
        let request = player.request().await;
        player.respond(&request, &format!("Player {number} argues")).await;
        requests.push(request);
    }
    requests.try_into().unwrap()
}

fn instruction(request: &Value) -> &str {
    request["task"]["public_instruction"].as_str().unwrap()
}

/// The letter of a player's argument on a ballot.
pub(super) fn letter(ballot: &Value, player: usize) -> &'static str {
    let offset = |number: usize| instruction(ballot).find(&format!("Player {number} argues")).unwrap();
    if offset(player) < offset(1 - player) { "A" } else { "B" }
}

pub(super) async fn count_of(arena: &Arena, match_id: &str, event_type: &str) -> usize {
    events_of(&arena.shown(match_id).await, event_type).len()
}

#[apply(either)]
async fn a_ranked_debate_is_judged_by_panels_to_its_result(#[case] backend: Backend) {
    let arena = Arena::start(backend).await;
    let mut judges = judges(&arena).await;
    let mut players = [debater(&arena, "Scout").await, debater(&arena, "Ranger").await];
    let _working = arena.work();
    for (_, player) in &mut players {
        player.join().await;
    }
    let (mut match_id, mut motions) = (String::new(), Vec::new());
    for turn in 1..=4_usize {
        let requests = argue(&mut players).await;
        match_id = requests[0]["match_id"].as_str().unwrap().to_owned();
        motions.push(requests[0]["task"]["id"].clone());
        assert_eq!((&requests[0]["turn_count"], &requests[0]["league"]), (&4.into(), &"debate".into()));
        let mut rules = requests.each_ref().map(|request| request["task"]["rules"][0].clone());
        assert_eq!(requests[0]["task"]["id"], requests[1]["task"]["id"]);
        let has_side = |request: &Value, side: &str| instruction(request).contains(&format!("Argue {side} it."));
        let argues_for = usize::from(rules[1] == "argue_for");
        assert!(has_side(&requests[argues_for], "in favour of") && has_side(&requests[1 - argues_for], "against"));
        rules.sort_by_key(Value::to_string);
        assert_eq!(rules, ["argue_against", "argue_for"]);
        for (_, judge) in &mut judges {
            let ballot = judge.request().await;
            assert_eq!((&ballot["mode"], &ballot["turn_number"]), (&"judge".into(), &turn.into()));
            assert_eq!(ballot["task"]["options"], json!(["A", "B", "draw"]));
            assert_eq!((&ballot["deadline_ms"], &ballot["previous_turns"]), (&60_000.into(), &json!([])));
            let text = ballot.to_string();
            assert!(!text.contains("Scout") && !text.contains(&players[0].0.id) && !text.contains("agt_"), "{text}");
            judge.respond(&ballot, letter(&ballot, 0)).await;
        }
    }
    let results = [players[0].1.next().await, players[1].1.next().await];
    assert_eq!(results[0], results[1]);
    assert_eq!(
        (&results[0]["winner_agent_id"], &results[0]["reason"]),
        (&players[0].1.id.clone().into(), &"completed".into())
    );
    assert_eq!(results[0]["scores"][&players[0].1.id], 1);
    assert!(motions[0] == motions[1] && motions[2] == motions[3] && motions[0] != motions[2], "{motions:?}");

    let shown = arena.shown(&match_id).await;
    let first: Vec<_> = events_of(&shown, "match.panel_drawn").iter().map(|panel| panel["firstSeat"].clone()).collect();
    assert!(first.len() == 4 && first[0] != first[1] && first[2] != first[3], "the order is swapped: {first:?}");
    let (mut cast, revealed) = (events_of(&shown, "match.vote_cast"), events_of(&shown, "match.vote_revealed"));
    assert_eq!((cast.len(), revealed.len()), (12, 12));
    cast.sort_by_key(|vote| (vote["turn"].as_u64(), vote["judge"].as_u64()));
    for (cast, vote) in cast.iter().zip(&revealed) {
        let salt = hex::decode(vote["salt"].as_str().unwrap()).unwrap();
        let digest = Sha256::new().chain_update(&salt).chain_update(vote["vote"].as_str().unwrap()).finalize();
        assert_eq!(cast["commitment"], hex::encode(digest));
    }
    assert!(events_of(&shown, "match.turn_judged").iter().all(|turn| turn["judge"] == "panel/1"));
    // Judging changes no rating, and judges are told no result.
    let ladder = arena.anonymous().get("/leaderboard?league=debate").await.expect_status(200);
    let rated: BTreeSet<_> = ladder.each("agent_id").iter().map(Value::to_string).collect();
    assert_eq!(rated.len(), 2);
    for (agent, judge) in &mut judges {
        judge.expect_silence().await;
        let path = format!("/api/v1/agents/{}/arena/results", agent.id);
        assert_eq!(arena.anonymous().get(&path).await.each("matchId"), [""; 0]);
    }
}

#[apply(either)]
async fn silent_malformed_and_double_votes_do_not_hold_a_debate_up(#[case] backend: Backend) {
    let mut arena = Arena::start(backend).await;
    let mut judges = judges(&arena).await;
    let mut players = [debater(&arena, "Scout").await, debater(&arena, "Ranger").await];
    let (_, mut stranger) = connected(&arena, "Stranger", json!({ "leagues": ["debate"] })).await;
    let _working = arena.work();
    let match_id = begin(&players[0].0, &players[1].0).await;
    let requests = argue(&mut players).await;
    let mut ballots = Vec::new();
    for (_, judge) in &mut judges {
        ballots.push(judge.request().await);
    }
    // A player, and an agent without a part in the match, have no vote.
    players[0].1.respond(&requests[0], "A").await;
    assert_eq!(players[0].1.error().await, "already_answered");
    stranger.respond(&ballots[0], "A").await;
    assert_eq!(stranger.error().await, "not_your_match");
    let voter = &mut judges[0].1;
    for malformed in ["", "C", "I prefer A"] {
        voter.respond(&ballots[0], malformed).await;
        assert_eq!(voter.error().await, "invalid_message", "{malformed}");
    }
    voter.respond(&ballots[0], letter(&ballots[0], 1)).await;
    voter.respond(&ballots[0], letter(&ballots[0], 0)).await;
    assert_eq!(voter.error().await, "already_answered");
    judges[1].1.respond(&ballots[1], letter(&ballots[1], 1)).await;
    eventually(async || count_of(&arena, &match_id, "match.vote_cast").await == 2).await;
    // The third judge is silent, and reconnects: it gets its ballot again.
    let again = Duelist::connect(&arena, &judges[2].0).await;
    judges[2].1 = again;
    assert_eq!(instruction(&judges[2].1.request().await), instruction(&ballots[2]));
    arena.pass(VOTING).await;
    eventually(async || count_of(&arena, &match_id, "match.turn_judged").await == 1).await;
    judges[2].1.respond(&ballots[2], "A").await;
    assert_eq!(judges[2].1.error().await, "wrong_turn");
    let judged = events_of(&arena.shown(&match_id).await, "match.turn_judged");
    assert_eq!((&judged[0]["results"][0]["score"], &judged[0]["results"][1]["score"]), (&0.into(), &1000.into()));
}

#[apply(either)]
async fn endpoints_judge_where_the_first_panel_is_silent(#[case] backend: Backend) {
    let mut arena = Arena::start(backend).await;
    let mut judges = judges(&arena).await;
    let mut players = [debater(&arena, "Scout").await, debater(&arena, "Ranger").await];
    let _working = arena.work();
    let match_id = begin(&players[0].0, &players[1].0).await;
    argue(&mut players).await;
    let first = letter(&judges[0].1.request().await, 0);
    let mut endpoints = Vec::new();
    for name in ["Pushed 1", "Pushed 2", "Pushed 3"] {
        let (agent, endpoint) = (arena.agent(name).await, Endpoint::start());
        arena.enrol(&agent, json!({ "leagues": [], "judges": ["debate"], "endpointUrl": endpoint.url })).await;
        wait_for_health(&agent, "well").await;
        endpoints.push((agent, endpoint));
    }
    let vote = |answer: &str| Reaction::Body(json!({ "answer": answer, "reasoning": "It is clearer." }).to_string());
    endpoints[0].1.react([vote("A")]);
    endpoints[1].1.react([Reaction::Status(500), vote(" a")]);
    endpoints[2].1.react([Reaction::Status(503)]);
    arena.pass(VOTING).await;
    eventually(async || count_of(&arena, &match_id, "match.turn_judged").await == 1).await;
    let shown = arena.shown(&match_id).await;
    let panels = events_of(&shown, "match.panel_drawn");
    let second = panels.iter().find(|panel| panel["panel"] == 2).unwrap();
    assert!(second["evidence"].as_str().unwrap().contains("panel 1"), "{second}");
    let missed = events_of(&shown, "match.vote_missed");
    assert_eq!((missed.len(), &missed[0]["reason"], &missed[0]["status"]), (1, &"unavailable".into(), &503.into()));
    let result = &events_of(&shown, "match.turn_judged")[0]["results"][usize::from(first == "B")];
    assert_eq!((&result["score"], &result["reason"]), (&1000.into(), &"preferred".into()));
    let round = &endpoints[0].1.rounds()[0];
    let body = &round.body;
    assert_eq!((&body["league"], &body["task"]["options"]), (&"debate".into(), &json!(["A", "B", "draw"])));
    assert_eq!((&body["rules"][0], &body["opponent_count"]), (&"judge".into(), &0.into()));
    let description = body["task"]["description"].as_str().unwrap();
    assert!(description.contains("Player 0 argues") && description.contains("rubric 1"), "{description}");
    assert_eq!(round.token.split('.').count(), 3);
    let paused = endpoints[2].0.get(&super::enrolment_of(&endpoints[2].0)).await;
    assert_eq!(paused["endpoint"]["status"], "paused");
}

#[apply(either)]
async fn a_debate_that_no_judge_decides_is_void_without_penalty(#[case] backend: Backend) {
    let mut arena = Arena::start(backend).await;
    let mut judges = judges(&arena).await;
    let mut players = [debater(&arena, "Scout").await, debater(&arena, "Ranger").await];
    let _working = arena.work();
    for (_, player) in &mut players {
        player.join().await;
    }
    let requests = argue(&mut players).await;
    let match_id = requests[0]["match_id"].as_str().unwrap().to_owned();
    for (_, judge) in &mut judges {
        judge.request().await;
    }
    arena.pass(VOTING).await;
    let ended = arena.ended(&match_id).await;
    assert_eq!((&ended["status"], &ended["ending"]), (&"void".into(), &"no_judges".into()));
    assert!(ended["evidence"].as_str().unwrap().contains("0 of 2 votes"), "{}", ended.text);
    for (agent, player) in &mut players {
        assert_eq!(player.expect("evalduel.match.result").await["reason"], "void: no_judges");
        let path = format!("/api/v1/agents/{}/arena/results", agent.id);
        assert_eq!(arena.anonymous().get(&path).await.each("matchId"), [""; 0]);
    }
}

#[apply(either)]
async fn the_league_is_open_while_three_judges_of_different_owners_can_be_reached(#[case] backend: Backend) {
    let arena = Arena::start(backend).await;
    let state = async || {
        let status = arena.anonymous().get("/status.json").await.expect_status(200);
        let leagues = status["leagues"].as_array().unwrap();
        let debate = leagues.iter().find(|league| league["league"] == "debate").unwrap();
        (debate["open"] == true, debate["reason"].as_str().unwrap_or_default().to_owned())
    };
    let closed = (false, "Fewer than three judges of different owners can be reached.".to_owned());
    let (scout, _one) = debater(&arena, "Scout").await;
    let (ranger, _other) = debater(&arena, "Ranger").await;
    let ada = arena.owner("Ada").await;
    let mut sockets = Vec::new();
    for name in ["Judge 1", "Sibling"] {
        let agent = ada.agent(name).await;
        arena.enrol(&agent, json!({ "leagues": [], "judges": ["debate"] })).await;
        sockets.push(Duelist::connect(&arena, &agent).await);
    }
    let (_second, _socket) = judge(&arena, "Judge 2").await;
    assert_eq!(state().await, closed);
    scout.post("/api/v1/arena/matches", challenge(&scout, &ranger)).await.expect_problem(409, "league_closed");
    let (third, _third_socket) = judge(&arena, "Judge 3").await;
    assert_eq!(state().await, (true, String::new()));
    // An owner's judges do not judge its own agents.
    let own = ada.agent("Player").await;
    arena.enrol(&own, json!({ "leagues": ["debate"], "acceptsChallenges": true })).await;
    let _own_socket = Duelist::connect(&arena, &own).await;
    scout.post("/api/v1/arena/matches", challenge(&scout, &own)).await.expect_problem(409, "no_judges");
    let decision = json!({ "subject": third.id, "action": "suspend", "reason": "Why not" });
    arena.operator("Op").await.post("/api/v1/moderation/actions", decision).await.expect_status(201);
    assert_eq!(state().await, closed);
}

#[apply(either)]
async fn only_debates_have_judges_and_two_agents(#[case] backend: Backend) {
    let arena = Arena::start(backend).await;
    let _judges = judges(&arena).await;
    let mut ids = Vec::new();
    let mut sockets = Vec::new();
    for name in ["Scout", "Ranger", "Rook"] {
        let (agent, socket) = debater(&arena, name).await;
        ids.push(agent.id.clone());
        sockets.push((agent, socket));
    }
    let caller = &sockets[0].0;
    let refused = caller.post("/api/v1/arena/matches", json!({ "league": "debate", "agentIds": ids })).await;
    assert_eq!(refused.expect_status(422).faults(), faults(&[("/agentIds", "length")]));
    for judges in [json!(["trivia"]), json!(["debate", "debate"])] {
        let body = json!({ "leagues": ["trivia"], "judges": judges });
        caller.put(&super::enrolment_of(caller)).json(body).await.expect_status(422);
    }
    let shown = caller.get(&super::enrolment_of(caller)).await.expect_status(200);
    assert_eq!(shown["judges"], json!([]));
}
