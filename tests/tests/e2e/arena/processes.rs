//! Matches of the arena while servers are killed, and with two replicas on one database.

use buildtrack_tests::Backend;
use rstest_reuse::apply;
use serde_json::{Value, json};

use super::{
    cast::Agent,
    node::Node,
    site::{Server, Site},
    waiting::until,
};
use crate::{arena::socket::Duelist, either};

/// An agent of a new owner, enrolled for trivia, that accepts challenges.
pub(super) async fn contestant(server: &Server, name: &str) -> Agent {
    let agent = Agent::new(server, name).await;
    let body = json!({ "leagues": ["trivia"], "acceptsChallenges": true });
    let path = format!("/api/v1/agents/{}/arena", agent.id);
    server.with(&agent.token).send(reqwest::Method::PUT, &path, Some(body)).await.unwrap().expect(200);
    agent
}

pub(super) async fn connect(server: &Server, agent: &Agent) -> Duelist {
    Duelist::with_token(server.url(), &agent.token).await
}

pub(super) async fn shown(server: &Server, match_id: &str) -> Value {
    server.anyone().get(&format!("/replays/{match_id}")).await.expect(200)
}

pub(super) fn count(shown: &Value, event_type: &str) -> usize {
    shown["events"].as_array().unwrap().iter().filter(|event| event["type"] == event_type).count()
}

/// Lets two agents join the queue, and waits for the first turn of their match. Returns its requests.
async fn meet(one: &mut Duelist, other: &mut Duelist) -> [Value; 2] {
    one.join().await;
    other.join().await;
    [one.request().await, other.request().await]
}

/// Fails unless the match has one result for each agent.
async fn assert_scored_once(server: &Server, match_id: &str, agents: [&Agent; 2]) {
    assert_eq!(count(&shown(server, match_id).await, "match.finished"), 1);
    for agent in agents {
        let path = format!("/api/v1/agents/{}/arena/results", agent.id);
        let results = server.anyone().get(&path).await.expect(200);
        assert_eq!(results["items"].as_array().unwrap().len(), 1);
        assert_eq!(results["items"][0]["matchId"], match_id);
    }
}

#[apply(either)]
async fn a_match_goes_on_after_a_kill_of_its_server(backend: Backend) {
    let site = Site::new(backend).await;
    let server = site.serve().await;
    let (scout, ranger) = (contestant(&server, "Scout").await, contestant(&server, "Ranger").await);
    let (mut one, mut other) = (connect(&server, &scout).await, connect(&server, &ranger).await);
    let requests = meet(&mut one, &mut other).await;
    let match_id = requests[0]["match_id"].as_str().unwrap().to_owned();
    // One has answered, the other has not.
    one.solve(&requests[0], true).await;
    let answered = async || (count(&shown(&server, &match_id).await, "match.answered") == 1).then_some(());
    until("the first answer", answered).await;
    server.process.kill().await;
    let server = site.serve().await;
    let (mut one, mut other) = (connect(&server, &scout).await, connect(&server, &ranger).await);
    let again = other.request().await;
    assert_eq!((&again["turn_id"], &again["task"]), (&requests[1]["turn_id"], &requests[1]["task"]));
    other.solve(&again, false).await;
    let (result, same) = tokio::join!(one.play(true), other.play(false));
    assert_eq!(result, same);
    assert_eq!((&result["winner_agent_id"], &result["reason"]), (&one.id.clone().into(), &"completed".into()));
    assert_scored_once(&server, &match_id, [&scout, &ranger]).await;
    server.stop().await;
    assert!(site.succeeds(&["verify-log"]).await.contains("in order"));
}

#[apply(either)]
async fn a_match_goes_on_after_an_orderly_restart_of_its_server(backend: Backend) {
    let site = Site::new(backend).await;
    let server = site.serve().await;
    let (scout, ranger) = (contestant(&server, "Scout").await, contestant(&server, "Ranger").await);
    let (mut one, mut other) = (connect(&server, &scout).await, connect(&server, &ranger).await);
    let requests = meet(&mut one, &mut other).await;
    let match_id = requests[0]["match_id"].as_str().unwrap().to_owned();
    one.solve(&requests[0], true).await;
    let answered = async || (count(&shown(&server, &match_id).await, "match.answered") == 1).then_some(());
    until("the first answer", answered).await;
    server.stop().await;
    let server = site.serve().await;
    let (mut one, mut other) = (connect(&server, &scout).await, connect(&server, &ranger).await);
    let again = other.request().await;
    assert_eq!((&again["turn_id"], &again["task"]), (&requests[1]["turn_id"], &requests[1]["task"]));
    other.solve(&again, false).await;
    let (result, same) = tokio::join!(one.play(true), other.play(false));
    assert_eq!(result, same);
    assert_eq!((&result["winner_agent_id"], &result["reason"]), (&one.id.clone().into(), &"completed".into()));
    assert_scored_once(&server, &match_id, [&scout, &ranger]).await;
}

#[apply(either)]
async fn a_match_whose_server_is_killed_again_and_again_is_scored_once(backend: Backend) {
    let site = Site::new(backend).await;
    let mut server = site.serve().await;
    let (scout, ranger) = (contestant(&server, "Scout").await, contestant(&server, "Ranger").await);
    let (mut one, mut other) = (connect(&server, &scout).await, connect(&server, &ranger).await);
    one.join().await;
    other.join().await;
    // The kill may hit before or after each commit of an answer, of a turn's end and of the next turn.
    for turn in 1..=3 {
        tokio::join!(one.play_turn(turn, true), other.play_turn(turn, false));
        server.process.kill().await;
        server = site.serve().await;
        (one, other) = (connect(&server, &scout).await, connect(&server, &ranger).await);
    }
    let (result, same) = tokio::join!(one.play(true), other.play(false));
    assert_eq!(result, same);
    assert_eq!(result["scores"][&one.id], 1);
    assert_scored_once(&server, result["match_id"].as_str().unwrap(), [&scout, &ranger]).await;
}

#[apply(either)]
async fn a_match_whose_agents_do_not_come_back_is_void(backend: Backend) {
    let site = Site::new(backend).await;
    let server = site.serve().await;
    let (scout, ranger) = (contestant(&server, "Scout").await, contestant(&server, "Ranger").await);
    let (mut one, mut other) = (connect(&server, &scout).await, connect(&server, &ranger).await);
    let requests = meet(&mut one, &mut other).await;
    let match_id = requests[0]["match_id"].as_str().unwrap().to_owned();
    one.solve(&requests[0], true).await;
    server.process.kill().await;
    let server = site.serve().await;
    let ended = async || Some(shown(&server, &match_id).await).filter(|shown| shown["status"] != "playing");
    // The turn's limit is 30 s, and this test waits for it.
    let over = super::waiting::within(std::time::Duration::from_mins(1), "the end of the match", ended).await;
    assert_eq!((&over["status"], &over["ending"]), (&"void".into(), &"server_lost".into()), "{over}");
    assert!(over["evidence"].as_str().is_some_and(|evidence| !evidence.is_empty()), "{over}");
    let path = format!("/api/v1/agents/{}/arena/results", scout.id);
    assert!(server.anyone().get(&path).await.expect(200)["items"].as_array().unwrap().is_empty());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn agents_on_two_replicas_play_a_whole_match() {
    let site = Site::new(Backend::Postgres).await;
    let (here, there) = tokio::join!(site.serve(), site.serve());
    let (scout, ranger) = (contestant(&here, "Scout").await, contestant(&here, "Ranger").await);
    let (mut one, mut other) = (connect(&here, &scout).await, connect(&there, &ranger).await);
    one.join().await;
    other.join().await;
    let (result, same) = tokio::join!(one.play(true), other.play(false));
    assert_eq!(result, same);
    assert_eq!((&result["winner_agent_id"], &result["reason"]), (&one.id.clone().into(), &"completed".into()));
    assert_scored_once(&there, result["match_id"].as_str().unwrap(), [&scout, &ranger]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_agent_moves_to_another_replica_within_a_turn() {
    let site = Site::new(Backend::Postgres).await;
    let (here, there) = tokio::join!(site.serve(), site.serve());
    let (scout, ranger) = (contestant(&here, "Scout").await, contestant(&here, "Ranger").await);
    let (mut one, mut other) = (connect(&here, &scout).await, connect(&here, &ranger).await);
    let requests = meet(&mut one, &mut other).await;
    let mut moved = connect(&there, &ranger).await;
    let again = moved.request().await;
    assert_eq!((&again["turn_id"], &again["task"]), (&requests[1]["turn_id"], &requests[1]["task"]));
    // The first server closes the connection that was replaced.
    assert_eq!(other.closed().await.0, 1008);
    one.solve(&requests[0], false).await;
    moved.solve(&again, true).await;
    let (result, _) = tokio::join!(one.play(false), moved.play(true));
    assert_eq!((&result["winner_agent_id"], &result["reason"]), (&moved.id.clone().into(), &"completed".into()));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_match_goes_on_when_one_of_two_replicas_is_killed() {
    let site = Site::new(Backend::Postgres).await;
    let (here, there) = tokio::join!(site.serve(), site.serve());
    let (scout, ranger) = (contestant(&here, "Scout").await, contestant(&here, "Ranger").await);
    let (mut one, mut other) = (connect(&here, &scout).await, connect(&there, &ranger).await);
    let requests = meet(&mut one, &mut other).await;
    here.process.kill().await;
    let mut back = connect(&there, &scout).await;
    let again = back.request().await;
    assert_eq!(again["turn_id"], requests[0]["turn_id"]);
    back.solve(&again, true).await;
    other.solve(&requests[1], false).await;
    // The leases of the tasks that the killed process held end first.
    let (result, _) = tokio::join!(back.play(true), other.play(false));
    assert_eq!((&result["winner_agent_id"], &result["reason"]), (&back.id.clone().into(), &"completed".into()));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_match_goes_on_when_its_worker_and_its_server_are_killed_beside_a_broker() {
    let mut broker = Node::new();
    let url = broker.start().await;
    let site = Site::new(Backend::Postgres).await.with("BUILDTRACK_WORKER", "off").with("AMQP_URL", &url);
    let (server, worker) = (site.serve().await, site.work());
    let (scout, ranger) = (contestant(&server, "Scout").await, contestant(&server, "Ranger").await);
    let (mut one, mut other) = (connect(&server, &scout).await, connect(&server, &ranger).await);
    let requests = meet(&mut one, &mut other).await;
    let match_id = requests[0]["match_id"].as_str().unwrap().to_owned();
    // The referee is killed while it waits for the second answer, or closes the turn.
    one.solve(&requests[0], true).await;
    other.solve(&requests[1], false).await;
    worker.kill().await;
    let _worker = site.work();
    // The leases of the tasks that the killed worker held end first.
    tokio::join!(one.play_turn(2, true), other.play_turn(2, false));
    server.process.kill().await;
    let server = site.serve().await;
    let (mut one, mut other) = (connect(&server, &scout).await, connect(&server, &ranger).await);
    let (result, same) = tokio::join!(one.play(true), other.play(false));
    assert_eq!((&result, &result["match_id"]), (&same, &match_id.as_str().into()));
    assert_eq!((&result["winner_agent_id"], &result["reason"]), (&one.id.clone().into(), &"completed".into()));
    assert_scored_once(&server, &match_id, [&scout, &ranger]).await;
}
