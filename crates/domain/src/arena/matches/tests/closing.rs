//! Closing turns: judging, forfeits and void matches.

use super::*;

#[test]
fn a_turn_waits_for_answers_until_its_deadline() {
    let one = answered(begun(&[Channel::Push; 2]), &[1], 1, 1);
    let early = CloseTurn { now: at(LIMIT) - TimeDelta::microseconds(1), ..close(1, vec![scored(1, 1000)], 0) };
    assert_eq!(early.decide(&one), Err(MatchError::NotDue));
    assert!(close(1, vec![scored(1, 1000)], LIMIT).decide(&one).is_ok());
}

#[test]
fn a_turn_with_every_answer_closes_before_its_deadline() {
    let both = answered(begun(&SOCKETS), &[2, 1], 1, 1);
    let command = close(1, vec![scored(1, 1000), scored(2, 250)], 2);
    let events = command.decide(&both).unwrap();
    let [MatchEvent::Revealed(first), MatchEvent::Revealed(second), MatchEvent::Judged(judged), opened_next] =
        &events[..]
    else {
        panic!("{events:?}")
    };
    assert_eq!((&*first.output, &*second.output, first.seat, second.seat), ("answer 1", "answer 2", 0, 1));
    assert_eq!(first.salt, "01".repeat(16));
    assert_eq!((first.rationale.as_deref(), first.confidence), (Some("because"), Some(900)));
    let result = |seat, score| TurnResult { seat, score, reason: "partial".into() };
    assert_eq!((judged.turn, &*judged.judge), (1, "judge 1"));
    assert_eq!(judged.results, [result(0, 1000), result(1, 250)]);
    assert_eq!(*opened_next, opened(2, 2).into());
    let after = then(both, &events);
    assert_eq!((after.phase, after.judged, &after.totals[..]), (Phase::Playing, 1, &[1000, 250][..]));
    let open = after.open.unwrap();
    assert_eq!((open.number, &open.settled[..]), (2, &[None, None][..]));
}

#[test]
fn a_turn_in_which_every_endpoint_failed_closes_before_its_deadline() {
    let state = begun(&[Channel::Push; 2]);
    let state = [1, 2].into_iter().fold(state, |state, number| {
        let events = miss(number, 1).decide(&state).unwrap();
        then(state, &events)
    });
    let events = close(1, vec![], 1).decide(&state).unwrap();
    assert_eq!(judged(&events), [(0, "server_error"), (0, "server_error")]);
    assert_eq!(then(state, &events).open.map(|open| open.number), Some(2));
}

#[test]
fn a_missed_deadline_ends_a_match_between_sockets_and_the_other_wins() {
    // Agent 1 is ahead, and misses the second turn.
    let both = answered(begun(&SOCKETS), &[1, 2], 1, 1);
    let second = then(both.clone(), &close(1, vec![scored(1, 1000), scored(2, 0)], 2).decide(&both).unwrap());
    let one = answered(second, &[2], 2, 3);
    let events = close(2, vec![scored(2, 1)], 12).decide(&one).unwrap();
    assert_eq!(judged(&events), [(0, "timeout"), (1, "partial")]);
    let finished = finished(&events);
    assert_eq!((finished.ending, finished.winner, finished.turns), (Ending::Forfeited, Some(agent_id(2)), 2));
    assert_eq!(places(finished), [(2, 1000, true), (1, 1, false)]);
    assert_eq!(then(one, &events).phase, Phase::Finished);
}

#[test]
fn a_missed_turn_of_a_push_agent_loses_the_round_alone() {
    for channels in [[Channel::Socket, Channel::Push], [Channel::Push, Channel::Socket], [Channel::Push; 2]] {
        let one = answered(begun(&channels), &[2], 1, 1);
        let events = close(1, vec![scored(2, 500)], 10).decide(&one).unwrap();
        assert_eq!(judged(&events), [(0, "timeout"), (500, "partial")]);
        let after = then(one, &events);
        assert_eq!((after.phase, after.open.map(|open| open.number)), (Phase::Playing, Some(2)), "{channels:?}");
    }
}

#[test]
fn when_every_socket_misses_the_turn_the_match_is_drawn() {
    let events = close(1, vec![], 10).decide(&begun(&SOCKETS)).unwrap();
    assert_eq!(judged(&events), [(0, "timeout"), (0, "timeout")]);
    let drawn = finished(&events);
    assert_eq!((drawn.ending, drawn.winner), (Ending::Forfeited, None));
    assert_eq!(places(drawn), [(1, 0, true), (1, 0, true)]);

    let both = answered(begun(&SOCKETS), &[1, 2], 1, 1);
    let second = then(both.clone(), &close(1, vec![scored(1, 300), scored(2, 400)], 2).decide(&both).unwrap());
    let events = close(2, vec![], 12).decide(&second).unwrap();
    let drawn = finished(&events);
    assert_eq!((drawn.winner, places(drawn)), (None, vec![(1, 300, true), (1, 400, true)]));
}

#[test]
fn among_three_sockets_those_that_miss_come_last() {
    let one = answered(begun(&[Channel::Socket; 3]), &[1, 3], 1, 1);
    let events = close(1, vec![scored(1, 10), scored(3, 20)], 10).decide(&one).unwrap();
    assert_eq!(places(finished(&events)), [(2, 10, false), (3, 0, true), (1, 20, false)]);
    assert_eq!(finished(&events).winner, Some(agent_id(3)));
}

#[test]
fn an_absent_seat_has_the_reason_that_was_seen() {
    let state = begun(&[Channel::Socket, Channel::Socket, Channel::Push]);
    let state = then(state.clone(), &miss(3, 1).decide(&state).unwrap());
    let absent = vec![(1, MissReason::Disconnected), (2, MissReason::Unreachable)];
    let events = CloseTurn { absent, ..close(1, vec![], 10) }.decide(&state).unwrap();
    // What the log says of a seat precedes what was seen at its deadline.
    assert_eq!(judged(&events), [(0, "timeout"), (0, "disconnected"), (0, "server_error")]);
}

#[test]
fn scores_that_do_not_match_the_commitments_are_refused() {
    let both = answered(begun(&[Channel::Push; 3]), &[1, 2], 1, 1);
    let refused = |answers| {
        assert_eq!(close(1, answers, 10).decide(&both), Err(MatchError::Scores));
    };
    refused(vec![]);
    refused(vec![scored(1, 0)]);
    refused(vec![scored(1, 0), scored(2, 0), scored(3, 0)]);
    refused(vec![scored(1, 0), scored(3, 0)]);
    refused(vec![scored(1, 0), scored(1, 0)]);
    let (revealed, score) = scored(2, 0);
    for answer in [SealedAnswer { output: "another".into(), ..sealed(2) }, SealedAnswer { salt: [9; 16], ..sealed(2) }]
    {
        refused(vec![scored(1, 0), (Revealed { seat: 1, answer }, score)]);
    }
    refused(vec![scored(1, 0), (revealed, SeatScore { seat: 0, ..score })]);
    assert!(close(1, vec![scored(2, 0), scored(1, 0)], 10).decide(&both).is_ok());
}

#[test]
fn a_deadline_that_no_server_watched_voids_the_match() {
    let one = answered(begun(&SOCKETS), &[1], 1, 1);
    let watched = CloseTurn { now: at(LIMIT) + UNWATCHED, ..close(1, vec![scored(1, 1000)], 0) };
    assert_eq!(finished(&watched.decide(&one).unwrap()).ending, Ending::Forfeited);
    let unwatched = CloseTurn { now: watched.now + TimeDelta::microseconds(1), ..watched };
    let events = unwatched.decide(&one).unwrap();
    let [MatchEvent::Voided(data)] = &events[..] else { panic!("{events:?}") };
    assert_eq!((data.turn, data.reason), (1, VoidReason::Unwatched));
    assert_eq!(data.evidence, "no server watched the deadline of turn 1, which passed 5 s ago");
    assert_eq!(then(one, &events).phase, Phase::Void);
}

#[test]
fn a_turn_with_every_answer_is_judged_however_late() {
    let both = answered(begun(&SOCKETS), &[1, 2], 1, 1);
    let events = close(1, vec![scored(1, 1000), scored(2, 0)], 100_000).decide(&both).unwrap();
    assert_eq!(judged(&events), [(1000, "partial"), (0, "partial")]);
}

#[test]
fn a_turn_that_is_settled_at_its_deadline_is_judged_however_long_that_takes() {
    let one = answered(begun(&SOCKETS), &[1], 1, 1);
    let settle = SettleTurn { turn: 1, absent: vec![(1, MissReason::Disconnected)], now: at(LIMIT) };
    let early = SettleTurn { now: at(LIMIT) - TimeDelta::microseconds(1), ..settle.clone() };
    assert_eq!(early.decide(&one), Err(MatchError::NotDue));
    let events = settle.decide(&one).unwrap();
    let [MatchEvent::Missed(data)] = &events[..] else { panic!("{events:?}") };
    assert_eq!((data.turn, data.seat, data.reason, data.status), (1, 1, MissReason::Disconnected, None));
    let settled = then(one.clone(), &events);
    assert_eq!(settle.decide(&settled), Err(MatchError::NotDue), "nothing is left to settle");
    let events = close(1, vec![scored(1, 500)], 100_000).decide(&settled).unwrap();
    assert_eq!(judged(&events), [(500, "partial"), (0, "disconnected")]);
    assert_eq!(finished(&events).winner, Some(agent_id(1)));

    let late = SettleTurn { now: at(LIMIT) + UNWATCHED + TimeDelta::microseconds(1), ..settle };
    let events = late.decide(&one).unwrap();
    assert!(matches!(&events[..], [MatchEvent::Voided(data)] if data.reason == VoidReason::Unwatched), "{events:?}");
}
