//! Debates: panels, votes, and what follows from them.

use std::collections::BTreeMap;

use chrono::{DateTime, TimeDelta, Utc};
use proptest::{collection::vec, prelude::*};
use uuid::Uuid;

use super::*;
use crate::{
    arena::tasks::{League, Reason, Score, Side},
    decide::{Command, State, testing::given},
    event_tests::agent,
    ids::{AgentId, MatchId, OwnerId},
};

const MATCH: MatchId = MatchId::new(Uuid::from_u128(9));
/// The seconds from a turn's begin to its deadline, and from a panel's.
const LIMIT: i64 = 10;
const VOTE_LIMIT: i64 = VOTING_LIMIT.num_seconds();

fn at(seconds: i64) -> DateTime<Utc> {
    DateTime::UNIX_EPOCH + TimeDelta::seconds(seconds)
}

fn agent_id(number: u128) -> AgentId {
    AgentId::new(Uuid::from_u128(number))
}

fn owner_id(number: u128) -> OwnerId {
    OwnerId::new(Uuid::from_u128(1000 + number))
}

fn seat(number: u128) -> Seat {
    Seat { agent: agent(number), agent_id: agent_id(number), owner_id: owner_id(number), channel: Channel::Push }
}

/// Agents 1 and 2 play.
fn created() -> MatchCreated {
    let seats = vec![seat(1), seat(2)];
    let (league, mode) = (League::Debate, Mode::Ranked);
    MatchCreated { match_id: MATCH, league, mode, turn_count: 4, challenger_id: None, seats }
}

fn opened(turn: u16, seconds: i64) -> TurnOpened {
    let task = TaskRef { id: format!("debate-{}", turn.div_ceil(2)), version: 1, hash: "ab".into() };
    let (opened_at, due_at) = (at(seconds), at(seconds + LIMIT));
    TurnOpened { match_id: MATCH, turn, task, opened_at, due_at, sides: sides_of(turn) }
}

fn begun() -> Match {
    given(CreateMatch { created: created(), first: opened(1, 0) }.decide(()).unwrap())
}

fn then(state: Match, events: &[MatchEvent]) -> Match {
    events.iter().fold(state, Match::apply)
}

fn argument(number: u8, turn: u16) -> SealedAnswer {
    let output = format!("argument {number} of turn {turn}");
    SealedAnswer { output, salt: [number; 16], rationale: None, confidence: None }
}

fn vote(vote: Vote) -> SealedAnswer {
    SealedAnswer {
        output: vote.as_str().into(),
        salt: [7; 16],
        rationale: Some("well argued".into()),
        confidence: None,
    }
}

fn answer(number: u8, turn: u16, seconds: i64) -> AnswerTurn {
    let commitment = argument(number, turn).commitment();
    AnswerTurn { agent_id: agent_id(number.into()), turn, commitment, now: at(seconds) }
}

fn revealed(number: u8, turn: u16) -> Revealed {
    Revealed { seat: u16::from(number) - 1, answer: argument(number, turn) }
}

/// Judges by their numbers, each with an owner of its own.
fn judges(numbers: [u128; 3]) -> Vec<PanelJudge> {
    let judge =
        |number| PanelJudge { agent_id: agent_id(number), owner_id: owner_id(number), channel: Channel::Socket };
    numbers.map(judge).into()
}

fn draw(turn: u16, seconds: i64) -> DrawPanel {
    let arguments = vec![revealed(1, turn), revealed(2, turn)];
    DrawPanel { turn, arguments, judges: judges([11, 12, 13]), rubric_version: 3, now: at(seconds) }
}

fn cast(judge: u128, turn: u16, given: Vote, seconds: i64) -> CastVote {
    CastVote { agent_id: agent_id(judge), turn, commitment: vote(given).commitment(), now: at(seconds) }
}

fn count(turn: u16, votes: &[(u16, Vote)], seconds: i64) -> CountVotes {
    let votes = votes.iter().map(|(judge, given)| (*judge, vote(*given))).collect();
    CountVotes { turn, votes, others: None, next: Some(opened(turn + 1, seconds)), now: at(seconds) }
}

fn apply<C>(state: Match, command: &C) -> Match
where
    C: for<'a> Command<State<'a> = &'a Match, Event = MatchEvent, Error = MatchError>,
{
    let events = command.decide(&state).unwrap();
    then(state, &events)
}

/// Both arguments of the first turn are in.
fn argued() -> Match {
    apply(apply(begun(), &answer(1, 1, 1)), &answer(2, 1, 2))
}

/// The first panel of the first turn votes, from 3 s.
fn drawn() -> Match {
    apply(argued(), &draw(1, 3))
}

fn voted(votes: &[(u128, Vote)]) -> Match {
    votes.iter().fold(drawn(), |state, (judge, given)| apply(state, &cast(*judge, 1, *given, 4)))
}

fn scores(events: &[MatchEvent]) -> Vec<(u16, String)> {
    let judged = events.iter().find_map(|event| if let MatchEvent::Judged(data) = event { Some(data) } else { None });
    judged.expect("the turn is judged").results.iter().map(|result| (result.score, result.reason.clone())).collect()
}

#[test]
fn a_debate_has_two_agents_and_both_sides_of_each_motion() {
    let create = |created, first| CreateMatch { created, first }.decide(()).map(|events| events.len());
    assert_eq!(create(created(), opened(1, 0)), Ok(2));
    let three = MatchCreated { seats: vec![seat(1), seat(2), seat(3)], ..created() };
    assert_eq!(create(three, opened(1, 0)), Err(MatchError::DebateSeats));
    assert_eq!(create(MatchCreated { turn_count: 3, ..created() }, opened(1, 0)), Err(MatchError::TurnCount));
    let unassigned = TurnOpened { sides: vec![], ..opened(1, 0) };
    assert_eq!(create(created(), unassigned), Err(MatchError::NextTurn));
    assert_eq!([sides_of(1), sides_of(2)], [[Side::For, Side::Against], [Side::Against, Side::For]]);
    // Each seat is A once a motion.
    assert_eq!([1, 2, 3, 4].map(first_seat), [0, 1, 0, 1]);
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

fn close(turn: u16, answers: Vec<(Revealed, SeatScore)>, seconds: i64) -> CloseTurn {
    let next = Some(opened(turn + 1, seconds));
    CloseTurn { turn, answers, absent: vec![], judge: "judge 1".into(), next, now: at(seconds) }
}

fn unopposed(number: u8, turn: u16) -> (Revealed, SeatScore) {
    let seat = u16::from(number) - 1;
    (revealed(number, turn), SeatScore { seat, score: Score::ONE, reason: Reason::Unopposed })
}

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
    assert_eq!(followed_by(TurnOpened { sides: sides_of(1), ..opened(2, 5) }), Err(MatchError::NextTurn));
    let events = followed_by(opened(2, 5)).unwrap();
    let open = then(state.clone(), &events).open.unwrap();
    assert_eq!((open.sides, open.task), (sides_of(2), opened(1, 0).task));
}

/// One event of each type that a panel has.
pub(super) fn panel_events() -> Vec<MatchEvent> {
    let miss = MissVote { agent_id: agent_id(13), turn: 1, reason: MissReason::ServerError, status: Some(503) };
    let state = apply(voted(&[(11, Vote::A), (12, Vote::A)]), &miss);
    let mut events = draw(1, 3).decide(&argued()).unwrap().split_off(2);
    events.extend(cast(11, 1, Vote::A, 4).decide(&drawn()).unwrap());
    events.extend(miss.decide(&drawn()).unwrap());
    events.extend(count(1, &[(0, Vote::A), (1, Vote::A)], 5).decide(&state).unwrap().into_iter().take(1));
    events
}

/// A command of a random history. Judges are numbered within the panel; 3 is none of its judges.
#[derive(Debug, Clone, Copy)]
enum Step {
    Answer(u8),
    MissTurn(u8),
    Close,
    Draw,
    Cast(usize, Vote),
    MissVote(usize),
    Count { others: bool, damage: bool },
}

fn step() -> impl Strategy<Value = Step> {
    let vote = prop_oneof![Just(Vote::A), Just(Vote::B), Just(Vote::Draw)];
    prop_oneof![
        6 => (1_u8..4).prop_map(Step::Answer),
        1 => (1_u8..3).prop_map(Step::MissTurn),
        3 => Just(Step::Close),
        4 => Just(Step::Draw),
        8 => (0_usize..4, vote).prop_map(|(judge, vote)| Step::Cast(judge, vote)),
        2 => (0_usize..3).prop_map(Step::MissVote),
        4 => (any::<bool>(), prop_oneof![4 => Just(false), 1 => Just(true)])
            .prop_map(|(others, damage)| Step::Count { others, damage }),
    ]
}

/// What was cast so far, which the referee reads from its side table.
type Cast = BTreeMap<(u16, u16, u16), Vote>;

fn judge_number(state: &Match, judge: usize) -> AgentId {
    let panel = state.open.as_ref().and_then(OpenTurn::panel);
    panel.and_then(|panel| panel.judges.get(judge)).map_or(agent_id(99), |judge| judge.agent_id)
}

fn decide(step: Step, state: &Match, cast_so_far: &Cast, now: DateTime<Utc>) -> Result<Vec<MatchEvent>, MatchError> {
    let Some(open) = &state.open else { return Err(MatchError::Over) };
    let (turn, seconds) = (open.number, (now - DateTime::UNIX_EPOCH).num_seconds());
    let arguments: Vec<_> = [1_u8, 2]
        .into_iter()
        .filter(|number| matches!(open.settled[usize::from(*number) - 1], Some(Settled::Answered(_))))
        .collect();
    match step {
        Step::Answer(number) => answer(number, turn, seconds).decide(state),
        Step::MissTurn(number) => {
            let (agent_id, reason) = (agent_id(number.into()), MissReason::Unreachable);
            super::MissTurn { agent_id, turn, reason, status: None }.decide(state)
        }
        Step::Close => {
            let answers = arguments.iter().map(|number| unopposed(*number, turn)).collect();
            close(turn, answers, seconds).decide(state)
        }
        Step::Draw => draw(turn, seconds).decide(state),
        Step::Cast(judge, given) => cast(0, turn, given, seconds).of(judge_number(state, judge)).decide(state),
        Step::MissVote(judge) => {
            let (agent_id, reason) = (judge_number(state, judge), MissReason::Unreachable);
            super::MissVote { agent_id, turn, reason, status: None }.decide(state)
        }
        Step::Count { others, damage } => {
            let number = open.panel().map_or(0, |panel| panel.number);
            let of_panel = cast_so_far.iter().filter(|((of, panel, _), _)| (*of, *panel) == (turn, number));
            let mut votes: Vec<_> = of_panel.map(|((_, _, judge), vote)| (*judge, *vote)).collect();
            if damage {
                votes.pop();
            }
            let others = others.then(|| judges([14, 15, 16]));
            CountVotes { others, ..count(turn, &votes, seconds) }.decide(state)
        }
    }
}

impl CastVote {
    fn of(self, agent_id: AgentId) -> Self {
        Self { agent_id, ..self }
    }
}

proptest! {
    #[test]
    fn a_debate_ends_once_and_no_argument_or_vote_is_public_before_its_time(
        steps in vec((0_i64..4, step()), 0..120),
    ) {
        let (mut state, mut now) = (begun(), at(0));
        let (mut cast_so_far, mut judged, mut sums, mut endings) = (Cast::new(), 0, [0, 0], 0);
        // Afterwards a referee alone acts, until the end.
        let referee = [Step::Close, Step::Draw, Step::Count { others: false, damage: false }];
        let until_the_end = (0..30).map(|number| (VOTE_LIMIT + 1, referee[number % 3]));
        for (wait, step) in steps.into_iter().chain(until_the_end) {
            now += TimeDelta::seconds(wait);
            if let (Step::Cast(judge, given), Some(open)) = (step, &state.open)
                && let Ok(events) = decide(step, &state, &cast_so_far, now)
                && let [MatchEvent::VoteCast(data)] = &events[..]
            {
                prop_assert!(judge < 3);
                prop_assert_eq!(cast_so_far.insert((open.number, data.panel, data.judge), given), None);
                state = then(state, &events);
                continue;
            }
            let Ok(events) = decide(step, &state, &cast_so_far, now) else { continue };
            let before = state.clone();
            let open = before.open.as_ref().unwrap();
            for event in &events {
                prop_assert_eq!(endings, 0, "{:?} after the end", event);
                match event {
                    MatchEvent::Revealed(_) => {
                        prop_assert!(open.panel().is_none() && open.is_ready(now));
                    }
                    MatchEvent::PanelDrawn(data) => {
                        prop_assert!(open.is_ready(now));
                        prop_assert_eq!(usize::from(data.panel), open.panels.len() + 1);
                        prop_assert!(data.panel <= PANELS_MAX);
                    }
                    MatchEvent::VoteRevealed(data) => {
                        prop_assert!(open.panel().is_some_and(|panel| panel.is_ready(now)));
                        let cast = cast_so_far.get(&(data.turn, data.panel, data.judge));
                        prop_assert_eq!(cast, Some(&data.vote));
                    }
                    MatchEvent::Judged(data) => {
                        judged += 1;
                        prop_assert_eq!(data.turn, judged);
                        let scores: Vec<_> = data.results.iter().map(|result| result.score).collect();
                        prop_assert!(scores.iter().sum::<u16>() <= 1000);
                        sums[0] += u32::from(scores[0]);
                        sums[1] += u32::from(scores[1]);
                    }
                    MatchEvent::Finished(data) => {
                        endings += 1;
                        prop_assert!(data.placings.iter().map(|placing| placing.total).eq(sums));
                    }
                    MatchEvent::Voided(_) => endings += 1,
                    _ => {}
                }
                state = state.apply(event);
            }
        }
        prop_assert_eq!(endings, 1);
        prop_assert!(matches!(state.phase, Phase::Finished | Phase::Void) && state.open.is_none());
    }
}
