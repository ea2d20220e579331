//! `/api/v1/arena/tournaments`: round-robin and Swiss tournaments, and their pages.

use std::time::Duration;

use buildtrack_tests::{Agent, Backend, Owner, Receiver, Reply, eventually};
use rstest_reuse::apply;
use serde_json::{Value, json};

use super::{
    Arena,
    endpoint::{Endpoint, Reaction, wait_for_health},
    socket::Duelist,
};
use crate::{
    either, faults,
    pages::{HOSTILE, expect_page, person},
};

const PATH: &str = "/api/v1/arena/tournaments";
const MINUTE: Duration = Duration::from_mins(1);

fn round_robin() -> Value {
    json!({ "league": "trivia", "system": "round_robin" })
}

/// Creates a tournament; returns its path.
async fn create(owner: &Owner, body: Value) -> String {
    owner.post(PATH, body).await.expect_status(201).header("location").to_owned()
}

async fn join(path: &str, agents: &[&Agent]) {
    for agent in agents {
        agent.put(&player(path, agent)).await.expect_status(204);
    }
}

fn player(path: &str, agent: &Agent) -> String {
    format!("{path}/players/{}", agent.id)
}

async fn start(owner: &Owner, path: &str) {
    owner.act(&format!("{path}/start")).await.expect_status(204);
}

async fn shown(arena: &Arena, path: &str) -> Reply {
    arena.anonymous().get(path).await.expect_status(200)
}

/// Waits until a tournament has this status; returns it.
async fn reached(arena: &Arena, path: &str, status: &str) -> Reply {
    eventually(async || shown(arena, path).await["status"] == status).await;
    shown(arena, path).await
}

/// Advances the clock. The worker renews the list of open leagues in real time, so that the test renews it each minute.
async fn pass(arena: &mut Arena, minutes: u32) {
    for _ in 0..minutes {
        arena.pass(MINUTE).await;
        arena.open_leagues().await;
    }
}

/// The only pairing of a round, from 0, as soon as it has so many matches.
async fn pairing(arena: &Arena, path: &str, round: usize, matches: usize) -> Value {
    let find = async || shown(arena, path).await["rounds"][round]["pairings"][0].clone();
    eventually(async || find().await["matchIds"].as_array().is_some_and(|ids| ids.len() == matches)).await;
    find().await
}

#[apply(either)]
async fn a_round_robin_is_played_to_its_end(#[case] backend: Backend) {
    let arena = Arena::start(backend).await;
    let ada = arena.owner("Ada").await;
    let receiver = Receiver::start();
    let path = create(&ada, round_robin()).await;
    let (mut agents, mut duelists) = (Vec::new(), Vec::new());
    for name in ["Scout", HOSTILE, "Wren"] {
        let owner = arena.owner(&format!("The owner of agent {}", agents.len())).await;
        let agent = owner.agent_at(name, &receiver.url).await;
        arena.enrol(&agent, json!({ "leagues": ["trivia"], "acceptsChallenges": true })).await;
        duelists.push(Duelist::connect(&arena, &agent).await);
        join(&path, &[&agent]).await;
        agents.push(agent);
    }
    start(&ada, &path).await;
    let mut working = arena.work();
    for round in 0..3 {
        let open = pairing(&arena, &path, round, 1).await;
        assert_eq!(open["result"], Value::Null);
        let seat = |seat: usize| agents.iter().position(|agent| open["agentIds"][seat] == agent.id).unwrap();
        // The agent that joined earlier wins.
        let (better, worse) = (seat(0).min(seat(1)), seat(0).max(seat(1)));
        let (earlier, later) = duelists.split_at_mut(worse);
        let (result, _) = tokio::join!(earlier[better].play(true), later[0].play(false));
        assert_eq!(result["winner_agent_id"], earlier[better].id);
        let played = arena.shown(open["matchIds"][0].as_str().unwrap()).await;
        assert_eq!((&played["mode"], &played["agents"][0]["agentId"]), (&"tournament".into(), &open["agentIds"][0]));
        // Another worker goes on where this one has stopped.
        working.stop().await;
        working = arena.work();
    }
    let over = reached(&arena, &path, "finished").await;
    assert_eq!(
        (&over["winnerId"], &over["round"], &over["roundCount"]),
        (&agents[0].id.clone().into(), &3.into(), &3.into())
    );
    let standings = over["standings"].as_array().unwrap();
    let found: Vec<_> =
        standings.iter().map(|row| (row["agentId"].clone(), row["place"].clone(), row["points"].clone())).collect();
    let row =
        |(agent, place, points): (usize, i64, f64)| (agents[agent].id.clone().into(), place.into(), points.into());
    let expected: [(Value, Value, Value); 3] = [(0, 1, 2.0), (1, 2, 1.0), (2, 3, 0.0)].map(row);
    assert_eq!(found, expected);
    let byes: Vec<_> = over["rounds"].as_array().unwrap().iter().map(|round| round["byeAgentId"].clone()).collect();
    assert!(agents.iter().all(|agent| byes.contains(&agent.id.clone().into())), "{byes:?}");
    // The matches are unrated.
    assert!(arena.anonymous().get("/leaderboard?league=trivia").await.each("rank").is_empty());
    let pushed = std::sync::Mutex::new(Vec::new());
    eventually(async || {
        let mut pushed = pushed.lock().unwrap();
        pushed.extend(receiver.take().into_iter().filter(|push| push.event == "tournament.finished"));
        pushed.len() == 3
    })
    .await;
    for push in pushed.into_inner().unwrap() {
        let data = &push.json()["data"];
        let place = usize::try_from(data["place"].as_u64().unwrap()).unwrap();
        assert!(push.is_signed_with(&agents[place - 1].webhook_secret));
        assert_eq!((&data["halfPoints"], &data["players"]), (&[4, 2, 0][place - 1].into(), &3.into()));
        assert_eq!(data["url"], format!("https://build.example/tournaments/{}", over.text_at("/id")));
    }
    let id = over.text_at("/id");
    for page in ["/tournaments".to_owned(), "/tournaments?league=trivia".to_owned(), format!("/tournaments/{id}")] {
        expect_page(&person(&arena).get(&page).await);
    }
    let page = person(&arena).get(&format!("/tournaments/{id}")).await;
    assert!(page.text.contains("Round 3") && page.text.matches("/replays/match_").count() == 3, "{}", page.text);
    let data = arena.anonymous().get(&format!("/tournaments/{id}")).await.expect_status(200);
    assert_eq!((&data.json, data.header("vary")), (&over.json, "authorization, accept"));
}

#[apply(either)]
async fn a_player_that_is_not_connected_forfeits_after_ten_minutes(#[case] backend: Backend) {
    let mut arena = Arena::start(backend).await;
    let ada = arena.owner("Ada").await;
    let ((scout, mut one), (ranger, mut other)) = (arena.duelist("Scout").await, arena.duelist("Ranger").await);
    let ((wren, mut waiting), gone) = (arena.duelist("Wren").await, arena.contestant("Gone").await);
    let path = create(&ada, json!({ "league": "trivia", "system": "swiss", "rounds": 1, "playersMax": 4 })).await;
    join(&path, &[&scout, &wren, &ranger, &gone]).await;
    start(&ada, &path).await;
    let _working = arena.work();
    // As soon as the match on the first board has begun, the worker watches the second one.
    tokio::join!(one.play(true), other.play(false));
    let second = async || shown(&arena, &path).await["rounds"][0]["pairings"][1].clone();
    assert_eq!(second().await["agentIds"], json!([wren.id, gone.id]));
    pass(&mut arena, 9).await;
    let second = shown(&arena, &path).await["rounds"][0]["pairings"][1].clone();
    assert_eq!((&second["result"], &second["matchIds"]), (&Value::Null, &json!([])));
    pass(&mut arena, 1).await;
    let over = reached(&arena, &path, "finished").await;
    let second = &over["rounds"][0]["pairings"][1];
    assert_eq!((&second["result"], &second["matchIds"]), (&"second_absent".into(), &json!([])));
    let points: Vec<_> = over["standings"].as_array().unwrap().iter().map(|row| row["points"].clone()).collect();
    assert_eq!((points, &over["winnerId"]), (vec![1.0.into(), 1.0.into(), 0.0.into(), 0.0.into()], &Value::Null));
    waiting.expect_silence().await;
}

#[apply(either)]
async fn a_void_match_is_replayed_and_an_agent_that_is_unavailable_twice_forfeits(#[case] backend: Backend) {
    let mut arena = Arena::start(backend).await;
    let ada = arena.owner("Ada").await;
    let (scout, mut one) = arena.duelist("Scout").await;
    let (ranger, endpoint) = Endpoint::of(&arena, "Ranger").await;
    let path = create(&ada, json!({ "league": "trivia", "system": "swiss" })).await;
    join(&path, &[&scout, &ranger]).await;
    let _working = arena.work();
    wait_for_health(&ranger, "well").await;
    endpoint.react([Reaction::Status(503), Reaction::Status(503)]);
    start(&ada, &path).await;
    one.request().await;
    let voided = one.expect("evalduel.match.result").await;
    assert_eq!(voided["reason"], "void: unavailable");
    let open = shown(&arena, &path).await;
    assert_eq!((&open["status"], &open["rounds"][0]["pairings"][0]["result"]), (&"running".into(), &Value::Null));
    // The endpoint is paused for so long.
    pass(&mut arena, 5).await;
    one.request().await;
    one.expect("evalduel.match.result").await;
    let over = reached(&arena, &path, "finished").await;
    let pairing = &over["rounds"][0]["pairings"][0];
    assert_eq!(pairing["matchIds"].as_array().unwrap().len(), 2);
    let absent = if pairing["agentIds"][0] == ranger.id { "first_absent" } else { "second_absent" };
    assert_eq!((&pairing["result"], &over["winnerId"]), (&absent.into(), &scout.id.clone().into()));
}

#[apply(either)]
async fn what_the_server_lacks_is_held_against_no_player(#[case] backend: Backend) {
    let mut arena = Arena::with(backend, |settings| settings.arena_limits = "owner_matches=1".parse().unwrap()).await;
    let ada = arena.owner("Ada").await;
    let (scout, mut one) = arena.duelist("Scout").await;
    let ranger = arena.contestant("Ranger").await;
    let path = create(&ada, round_robin()).await;
    join(&path, &[&scout, &ranger]).await;
    start(&ada, &path).await;
    let _working = arena.work();
    arena.pass(40 * MINUTE).await;
    assert_eq!(shown(&arena, &path).await["status"], "running");
    one.expect_silence().await;
    // The session of the socket ends meanwhile.
    arena.app.advance(Duration::from_hours(48));
    let over = reached(&arena, &path, "cancelled").await;
    assert_eq!((&over["cancelledBy"], &over["winnerId"]), (&"stalled".into(), &Value::Null));
}

#[apply(either)]
async fn a_tournament_that_is_not_started_is_cancelled_after_a_week(#[case] backend: Backend) {
    let arena = Arena::start(backend).await;
    let path = create(&arena.owner("Ada").await, round_robin()).await;
    let _working = arena.work();
    arena.app.advance(Duration::from_hours(7 * 24));
    let over = reached(&arena, &path, "cancelled").await;
    assert_eq!(over["cancelledBy"], "not_started");
}

#[apply(either)]
async fn agents_and_their_owners_alone_join_and_leave(#[case] backend: Backend) {
    let arena = Arena::start(backend).await;
    let ada = arena.owner("Ada").await;
    let path = create(&ada, json!({ "league": "trivia", "system": "swiss", "playersMax": 2 })).await;
    let (own, shy) = (ada.agent("Own").await, arena.agent("Shy").await);
    own.put(&player(&path, &own)).await.expect_problem(409, "not_in_league");
    for agent in [&own, &shy] {
        arena.enrol(agent, json!({ "leagues": ["trivia"] })).await;
    }
    shy.put(&player(&path, &shy)).await.expect_problem(409, "challenge_declined");
    // An agent of the tournament's owner need not accept challenges. Its owner may call too.
    ada.put(&player(&path, &own)).await.expect_status(204);
    own.put(&player(&path, &own)).await.expect_status(204);
    shy.delete(&player(&path, &own)).await.expect_problem(404, "not_found");
    ada.put(&player(&path, &shy)).await.expect_problem(404, "not_found");
    let (scout, ranger) = (arena.contestant("Scout").await, arena.contestant("Ranger").await);
    join(&path, &[&scout]).await;
    ranger.put(&player(&path, &ranger)).await.expect_problem(409, "tournament_full");
    scout.delete(&player(&path, &scout)).await.expect_status(204);
    join(&path, &[&ranger]).await;
    let found = shown(&arena, &path).await;
    assert_eq!((&found["playerCount"], found["standings"].as_array().unwrap().len()), (&2.into(), 2));
    start(&ada, &path).await;
    scout.put(&player(&path, &scout)).await.expect_problem(409, "tournament_begun");
    ranger.delete(&player(&path, &ranger)).await.expect_problem(409, "tournament_begun");
    let nothing = format!("{PATH}/tn_01h2e8kqvbfwea724h75qc655w");
    scout.put(&player(&nothing, &scout)).await.expect_problem(404, "not_found");
    // Another owner has at most four agents in it.
    let large = create(&ada, json!({ "league": "trivia", "system": "swiss" })).await;
    let grace = arena.owner("Grace").await;
    for number in 0..5 {
        let agent = grace.agent(&format!("Agent {number}")).await;
        arena.enrol(&agent, json!({ "leagues": ["trivia"], "acceptsChallenges": true })).await;
        let joined = agent.put(&player(&large, &agent)).await;
        if number < 4 {
            joined.expect_status(204)
        } else {
            joined.expect_problem(409, "too_many_players")
        };
    }
}

#[apply(either)]
async fn its_owner_alone_starts_and_cancels_a_tournament(#[case] backend: Backend) {
    let arena = Arena::start(backend).await;
    let (ada, grace) = (arena.owner("Ada").await, arena.owner("Grace").await);
    let agent = ada.agent("Own").await;
    let mut paths = Vec::new();
    for _ in 0..3 {
        paths.push(create(&ada, round_robin()).await);
    }
    ada.post(PATH, round_robin()).await.expect_problem(409, "too_many_tournaments");
    // An agent acts for its owner.
    agent.post(PATH, round_robin()).await.expect_problem(409, "too_many_tournaments");
    let (start, cancel) = (format!("{}/start", paths[0]), format!("{}/cancel", paths[0]));
    grace.act(&start).await.expect_problem(403, "not_tournament_owner");
    grace.act(&cancel).await.expect_problem(403, "not_tournament_owner");
    ada.act(&start).await.expect_problem(409, "too_few_players");
    for _ in 0..2 {
        agent.act(&cancel).key("k").await.expect_status(204);
    }
    ada.act(&cancel).await.expect_problem(409, "tournament_over");
    ada.act(&start).await.expect_problem(409, "tournament_begun");
    let cancelled = shown(&arena, &paths[0]).await;
    assert_eq!((&cancelled["status"], &cancelled["cancelledBy"]), (&"cancelled".into(), &"by_owner".into()));
    paths.push(create(&ada, round_robin()).await);
    let ids = async |query: &str| arena.anonymous().get(&format!("{PATH}?{query}")).await.expect_status(200).each("id");
    let id = |path: &String| Value::from(path.rsplit('/').next().unwrap());
    assert_eq!(ids("status=cancelled").await, [id(&paths[0])]);
    assert_eq!(ids("status=registering&league=trivia").await, [id(&paths[3]), id(&paths[2]), id(&paths[1])]);
    assert_eq!(ids("league=reasoning").await, [""; 0]);
    let first = arena.anonymous().get(&format!("{PATH}?limit=3")).await;
    let rest = ids(&format!("limit=3&cursor={}", first.text_at("/nextCursor"))).await;
    assert_eq!(rest, [id(&paths[0])]);
    arena.anonymous().get(&format!("{PATH}?status=open")).await.expect_status(400);
}

#[apply(either)]
async fn wrong_tournaments_are_refused(#[case] backend: Backend) {
    let arena = Arena::start(backend).await;
    let ada = arena.owner("Ada").await;
    let invalid = async |body: Value| ada.post(PATH, body).await.expect_status(422).faults();
    let swiss = |field: &str, value: i64| json!({ "league": "trivia", "system": "swiss", field: value });
    for (body, pointer) in [
        (json!({ "league": "chess", "system": "swiss" }), "/league"),
        (json!({ "league": "trivia", "system": "knockout" }), "/system"),
        (swiss("rounds", 0), "/rounds"),
        (swiss("rounds", 12), "/rounds"),
        (swiss("playersMax", 65), "/playersMax"),
        (swiss("playersMax", 1), "/playersMax"),
    ] {
        let found = invalid(body).await;
        assert!(!found.is_empty() && found.iter().all(|(found, _)| found == pointer), "{pointer}: {found:?}");
    }
    let large = json!({ "league": "trivia", "system": "round_robin", "playersMax": 17 });
    assert_eq!(invalid(large).await, faults(&[("/playersMax", "out_of_range")]));
    let rounds = json!({ "league": "trivia", "system": "round_robin", "rounds": 3 });
    assert_eq!(invalid(rounds).await, faults(&[("/rounds", "out_of_range")]));
    let small = json!({ "league": "trivia", "system": "swiss", "rounds": 3, "playersMax": 4 });
    assert_eq!(invalid(small).await, faults(&[("/rounds", "out_of_range")]));
    let closed = json!({ "league": "python", "system": "swiss" });
    ada.post(PATH, closed).await.expect_problem(409, "league_closed");
    for page in ["/tournaments", "/tournaments?league=trivia"] {
        let empty = person(&arena).get(page).await;
        expect_page(&empty);
        assert!(empty.text.contains("No tournament has been created yet."), "{}", empty.text);
    }
    let missing = person(&arena).get("/tournaments/tn_01h2e8kqvbfwea724h75qc655w").await;
    assert_eq!((missing.status, missing.header("content-type")), (404, "text/html; charset=utf-8"));
}
