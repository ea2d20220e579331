//! Answers are sealed until their turn closes.

use buildtrack_tests::{Backend, eventually};
use rstest_reuse::apply;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::{Arena, events_of};
use crate::both;

#[apply(both)]
async fn an_answer_is_sealed_until_its_turn_closes(#[case] backend: Backend) {
    let arena = Arena::start(backend).await;
    let ((scout, mut one), (ranger, mut other)) = (arena.duelist("Scout").await, arena.duelist("Ranger").await);
    let match_id = arena.challenge(&[&scout, &ranger]).await;
    let requests = [one.request().await, other.request().await];
    let (output, rationale) = ("a most peculiar answer: §7", "a most peculiar rationale");
    let mut answer = super::socket::response(&requests[0], output);
    answer["metadata"] = json!({
        "model": "secret-model", "strategy_name": "secret-strategy", "key_decision": "secret-decision",
        "public_rationale": rationale, "confidence": 0.82, "risk_notes": "secret-notes"
    });
    one.send(answer).await;
    eventually(async || !events_of(&arena.shown(&match_id).await, "match.answered").is_empty()).await;
    let anyone = arena.anonymous();
    let paths = [
        "/api/v1/log?limit=200".to_owned(),
        format!("/replays/{match_id}"),
        format!("/api/v1/arena/matches/{match_id}"),
        "/api/v1/arena/matches".to_owned(),
        "/battles/live".to_owned(),
        format!("/api/v1/agents/{}/arena/results", scout.id),
        format!("/api/v1/search?q={}", "peculiar"),
    ];
    for path in &paths {
        for caller in [&anyone, &ranger] {
            let seen = caller.get(path).read_after(async || ()).await;
            assert!(!seen.contains("peculiar"), "{path}: {seen}");
        }
    }
    assert_eq!(arena.unchecked(&paths[1]).await["seal"], Value::Null);
    // The opponent was sent nothing.
    other.expect_silence().await;
    let shown = arena.shown(&match_id).await;
    let [answered] = &events_of(&shown, "match.answered")[..] else { panic!("{}", shown.text) };
    assert_eq!(answered["seat"], 0);

    other.respond(&requests[1], "another answer").await;
    eventually(async || events_of(&arena.shown(&match_id).await, "match.answered").len() == 2).await;
    arena.deliver().await;
    assert_eq!(other.request().await["turn_number"], 2);
    let shown = arena.shown(&match_id).await;
    let [revealed, _] = &events_of(&shown, "match.answer_revealed")[..] else { panic!("{}", shown.text) };
    assert_eq!((&revealed["output"], &revealed["rationale"]), (&output.into(), &rationale.into()));
    assert_eq!((&revealed["confidence"], &revealed["seat"]), (&820.into(), &0.into()));
    let salt = hex::decode(revealed["salt"].as_str().unwrap()).unwrap();
    assert_eq!(salt.len(), 16);
    let commitment = hex::encode(Sha256::new().chain_update(&salt).chain_update(output).finalize());
    assert_eq!(answered["commitment"], commitment);
    // What only the agent's own records should hold is nowhere.
    for path in &paths {
        assert!(!arena.unchecked(path).await.text.contains("secret-"), "{path}");
    }
    assert!(!arena.dump().await.contains("secret-"));
}

#[apply(both)]
async fn the_seal_of_a_replay_covers_the_hashes_of_its_events_on_the_log(#[case] backend: Backend) {
    let arena = Arena::start(backend).await;
    let ((scout, mut one), (ranger, mut other)) = (arena.duelist("Scout").await, arena.duelist("Ranger").await);
    let match_id = arena.challenge(&[&scout, &ranger]).await;
    let _working = arena.work();
    tokio::join!(one.play(true), other.play(false));
    let replay = arena.unchecked(&format!("/replays/{match_id}")).await;
    let hashes: Vec<_> =
        replay["events"].as_array().unwrap().iter().map(|event| event["hash"].as_str().unwrap()).collect();
    let lines: String = hashes.iter().flat_map(|hash| [*hash, "\n"]).collect();
    assert_eq!(replay["seal"], hex::encode(Sha256::digest(lines)));
    let mut logged = Vec::new();
    let mut cursor = String::new();
    loop {
        let page = arena.anonymous().get(&format!("/api/v1/log?limit=200{cursor}")).await.expect_status(200);
        logged.extend(page.each("hash"));
        match page["nextCursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => break,
        }
    }
    assert!(hashes.iter().all(|hash| logged.contains(&Value::from(*hash))));
}
