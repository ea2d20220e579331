//! Restarts of a server in order, and the results that agents miss meanwhile. `processes.rs` kills servers.

use buildtrack_tests::{Agent, Backend, eventually};
use rstest_reuse::apply;
use serde_json::Value;

use super::{Arena, enrolment_of, events_of, socket::Duelist};
use crate::either;

/// Lets two agents meet in a ranked match, and the first one answer its first turn. Returns the first requests.
async fn begin(arena: &Arena, one: &mut Duelist, other: &mut Duelist) -> [Value; 2] {
    one.join().await;
    other.join().await;
    let requests = [one.request().await, other.request().await];
    one.solve(&requests[0], true).await;
    let match_id = requests[0]["match_id"].as_str().unwrap();
    eventually(async || events_of(&arena.shown(match_id).await, "match.answered").len() == 1).await;
    requests
}

/// Connects an agent that must be sent nothing.
async fn connect_in_silence(arena: &Arena, agent: &Agent) -> Duelist {
    let mut duelist = Duelist::connect(arena, agent).await;
    for _ in 0..3 {
        duelist.expect_silence().await;
    }
    duelist
}

/// Closes a socket, and waits until the server knows.
async fn leave(arena: &Arena, agent: &Agent, duelist: Duelist) {
    duelist.leave().await;
    let (caller, enrolment) = (agent.at(arena), enrolment_of(agent));
    eventually(async || caller.get(&enrolment).await["connected"] == false).await;
}

#[apply(either)]
async fn a_ranked_match_goes_on_when_its_agents_come_back_after_an_orderly_restart(#[case] backend: Backend) {
    let arena = Arena::start(backend).await;
    let ((scout, mut one), (ranger, mut other)) = (arena.duelist("Scout").await, arena.duelist("Ranger").await);
    let working = arena.work();
    let requests = begin(&arena, &mut one, &mut other).await;
    working.stop().await;
    let arena = arena.restart().await;
    let _working = arena.work();
    // It has answered.
    let mut one = connect_in_silence(&arena, &scout).await;
    let mut other = Duelist::connect(&arena, &ranger).await;
    let again = other.request().await;
    assert_eq!((&again["turn_id"], &again["task"]), (&requests[1]["turn_id"], &requests[1]["task"]));
    other.solve(&again, false).await;
    let (result, same) = tokio::join!(one.play(true), other.play(false));
    assert_eq!((&result, &result["reason"]), (&same, &"completed".into()));
    let shown = arena.shown(result["match_id"].as_str().unwrap()).await;
    assert_eq!((&shown["status"], &shown["winnerId"]), (&"finished".into(), &scout.id.into()));
    assert_eq!(events_of(&shown, "match.answered").len(), 20);
}

#[apply(either)]
async fn agents_that_do_not_come_back_after_an_orderly_restart_lose_no_match(#[case] backend: Backend) {
    let arena = Arena::start(backend).await;
    let ((scout, mut one), (ranger, mut other)) = (arena.duelist("Scout").await, arena.duelist("Ranger").await);
    let working = arena.work();
    let requests = begin(&arena, &mut one, &mut other).await;
    working.stop().await;
    let mut arena = arena.restart().await;
    arena.pass_turn().await;
    arena.deliver().await;
    let shown = arena.shown(requests[0]["match_id"].as_str().unwrap()).await;
    assert_eq!((&shown["status"], &shown["ending"]), (&"void".into(), &"server_lost".into()), "{}", shown.text);
    // Both learn of it once.
    for agent in [&scout, &ranger] {
        let mut duelist = Duelist::connect(&arena, agent).await;
        let result = duelist.expect("evalduel.match.result").await;
        assert_eq!(result["match_id"], requests[0]["match_id"]);
        assert!(result["reason"].as_str().unwrap().starts_with("void"), "{result}");
        duelist.expect_silence().await;
        leave(&arena, agent, duelist).await;
        connect_in_silence(&arena, agent).await;
    }
}

#[apply(either)]
async fn an_agent_is_sent_each_result_once(#[case] backend: Backend) {
    let mut arena = Arena::start(backend).await;
    let ((scout, mut one), (ranger, mut other)) = (arena.duelist("Scout").await, arena.duelist("Ranger").await);
    let working = arena.work();
    arena.challenge(&[&scout, &ranger]).await;
    tokio::join!(one.play(true), other.play(false));
    working.stop().await;
    // The new connection replaces one that is open, and then follows one that was closed.
    let again = connect_in_silence(&arena, &scout).await;
    leave(&arena, &scout, again).await;
    let mut one = connect_in_silence(&arena, &scout).await;
    // The next match ends while the agent is away.
    let match_id = arena.challenge(&[&scout, &ranger]).await;
    one.request().await;
    let request = other.request().await;
    leave(&arena, &scout, one).await;
    other.solve(&request, true).await;
    eventually(async || events_of(&arena.shown(&match_id).await, "match.answered").len() == 1).await;
    arena.pass_turn().await;
    arena.deliver().await;
    let result = other.expect("evalduel.match.result").await;
    assert_eq!((&result["match_id"], &result["reason"]), (&match_id.into(), &"forfeited".into()));
    let mut one = Duelist::connect(&arena, &scout).await;
    assert_eq!(one.next().await, result);
    one.expect_silence().await;
    // Neither is sent it again: not over a connection that replaces another one, and not after a restart.
    let _one = connect_in_silence(&arena, &scout).await;
    let _other = connect_in_silence(&arena, &ranger).await;
    let arena = arena.restart().await;
    for agent in [&scout, &ranger] {
        connect_in_silence(&arena, agent).await;
    }
}
