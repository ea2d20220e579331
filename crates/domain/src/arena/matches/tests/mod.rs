mod answering;
mod closing;
mod creating;
mod ending;
mod properties;

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, TimeDelta, Utc};
use proptest::{collection::vec, prelude::*};
use uuid::Uuid;

use super::{
    AnswerTurn, Channel, CloseTurn, Commitment, CreateMatch, Ending, Match, MatchCreated, MatchError, MatchEvent,
    MatchFinished, MissReason, MissTurn, Mode, Phase, Placing, Revealed, SealedAnswer, Seat, SeatScore, SettleTurn,
    Settled, SkipMatch, TaskRef, TurnJudged, TurnOpened, TurnResult, UNWATCHED, VoidMatch, VoidReason,
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

fn void() -> VoidMatch {
    VoidMatch { reason: VoidReason::Operator, evidence: "an operator ended it".into() }
}
