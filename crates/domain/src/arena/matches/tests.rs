use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, TimeDelta, Utc};
use proptest::{collection::vec, prelude::*};
use uuid::Uuid;

use super::{
    AnswerTurn, Channel, CloseTurn, Commitment, CreateMatch, Ending, Match, MatchCreated, MatchError, MatchEvent,
    MatchFinished, MissReason, MissTurn, Mode, Phase, Placing, Revealed, SealedAnswer, Seat, SeatScore, Settled,
    TaskRef, TurnJudged, TurnOpened, TurnResult, UNWATCHED, VoidMatch, VoidReason,
};
use crate::{
    arena::{
        sparring::sparring_seat,
        tasks::{League, Reason, Score},
    },
    decide::{Command, State, testing::given},
    event::Meaning,
    event_tests::{agent, meanings},
    ids::{AgentId, MatchId, OwnerId},
    locations::Location,
};

const MATCH: MatchId = MatchId::new(Uuid::from_u128(9));
const SOCKETS: [Channel; 2] = [Channel::Socket; 2];
/// The owner that asks for a challenge.
const CHALLENGER: OwnerId = OwnerId::new(Uuid::from_u128(1001));
/// The seconds from a turn's begin to its deadline.
const LIMIT: i64 = 10;

fn at(seconds: i64) -> DateTime<Utc> {
    DateTime::UNIX_EPOCH + TimeDelta::seconds(seconds)
}

fn agent_id(number: u128) -> AgentId {
    AgentId::new(Uuid::from_u128(number))
}

/// Agent 1 has seat 0, and so on.
fn seat(number: u128, channel: Channel) -> Seat {
    let owner_id = OwnerId::new(Uuid::from_u128(1000 + number));
    Seat { agent: agent(number), agent_id: agent_id(number), owner_id, channel }
}

fn created(channels: &[Channel], turn_count: u16) -> MatchCreated {
    let seats = (1..).zip(channels).map(|(number, channel)| seat(number, *channel)).collect();
    MatchCreated { match_id: MATCH, league: League::Trivia, mode: Mode::Ranked, turn_count, challenger_id: None, seats }
}

fn opened(turn: u16, seconds: i64) -> TurnOpened {
    let task = TaskRef { id: format!("trivia-{turn}"), version: 1, hash: "ab".into() };
    TurnOpened { match_id: MATCH, turn, task, opened_at: at(seconds), due_at: at(seconds + LIMIT), sides: vec![] }
}

fn create(created: MatchCreated) -> Result<Vec<MatchEvent>, MatchError> {
    CreateMatch { created, first: opened(1, 0) }.decide(())
}

/// A match of three turns, whose first is open from 0 to 10 s.
fn begun(channels: &[Channel]) -> Match {
    given(create(created(channels, 3)).unwrap())
}

fn then(state: Match, events: &[MatchEvent]) -> Match {
    events.iter().fold(state, Match::apply)
}

fn sealed(number: u8) -> SealedAnswer {
    SealedAnswer {
        output: format!("answer {number}"),
        salt: [number; 16],
        rationale: Some("because".into()),
        confidence: Some(900),
    }
}

/// Agent `number` answers with `sealed(number)`.
fn answer(number: u8, turn: u16, seconds: i64) -> AnswerTurn {
    let agent_id = agent_id(number.into());
    AnswerTurn { agent_id, turn, commitment: sealed(number).commitment(), now: at(seconds) }
}

fn miss(number: u128, turn: u16) -> MissTurn {
    MissTurn { agent_id: agent_id(number), turn, reason: MissReason::ServerError, status: Some(502) }
}

fn answered(state: Match, numbers: &[u8], turn: u16, seconds: i64) -> Match {
    numbers.iter().fold(state, |state, number| {
        let events = answer(*number, turn, seconds).decide(&state).unwrap();
        then(state, &events)
    })
}

/// The answer of agent `number` with its score.
fn scored(number: u8, thousandths: usize) -> (Revealed, SeatScore) {
    let (seat, score) = (u16::from(number) - 1, Score::of_share(thousandths, 1000));
    (Revealed { seat, answer: sealed(number) }, SeatScore { seat, score, reason: Reason::Partial })
}

fn close(turn: u16, answers: Vec<(Revealed, SeatScore)>, seconds: i64) -> CloseTurn {
    let next = Some(opened(turn + 1, seconds));
    CloseTurn { turn, answers, absent: vec![], judge: "judge 1".into(), next, now: at(seconds) }
}

fn judged(events: &[MatchEvent]) -> Vec<(u16, &str)> {
    let [data] = &events.iter().filter_map(as_judged).collect::<Vec<_>>()[..] else { panic!("{events:?}") };
    assert!(data.results.iter().map(|result| result.seat).eq(0..u16::try_from(data.results.len()).unwrap()));
    data.results.iter().map(|result| (result.score, &*result.reason)).collect()
}

fn as_judged(event: &MatchEvent) -> Option<&TurnJudged> {
    if let MatchEvent::Judged(data) = event { Some(data) } else { None }
}

fn finished(events: &[MatchEvent]) -> &MatchFinished {
    let Some(MatchEvent::Finished(data)) = events.last() else { panic!("{events:?}") };
    data
}

fn places(finished: &MatchFinished) -> Vec<(u16, u32, bool)> {
    finished.placings.iter().map(|placing| (placing.place, placing.total, placing.forfeited)).collect()
}

#[test]
fn a_match_has_from_2_to_100_seats() {
    for (seats, expected) in [(0, false), (1, false), (2, true), (100, true), (101, false)] {
        let events = create(created(&vec![Channel::Push; seats], 3));
        assert_eq!(events.as_ref().err(), if expected { None } else { Some(&MatchError::SeatCount) }, "{seats}");
    }
    let events = create(created(&SOCKETS, 3)).unwrap();
    assert_eq!(events, [created(&SOCKETS, 3).into(), opened(1, 0).into()]);
    let state = begun(&SOCKETS);
    assert_eq!((state.phase, state.judged, state.totals, state.tasks), {
        (Phase::Playing, 0, vec![0, 0], vec!["trivia-1".to_owned()])
    });
}

#[test]
fn a_match_has_from_1_to_50_turns() {
    for (turns, expected) in [(0, false), (1, true), (50, true), (51, false)] {
        let events = create(created(&SOCKETS, turns));
        assert_eq!(events.as_ref().err(), if expected { None } else { Some(&MatchError::TurnCount) }, "{turns}");
    }
}

#[test]
fn an_agent_has_one_seat() {
    for mode in [Mode::Ranked, Mode::Challenge] {
        let mut created = MatchCreated { mode, ..created(&[Channel::Push; 3], 3) };
        created.seats[2].agent_id = agent_id(1);
        assert_eq!(create(created), Err(MatchError::SameAgent));
    }
}

#[test]
fn agents_of_one_owner_meet_in_challenges_alone() {
    for (mode, expected) in [(Mode::Ranked, Some(MatchError::SameOwner)), (Mode::Challenge, None)] {
        let challenger_id = (mode == Mode::Challenge).then_some(CHALLENGER);
        let mut created = MatchCreated { mode, challenger_id, ..created(&[Channel::Push; 3], 3) };
        created.seats[2].owner_id = created.seats[0].owner_id;
        assert_eq!(create(created).err(), expected);
    }
}

#[test]
fn an_owner_asks_for_a_challenge_and_for_no_ranked_match() {
    let asked = |mode, challenger_id| create(MatchCreated { mode, challenger_id, ..created(&SOCKETS, 3) }).err();
    assert_eq!(asked(Mode::Ranked, Some(CHALLENGER)), Some(MatchError::Challenger));
    assert_eq!(asked(Mode::Challenge, None), Some(MatchError::Challenger));
    assert_eq!((asked(Mode::Ranked, None), asked(Mode::Challenge, Some(CHALLENGER))), (None, None));
}

/// An agent against the bot, over its socket.
fn sparring() -> MatchCreated {
    let mut created = MatchCreated { mode: Mode::Sparring, ..created(&SOCKETS, 3) };
    created.seats[1] = sparring_seat();
    created
}

#[test]
fn the_sparring_bot_plays_one_agent_in_a_match_of_its_mode() {
    assert!(create(sparring()).is_ok());
    assert!(create(MatchCreated { challenger_id: Some(CHALLENGER), ..sparring() }).is_ok());
    let refused = |change: fn(&mut MatchCreated)| {
        let mut created = sparring();
        change(&mut created);
        create(created).err()
    };
    let sparring = Some(MatchError::Sparring);
    assert_eq!(refused(|created| created.mode = Mode::Ranked), sparring);
    assert_eq!(refused(|created| created.seats[1] = seat(2, Channel::Socket)), sparring);
    assert_eq!(refused(|created| created.seats[1].channel = Channel::Socket), sparring);
    assert_eq!(refused(|created| created.seats[0].channel = Channel::System), sparring);
    assert_eq!(refused(|created| created.seats.push(seat(3, Channel::Push))), sparring);
}

#[test]
fn a_match_with_the_sparring_bot_is_unrated_and_ends_at_a_missed_turn_of_a_socket() {
    assert!(!sparring().is_rated() && sparring().ends_at_a_missed_turn());
    let mut created = sparring();
    created.seats[0].channel = Channel::Push;
    assert!(!created.ends_at_a_missed_turn());
    // The bot has no feed.
    let begun = create(sparring()).unwrap();
    assert_eq!(begun[0].locations(), vec![Location::Actor(agent_id(1).into())]);
}

#[test]
fn only_ranked_matches_are_rated_and_only_sockets_end_at_a_missed_turn() {
    let challenge = MatchCreated { mode: Mode::Challenge, ..created(&SOCKETS, 3) };
    assert!(created(&SOCKETS, 3).is_rated() && !challenge.is_rated());
    assert!(challenge.ends_at_a_missed_turn());
    assert!(!created(&[Channel::Socket, Channel::Push], 3).ends_at_a_missed_turn());
}

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

fn void() -> VoidMatch {
    VoidMatch { reason: VoidReason::Operator, evidence: "an operator ended it".into() }
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
    events.extend(super::panel_tests::panel_events());
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

/// A command of a random history; agents are numbered from 1, and the last has no seat.
#[derive(Debug, Clone, Copy)]
enum Step {
    Answer {
        number: u8,
        turn_ahead: u16,
    },
    Miss {
        number: u8,
    },
    /// Closes the turn with these scores; a damage other than 0 changes the answers.
    Close {
        scores: [u16; 3],
        damage: u8,
    },
    Void,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        12 => (1_u8..5, prop_oneof![8 => Just(0_u16), 1 => Just(1_u16)])
            .prop_map(|(number, turn_ahead)| Step::Answer { number, turn_ahead }),
        2 => (1_u8..5).prop_map(|number| Step::Miss { number }),
        6 => (any::<[u16; 3]>(), prop_oneof![4 => Just(0_u8), 1 => 1_u8..4])
            .prop_map(|(scores, damage)| Step::Close { scores, damage }),
        1 => prop_oneof![1 => Just(Step::Void), 9 => Just(Step::Miss { number: 5 })],
    ]
}

/// What the log holds of a match, checked event by event.
#[derive(Default)]
struct Checked {
    commitments: BTreeMap<(u16, u16), Commitment>,
    judged: BTreeSet<u16>,
    sums: Vec<u32>,
    endings: usize,
}

impl Checked {
    fn add(&mut self, before: &Match, event: &MatchEvent, now: DateTime<Utc>) -> Result<(), TestCaseError> {
        prop_assert_eq!(self.endings, 0, "{:?} after the end", event);
        let open = before.open.as_ref();
        let is_ready = open.is_some_and(|open| open.is_ready(now));
        let is_open = |turn| open.is_some_and(|open| open.number == turn);
        match event {
            MatchEvent::Created(_) => prop_assert!(false, "it is made once"),
            MatchEvent::TurnOpened(data) => prop_assert!(self.judged.contains(&(data.turn - 1))),
            MatchEvent::Answered(data) => {
                prop_assert!(is_open(data.turn) && open.is_some_and(|open| now < open.due_at));
                prop_assert_eq!(self.commitments.insert((data.turn, data.seat), data.commitment), None);
            }
            MatchEvent::Missed(data) => prop_assert!(!self.commitments.contains_key(&(data.turn, data.seat))),
            MatchEvent::Revealed(data) => {
                prop_assert!(is_ready && is_open(data.turn));
                let salt = hex::decode(&data.salt).unwrap();
                let commitment = Some(Commitment::of(&salt, &data.output));
                prop_assert_eq!(self.commitments.get(&(data.turn, data.seat)).copied(), commitment);
            }
            MatchEvent::Judged(data) => {
                prop_assert!(is_ready && is_open(data.turn) && self.judged.insert(data.turn));
                prop_assert_eq!(data.results.len(), self.sums.len());
                for result in &data.results {
                    prop_assert!(result.score == 0 || self.commitments.contains_key(&(data.turn, result.seat)));
                    self.sums[usize::from(result.seat)] += u32::from(result.score);
                }
            }
            MatchEvent::PanelDrawn(_)
            | MatchEvent::VoteCast(_)
            | MatchEvent::VoteMissed(_)
            | MatchEvent::VoteRevealed(_) => prop_assert!(false, "it is no debate"),
            MatchEvent::Finished(data) => {
                self.endings += 1;
                prop_assert!(data.placings.iter().map(|placing| placing.total).eq(self.sums.iter().copied()));
                prop_assert_eq!(usize::from(data.turns), self.judged.len());
                prop_assert_eq!(data.placings.iter().map(|placing| placing.place).min(), Some(1));
            }
            MatchEvent::Voided(data) => {
                self.endings += 1;
                prop_assert!(is_open(data.turn));
            }
        }
        Ok(())
    }
}

/// A salted answer that no other turn or seat has.
fn answer_of(number: u8, turn: u16) -> SealedAnswer {
    SealedAnswer { output: format!("answer {number} to {turn}"), ..sealed(number) }
}

fn decide(step: Step, state: &Match, now: DateTime<Utc>) -> Result<Vec<MatchEvent>, MatchError> {
    let turn = state.open.as_ref().map_or(1, |open| open.number);
    match step {
        Step::Answer { number, turn_ahead } => {
            let (commitment, turn) = (answer_of(number, turn).commitment(), turn + turn_ahead);
            AnswerTurn { agent_id: agent_id(number.into()), turn, commitment, now }.decide(state)
        }
        Step::Miss { number } => miss(number.into(), turn).decide(state),
        Step::Void => void().decide(state),
        Step::Close { scores, damage } => {
            let settled = state.open.as_ref().map_or(&[][..], |open| &open.settled);
            let has_answered = |settled: &Option<Settled>| matches!(settled, Some(Settled::Answered(_)));
            let mut answers: Vec<_> = (0..)
                .zip(settled)
                .filter(|(_, settled)| has_answered(settled))
                .map(|(seat, _)| {
                    let score = Score::of_share((scores[usize::from(seat)] % 1001).into(), 1000);
                    let answer = answer_of(u8::try_from(seat + 1).unwrap(), turn);
                    (Revealed { seat, answer }, SeatScore { seat, score, reason: Reason::Partial })
                })
                .collect();
            match (damage, answers.first_mut()) {
                (1, Some((revealed, _))) => revealed.answer.output.push('!'),
                (2, Some(_)) => drop(answers.pop()),
                (3, Some(_)) => answers.push(answers[0].clone()),
                _ => {}
            }
            let seconds = (now - DateTime::UNIX_EPOCH).num_seconds();
            CloseTurn { now, ..close(turn, answers, seconds) }.decide(state)
        }
    }
}

fn any_channels() -> impl Strategy<Value = Vec<Channel>> {
    vec(prop_oneof![Just(Channel::Socket), Just(Channel::Push)], 2..=3)
}

proptest! {
    #[test]
    fn a_match_ends_once_and_scores_each_turn_once(
        channels in any_channels(), turn_count in 1_u16..5, steps in vec((0_i64..4, step()), 0..80),
    ) {
        let history = create(created(&channels, turn_count)).unwrap();
        let (mut state, mut now): (Match, _) = (given(history.clone()), at(0));
        let mut history = history;
        let mut checked = Checked { sums: vec![0; channels.len()], ..Checked::default() };
        let last = Step::Close { scores: [7; 3], damage: 0 };
        let until_the_end = (0..turn_count).map(|_| (LIMIT + 1, last));
        for (wait, step) in steps.into_iter().chain(until_the_end) {
            now += TimeDelta::seconds(wait);
            let Ok(events) = decide(step, &state, now) else { continue };
            let before = state.clone();
            for event in &events {
                // The events of one decision follow from the state before it.
                checked.add(&before, event, now)?;
                state = state.apply(event);
            }
            history.extend(events);
            prop_assert!(checked.endings > 0 || state.totals == checked.sums);
            prop_assert!(state.judged <= turn_count);
            prop_assert_eq!(state.phase == Phase::Playing, state.open.is_some());
        }
        prop_assert_eq!(checked.endings, 1);
        prop_assert!(matches!(state.phase, Phase::Finished | Phase::Void));
        prop_assert_eq!(given::<Match>(history), state);
    }
}
