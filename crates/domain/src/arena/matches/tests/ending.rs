//! The ends of matches: places, draws, void matches, and where a match is listed.

use super::*;

/// Plays a match of push agents to its end with these scores, a list a turn.
fn play(seats: u8, turns: &[&[usize]]) -> MatchFinished {
    let channels = vec![Channel::Push; seats.into()];
    let turn_count = u16::try_from(turns.len()).unwrap();
    let mut state: Match = given(create(created(&channels, turn_count)).unwrap());
    let mut events = vec![];
    for (turn, scores) in (1..).zip(turns) {
        state = answered(state, &(1..=seats).collect::<Vec<_>>(), turn, 0);
        let answers = (1..).zip(*scores).map(|(number, score)| scored(number, *score)).collect();
        // The next turn of the last one is ignored.
        events = close(turn, answers, 0).decide(&state).unwrap();
        state = then(state, &events);
    }
    assert_eq!((state.phase, state.open.is_none(), state.judged), (Phase::Finished, true, turn_count));
    let finished = finished(&events).clone();
    assert!(finished.placings.iter().map(|placing| placing.total).eq(state.totals));
    assert!(events.iter().all(|event| !matches!(event, MatchEvent::TurnOpened(_))));
    finished
}

#[test]
fn the_last_turn_finishes_the_match_and_the_highest_total_wins() {
    let finished = play(2, &[&[0, 600], &[1000, 300]]);
    assert_eq!((finished.ending, finished.winner, finished.turns), (Ending::Completed, Some(agent_id(1)), 2));
    let placing = |seat: u16, place, total| Placing {
        seat,
        agent_id: agent_id(u128::from(seat) + 1),
        place,
        total,
        forfeited: false,
        excused: false,
    };
    assert_eq!(finished.placings, [placing(0, 1, 1000), placing(1, 2, 900)]);
}

#[test]
fn equal_totals_share_a_place_and_a_shared_first_place_is_a_draw() {
    let shown = |scores: &[usize]| {
        let finished = play(3, &[scores]);
        let places: Vec<_> = finished.placings.iter().map(|placing| placing.place).collect();
        (finished.winner, places)
    };
    assert_eq!(shown(&[5, 5, 1]), (None, vec![1, 1, 3]));
    assert_eq!(shown(&[1, 5, 1]), (Some(agent_id(2)), vec![2, 1, 2]));
    assert_eq!(shown(&[0, 0, 0]), (None, vec![1, 1, 1]));
}

#[test]
fn a_missed_last_turn_of_a_push_agent_finishes_the_match_in_full() {
    let state: Match = given(create(created(&[Channel::Push; 2], 1)).unwrap());
    let one = answered(state, &[2], 1, 1);
    let events = close(1, vec![scored(2, 0)], 10).decide(&one).unwrap();
    assert_eq!((finished(&events).ending, finished(&events).winner), (Ending::Completed, None));
    assert_eq!(places(finished(&events)), [(1, 0, false), (1, 0, false)]);
}

#[test]
fn a_void_match_reveals_and_scores_nothing() {
    let both = answered(begun(&SOCKETS), &[1, 2], 1, 1);
    let events = void().decide(&both).unwrap();
    let [MatchEvent::Voided(data)] = &events[..] else { panic!("{events:?}") };
    assert_eq!((data.match_id, data.turn, data.reason), (MATCH, 1, VoidReason::Operator));
    assert_eq!(data.evidence, "an operator ended it");
    let after = then(both, &events);
    assert_eq!((after.phase, after.open, &after.totals[..]), (Phase::Void, None, &[0, 0][..]));
}

#[test]
fn a_match_is_located_at_its_agents_and_its_turns_are_nowhere_listed() {
    let crowd = [Channel::Push; 5];
    let one = answered(begun(&crowd), &[1], 1, 1);
    let missed = miss(2, 1).decide(&one).unwrap();
    let closed = close(1, vec![scored(1, 1000)], 10).decide(&one).unwrap();
    let mut events = create(created(&crowd, 3)).unwrap();
    let (mode, challenger_id) = (Mode::Challenge, Some(CHALLENGER));
    events.extend(create(MatchCreated { mode, challenger_id, ..created(&SOCKETS, 3) }).unwrap().into_iter().take(1));
    events.extend(answer(1, 1, 1).decide(&begun(&crowd)).unwrap());
    events.extend(missed);
    events.extend(closed.into_iter().take(2));
    events.push(play(2, &[&[1, 0]]).into());
    events.push(play(2, &[&[1, 1]]).into());
    events.extend(void().decide(&one).unwrap());
    events.extend(crate::arena::matches::panel_tests::panel_events());
    assert_eq!(
        meanings(events),
        [
            concat!(
                "match.created @ag_1 ag_2 ag_3 ag_4 ag_5: ranked trivia match of Agent 1, Agent 2, Agent 3, Agent 4 ",
                "and others began",
            ),
            "match.turn_opened: turn 1 began with the task trivia-1",
            "match.created @ag_1 ag_2: challenge trivia match of Agent 1, Agent 2 began",
            "match.answered: seat 0 answered turn 1",
            "match.missed: seat 1 missed turn 1: server_error",
            "match.answer_revealed: the answer of seat 0 to turn 1 is public",
            "match.turn_judged: turn 1 was judged",
            "match.finished @ag_1 ag_2: ag_1 won the match",
            "match.finished @ag_1 ag_2: the match was drawn",
            "match.voided: the match is void: operator",
            "match.panel_drawn: panel 1 of 3 judges votes on turn 1",
            "match.vote_cast: judge 0 voted on turn 1",
            "match.vote_missed: judge 2 did not vote on turn 1: server_error",
            "match.vote_revealed: judge 0 voted A on turn 1",
        ]
    );
}

#[test]
fn a_match_of_two_is_void_when_an_agent_skips_it() {
    let events = SkipMatch { agent_id: agent_id(2) }.decide(&begun(&[Channel::Push; 2])).unwrap();
    let [MatchEvent::Missed(missed), MatchEvent::Voided(voided)] = &events[..] else { panic!("{events:?}") };
    assert_eq!(
        (missed.seat, missed.reason, missed.status, missed.excused),
        (1, MissReason::Unavailable, Some(503), true)
    );
    assert_eq!((voided.turn, voided.reason), (1, VoidReason::Unavailable));
    assert_eq!(voided.evidence, format!("{} answered 503 to the first round", agent_id(2)));
}

#[test]
fn a_match_of_three_goes_on_without_an_agent_that_skips_it() {
    let mut state: Match = given(create(created(&[Channel::Push; 3], 2)).unwrap());
    let skip = |number| SkipMatch { agent_id: agent_id(number) };
    state = then(state.clone(), &skip(2).decide(&state).unwrap());
    assert_eq!((state.phase, &state.excused[..]), (Phase::Playing, &[false, true, false][..]));
    assert_eq!(skip(2).decide(&state), Err(MatchError::AlreadySettled));
    assert_eq!(answer(2, 1, 1).decide(&state), Err(MatchError::AlreadySettled));
    state = answered(state, &[1, 3], 1, 1);
    let events = close(1, vec![scored(1, 0), scored(3, 0)], 2).decide(&state).unwrap();
    assert_eq!(judged(&events), [(0, "partial"), (0, "unavailable"), (0, "partial")]);
    state = then(state, &events);
    // Nothing waits for it in later turns, and the others cannot skip the match any more.
    let missed = Some(Settled::Missed(MissReason::Unavailable));
    assert_eq!(state.open.as_ref().unwrap().settled, [None, missed, None]);
    assert_eq!(skip(1).decide(&state), Err(MatchError::WrongTurn { current: 2 }));
    state = answered(state, &[1, 3], 2, 3);
    let events = close(2, vec![scored(1, 0), scored(3, 0)], 4).decide(&state).unwrap();
    let finished = finished(&events);
    // It comes last, although it has as many points as the others.
    assert_eq!(places(finished), [(1, 0, false), (3, 0, false), (1, 0, false)]);
    assert_eq!(finished.placings.iter().map(|placing| placing.excused).collect::<Vec<_>>(), [false, true, false]);
}

#[test]
fn a_match_is_void_when_fewer_than_two_are_left() {
    let state = begun(&[Channel::Push; 3]);
    let state = then(state.clone(), &SkipMatch { agent_id: agent_id(1) }.decide(&state).unwrap());
    let events = SkipMatch { agent_id: agent_id(3) }.decide(&state).unwrap();
    assert!(matches!(events.last(), Some(MatchEvent::Voided(data)) if data.reason == VoidReason::Unavailable));
    assert_eq!(then(state, &events).phase, Phase::Void);
}
