//! Answering a turn, missing it, and skipping the match.

use chrono::{DateTime, Utc};

use super::{
    Commitment, Match, MatchError, MatchEvent, MissReason, OpenTurn, TurnAnswered, TurnMissed, VoidReason,
    closing::{unwatched, void},
};
use crate::{decide::Command, ids::AgentId};

/// Answers the open turn.
#[derive(Debug, Clone)]
pub struct AnswerTurn {
    /// The agent that answers.
    pub agent_id: AgentId,
    /// The turn that it answers.
    pub turn: u16,
    /// The commitment to its answer.
    pub commitment: Commitment,
    /// The time.
    pub now: DateTime<Utc>,
}

impl Command for AnswerTurn {
    type State<'a> = &'a Match;
    type Event = MatchEvent;
    type Error = MatchError;

    fn decide(&self, state: &Match) -> Result<Vec<MatchEvent>, MatchError> {
        let (created, open) = state.turn(self.turn)?;
        let seat = created.seat_of(self.agent_id)?;
        unsettled(open, seat)?;
        if open.due_at <= self.now {
            return Err(MatchError::Late);
        }
        let latency = (self.now - open.opened_at).num_milliseconds();
        let answered = TurnAnswered {
            match_id: created.match_id,
            turn: self.turn,
            seat,
            commitment: self.commitment,
            latency_ms: u64::try_from(latency).unwrap_or(0),
        };
        Ok(vec![answered.into()])
    }
}

/// Records that an agent will not answer the open turn.
#[derive(Debug, Clone)]
pub struct MissTurn {
    /// The agent.
    pub agent_id: AgentId,
    /// The turn.
    pub turn: u16,
    /// The reason.
    pub reason: MissReason,
    /// The HTTP status of the endpoint, if it sent one.
    pub status: Option<u16>,
}

impl Command for MissTurn {
    type State<'a> = &'a Match;
    type Event = MatchEvent;
    type Error = MatchError;

    fn decide(&self, state: &Match) -> Result<Vec<MatchEvent>, MatchError> {
        let (created, open) = state.turn(self.turn)?;
        let seat = created.seat_of(self.agent_id)?;
        unsettled(open, seat)?;
        let Self { turn, reason, status, .. } = *self;
        Ok(vec![TurnMissed { match_id: created.match_id, turn, seat, reason, status, excused: false }.into()])
    }
}

/// Records at the deadline which seats have not answered. A turn whose answers take long to judge is settled so before they are
/// judged: the time that this takes counts against no agent.
#[derive(Debug, Clone)]
pub struct SettleTurn {
    /// The turn.
    pub turn: u16,
    /// Why seats without an answer have none, if it is not that they were late.
    pub absent: Vec<(u16, MissReason)>,
    /// The time.
    pub now: DateTime<Utc>,
}

impl Command for SettleTurn {
    type State<'a> = &'a Match;
    type Event = MatchEvent;
    type Error = MatchError;

    fn decide(&self, state: &Match) -> Result<Vec<MatchEvent>, MatchError> {
        let (created, open) = state.turn(self.turn)?;
        if open.due_at > self.now || !open.settled.contains(&None) {
            return Err(MatchError::NotDue);
        }
        if let Some(void) = unwatched(created, open, self.now) {
            return Ok(vec![void]);
        }
        let (match_id, turn) = (created.match_id, self.turn);
        let missing = (0..).zip(&open.settled).filter(|(_, settled)| settled.is_none());
        let missed = |(seat, _): (u16, _)| -> MatchEvent {
            let absent = self.absent.iter().find(|(absent, _)| *absent == seat);
            let reason = absent.map_or(MissReason::Timeout, |(_, reason)| *reason);
            TurnMissed { match_id, turn, seat, reason, status: None, excused: false }.into()
        };
        Ok(missing.map(missed).collect())
    }
}

/// Lets an agent skip a match whose first round it refused (AAP status 503), without penalty. The others play on; without two of
/// them, the match is void.
#[derive(Debug, Clone)]
pub struct SkipMatch {
    /// The agent.
    pub agent_id: AgentId,
}

impl Command for SkipMatch {
    type State<'a> = &'a Match;
    type Event = MatchEvent;
    type Error = MatchError;

    fn decide(&self, state: &Match) -> Result<Vec<MatchEvent>, MatchError> {
        let (created, open) = state.turn(1)?;
        let seat = created.seat_of(self.agent_id)?;
        unsettled(open, seat)?;
        let (match_id, turn, reason, status) = (created.match_id, 1, MissReason::Unavailable, Some(503));
        let mut events: Vec<MatchEvent> =
            vec![TurnMissed { match_id, turn, seat, reason, status, excused: true }.into()];
        let left = state.excused.iter().filter(|excused| !**excused).count().saturating_sub(1);
        if left < 2 {
            let evidence = format!("{} answered 503 to the first round", self.agent_id);
            events.push(void(created, turn, VoidReason::Unavailable, evidence));
        }
        Ok(events)
    }
}

fn unsettled(open: &OpenTurn, seat: u16) -> Result<(), MatchError> {
    match open.settled.get(usize::from(seat)) {
        Some(None) => Ok(()),
        Some(Some(_)) => Err(MatchError::AlreadySettled),
        None => Err(MatchError::NotYourMatch),
    }
}
