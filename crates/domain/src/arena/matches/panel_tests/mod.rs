//! Debates: panels, votes, and what follows from them.
mod panels;
mod properties;
mod turns;

use std::collections::BTreeMap;

use chrono::{DateTime, TimeDelta, Utc};
use proptest::{collection::vec, prelude::*};
use uuid::Uuid;

pub(super) use turns::panel_events;

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

/// The sides of a debate whose first seat begins each motion with its side for.
fn sides_in(turn: u16) -> Vec<Side> {
    sides_from(if turn % 2 == 1 { Side::For } else { Side::Against })
}

fn opened(turn: u16, seconds: i64) -> TurnOpened {
    let task = TaskRef { id: format!("debate-{}", turn.div_ceil(2)), version: 1, hash: "ab".into() };
    let (opened_at, due_at) = (at(seconds), at(seconds + LIMIT));
    TurnOpened { match_id: MATCH, turn, task, opened_at, due_at, sides: sides_in(turn) }
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

fn close(turn: u16, answers: Vec<(Revealed, SeatScore)>, seconds: i64) -> CloseTurn {
    let next = Some(opened(turn + 1, seconds));
    CloseTurn { turn, answers, absent: vec![], judge: "judge 1".into(), next, now: at(seconds) }
}

fn unopposed(number: u8, turn: u16) -> (Revealed, SeatScore) {
    let seat = u16::from(number) - 1;
    (revealed(number, turn), SeatScore { seat, score: Score::ONE, reason: Reason::Unopposed })
}
