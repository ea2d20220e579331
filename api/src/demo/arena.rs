//! The demo's match: two agents that are reached by endpoints (AAP) answer trivia, turn by turn.

use std::{net::Ipv4Addr, time::Duration};

use actix_web::{
    App, HttpResponse, HttpServer,
    dev::ServerHandle,
    web::{Json, Path, get, post},
};
use buildtrack_commands::{CommandError, print};
use buildtrack_domain::arena::tasks::Bank;
use serde_json::{Value, json};
use tokio::time::{sleep, timeout};

use super::{
    cast::{Cast, Player, narrate, text},
    client::Client,
};

/// The agents: the first one does not know every fifth answer, the other one every third.
const PLAYERS: [&str; 2] = ["Forge", "Quill"];
/// The time limit of the match, and of what comes before it.
const LIMIT: Duration = Duration::from_mins(1);
/// Pause between two looks.
const PAUSE: Duration = Duration::from_millis(100);

/// Lets two agents play a match, and shows it. Returns its id.
pub(super) async fn play(anonymous: &Client, cast: &Cast) -> Result<String, CommandError> {
    print("\nTwo agents meet in the arena, over endpoints of their own:\n")?;
    let (url, server) = listen()?;
    let players = [cast.named(PLAYERS[0])?, cast.named(PLAYERS[1])?];
    for player in players {
        let enrolment = json!({ "leagues": ["trivia"], "endpointUrl": format!("{url}/{}", player.name) });
        player.client.put(&enrolment_of(player), Some(enrolment)).await?;
        narrate(player.name, &format!("enrols in the arena, with the endpoint {url}/{}", player.name))?;
    }
    let late = |_| CommandError::Failed(format!("the match was not over within {} s", LIMIT.as_secs()));
    let played = timeout(LIMIT, async {
        until_ready(anonymous, players).await?;
        let agents = players.map(|player| &player.id);
        let started =
            players[0].client.post("/api/v1/arena/matches", json!({ "league": "trivia", "agentIds": agents }));
        until_over(anonymous, &text(&started.await?, "id")).await
    });
    let played = played.await.map_err(late)??;
    show(&played)?;
    // The endpoints end here; the agents stay registered.
    for player in players {
        player.client.delete(&enrolment_of(player)).await?;
    }
    server.stop(false).await;
    Ok(text(&played, "id"))
}

fn enrolment_of(player: &Player) -> String {
    format!("/api/v1/agents/{}/arena", player.id)
}

/// Waits until answers can be judged, and both endpoints are well.
async fn until_ready(anonymous: &Client, players: [&Player; 2]) -> Result<(), CommandError> {
    loop {
        let status = anonymous.get("/status.json").await?;
        let mut leagues = status["leagues"].as_array().into_iter().flatten();
        let mut is_ready = leagues.any(|league| league["league"] == "trivia" && league["open"] == true);
        for player in players {
            is_ready &= player.client.get(&enrolment_of(player)).await?["endpoint"]["status"] == "well";
        }
        if is_ready {
            return Ok(());
        }
        sleep(PAUSE).await;
    }
}

async fn until_over(anonymous: &Client, match_id: &str) -> Result<Value, CommandError> {
    loop {
        let shown = anonymous.get(&format!("/api/v1/arena/matches/{match_id}")).await?;
        if shown["status"] != "playing" {
            return Ok(shown);
        }
        sleep(PAUSE).await;
    }
}

/// Prints the scores of each turn, and the result.
fn show(played: &Value) -> Result<(), CommandError> {
    let mut tasks = Vec::new();
    for event in played["events"].as_array().into_iter().flatten() {
        let data = &event["data"];
        match event["type"].as_str() {
            Some("match.turn_opened") => tasks.push(text(&data["task"], "id")),
            Some("match.turn_judged") => {
                let results: Vec<_> =
                    data["results"].as_array().into_iter().flatten().zip(PLAYERS).map(scored).collect();
                let task = tasks.last().map_or("", |task| &**task);
                // A JSON value ignores the width.
                print(&format!("  turn {:<3}{task:<34}{}", data["turn"].to_string(), results.join("   ")))?;
            }
            _ => {}
        }
    }
    let winner = played["agents"].as_array().into_iter().flatten();
    let winner =
        winner.filter(|agent| agent["agentId"] == played["winnerId"]).map(|agent| text(agent, "agentName")).next();
    print("")?;
    match winner {
        Some(winner) => narrate(&winner, "wins the match; it is unrated, because both agents have one owner"),
        None => print("The match has no winner."),
    }
}

fn scored((result, name): (&Value, &str)) -> String {
    format!("{name} {}", text(result, "reason"))
}

/// Starts the endpoints of both agents on a port that the system chooses.
fn listen() -> Result<(String, ServerHandle), CommandError> {
    let failed = |error: std::io::Error| CommandError::Failed(format!("the agents' endpoints cannot listen: {error}"));
    let server = HttpServer::new(|| {
        App::new().route("/{agent}/agora/health", get().to(health)).route("/{agent}/agora", post().to(answer))
    });
    let server = server.workers(1).disable_signals().bind((Ipv4Addr::LOCALHOST, 0)).map_err(failed)?;
    let url = server.addrs().first().map(|address| format!("http://{address}")).unwrap_or_default();
    let server = server.run();
    let handle = server.handle();
    tokio::spawn(server);
    Ok((url, handle))
}

async fn health() -> HttpResponse {
    HttpResponse::Ok()
        .json(json!({ "status": "ok", "version": "1.0", "capabilities": ["trivia"], "max_concurrent": 5 }))
}

/// Answers a round. These agents look the bundled tasks up. An agent of one's own should verify the token of the round first: see `examples/arena`.
async fn answer(agent: Path<String>, round: Json<Value>) -> HttpResponse {
    let knows = |step| !round["round"].as_u64().unwrap_or_default().is_multiple_of(step);
    let task = Bank::bundled().iter().find(|task| task.public().instruction == round["task"]["description"]);
    let known = task.filter(|_| knows(if *agent == PLAYERS[0] { 5 } else { 3 }));
    let body = match known.and_then(|task| task.accepted_answers().next()) {
        Some(answer) => json!({ "answer": answer.as_str(), "confidence": 0.95, "reasoning": "I have read about it." }),
        None => json!({ "answer": "I do not know", "confidence": 0.05 }),
    };
    HttpResponse::Ok().json(body)
}
