//! The state of a match, folded from its events, without the texts of answers.

use std::sync::Arc;

use chrono::{DateTime, Utc};

use super::{Channel, Commitment, MatchCreated, MatchError, MatchEvent, MissReason, Mode, Panel, TaskRef, TurnOpened};
use crate::{arena::tasks::Side, decide::State, ids::AgentId, words};

words! {
    /// How far a match is.
    #[derive(Default)]
    pub enum Phase {
        /// It does not exist.
        #[default]
        Absent = "absent",
        /// A turn is open.
        Playing = "playing",
        /// It ended with a result.
        Finished = "finished",
        /// It ended without a result.
        Void = "void",
    }
}

/// What a seat has done in the open turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Settled {
    /// It answered.
    Answered(Commitment),
    /// It will not answer.
    Missed(MissReason),
}

/// The turn that waits for answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenTurn {
    /// Its number, from 1.
    pub number: u16,
    /// Its task.
    pub task: TaskRef,
    /// When it began.
    pub opened_at: DateTime<Utc>,
    /// The deadline.
    pub due_at: DateTime<Utc>,
    /// What each seat has done; `None` while it may answer.
    pub settled: Vec<Option<Settled>>,
    /// The sides of the seats in a debate; empty in other leagues.
    pub sides: Vec<Side>,
    /// The panels of a debate so far. The last one judges.
    pub panels: Vec<Panel>,
}

impl OpenTurn {
    fn new(data: &TurnOpened, excused: &[bool]) -> Self {
        let settled = |excused: &bool| excused.then_some(Settled::Missed(MissReason::Unavailable));
        Self {
            number: data.turn,
            task: data.task.clone(),
            opened_at: data.opened_at,
            due_at: data.due_at,
            settled: excused.iter().map(settled).collect(),
            sides: data.sides.clone(),
            panels: Vec::new(),
        }
    }

    /// Whether no further answer can come: every seat is settled, or the deadline has passed. If a panel judges, whether no
    /// further vote can come.
    pub fn is_ready(&self, now: DateTime<Utc>) -> bool {
        if let Some(panel) = self.panel() {
            return panel.is_ready(now);
        }
        self.due_at <= now || self.settled.iter().all(Option::is_some)
    }
}

/// The state of a match, folded from its stream.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Match {
    /// The data of the first event.
    pub created: Option<Arc<MatchCreated>>,
    /// How far it is.
    pub phase: Phase,
    /// The turn that waits for answers.
    pub open: Option<OpenTurn>,
    /// The sum of each seat's scores, in thousandths.
    pub totals: Vec<u32>,
    /// The seats that skip the match without penalty.
    pub excused: Vec<bool>,
    /// The number of turns that were judged.
    pub judged: u16,
    /// The ids of the tasks so far. No task comes twice in a match, but each motion of a debate in two turns.
    pub tasks: Vec<String>,
}

impl State for Match {
    type Event = MatchEvent;

    fn apply(mut self, event: &MatchEvent) -> Self {
        match event {
            MatchEvent::Created(data) => {
                (self.totals, self.excused) = (vec![0; data.seats.len()], vec![false; data.seats.len()]);
                (self.created, self.phase) = (Some(Arc::new(data.clone())), Phase::Playing);
            }
            MatchEvent::TurnOpened(data) => {
                self.tasks.push(data.task.id.clone());
                self.open = Some(OpenTurn::new(data, &self.excused));
            }
            MatchEvent::Answered(data) => self.settle(data.seat, Settled::Answered(data.commitment)),
            MatchEvent::Missed(data) => {
                self.settle(data.seat, Settled::Missed(data.reason));
                if let Some(excused) = self.excused.get_mut(usize::from(data.seat)) {
                    *excused |= data.excused;
                }
            }
            MatchEvent::Revealed(_) | MatchEvent::VoteRevealed(_) => {}
            MatchEvent::PanelDrawn(data) => {
                if let Some(open) = &mut self.open {
                    open.panels.push(Panel::new(data));
                }
            }
            MatchEvent::VoteCast(data) => self.settle_vote(data.judge, Settled::Answered(data.commitment)),
            MatchEvent::VoteMissed(data) => self.settle_vote(data.judge, Settled::Missed(data.reason)),
            MatchEvent::Judged(data) => {
                for result in &data.results {
                    if let Some(total) = self.totals.get_mut(usize::from(result.seat)) {
                        *total += u32::from(result.score);
                    }
                }
                (self.open, self.judged) = (None, data.turn);
            }
            MatchEvent::Finished(_) => (self.open, self.phase) = (None, Phase::Finished),
            MatchEvent::Voided(_) => (self.open, self.phase) = (None, Phase::Void),
        }
        self
    }
}

impl Match {
    fn settle(&mut self, seat: u16, settled: Settled) {
        if let Some(slot) = self.open.as_mut().and_then(|open| open.settled.get_mut(usize::from(seat))) {
            *slot = Some(settled);
        }
    }

    fn settle_vote(&mut self, judge: u16, settled: Settled) {
        let panel = self.open.as_mut().and_then(|open| open.panels.last_mut());
        if let Some(slot) = panel.and_then(|panel| panel.votes.get_mut(usize::from(judge))) {
            *slot = Some(settled);
        }
    }

    /// The data of the first event, and the open turn, of a match that goes on.
    pub fn playing(&self) -> Result<(&MatchCreated, &OpenTurn), MatchError> {
        match (&self.created, &self.open) {
            (Some(created), Some(open)) => Ok((created, open)),
            (Some(_), None) => Err(MatchError::Over),
            (None, _) => Err(MatchError::NotFound),
        }
    }

    /// The open turn, if it has this number.
    pub(super) fn turn(&self, number: u16) -> Result<(&MatchCreated, &OpenTurn), MatchError> {
        let (created, open) = self.playing()?;
        if open.number == number { Ok((created, open)) } else { Err(MatchError::WrongTurn { current: open.number }) }
    }
}

impl MatchCreated {
    /// The number of an agent's seat.
    pub fn seat_of(&self, agent_id: AgentId) -> Result<u16, MatchError> {
        let seat = self.seats.iter().position(|seat| seat.agent_id == agent_id).ok_or(MatchError::NotYourMatch)?;
        u16::try_from(seat).map_err(|_| MatchError::NotYourMatch)
    }

    /// Whether the result counts for the ladder.
    pub fn is_rated(&self) -> bool {
        self.mode == Mode::Ranked
    }

    /// Whether a missed turn ends the match: it does between agents with sockets (seed EvalDuel), and against the sparring bot. In a
    /// match with rounds by POST it loses the round alone (seed AAP).
    pub fn ends_at_a_missed_turn(&self) -> bool {
        self.seats.iter().all(|seat| seat.channel != Channel::Push)
    }
}
