//! Turns of debates: missed arguments, and motions with swapped sides.

use super::*;

#[test]
fn a_missed_argument_loses_the_turn_without_a_panel() {
    let one = apply(begun(), &answer(2, 1, 1));
    let events = close(1, vec![unopposed(2, 1)], LIMIT).decide(&one).unwrap();
    assert_eq!(scores(&events), [(0, "timeout".into()), (1000, "unopposed".into())]);
    // Two arguments need one.
    let both = close(1, vec![unopposed(1, 1), unopposed(2, 1)], 3);
    assert_eq!(both.decide(&argued()), Err(MatchError::Panel));
}

#[test]
fn a_motion_comes_in_two_turns_with_swapped_sides() {
    let state = voted(&[(11, Vote::A), (12, Vote::A), (13, Vote::A)]);
    let votes = [(0, Vote::A), (1, Vote::A), (2, Vote::A)];
    let followed_by = |next: TurnOpened| CountVotes { next: Some(next), ..count(1, &votes, 5) }.decide(&state);
    let another = TurnOpened { task: opened(3, 5).task, ..opened(2, 5) };
    assert_eq!(followed_by(another), Err(MatchError::NextTurn));
    assert_eq!(followed_by(TurnOpened { sides: sides_in(1), ..opened(2, 5) }), Err(MatchError::NextTurn));
    let events = followed_by(opened(2, 5)).unwrap();
    let open = then(state.clone(), &events).open.unwrap();
    assert_eq!((open.sides, open.task), (sides_in(2), opened(1, 0).task));
}

#[test]
fn a_new_motion_begins_with_either_side() {
    let open = |turn| OpenTurn { number: turn, sides: sides_in(turn), ..begun().open.unwrap() };
    for first in [Side::For, Side::Against] {
        assert!(panel::debate_follows(&open(2), &TurnOpened { sides: sides_from(first), ..opened(3, 5) }));
    }
    assert!(!panel::debate_follows(&open(2), &TurnOpened { sides: vec![], ..opened(3, 5) }));
}

/// One event of each type that a panel has.
pub(in crate::arena::matches) fn panel_events() -> Vec<MatchEvent> {
    let miss = MissVote { agent_id: agent_id(13), turn: 1, reason: MissReason::ServerError, status: Some(503) };
    let state = apply(voted(&[(11, Vote::A), (12, Vote::A)]), &miss);
    let mut events = draw(1, 3).decide(&argued()).unwrap().split_off(2);
    events.extend(cast(11, 1, Vote::A, 4).decide(&drawn()).unwrap());
    events.extend(miss.decide(&drawn()).unwrap());
    events.extend(count(1, &[(0, Vote::A), (1, Vote::A)], 5).decide(&state).unwrap().into_iter().take(1));
    events
}
