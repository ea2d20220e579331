//! Answering a turn, and missing it.

use chrono::{DateTime, Utc};

use super::{Commitment, Match, MatchError, MatchEvent, MissReason, OpenTurn, TurnAnswered, TurnMissed};
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
        Ok(vec![TurnMissed { match_id: created.match_id, turn, seat, reason, status }.into()])
    }
}

fn unsettled(open: &OpenTurn, seat: u16) -> Result<(), MatchError> {
    match open.settled.get(usize::from(seat)) {
        Some(None) => Ok(()),
        Some(Some(_)) => Err(MatchError::AlreadySettled),
        None => Err(MatchError::NotYourMatch),
    }
}
