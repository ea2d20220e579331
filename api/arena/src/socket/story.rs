//! A match for its agents, folded from its events: the request of its open turn, and its result.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use buildtrack_domain::{
    arena::{
        matches::{AnswerRevealed, Match, MatchCreated, MatchEvent, MatchFinished, MatchVoided},
        tasks::Bank,
    },
    decide::State,
    ids::AgentId,
};
use buildtrack_store::{LoggedMatchEvent, Store, StoreError};
use chrono::{DateTime, Utc};

use super::messages::{Outgoing, PreviousTurn, evalduel_id, score};

/// The maximum number of bytes of an agent's own answers in a request, as JSON. The latest ones are shown.
const OUTPUTS_MAX: usize = 256 * 1024;

/// A match, folded from its events, with the texts of answers.
pub struct Story<'e> {
    /// The match as of that event.
    pub state: Arc<Match>,
    /// The task, and each seat's score with its reason, of each turn that has closed.
    turns: BTreeMap<u16, (String, Vec<(u16, String)>)>,
    /// The answers by seat and turn, as far as they were taken.
    outputs: BTreeMap<(u16, u16), String>,
    /// The agents that have been on a panel.
    pub(super) judges: BTreeSet<AgentId>,
    finished: Option<&'e MatchFinished>,
    voided: Option<&'e MatchVoided>,
    /// The position on the log at which the match ended.
    pub(super) ended_position: Option<i64>,
}

impl<'e> Story<'e> {
    /// Folds the events of a match.
    pub fn of(events: &'e [LoggedMatchEvent]) -> Self {
        let (mut state, mut turns, mut outputs) = (Match::default(), BTreeMap::new(), BTreeMap::new());
        let mut judges = BTreeSet::new();
        let (mut finished, mut voided, mut ended_position, mut tasks) = (None, None, None, BTreeMap::new());
        for LoggedMatchEvent { event, position, .. } in events {
            match event {
                MatchEvent::TurnOpened(data) => drop(tasks.insert(data.turn, data.task.id.clone())),
                MatchEvent::Revealed(data) => drop(outputs.insert((data.seat, data.turn), data.output.clone())),
                MatchEvent::Judged(data) => {
                    let scores = data.results.iter().map(|result| (result.score, result.reason.clone())).collect();
                    turns.insert(data.turn, (tasks.get(&data.turn).cloned().unwrap_or_default(), scores));
                }
                MatchEvent::Finished(data) => (finished, ended_position) = (Some(data), Some(*position)),
                MatchEvent::Voided(data) => (voided, ended_position) = (Some(data), Some(*position)),
                MatchEvent::PanelDrawn(data) => judges.extend(data.judges.iter().map(|judge| judge.agent_id)),
                MatchEvent::Created(_)
                | MatchEvent::Answered(_)
                | MatchEvent::Missed(_)
                | MatchEvent::VoteCast(_)
                | MatchEvent::VoteMissed(_)
                | MatchEvent::VoteRevealed(_) => {}
            }
            state = state.apply(event);
        }
        Self { state: Arc::new(state), turns, outputs, judges, finished, voided, ended_position }
    }

    /// Takes the answers that requests to these agents show: their own to earlier turns, and the arguments of the open turn if one of
    /// them judges it.
    pub(crate) async fn take_answers(&mut self, store: &Store, agents: &[AgentId]) -> Result<(), StoreError> {
        let state = Arc::clone(&self.state);
        let Ok((created, open)) = state.playing() else { return Ok(()) };
        let waits = |seat: &u16| matches!(open.settled.get(usize::from(*seat)), Some(None));
        let seats: Vec<u16> = agents.iter().filter_map(|id| created.seat_of(*id).ok()).filter(waits).collect();
        let judged = open.panel().filter(|panel| panel.waiting().any(|judge| agents.contains(&judge.agent_id)));
        let judged = judged.map(|_| open.number);
        if judged.is_none() && (seats.is_empty() || self.turns.is_empty()) {
            return Ok(());
        }
        let visit = |_, answer: AnswerRevealed| {
            if seats.contains(&answer.seat) || judged == Some(answer.turn) {
                self.take(answer);
            }
        };
        store.arena().visit_answers(created.match_id, (0, i64::MAX), visit).await
    }

    /// Takes an answer, and drops the oldest ones of its seat beyond [`OUTPUTS_MAX`].
    fn take(&mut self, answer: AnswerRevealed) {
        let seat = answer.seat;
        self.outputs.insert((seat, answer.turn), answer.output);
        let size = |output: &String| serde_json::to_string(output).map_or(0, |text| text.len());
        let mut bytes = 0;
        let own = self.outputs.range((seat, 0)..=(seat, u16::MAX)).rev();
        let excess = own.skip_while(|(_, output)| {
            bytes += size(output);
            bytes <= OUTPUTS_MAX
        });
        let excess: Vec<_> = excess.map(|(key, _)| *key).collect();
        for key in excess {
            self.outputs.remove(&key);
        }
    }

    /// The answer of a seat to a turn, if it was taken.
    pub(super) fn output(&self, turn: u16, seat: u16) -> Option<&str> {
        self.outputs.get(&(seat, turn)).map(String::as_str)
    }

    /// The request of the open turn for a seat; `None` if the seat has answered, or the deadline has passed.
    pub fn request(
        &self,
        bank: &Bank,
        (created, seat): (&MatchCreated, u16),
        now: DateTime<Utc>,
    ) -> Option<(u16, String)> {
        let open = self.state.open.as_ref()?;
        if open.settled.get(usize::from(seat))?.is_some() || open.due_at <= now {
            return None;
        }
        let task = bank.get(&open.task.id)?;
        let limit = i64::from(task.limits().seconds) * 1000;
        let public = task.public_for(open.sides.get(usize::from(seat)).copied());
        let request = Outgoing::Request {
            match_id: created.match_id.to_string(),
            turn_id: turn_id(open.number),
            turn_number: open.number,
            turn_count: created.turn_count,
            mode: created.mode.as_str(),
            league: created.league.as_str(),
            task: public.evalduel(),
            previous_turns: self.turns.keys().map(|turn| self.previous(*turn, seat)).collect(),
            deadline_ms: (open.due_at - now).num_milliseconds().min(limit),
        };
        Some((open.number, request.text()))
    }

    /// A turn that has closed, as a seat sees it.
    fn previous(&self, turn: u16, seat: u16) -> PreviousTurn {
        let (task_id, scores) = &self.turns[&turn];
        let own = scores.get(usize::from(seat)).cloned().unwrap_or_default();
        let others = scores.iter().zip(0_u16..).filter(|(_, other)| *other != seat);
        let best = others.map(|((score, _), _)| *score).max().unwrap_or(0);
        PreviousTurn {
            turn_number: turn,
            turn_id: turn_id(turn),
            task_id: task_id.clone(),
            output: self.output(turn, seat).map(ToOwned::to_owned),
            score: score(own.0.into()),
            reason: own.1,
            opponent_score: score(best.into()),
        }
    }

    /// The result for all agents.
    pub fn result(&self, created: &MatchCreated) -> String {
        let turns = u32::from(self.state.judged.max(1));
        let averages = created.seats.iter().zip(&self.state.totals);
        let scores = averages.map(|(seat, total)| (evalduel_id(seat.agent_id), score(total / turns))).collect();
        let reason = match (self.finished, self.voided) {
            (Some(finished), _) => finished.ending.to_string(),
            (None, Some(voided)) => format!("void: {}", voided.reason),
            (None, None) => String::new(),
        };
        Outgoing::Result {
            match_id: created.match_id.to_string(),
            winner_agent_id: self.finished.and_then(|finished| finished.winner).map(evalduel_id),
            scores,
            reason,
        }
        .text()
    }
}

/// A turn's id on the wire.
pub(crate) fn turn_id(turn: u16) -> String {
    format!("turn_{turn}")
}
