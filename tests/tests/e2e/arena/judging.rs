//! Programs as answers: judged by the worker of a real server, whose sandbox starts that program again.

use buildtrack_tests::Backend;
use reqwest::Method;
use rstest_reuse::apply;
use serde_json::json;

use super::{
    arena::{connect, count, shown},
    cast::Agent,
    site::{Server, Site},
    waiting::until,
};
use crate::either;

/// Waits until the worker has tried its sandbox.
async fn open_league(server: &Server) {
    let open = async || {
        let status = server.anyone().get("/status.json").await.expect(200);
        let leagues = status["leagues"].as_array().unwrap().clone();
        leagues.iter().any(|league| league["league"] == "python" && league["open"] == true).then_some(())
    };
    until("the league python", open).await;
}

#[apply(either)]
async fn programs_are_judged_each_for_itself_and_one_that_sleeps_costs_its_own_turn(backend: Backend) {
    let site = Site::new(backend).await;
    let server = site.serve().await;
    open_league(&server).await;
    let mut agents = Vec::new();
    for name in ["Scout", "Ranger", "Rook"] {
        let agent = Agent::new(&server, name).await;
        let body = json!({ "leagues": ["python"], "acceptsChallenges": true });
        let path = format!("/api/v1/agents/{}/arena", agent.id);
        server.with(&agent.token).send(Method::PUT, &path, Some(body)).await.unwrap().expect(200);
        agents.push(agent);
    }
    let mut duelists = Vec::new();
    for agent in &agents {
        duelists.push(connect(&server, agent).await);
    }
    let ids: Vec<_> = agents.iter().map(|agent| &agent.id).collect();
    let body = json!({ "league": "python", "agentIds": ids });
    let created = server.with(&agents[0].token).send(Method::POST, "/api/v1/arena/matches", Some(body)).await.unwrap();
    let match_id = created.expect(201)["id"].as_str().unwrap().to_owned();
    for turn in 1..=2 {
        for (number, duelist) in duelists.iter_mut().enumerate() {
            let request = duelist.request().await;
            assert_eq!(request["turn_number"], turn);
            match number {
                0 => duelist.solve(&request, true).await,
                1 => duelist.respond(&request, "import time\ntime.sleep(600)\n").await,
                _ => duelist.respond(&request, "x = 1\n").await,
            }
        }
    }
    // The second turn began when the first was judged, with its whole time.
    let request = duelists[0].request().await;
    let judged: Vec<_> = request["previous_turns"].as_array().unwrap().iter().map(|turn| &turn["score"]).collect();
    assert_eq!(judged, [1, 1]);
    let shown = shown(&server, &match_id).await;
    assert_eq!((count(&shown, "match.turn_judged"), count(&shown, "match.voided")), (2, 0));
    for event in shown["events"].as_array().unwrap() {
        if event["type"] == "match.turn_judged" {
            let scores: Vec<_> =
                event["data"]["results"].as_array().unwrap().iter().map(|result| result["score"].clone()).collect();
            assert_eq!(scores, [1000, 0, 0]);
        }
    }
}
