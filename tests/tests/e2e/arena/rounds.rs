//! Rounds that the server sends to agents' endpoints (seed AAP).

use std::{collections::BTreeSet, net::TcpListener, time::Duration};

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use buildtrack_tests::{Backend, eventually};
use ed25519_dalek::{Signature, VerifyingKey};
use rstest_reuse::apply;
use serde_json::{Value, json};

use super::{
    Arena,
    endpoint::{Endpoint, Reaction, mark_well, wait_for_health},
    events_of,
};
use crate::{both, either};

/// The only match of the arena, once it has begun.
async fn only_match(arena: &Arena) -> String {
    let listed = async || arena.anonymous().get("/api/v1/arena/matches").await.each("id");
    eventually(async || !listed().await.is_empty()).await;
    let [id] = &listed().await[..] else { panic!("more than one match") };
    id.as_str().unwrap().to_owned()
}

/// The claims of a token, verified with the server's public keys.
pub(super) async fn verified(arena: &Arena, token: &str) -> Value {
    let part = |text: &str| URL_SAFE_NO_PAD.decode(text).unwrap();
    let [header, claims, signature] = token.split('.').collect::<Vec<_>>()[..] else { panic!("{token} is no JWT") };
    let head: Value = serde_json::from_slice(&part(header)).unwrap();
    assert_eq!((&head["alg"], &head["typ"]), (&"EdDSA".into(), &"JWT".into()));
    let keys = arena.anonymous().get("/.well-known/jwks.json").await.expect_status(200);
    let key =
        keys["keys"].as_array().unwrap().iter().find(|key| key["kid"] == head["kid"]).expect("the key is published");
    let x: [u8; 32] = part(key["x"].as_str().unwrap()).try_into().unwrap();
    let signature = Signature::from_slice(&part(signature)).unwrap();
    VerifyingKey::from_bytes(&x).unwrap().verify_strict(format!("{header}.{claims}").as_bytes(), &signature).unwrap();
    serde_json::from_slice(&part(claims)).unwrap()
}

#[apply(either)]
async fn two_endpoints_play_a_ranked_match(#[case] backend: Backend) {
    let arena = Arena::start(backend).await;
    let ((scout, one), (ranger, other)) = (Endpoint::of(&arena, "Scout").await, Endpoint::of(&arena, "Ranger").await);
    other.react(vec![Reaction::Wrong; 10]);
    let _working = arena.work();
    let match_id = only_match(&arena).await;
    let shown = arena.ended(&match_id).await;
    assert_eq!((&shown["status"], &shown["ending"]), (&"finished".into(), &"completed".into()));
    assert_eq!((&shown["winnerId"], &shown["mode"]), (&scout.id.clone().into(), &"ranked".into()));
    let mut token_ids = BTreeSet::new();
    for (agent, endpoint) in [(&scout, &one), (&ranger, &other)] {
        let rounds = endpoint.rounds();
        assert_eq!(rounds.len(), 10);
        for (number, round) in (1..).zip(&rounds) {
            assert_eq!(round.content_type, "application/json");
            let mut body = round.body.clone();
            for field in ["description", "input_format", "output_format"] {
                let text = body["task"].as_object_mut().unwrap().remove(field).unwrap();
                assert!(text.as_str().is_some_and(|text| !text.is_empty()), "{field}");
            }
            assert!(body["task"].as_object_mut().unwrap().remove("options").unwrap().is_array());
            assert!(body.as_object_mut().unwrap().remove("rules").unwrap().is_array());
            let expected = json!({
                "version": "1.0", "league": "trivia", "match_id": match_id, "round": number, "total_rounds": 10, "task": {},
                "time_limit_seconds": 30, "max_tokens": 500, "opponent_count": 1
            });
            assert_eq!(body, expected);
            let mut claims = verified(&arena, &round.token).await;
            token_ids.insert(claims.as_object_mut().unwrap().remove("jti").unwrap().to_string());
            // The turn's deadline in 31 s, and a minute.
            let expires_at = "2026-03-01T12:01:31Z".parse::<chrono::DateTime<chrono::Utc>>().unwrap().timestamp();
            let expected = json!({
                "agent_id": agent.id, "match_id": match_id, "expires_at": expires_at, "exp": expires_at,
                "iss": "https://build.example", "aud": endpoint.url, "sub": agent.id
            });
            assert_eq!(claims, expected);
        }
        assert!(endpoint.strays().is_empty());
    }
    assert_eq!(token_ids.len(), 20, "no token has the id of another");
    let revealed = &events_of(&shown, "match.answer_revealed")[0];
    assert_eq!((&revealed["rationale"], &revealed["confidence"]), (&"It is known.".into(), &950.into()));
    // They rest before they play again.
    assert_eq!(arena.anonymous().get("/api/v1/arena/matches").await.each("id").len(), 1);
}

#[apply(either)]
async fn a_socket_agent_that_waits_plays_an_endpoint(#[case] backend: Backend) {
    let mut arena = Arena::start(backend).await;
    let (scout, endpoint) = Endpoint::of(&arena, "Scout").await;
    let (ranger, mut duelist) = arena.duelist("Ranger").await;
    let _working = arena.work();
    wait_for_health(&scout, "well").await;
    duelist.join().await;
    // It waits for another socket agent first.
    arena.pass(Duration::from_secs(3)).await;
    let result = duelist.play(false).await;
    let winner = scout.id.replace("ag_", "agt_");
    assert_eq!((&result["winner_agent_id"], &result["reason"]), (&winner.into(), &"completed".into()));
    assert_eq!(endpoint.rounds().len(), 10);
    let shown = arena.shown(&only_match(&arena).await).await;
    let channels: BTreeSet<_> = shown["agents"]
        .as_array()
        .unwrap()
        .iter()
        .map(|seat| (seat["agentId"].as_str().unwrap(), seat["channel"].as_str().unwrap()))
        .collect();
    assert_eq!(channels, BTreeSet::from([(&*scout.id, "push"), (&*ranger.id, "socket")]));
}

#[apply(either)]
async fn a_socket_agent_that_misses_turns_against_an_endpoint_loses_these_alone(#[case] backend: Backend) {
    let mut arena = Arena::start(backend).await;
    let (scout, endpoint) = Endpoint::of(&arena, "Scout").await;
    let (ranger, mut duelist) = arena.duelist("Ranger").await;
    endpoint.react(vec![Reaction::Wrong; 10]);
    let _working = arena.work();
    wait_for_health(&scout, "well").await;
    let match_id = arena.challenge(&[&ranger, &scout]).await;
    duelist.request().await;
    endpoint.wait_for_rounds(1).await;
    arena.pass_turn().await;
    let result = duelist.play(true).await;
    assert_eq!((&result["winner_agent_id"], &result["reason"]), (&duelist.id.clone().into(), &"completed".into()));
    assert_eq!(result["scores"][&duelist.id], 0.9);
    let judged = events_of(&arena.shown(&match_id).await, "match.turn_judged");
    assert_eq!(judged[0]["results"][0]["reason"], "timeout");
}

#[apply(either)]
async fn three_endpoints_meet_in_one_match(#[case] backend: Backend) {
    let arena = Arena::start(backend).await;
    let mut endpoints = Vec::new();
    for name in ["Scout", "Ranger", "Third"] {
        endpoints.push(Endpoint::of(&arena, name).await);
    }
    endpoints[2].1.react(vec![Reaction::Wrong; 10]);
    // Checks all before the first match is made.
    let working = arena.work();
    for (agent, _) in &endpoints {
        wait_for_health(agent, "well").await;
    }
    let shown = arena.ended(&only_match(&arena).await).await;
    assert_eq!(shown["agents"].as_array().unwrap().len(), 3, "{}", shown.text);
    assert_eq!(endpoints[0].1.rounds()[0].body["opponent_count"], 2);
    let results = arena.anonymous().get(&format!("/api/v1/agents/{}/arena/results", endpoints[2].0.id)).await;
    assert_eq!((results.each("place"), results.each("opponents")), (vec![3.into()], vec![2.into()]));
    working.stop().await;
}

#[apply(both)]
async fn endpoints_that_hang_before_a_match_delay_it_together_as_long_as_one(#[case] backend: Backend) {
    let arena = Arena::start(backend).await;
    // It takes connections, and never answers. Six checks in a row would take half a minute.
    let silent = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let url = format!("http://{}", silent.local_addr().unwrap());
    for number in 1..=6 {
        let agent = arena.agent(&format!("Silent {number}")).await;
        arena.enrol(&agent, json!({ "leagues": ["trivia"], "endpointUrl": url })).await;
        mark_well(&arena, &agent).await;
    }
    let ((scout, one), (ranger, _other)) = (Endpoint::of(&arena, "Scout").await, Endpoint::of(&arena, "Ranger").await);
    mark_well(&arena, &scout).await;
    mark_well(&arena, &ranger).await;
    let working = arena.work();
    one.wait_for_rounds(1).await;
    let shown = arena.shown(&only_match(&arena).await).await;
    let players: BTreeSet<_> =
        shown["agents"].as_array().unwrap().iter().map(|seat| seat["agentId"].as_str().unwrap()).collect();
    assert_eq!(players, BTreeSet::from([&*scout.id, &*ranger.id]));
    working.stop().await;
}

#[apply(both)]
async fn many_endpoints_that_answer_at_the_same_moment_get_each_round_once_and_every_answer_counts(
    #[case] backend: Backend,
) {
    const PLAYERS: usize = 32;
    let arena = Arena::start(backend).await;
    let (mut agents, mut endpoints) = (Vec::new(), Vec::new());
    for number in 1..=PLAYERS {
        let (agent, endpoint) = Endpoint::of(&arena, &format!("Player {number}")).await;
        mark_well(&arena, &agent).await;
        endpoint.react(vec![Reaction::Hang; 3]);
        agents.push(agent);
        endpoints.push(endpoint);
    }
    let match_id = arena.challenge(&agents.iter().collect::<Vec<_>>()).await;
    let working = arena.work();
    for turn in 1..=3 {
        for endpoint in &endpoints {
            endpoint.wait_for_rounds(turn).await;
        }
        eventually(async || {
            endpoints.iter().for_each(Endpoint::release);
            endpoints.iter().all(|endpoint| endpoint.rounds().len() > turn)
        })
        .await;
    }
    for turn in 4..=10 {
        for endpoint in &endpoints {
            endpoint.wait_for_rounds(turn).await;
        }
    }
    let shown = arena.ended(&match_id).await;
    assert_eq!((&shown["status"], &shown["ending"]), (&"finished".into(), &"completed".into()));
    assert_eq!((events_of(&shown, "match.answered").len(), events_of(&shown, "match.missed").len()), (PLAYERS * 10, 0));
    for (agent, endpoint) in agents.iter().zip(&endpoints) {
        // A ranked match may have begun since.
        let of_match = endpoint.rounds().into_iter().filter(|round| round.body["match_id"] == *match_id);
        let rounds: Vec<_> = of_match.map(|round| round.body["round"].as_u64().unwrap()).collect();
        assert_eq!(rounds, (1..=10).collect::<Vec<_>>(), "{}", agent.id);
    }
    working.stop().await;
}
