//! Panels and their votes.

use super::*;

#[test]
fn a_debate_has_two_agents_and_both_sides_of_each_motion() {
    let create = |created, first| CreateMatch { created, first }.decide(()).map(|events| events.len());
    assert_eq!(create(created(), opened(1, 0)), Ok(2));
    let three = MatchCreated { seats: vec![seat(1), seat(2), seat(3)], ..created() };
    assert_eq!(create(three, opened(1, 0)), Err(MatchError::DebateSeats));
    assert_eq!(create(MatchCreated { turn_count: 3, ..created() }, opened(1, 0)), Err(MatchError::TurnCount));
    let unassigned = TurnOpened { sides: vec![], ..opened(1, 0) };
    assert_eq!(create(created(), unassigned), Err(MatchError::NextTurn));
    let swapped = TurnOpened { sides: sides_from(Side::Against), ..opened(1, 0) };
    assert_eq!(create(created(), swapped), Ok(2), "either seat may begin with either side");
    for sides in [vec![Side::For], vec![Side::For; 2], vec![Side::For, Side::Against, Side::For]] {
        assert_eq!(create(created(), TurnOpened { sides, ..opened(1, 0) }), Err(MatchError::NextTurn));
    }
    // The argument for the motion is A, and each seat has it once a motion.
    assert_eq!([Side::For, Side::Against].map(|first| first_seat(&sides_from(first))), [0, 1]);
}

#[test]
fn a_panel_sees_both_arguments_once_they_are_in() {
    let one = apply(begun(), &answer(1, 1, 1));
    assert_eq!(draw(1, 3).decide(&one), Err(MatchError::NotDue));
    assert_eq!(draw(1, LIMIT).decide(&one), Err(MatchError::Scores));
    let events = draw(1, 3).decide(&argued()).unwrap();
    let [MatchEvent::Revealed(first), MatchEvent::Revealed(second), MatchEvent::PanelDrawn(panel)] = &events[..] else {
        panic!("{events:?}")
    };
    assert_eq!((&*first.output, &*second.output), ("argument 1 of turn 1", "argument 2 of turn 1"));
    assert_eq!((panel.panel, panel.first_seat, panel.rubric_version), (1, 0, 3));
    assert_eq!((panel.due_at, &panel.evidence), (at(3) + VOTING_LIMIT, &None));
    assert_eq!(draw(1, 4).decide(&drawn()), Err(MatchError::NotDue), "it is drawn once");
    let other = DrawPanel { arguments: vec![revealed(1, 1), revealed(2, 2)], ..draw(1, 3) };
    assert_eq!(other.decide(&argued()), Err(MatchError::Scores));
    assert_eq!(DrawPanel { arguments: vec![revealed(1, 1)], ..draw(1, 3) }.decide(&argued()), Err(MatchError::Scores));
}

#[test]
fn a_panel_has_three_judges_of_other_owners() {
    let refused = |judges: Vec<PanelJudge>| {
        assert_eq!(DrawPanel { judges, ..draw(1, 3) }.decide(&argued()), Err(MatchError::Panel));
    };
    refused(judges([11, 12, 13])[..2].to_vec());
    refused([judges([11, 12, 13]), judges([14, 15, 16])].concat());
    refused(judges([1, 12, 13]));
    refused(judges([11, 11, 13]));
    for owner in [1, 2, 11] {
        let mut of_owner = judges([11, 12, 13]);
        of_owner[2].owner_id = owner_id(owner);
        refused(of_owner);
    }
}

#[test]
fn a_vote_is_on_the_log_as_its_commitment() {
    let events = cast(12, 1, Vote::Draw, 5).decide(&drawn()).unwrap();
    let [MatchEvent::VoteCast(data)] = &events[..] else { panic!("{events:?}") };
    assert_eq!((data.turn, data.panel, data.judge, data.latency_ms), (1, 1, 1, 2000));
    let text = events[0].encode();
    assert!(!text.contains("draw") && !text.contains("argued"), "{text}");
}

#[test]
fn a_judge_of_the_panel_votes_once_and_in_time() {
    assert_eq!(cast(11, 1, Vote::A, 2).decide(&argued()), Err(MatchError::NotYourMatch), "no panel yet");
    for stranger in [1, 2, 14] {
        assert_eq!(cast(stranger, 1, Vote::A, 4).decide(&drawn()), Err(MatchError::NotYourMatch));
    }
    assert_eq!(cast(11, 2, Vote::A, 4).decide(&drawn()), Err(MatchError::WrongTurn { current: 1 }));
    assert_eq!(cast(11, 1, Vote::A, 3 + VOTE_LIMIT).decide(&drawn()), Err(MatchError::Late));
    assert_eq!(cast(11, 1, Vote::B, 5).decide(&voted(&[(11, Vote::A)])), Err(MatchError::AlreadySettled));
    let miss = MissVote { agent_id: agent_id(11), turn: 1, reason: MissReason::Timeout, status: None };
    assert_eq!(miss.decide(&voted(&[(11, Vote::A)])), Err(MatchError::AlreadySettled));
    assert_eq!(cast(11, 1, Vote::A, 5).decide(&apply(drawn(), &miss)), Err(MatchError::AlreadySettled));
    // An argument is settled before.
    assert_eq!(answer(1, 1, 5).decide(&drawn()), Err(MatchError::AlreadySettled));
}

#[test]
fn votes_are_counted_when_all_are_in_or_at_their_deadline() {
    let two = [(11, Vote::A), (12, Vote::A)];
    let votes = [(0, Vote::A), (1, Vote::A)];
    assert_eq!(count(1, &votes, 5).decide(&voted(&two)), Err(MatchError::NotDue));
    assert_eq!(count(1, &votes, 5).decide(&argued()), Err(MatchError::NotDue), "no panel yet");
    assert!(count(1, &votes, 3 + VOTE_LIMIT).decide(&voted(&two)).is_ok());
    let all = voted(&[two[0], two[1], (13, Vote::B)]);
    let events = count(1, &[votes[0], votes[1], (2, Vote::B)], 5).decide(&all).unwrap();
    let shown = |event: &MatchEvent| match event {
        MatchEvent::VoteRevealed(data) => Some((data.judge, data.vote, data.rationale.clone().unwrap())),
        _ => None,
    };
    let because = || "well argued".to_owned();
    assert_eq!(
        events.iter().filter_map(shown).collect::<Vec<_>>(),
        [(0, Vote::A, because()), (1, Vote::A, because()), (2, Vote::B, because())]
    );
    assert_eq!(scores(&events), [(1000, "preferred".into()), (0, "not_preferred".into())]);
    assert!(matches!(&events[3], MatchEvent::Judged(data) if data.judge == "panel/3"));
    assert_eq!(events[4], opened(2, 5).into());
    assert_eq!(then(all.clone(), &events).totals, [1000, 0]);
    assert_eq!(
        CloseTurn { turn: 1, answers: vec![], absent: vec![], judge: "x".into(), next: None, now: at(99) }.decide(&all),
        Err(MatchError::NotDue),
        "a panel judges"
    );
}

#[test]
fn votes_that_do_not_match_the_commitments_are_refused() {
    let state = voted(&[(11, Vote::A), (12, Vote::B), (13, Vote::B)]);
    let right = [(0, Vote::A), (1, Vote::B), (2, Vote::B)];
    let refused = |votes: &[(u16, Vote)]| assert_eq!(count(1, votes, 5).decide(&state), Err(MatchError::Scores));
    refused(&[]);
    refused(&right[..2]);
    refused(&[(0, Vote::B), right[1], right[2]]);
    refused(&[right[0], right[1], right[2], right[2]]);
    assert!(count(1, &right, 5).decide(&state).is_ok());
}

#[test]
fn more_than_half_of_the_votes_decide() {
    use Vote::{A, B, Draw};
    for (votes, majority) in [
        (vec![A, A, B], A),
        (vec![A, B, B], B),
        (vec![A, A, A], A),
        (vec![A, B, Draw], Draw),
        (vec![A, Draw, Draw], Draw),
        (vec![A, A, Draw], A),
        (vec![B, B], B),
        (vec![A, B], Draw),
        (vec![A, Draw], Draw),
    ] {
        assert_eq!(Vote::majority(&votes), majority, "{votes:?}");
    }
    // Argument A is that of seat 1 in the second turn of a motion.
    let shown =
        |votes: &[Vote], first| Vote::results(votes, first).iter().map(|result| result.score).collect::<Vec<_>>();
    assert_eq!(shown(&[A, A], 0), [1000, 0]);
    assert_eq!(shown(&[A, A], 1), [0, 1000]);
    assert_eq!(shown(&[A, B], 1), [500, 500]);
}

#[test]
fn an_answer_is_read_as_a_vote() {
    for (text, vote) in [("A", Some(Vote::A)), (" b\n", Some(Vote::B)), ("DRAW", Some(Vote::Draw)), ("A.", None)] {
        assert_eq!(Vote::read(text), vote, "{text:?}");
    }
    assert_eq!(Vote::read(""), None);
}

#[test]
fn another_panel_judges_if_fewer_than_two_vote() {
    let late = 3 + VOTE_LIMIT;
    let state = voted(&[(12, Vote::A)]);
    let votes = [(1, Vote::A)];
    let alone = count(1, &votes, late).decide(&state).unwrap();
    let [MatchEvent::Voided(void)] = &alone[..] else { panic!("{alone:?}") };
    assert_eq!((void.reason, &*void.evidence), (VoidReason::NoJudges, "panel 1 of turn 1 has 1 of 2 votes"));
    let others = |numbers| CountVotes { others: Some(judges(numbers)), ..count(1, &votes, late) };
    assert_eq!(others([12, 15, 16]).decide(&state), Err(MatchError::Panel), "other judges");
    let events = others([14, 15, 16]).decide(&state).unwrap();
    let [MatchEvent::VoteRevealed(_), MatchEvent::PanelDrawn(panel)] = &events[..] else { panic!("{events:?}") };
    assert_eq!((panel.panel, panel.first_seat, panel.due_at), (2, 0, at(late) + VOTING_LIMIT));
    assert_eq!(panel.evidence.as_deref(), Some("panel 1 of turn 1 has 1 of 2 votes"));
    let second = then(state, &events);
    // The first panel's judges are heard no more.
    assert_eq!(cast(11, 1, Vote::B, late + 1).decide(&second), Err(MatchError::NotYourMatch));
    let second = apply(apply(second, &cast(14, 1, Vote::B, late + 1)), &cast(16, 1, Vote::B, late + 1));
    let votes = [(0, Vote::B), (2, Vote::B)];
    let events = count(1, &votes, late + VOTE_LIMIT).decide(&second).unwrap();
    assert_eq!(scores(&events), [(0, "not_preferred".into()), (1000, "preferred".into())]);
}

#[test]
fn a_third_panel_is_not_drawn() {
    let late = 3 + VOTE_LIMIT;
    let second = CountVotes { others: Some(judges([14, 15, 16])), ..count(1, &[], late) };
    let state = apply(drawn(), &second);
    let third = CountVotes { others: Some(judges([17, 18, 19])), ..count(1, &[], late + VOTE_LIMIT) };
    let events = third.decide(&state).unwrap();
    assert!(matches!(&events[..], [MatchEvent::Voided(void)] if void.reason == VoidReason::NoJudges));
    assert_eq!(then(state, &events).phase, Phase::Void);
}

#[test]
fn a_deadline_of_votes_that_no_server_watched_is_evidence_and_not_the_judges_fault() {
    let now = 3 + VOTE_LIMIT + 6;
    let second = CountVotes { others: Some(judges([14, 15, 16])), ..count(1, &[], now) };
    let events = second.decide(&drawn()).unwrap();
    let [MatchEvent::PanelDrawn(panel)] = &events[..] else { panic!("{events:?}") };
    let expected = "no server watched the deadline of panel 1 in turn 1, which passed 6 s ago";
    assert_eq!(panel.evidence.as_deref(), Some(expected));
    // Two votes decide however late they are counted.
    let two = voted(&[(11, Vote::B), (13, Vote::B)]);
    let events = count(1, &[(0, Vote::B), (2, Vote::B)], 100_000).decide(&two).unwrap();
    assert_eq!(scores(&events)[1].0, 1000);
}
