//! The seal of debates: a motion does not show which seat wrote which argument until the votes on it have closed.

use std::collections::BTreeSet;

use buildtrack_tests::{Agent, Backend, Caller, Live, eventually};
use rstest_reuse::apply;
use serde_json::{Value, json};

use super::{
    Arena,
    debates::{argue, begin, count_of, debater, judge, judges},
    events_of,
    socket::{Duelist, response},
};
use crate::{either, pages::person};

/// The doors that show a match to everyone.
fn doors(match_id: &str) -> Vec<String> {
    vec![
        "/api/v1/log?limit=200".to_owned(),
        format!("/api/v1/arena/matches/{match_id}"),
        format!("/replays/{match_id}"),
        "/api/v1/arena/matches".to_owned(),
        "/battles/live".to_owned(),
        "/api/v1/search?q=argues".to_owned(),
        "/log?limit=200".to_owned(),
    ]
}

/// What tells whose argument is whose: its text, a side, a letter of the ballot, and votes.
const TELLING: [&str; 9] = [
    "0 argues",
    "1 argues",
    "peculiar",
    "firstSeat",
    "\"sides\"",
    r#"\"sides\""#,
    "&#34;sides&#34;",
    "\"vote\"",
    r#"\"vote\""#,
];

async fn expect_seal(callers: &[&Caller], match_id: &str) {
    for path in doors(match_id) {
        for caller in callers {
            let seen = caller.get(&path).read_after(async || ()).await;
            for telling in TELLING {
                assert!(!seen.contains(telling), "{path} tells {telling}: {seen}");
            }
        }
    }
}

#[apply(either)]
async fn whose_argument_is_whose_is_sealed_until_the_votes_on_its_motion_have_closed(#[case] backend: Backend) {
    let arena = Arena::start(backend).await;
    let mut judges = judges(&arena).await;
    let mut players = [debater(&arena, "Scout").await, debater(&arena, "Ranger").await];
    let _working = arena.work();
    let match_id = begin(&players[0].0, &players[1].0).await;
    let (anyone, browser) = (arena.anonymous(), person(&arena));
    for turn in [1, 2] {
        argue(&mut players).await;
        let mut ballots = Vec::new();
        for (_, judge) in &mut judges {
            ballots.push(judge.request().await);
        }
        let text = ballots[0].to_string();
        assert!(text.contains("Player 0 argues") && text.contains("Player 1 argues"), "judges read both: {text}");
        // The panel votes: neither a judge nor a player, nor anyone else, finds out more.
        let (judge, player) = (&judges[0].0, &players[0].0);
        expect_seal(&[&anyone, &browser, judge, player], &match_id).await;
        let shown = arena.shown(&match_id).await;
        let revealed = events_of(&shown, "match.answer_revealed");
        assert_eq!(revealed.len(), 2 * turn);
        assert!(revealed.iter().all(|event| event["sealed"] == true && event.get("salt").is_none()), "{revealed:?}");
        for (number, ballot) in ballots.iter().enumerate() {
            let mut vote = response(ballot, "A");
            vote["metadata"] = json!({ "public_rationale": "a most peculiar rationale" });
            judges[number].1.send(vote).await;
            if number < 2 {
                let cast = 3 * (turn - 1) + number + 1;
                eventually(async || count_of(&arena, &match_id, "match.vote_cast").await == cast).await;
                expect_seal(&[&anyone, &judges[0].0], &match_id).await;
            }
        }
        eventually(async || count_of(&arena, &match_id, "match.turn_judged").await == turn).await;
        if turn == 1 {
            // The sides are swapped in the second turn: who argued for the motion in the first one tells who argues against it now.
            expect_seal(&[&anyone, &browser, &judges[0].0], &match_id).await;
        }
    }
    let shown = arena.shown(&match_id).await;
    let texts = events_of(&shown, "match.answer_revealed");
    assert!(texts.iter().all(|event| event["output"].as_str().unwrap().contains("argues")), "{texts:?}");
    let votes = events_of(&shown, "match.vote_revealed");
    assert!(votes.len() == 6 && votes.iter().all(|vote| vote["rationale"] == "a most peculiar rationale"), "{votes:?}");
    let sides: Vec<_> = events_of(&shown, "match.turn_opened").iter().map(|turn| turn["sides"].clone()).collect();
    assert_eq!((sides.len(), &sides[2]), (3, &Value::Null), "the next motion is sealed");
    assert!(sides[0] != sides[1] && sides[0].is_array(), "{sides:?}");
    let page = person(&arena).get(&format!("/replays/{match_id}")).await;
    assert!(page.text.contains("Player 0 argues"), "{}", page.text);
    // The log shows now what it withheld.
    let log = anyone.get("/api/v1/log?limit=200").await.expect_status(200);
    let of_type = |wanted: &str| -> Vec<Value> {
        let events = log["items"].as_array().unwrap().iter();
        events.filter(|event| event["type"] == wanted).map(|event| event["visibility"].clone()).collect()
    };
    assert_eq!(of_type("match.turn_opened"), ["public", "public", "sealed"]);
    assert_eq!(of_type("match.answer_revealed"), ["public"; 4]);
    assert_eq!(of_type("match.vote_revealed"), ["public"; 6]);
}

#[apply(either)]
async fn a_void_debate_is_sealed_no_more(#[case] backend: Backend) {
    let mut arena = Arena::start(backend).await;
    let mut judges = judges(&arena).await;
    let mut players = [debater(&arena, "Scout").await, debater(&arena, "Ranger").await];
    let _working = arena.work();
    let match_id = begin(&players[0].0, &players[1].0).await;
    argue(&mut players).await;
    for (_, judge) in &mut judges {
        judge.request().await;
    }
    expect_seal(&[&arena.anonymous()], &match_id).await;
    arena.pass(std::time::Duration::from_secs(62)).await;
    let ended = arena.ended(&match_id).await;
    assert_eq!(ended["status"], "void");
    let texts = events_of(&ended, "match.answer_revealed");
    assert!(texts.len() == 2 && texts.iter().all(|event| event["output"].is_string()), "{texts:?}");
}

/// The visibilities of the next arguments on a stream.
async fn arguments(live: &mut Live, count: usize) -> Vec<Value> {
    let mut shown = Vec::new();
    while shown.len() < count {
        let event = live.take(1).await.remove(0);
        if event["type"] == "match.answer_revealed" {
            shown.push(event["visibility"].clone());
        }
    }
    shown
}

#[apply(either)]
async fn a_stream_repeats_a_motion_in_full_when_the_votes_on_it_have_closed(#[case] backend: Backend) {
    let arena = Arena::start(backend).await;
    let mut judges = judges(&arena).await;
    let mut players = [debater(&arena, "Scout").await, debater(&arena, "Ranger").await];
    let (anyone, path) = (arena.anonymous(), "/api/v1/live?types=match.answer_revealed,match.turn_judged");
    let mut live = anyone.follow(path).await;
    let begun = live.last_id.unwrap();
    let _working = arena.work();
    begin(&players[0].0, &players[1].0).await;
    for _ in 1..=2 {
        argue(&mut players).await;
        assert_eq!(arguments(&mut live, 2).await, ["sealed"; 2]);
        for (_, judge) in &mut judges {
            let ballot = judge.request().await;
            judge.respond(&ballot, "A").await;
        }
        assert_eq!(live.take(1).await[0]["type"], "match.turn_judged");
    }
    let mut again = anyone.resume(path, begun).await;
    assert_eq!(arguments(&mut again, 4).await, ["public"; 4]);
}

/// The judges of the panel with this number in the match. Each has read its ballot; they vote if it is told.
async fn panel(
    (arena, match_id): (&Arena, &str),
    judges: &mut [(Agent, Duelist)],
    (number, votes): (usize, bool),
) -> BTreeSet<String> {
    eventually(async || count_of(arena, match_id, "match.panel_drawn").await == number).await;
    let shown = arena.shown(match_id).await;
    let drawn = &events_of(&shown, "match.panel_drawn")[number - 1];
    let drawn = drawn["judges"].as_array().unwrap().iter().map(|judge| judge["agentId"].as_str().unwrap().to_owned());
    let drawn: BTreeSet<String> = drawn.collect();
    for (_, judge) in judges.iter_mut().filter(|(agent, _)| drawn.contains(&agent.id)) {
        let ballot = judge.request().await;
        if votes {
            judge.respond(&ballot, "A").await;
        }
    }
    drawn
}

#[apply(either)]
async fn each_panel_of_a_motion_has_other_judges_while_there_are_enough(#[case] backend: Backend) {
    let mut arena = Arena::start(backend).await;
    let mut present = Vec::new();
    for number in 1..=9 {
        present.push(judge(&arena, &format!("Judge {number}")).await);
    }
    let mut players = [debater(&arena, "Scout").await, debater(&arena, "Ranger").await];
    let _working = arena.work();
    let match_id = begin(&players[0].0, &players[1].0).await;
    let mut panels = Vec::new();
    // The first panel of the second turn does not vote.
    for (number, argues, votes) in
        [(1, true, true), (2, true, false), (3, false, true), (4, true, true), (5, true, true)]
    {
        if argues {
            argue(&mut players).await;
        }
        panels.push(panel((&arena, &match_id), &mut present, (number, votes)).await);
        if !votes {
            arena.pass(std::time::Duration::from_secs(62)).await;
        }
    }
    let of_first_motion: BTreeSet<_> = panels[..3].iter().flatten().collect();
    assert_eq!(of_first_motion.len(), 9, "{panels:?}");
    // All have judged by now, but not this motion.
    assert!(panels[3].is_disjoint(&panels[4]), "{panels:?}");
}
