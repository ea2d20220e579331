//! Ranked matches of two agents with sockets, from the queue to the result.

use std::time::Duration;

use buildtrack_tests::{Backend, Receiver, eventually};
use chrono::{DateTime, Utc};
use rstest_reuse::apply;
use serde_json::{Value, json};

use super::{Arena, events_of, socket::Duelist};
use crate::either;

/// Lets two agents join the queue and meet; returns their first requests.
async fn meet(one: &mut Duelist, other: &mut Duelist) -> [Value; 2] {
    one.join().await;
    other.join().await;
    [one.request().await, other.request().await]
}

/// Plays a turn of both agents: the first answers rightly, the second wrongly.
async fn turn((one, other): (&mut Duelist, &mut Duelist), [first, second]: &[Value; 2]) {
    one.solve(first, true).await;
    other.solve(second, false).await;
}

fn time_of(message: &Value) -> DateTime<Utc> {
    let text = message["server_time"].as_str().unwrap();
    assert!(text.len() == 24 && text.ends_with('Z') && text.as_bytes()[19] == b'.', "{text}");
    text.parse().unwrap()
}

#[apply(either)]
async fn the_first_message_greets_the_agent(#[case] backend: Backend) {
    let arena = Arena::start(backend).await;
    let (scout, duelist) = arena.duelist("Scout").await;
    let id = scout.id.replace("ag_", "agt_");
    let expected = json!({
        "type": "evalduel.hello", "protocol": "evalduel-agent-v0", "agent_id": id,
        "server_time": "2026-03-01T12:00:00.000Z", "message": "connected"
    });
    assert_eq!(duelist.hello, expected);
    time_of(&duelist.hello);
}

#[apply(either)]
async fn a_ranked_match_is_played_to_its_result(#[case] backend: Backend) {
    let arena = Arena::start(backend).await;
    let ((scout, mut one), (ranger, mut other)) = (arena.duelist("Scout").await, arena.duelist("Ranger").await);
    let _working = arena.work();
    let mut requests = meet(&mut one, &mut other).await;
    let match_id = requests[0]["match_id"].as_str().unwrap().to_owned();
    let live = arena.anonymous().get("/battles/live").await.expect_status(200);
    assert_eq!(live.each("match_id"), [&*match_id]);
    for number in 1..=10_usize {
        for request in &requests {
            let mut fields: Vec<_> = request.as_object().unwrap().keys().map(String::as_str).collect();
            fields.sort_unstable();
            let expected = [
                "deadline_ms",
                "league",
                "match_id",
                "mode",
                "previous_turns",
                "task",
                "turn_count",
                "turn_id",
                "turn_number",
                "type",
            ];
            assert_eq!(fields, expected);
            assert_eq!((&request["turn_number"], &request["turn_count"]), (&number.into(), &10.into()));
            assert_eq!((&request["turn_id"], &request["mode"]), (&format!("turn_{number}").into(), &"ranked".into()));
            assert_eq!((&request["match_id"], &request["deadline_ms"]), (&match_id.clone().into(), &30_000.into()));
            for field in ["id", "public_instruction", "answer_format"] {
                assert!(request["task"][field].as_str().is_some_and(|text| !text.is_empty()), "{field}: {request}");
            }
            assert_eq!(request["previous_turns"].as_array().unwrap().len(), number - 1);
        }
        assert_eq!(requests[0]["task"], requests[1]["task"]);
        turn((&mut one, &mut other), &requests).await;
        if number < 10 {
            let task = requests[0]["task"]["id"].clone();
            requests = [one.request().await, other.request().await];
            let [own, others] =
                [&requests[0]["previous_turns"][number - 1], &requests[1]["previous_turns"][number - 1]];
            assert_eq!((&own["turn_number"], &own["turn_id"]), (&number.into(), &format!("turn_{number}").into()));
            assert_eq!((&own["task_id"], &others["task_id"]), (&task, &task));
            assert_eq!((&own["score"], &own["opponent_score"]), (&json!(1), &json!(0)), "{own}");
            assert_eq!((&others["score"], &others["opponent_score"]), (&json!(0), &json!(1)), "{others}");
            assert_eq!(others["output"], "I do not know");
            assert!(own["reason"].as_str().is_some_and(|reason| !reason.is_empty()));
        }
    }
    let expected = json!({
        "type": "evalduel.match.result", "match_id": match_id, "winner_agent_id": one.id,
        "scores": { one.id.clone(): 1, other.id.clone(): 0 }, "reason": "completed"
    });
    assert_eq!([one.next().await, other.next().await], [expected.clone(), expected]);

    let shown = arena.shown(&match_id).await;
    assert_eq!((&shown["status"], &shown["ending"]), (&"finished".into(), &"completed".into()));
    assert_eq!((&shown["winnerId"], &shown["mode"]), (&scout.id.clone().into(), &"ranked".into()));
    assert_eq!(events_of(&shown, "match.turn_opened").len(), 10);
    let tasks: std::collections::BTreeSet<_> =
        events_of(&shown, "match.turn_opened").iter().map(|event| event["task"]["id"].to_string()).collect();
    assert_eq!(tasks.len(), 10, "no task comes twice");
    let ladder = arena.anonymous().get("/leaderboard?league=trivia").await.expect_status(200);
    assert_eq!(ladder.each("agent_id"), [&*one.id, &*other.id]);
    assert_eq!((ladder.each("won"), ladder.each("lost")), (vec![1.into(), 0.into()], vec![0.into(), 1.into()]));
    for (agent, outcome) in [(&scout, "won"), (&ranger, "lost")] {
        let results = arena.anonymous().get(&format!("/api/v1/agents/{}/arena/results", agent.id)).await;
        assert_eq!(
            (results.each("outcome"), results.each("matchId")),
            (vec![outcome.into()], vec![match_id.clone().into()])
        );
        let (old, new) = (&results.each("oldRating")[0], &results.each("newRating")[0]);
        assert_eq!((old, new.as_i64() > old.as_i64()), (&1500.into(), outcome == "won"));
        let profile = arena.anonymous().get(&format!("/api/v1/agents/{}", agent.id)).await.expect_status(200);
        let rating = &profile["ratings"][0];
        assert_eq!((&rating["league"], &rating["elo"], &rating[outcome]), (&"trivia".into(), new, &1.into()));
    }
    let replays = arena.anonymous().get("/replays").await.expect_status(200);
    assert_eq!(
        (replays.each("match_id"), replays.each("winner_agent_id")),
        (vec![match_id.into()], vec![one.id.clone().into()])
    );
    assert_eq!(arena.anonymous().get("/battles/live").await.each("match_id"), [""; 0]);
}

#[apply(either)]
async fn a_match_with_equal_scores_has_no_winner(#[case] backend: Backend) {
    let arena = Arena::start(backend).await;
    let ((scout, mut one), (_ranger, mut other)) = (arena.duelist("Scout").await, arena.duelist("Ranger").await);
    let _working = arena.work();
    one.join().await;
    other.join().await;
    let (result, same) = tokio::join!(one.play(true), other.play(true));
    assert_eq!(result, same);
    assert_eq!((&result["winner_agent_id"], &result["scores"][&one.id]), (&Value::Null, &1.into()));
    let results = arena.anonymous().get(&format!("/api/v1/agents/{}/arena/results", scout.id)).await;
    assert_eq!((results.each("outcome"), results.each("newRating")), (vec!["drew".into()], vec![1500.into()]));
}

#[apply(either)]
async fn a_finished_match_is_pushed_to_both_agents(#[case] backend: Backend) {
    let arena = Arena::start(backend).await;
    let receivers = [Receiver::start(), Receiver::start()];
    let mut duelists = Vec::new();
    let mut agents = Vec::new();
    for (name, receiver) in ["Scout", "Ranger"].into_iter().zip(&receivers) {
        let agent = arena.owner(&format!("{name}'s owner")).await.agent_at(name, &receiver.url).await;
        arena.enrol(&agent, json!({ "leagues": ["trivia"] })).await;
        duelists.push(Duelist::connect(&arena, &agent).await);
        agents.push(agent);
    }
    let working = arena.work();
    let [one, other] = &mut duelists[..] else { unreachable!() };
    one.join().await;
    other.join().await;
    let (result, _) = tokio::join!(one.play(true), other.play(false));
    let finished = |receiver: &Receiver| receiver.take().into_iter().find(|push| push.event == "match.finished");
    for (seat, receiver) in receivers.iter().enumerate() {
        let mut push = None;
        let pushed = std::sync::Mutex::new(&mut push);
        eventually(async || {
            let mut push = pushed.lock().unwrap();
            **push = push.take().or_else(|| finished(receiver));
            push.is_some()
        })
        .await;
        let push = push.unwrap();
        assert!(push.is_signed_with(&agents[seat].webhook_secret));
        let body = push.json();
        assert_eq!(body["event"], "match.finished");
        let data = &body["data"];
        assert_eq!((&data["matchId"], &data["league"]), (&result["match_id"], &"trivia".into()), "{body}");
        assert_eq!((&data["outcome"], &data["place"]), (&["won", "lost"][seat].into(), &(seat + 1).into()));
        assert_eq!((&data["opponentId"], &data["opponents"]), (&agents[1 - seat].id.clone().into(), &1.into()));
        assert_eq!((&data["scoreThousandths"], &data["oldRating"]), (&[1000, 0][seat].into(), &1500.into()));
        let url = format!("https://build.example/replays/{}", result["match_id"].as_str().unwrap());
        assert_eq!(data["url"], url);
    }
    working.stop().await;
}

#[apply(either)]
async fn a_silent_agent_loses_by_timeout(#[case] backend: Backend) {
    let mut arena = Arena::start(backend).await;
    let ((scout, mut one), (ranger, mut other)) = (arena.duelist("Scout").await, arena.duelist("Ranger").await);
    let match_id = arena.challenge(&[&scout, &ranger]).await;
    let [request, late] = [one.request().await, other.request().await];
    one.solve(&request, false).await;
    eventually(async || !events_of(&arena.shown(&match_id).await, "match.answered").is_empty()).await;
    arena.pass_turn().await;
    other.solve(&late, true).await;
    assert_eq!(other.error().await, "late_answer");
    arena.deliver().await;
    let result = one.expect("evalduel.match.result").await;
    assert_eq!((&result["winner_agent_id"], &result["reason"]), (&one.id.clone().into(), &"forfeited".into()));
    assert_eq!(other.next().await, result);
    let shown = arena.shown(&match_id).await;
    let judged = &events_of(&shown, "match.turn_judged")[0]["results"];
    let silent = judged.as_array().unwrap().iter().find(|seat| seat["seat"] == 1).unwrap();
    assert_eq!((&silent["score"], &silent["reason"]), (&0.into(), &"timeout".into()), "{judged}");
}

#[apply(either)]
async fn a_disconnected_agent_loses(#[case] backend: Backend) {
    let mut arena = Arena::start(backend).await;
    let ((scout, mut one), (ranger, mut other)) = (arena.duelist("Scout").await, arena.duelist("Ranger").await);
    let match_id = arena.challenge(&[&scout, &ranger]).await;
    let request = one.request().await;
    other.request().await;
    other.leave().await;
    let enrolment = super::enrolment_of(&ranger);
    eventually(async || ranger.get(&enrolment).await["connected"] == false).await;
    one.solve(&request, false).await;
    eventually(async || !events_of(&arena.shown(&match_id).await, "match.answered").is_empty()).await;
    arena.pass_turn().await;
    arena.deliver().await;
    let result = one.expect("evalduel.match.result").await;
    assert_eq!((&result["winner_agent_id"], &result["reason"]), (&one.id.clone().into(), &"forfeited".into()));
    let shown = arena.shown(&match_id).await;
    assert_eq!(events_of(&shown, "match.turn_judged")[0]["results"][1]["reason"], "disconnected");
}

#[apply(either)]
async fn an_agent_that_reconnects_gets_the_same_turn_and_plays_on(#[case] backend: Backend) {
    let mut arena = Arena::start(backend).await;
    let ((_scout, mut one), (ranger, mut other)) = (arena.duelist("Scout").await, arena.duelist("Ranger").await);
    let _working = arena.work();
    let mut requests = meet(&mut one, &mut other).await;
    turn((&mut one, &mut other), &requests).await;
    requests = [one.request().await, other.request().await];
    other.leave().await;
    arena.pass(Duration::from_secs(7)).await;
    let mut back = Duelist::connect(&arena, &ranger).await;
    let again = back.request().await;
    let mut expected = requests[1].clone();
    // A grace second is added to the task's limit of 30 seconds.
    expected["deadline_ms"] = 24_000.into();
    assert_eq!(again, expected);
    turn((&mut one, &mut back), &[requests[0].clone(), again]).await;
    let (result, _) = tokio::join!(one.play(true), back.play(false));
    assert_eq!(result["reason"], "completed");
}

#[apply(either)]
async fn an_agent_that_has_answered_is_not_asked_again_when_it_reconnects(#[case] backend: Backend) {
    let arena = Arena::start(backend).await;
    let ((scout, mut one), (ranger, mut other)) = (arena.duelist("Scout").await, arena.duelist("Ranger").await);
    let match_id = arena.challenge(&[&scout, &ranger]).await;
    let requests = [one.request().await, other.request().await];
    one.solve(&requests[0], true).await;
    eventually(async || !events_of(&arena.shown(&match_id).await, "match.answered").is_empty()).await;
    one.leave().await;
    let mut back = Duelist::connect(&arena, &scout).await;
    back.expect_silence().await;
    other.solve(&requests[1], true).await;
    eventually(async || events_of(&arena.shown(&match_id).await, "match.answered").len() == 2).await;
    arena.deliver().await;
    assert_eq!(back.request().await["turn_number"], 2);
    assert_eq!(other.request().await["turn_number"], 2);
}
