//! Turns whose answers are programs, which take long to judge.

use std::time::Duration;

use buildtrack_domain::arena::{
    matches::{Channel, Mode},
    tasks::League,
};
use buildtrack_store::NewMatch;
use buildtrack_tests::{Backend, eventually};
use chrono::{DateTime, Utc};
use rstest_reuse::apply;

use super::{Arena, events_of};
use crate::either;

#[apply(either)]
async fn a_silent_seat_misses_its_turn_before_the_programs_run(#[case] backend: Backend) {
    let mut arena = Arena::start(backend).await;
    let ((scout, mut one), (ranger, _other)) = (arena.duelist("Scout").await, arena.duelist("Ranger").await);
    let mut seats = Vec::new();
    for agent in [&scout, &ranger] {
        let contestant = arena.store().arena().contestant(agent.id.parse().unwrap()).await.unwrap().unwrap();
        seats.push(contestant.seat(Channel::Socket));
    }
    // The league is closed: this process has no sandbox.
    let new = NewMatch { league: League::Python, mode: Mode::Ranked, challenger_id: None, seats };
    let match_id = arena.store().arena().create_match(new).await.unwrap().to_string();
    let request = one.request().await;
    one.respond(&request, "def solve(*arguments):\n    return None\n").await;
    eventually(async || !events_of(&arena.shown(&match_id).await, "match.answered").is_empty()).await;
    let deadline: DateTime<Utc> = arena.shown(&match_id).await.text_at("/deadline").parse().unwrap();
    let left = (deadline - arena.store().log().clock().now()).to_std().unwrap();
    arena.pass(left + Duration::from_secs(1)).await;
    let _working = arena.work();
    let ended = arena.ended(&match_id).await;
    let missed = events_of(&ended, "match.missed");
    assert_eq!((missed.len(), &missed[0]["seat"], &missed[0]["reason"]), (1, &1.into(), &"timeout".into()));
    // Only then the program would run. However long that takes, the deadline was watched.
    assert_eq!((&ended["status"], &ended["ending"]), (&"void".into(), &"judge_failed".into()));
}
