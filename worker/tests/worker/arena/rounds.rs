//! The rounds that agents' endpoints get (seed AAP), and what their reactions mean.

use std::time::Duration;

use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use buildtrack_domain::arena::{
    matches::{MatchEvent, MissReason},
    tasks::League,
};
use chrono::TimeDelta;
use rstest_reuse::apply;
use serde_json::{Value, json};

use super::{answers, begin, ended, endpoint, events, good, player, rounds, view, withdraw};
use crate::{
    both,
    cast::Member,
    database::{Kind, TestDatabase},
    process::{Running, eventually},
    receiver::{Reaction, Receiver},
};

/// The claims of a request's token. Its signature is not checked.
fn claims(authorization: &str) -> Value {
    let token = authorization.strip_prefix("Bearer ").expect("a bearer token");
    let [_, payload, _] = token.split('.').collect::<Vec<_>>()[..] else { panic!("{token} is no JWT") };
    serde_json::from_slice(&BASE64_URL_SAFE_NO_PAD.decode(payload).unwrap()).unwrap()
}

#[apply(both)]
async fn two_endpoints_play_a_match_to_its_end(kind: Kind) {
    let database = TestDatabase::at_noon(kind).await;
    let store = database.open().await;
    let mut endpoints = [Receiver::with_plan(vec![good()]).await, Receiver::with_plan(vec![good()]).await];
    let (ada, ben) = (player(&store, "Ada", &endpoints[0]).await, player(&store, "Ben", &endpoints[1]).await);
    let match_id = begin(&store, League::Trivia, &[&ada, &ben]).await;
    let due_at = view(&store, match_id).await.deadline.unwrap();
    let running = Running::new(&store);
    let found = ended(&store, match_id).await;
    running.stop().await;

    assert_eq!((&*found.phase, found.turn, found.turn_count), ("finished", 10, 10), "{found:?}");
    let base = endpoints[0].base();
    let sent = rounds(&mut endpoints[0]);
    assert_eq!((sent.len(), rounds(&mut endpoints[1]).len()), (10, 10), "each round is sent once");
    for (round, request) in (1..).zip(&sent) {
        let body = request.json();
        assert_eq!(body["match_id"], json!(match_id));
        assert_eq!(
            (&body["round"], &body["total_rounds"], &body["opponent_count"]),
            (&json!(round), &json!(10), &json!(1))
        );
        assert!(body["task"]["description"].is_string(), "{body}");
        assert_eq!(request.header("content-type"), "application/json");
        let claims = claims(request.header("authorization"));
        assert_eq!((&claims["agent_id"], &claims["match_id"]), (&json!(ada.agent_id), &json!(match_id)));
        assert_eq!((&claims["iss"], &claims["aud"]), (&json!("https://build.example"), &json!(base)));
        assert_eq!(claims["exp"], json!((due_at + TimeDelta::minutes(1)).timestamp()));
    }
    let revealed: Vec<_> = events(&store, match_id)
        .await
        .into_iter()
        .filter_map(|event| if let MatchEvent::Revealed(revealed) = event { Some(revealed) } else { None })
        .collect();
    assert_eq!(revealed.len(), 20);
    assert!(revealed.iter().all(|revealed| revealed.output == "42" && revealed.confidence == Some(500)));
    assert_eq!(revealed[0].rationale.as_deref(), Some("because"));
    let standings = store.arena().standings(ada.agent_id).await.unwrap();
    assert_eq!(standings.len(), 1, "the result counts");
    assert_eq!(store.arena().sealed_answers(match_id, 10).await.unwrap(), []);
}

/// Why an agent misses a turn, with the status of its endpoint; `None` if it answers.
type Missed = Option<(MissReason, Option<u16>)>;

/// What the endpoint does with its first requests, and why its agent misses the first turn then, with the status.
fn table() -> Vec<(Vec<Reaction>, Missed)> {
    let status = Reaction::Status;
    let missed = |reason, status| Some((reason, status));
    vec![
        (vec![good()], None),
        (vec![status(500), good()], None),
        (vec![status(500), status(500), good()], missed(MissReason::ServerError, Some(500))),
        (vec![status(502), good()], missed(MissReason::ServerError, Some(502))),
        (vec![status(408), good()], missed(MissReason::Timeout, Some(408))),
        (vec![status(429), good()], missed(MissReason::RateLimited, Some(429))),
        (vec![status(503), good()], missed(MissReason::Unavailable, Some(503))),
        (vec![status(404), good()], missed(MissReason::InvalidAnswer, Some(404))),
        (vec![status(200), good()], missed(MissReason::InvalidAnswer, Some(200))),
        (vec![answers(r#"{"answer":null}"#), good()], missed(MissReason::InvalidAnswer, Some(200))),
        (vec![Reaction::Endless, good()], missed(MissReason::InvalidAnswer, Some(200))),
        (vec![Reaction::HangsUp, good()], None),
        (vec![Reaction::HangsUp, Reaction::HangsUp, good()], missed(MissReason::Unreachable, None)),
    ]
}

/// Why each seat missed the turn, with the status; `None` if it answered.
async fn missed(
    store: &buildtrack_store::Store,
    match_id: buildtrack_domain::ids::MatchId,
    turn: u16,
    seats: usize,
) -> Vec<Missed> {
    let mut missed = vec![None; seats];
    for event in events(store, match_id).await {
        if let MatchEvent::Missed(event) = event
            && event.turn == turn
        {
            missed[usize::from(event.seat)] = Some((event.reason, event.status));
        }
    }
    missed
}

#[apply(both)]
async fn each_reaction_of_an_endpoint_has_its_meaning(kind: Kind) {
    let database = TestDatabase::at_noon(kind).await;
    let store = database.open().await;
    let (mut endpoints, mut players): (Vec<Receiver>, Vec<Member>) = (vec![], vec![]);
    for (plan, _) in table() {
        let endpoint = Receiver::with_plan(plan).await;
        players.push(player(&store, "Ada", &endpoint).await);
        endpoints.push(endpoint);
    }
    let match_id = begin(&store, League::Trivia, &players.iter().collect::<Vec<_>>()).await;
    let running = Running::new(&store);
    let found = ended(&store, match_id).await;
    running.stop().await;

    assert_eq!(&*found.phase, "finished", "{found:?}");
    let expected: Vec<_> = table().into_iter().map(|(_, expected)| expected).collect();
    assert_eq!(missed(&store, match_id, 1, players.len()).await, expected);
    // The endpoint that was rate limited gets no round in its pause; the one that was unavailable has skipped the match.
    let mut second = vec![None; players.len()];
    second[5] = Some((MissReason::RateLimited, None));
    assert_eq!(missed(&store, match_id, 2, players.len()).await, second);
    let sent: Vec<_> = endpoints.iter_mut().map(|endpoint| rounds(endpoint).len()).collect();
    assert_eq!(sent, [10, 11, 11, 10, 10, 1, 1, 10, 10, 10, 10, 11, 11]);
    let pause = store.log().clock().after(Duration::from_mins(5));
    for (number, reason) in [(5, "rate_limited"), (6, "unavailable")] {
        let state = endpoint(&store, &players[number]).await;
        assert_eq!((state.paused_until, state.reason.as_deref()), (Some(pause), Some(reason)));
    }
    assert_eq!(endpoint(&store, &players[0]).await.paused_until, None);
    for (number, results) in [(0, 1), (6, 0)] {
        let standings = store.arena().standings(players[number].agent_id).await.unwrap();
        assert_eq!(standings.len(), results, "an agent that skips has no result");
    }
}

#[apply(both)]
async fn an_agent_may_skip_two_matches_a_day(kind: Kind) {
    let database = TestDatabase::at_noon(kind).await;
    let store = database.open().await;
    let (well, ill) = (Receiver::with_plan(vec![good()]).await, Receiver::with_plan(vec![Reaction::Status(503)]).await);
    let (ada, ben) = (player(&store, "Ada", &well).await, player(&store, "Ben", &ill).await);
    let running = Running::new(&store);
    let mut endings = vec![];
    for _ in 0..3 {
        let match_id = begin(&store, League::Trivia, &[&ada, &ben]).await;
        endings.push(ended(&store, match_id).await.ending.unwrap_or_default());
        database.clock.advance(Duration::from_mins(6));
    }
    assert_eq!(endings[..2], ["unavailable", "unavailable"]);
    assert_ne!(endings[2], "unavailable", "the third one is played");
    database.clock.advance(Duration::from_hours(24));
    let match_id = begin(&store, League::Trivia, &[&ada, &ben]).await;
    assert_eq!(ended(&store, match_id).await.ending.as_deref(), Some("unavailable"), "a day later it may skip again");
    running.stop().await;
}

#[apply(both)]
async fn an_agent_that_withdraws_misses_its_turns(kind: Kind) {
    let database = TestDatabase::at_noon(kind).await;
    let store = database.open().await;
    let mut endpoints = [Receiver::with_plan(vec![good()]).await, Receiver::with_plan(vec![good()]).await];
    let (ada, ben) = (player(&store, "Ada", &endpoints[0]).await, player(&store, "Ben", &endpoints[1]).await);
    let match_id = begin(&store, League::Trivia, &[&ada, &ben]).await;
    withdraw(&store, &ben).await;
    let running = Running::new(&store);
    let found = ended(&store, match_id).await;
    running.stop().await;
    assert_eq!(&*found.phase, "finished", "{found:?}");
    assert_eq!(missed(&store, match_id, 1, 2).await, [None, Some((MissReason::Withdrawn, None))]);
    assert_eq!(rounds(&mut endpoints[1]), []);
}

#[apply(both)]
async fn a_turn_closes_at_its_deadline_without_the_answers_that_are_missing(kind: Kind) {
    let database = TestDatabase::at_noon(kind).await;
    let store = database.open().await;
    let (well, silent) = (Receiver::with_plan(vec![good()]).await, Receiver::with_plan(vec![Reaction::Silence]).await);
    let (ada, ben) = (player(&store, "Ada", &well).await, player(&store, "Ben", &silent).await);
    let match_id = begin(&store, League::Trivia, &[&ada, &ben]).await;
    let running = Running::new(&store);
    let found = eventually(async || Some(view(&store, match_id).await).filter(|found| found.waiting == 1)).await;
    assert_eq!((found.turn, found.seats[0].settled, found.seats[1].settled), (1, true, false));
    let left = found.deadline.unwrap() - store.log().clock().now();
    database.clock.advance(left.to_std().unwrap());
    eventually(async || (view(&store, match_id).await.turn == 2).then_some(())).await;
    running.stop().await;
    let judged = events(&store, match_id).await.into_iter().find_map(|event| match event {
        MatchEvent::Judged(judged) => Some(judged),
        _ => None,
    });
    assert_eq!(judged.unwrap().results[1].reason, MissReason::Timeout.as_str());
}
