//! Answers and missed turns.

use super::*;

#[test]
fn a_commitment_is_the_sha_256_of_salt_and_output() {
    // printf '\1%.0s' {1..16} | cat - <(printf 'answer 1') | sha256sum
    let commitment = sealed(1).commitment();
    assert_eq!(commitment, Commitment::of(&[1; 16], "answer 1"));
    assert_eq!(commitment.to_string(), "1815667791e1ce0e1a9d0e0407554aced0cb846f4a2e1260f09f37fbb69792ee");
    let json = serde_json::to_string(&commitment).unwrap();
    assert_eq!(json, format!("\"{commitment}\""));
    assert_eq!(serde_json::from_str::<Commitment>(&json).unwrap(), commitment);
    for damaged in ["\"ab\"", "\"\"", "\"zz\"", "1"] {
        assert!(serde_json::from_str::<Commitment>(damaged).is_err(), "{damaged}");
    }
}

#[test]
fn an_answer_is_on_the_log_as_its_commitment_and_latency() {
    let events = answer(2, 1, 3).decide(&begun(&SOCKETS)).unwrap();
    let [MatchEvent::Answered(data)] = &events[..] else { panic!("{events:?}") };
    assert_eq!((data.match_id, data.turn, data.seat, data.latency_ms), (MATCH, 1, 1, 3000));
    assert_eq!(data.commitment, sealed(2).commitment());
    let state = then(begun(&SOCKETS), &events);
    assert_eq!(state.open.unwrap().settled, [None, Some(Settled::Answered(sealed(2).commitment()))]);
    let sealed_again = format!("{:?} {}", sealed(2), events[0].encode());
    assert!(!sealed_again.contains("answer 2") && !sealed_again.contains("because"), "{sealed_again}");
}

#[test]
fn an_answer_before_its_turn_began_has_no_latency() {
    let events = answer(1, 1, -1).decide(&begun(&SOCKETS)).unwrap();
    assert!(matches!(&events[..], [MatchEvent::Answered(data)] if data.latency_ms == 0));
}

#[test]
fn nothing_happens_in_a_match_that_does_not_exist() {
    let absent = Match::default();
    assert_eq!(answer(1, 1, 1).decide(&absent), Err(MatchError::NotFound));
    assert_eq!(miss(1, 1).decide(&absent), Err(MatchError::NotFound));
    assert_eq!(close(1, vec![], 10).decide(&absent), Err(MatchError::NotFound));
    assert_eq!(void().decide(&absent), Err(MatchError::NotFound));
}

#[test]
fn nothing_happens_in_a_match_that_is_over() {
    let voided = then(begun(&SOCKETS), &void().decide(&begun(&SOCKETS)).unwrap());
    let forfeited = then(begun(&SOCKETS), &close(1, vec![], 10).decide(&begun(&SOCKETS)).unwrap());
    assert_eq!((voided.phase, forfeited.phase), (Phase::Void, Phase::Finished));
    for over in [voided, forfeited] {
        assert_eq!(answer(1, 1, 1).decide(&over), Err(MatchError::Over));
        assert_eq!(miss(1, 1).decide(&over), Err(MatchError::Over));
        assert_eq!(close(1, vec![], 10).decide(&over), Err(MatchError::Over));
        assert_eq!(void().decide(&over), Err(MatchError::Over));
    }
}

#[test]
fn an_agent_without_a_seat_neither_answers_nor_misses() {
    assert_eq!(answer(3, 1, 1).decide(&begun(&SOCKETS)), Err(MatchError::NotYourMatch));
    assert_eq!(miss(3, 1).decide(&begun(&SOCKETS)), Err(MatchError::NotYourMatch));
}

#[test]
fn only_the_open_turn_is_answered_missed_and_closed() {
    let first = begun(&SOCKETS);
    let both = answered(first.clone(), &[1, 2], 1, 1);
    let second = then(both.clone(), &close(1, vec![scored(1, 0), scored(2, 0)], 2).decide(&both).unwrap());
    for (state, current, turns) in [(first, 1, [0, 2]), (second, 2, [1, 3])] {
        for turn in turns {
            assert_eq!(answer(1, turn, 3).decide(&state), Err(MatchError::WrongTurn { current }));
            assert_eq!(miss(1, turn).decide(&state), Err(MatchError::WrongTurn { current }));
            assert_eq!(close(turn, vec![], 99).decide(&state), Err(MatchError::WrongTurn { current }));
        }
        assert_eq!(answer(1, current, 3).decide(&state).unwrap().len(), 1);
    }
}

#[test]
fn a_seat_is_settled_once_by_an_answer_or_a_miss() {
    let by_answer = answered(begun(&SOCKETS), &[1], 1, 1);
    let by_miss = then(begun(&SOCKETS), &miss(1, 1).decide(&begun(&SOCKETS)).unwrap());
    for settled in [by_answer, by_miss] {
        assert_eq!(answer(1, 1, 2).decide(&settled), Err(MatchError::AlreadySettled));
        assert_eq!(miss(1, 1).decide(&settled), Err(MatchError::AlreadySettled));
        // The other seat is not concerned.
        assert_eq!(answer(2, 1, 2).decide(&settled).unwrap().len(), 1);
    }
}

#[test]
fn an_answer_at_the_deadline_is_late() {
    let in_time = AnswerTurn { now: at(LIMIT) - TimeDelta::microseconds(1), ..answer(1, 1, 0) };
    assert_eq!(in_time.decide(&begun(&SOCKETS)).unwrap().len(), 1);
    assert_eq!(answer(1, 1, LIMIT).decide(&begun(&SOCKETS)), Err(MatchError::Late));
    assert_eq!(answer(1, 1, LIMIT + 1).decide(&begun(&SOCKETS)), Err(MatchError::Late));
}

#[test]
fn a_missed_turn_has_its_reason_and_the_endpoints_status() {
    let events = miss(2, 1).decide(&begun(&SOCKETS)).unwrap();
    let [MatchEvent::Missed(data)] = &events[..] else { panic!("{events:?}") };
    assert_eq!((data.turn, data.seat, data.reason, data.status), (1, 1, MissReason::ServerError, Some(502)));
    let state = then(begun(&SOCKETS), &events);
    assert_eq!(state.open.unwrap().settled, [None, Some(Settled::Missed(MissReason::ServerError))]);
}
