//! Closing a turn: its answers become public and are judged, and the next turn or the result follows.

use chrono::{DateTime, Utc};

use super::{
    AnswerRevealed, Ending, Match, MatchCreated, MatchError, MatchEvent, MatchFinished, MatchVoided, MissReason,
    OpenTurn, Placing, SealedAnswer, Settled, TurnJudged, TurnOpened, TurnResult, UNWATCHED, VoidReason,
    panel::debate_follows,
};
use crate::{
    arena::tasks::{Reason, Score},
    decide::Command,
};

/// The judge's score of one answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SeatScore {
    /// The number of the seat.
    pub seat: u16,
    /// The score.
    pub score: Score,
    /// Why.
    pub reason: Reason,
}

/// An answer that becomes public.
#[derive(Debug, Clone)]
pub struct Revealed {
    /// The number of the seat.
    pub seat: u16,
    /// The answer.
    pub answer: SealedAnswer,
}

/// Closes the open turn once every seat is settled or the deadline has passed.
#[derive(Debug, Clone)]
pub struct CloseTurn {
    /// The turn.
    pub turn: u16,
    /// The answers, with a score for each.
    pub answers: Vec<(Revealed, SeatScore)>,
    /// Why seats without an answer have none, if it is not that they were late.
    pub absent: Vec<(u16, MissReason)>,
    /// The name and version of the program that judged.
    pub judge: String,
    /// The next turn, which is opened unless this one is the last.
    pub next: Option<TurnOpened>,
    /// The time.
    pub now: DateTime<Utc>,
}

impl Command for CloseTurn {
    type State<'a> = &'a Match;
    type Event = MatchEvent;
    type Error = MatchError;

    fn decide(&self, state: &Match) -> Result<Vec<MatchEvent>, MatchError> {
        let (created, open) = state.turn(self.turn)?;
        if !open.is_ready(self.now) || open.panel().is_some() {
            return Err(MatchError::NotDue);
        }
        if let Some(void) = unwatched(created, open, self.now) {
            return Ok(vec![void]);
        }
        let results = self.results(open)?;
        let revealed = self.answers.iter().map(|(revealed, _)| revealed_event(created, self.turn, revealed));
        let mut events: Vec<MatchEvent> = revealed.collect();
        if created.is_debate() && results.iter().filter(|result| result.score > 0).count() > 1 {
            // A panel decides between two arguments.
            return Err(MatchError::Panel);
        }
        let judged = TurnJudged { match_id: created.match_id, turn: self.turn, results, judge: self.judge.clone() };
        let has_answered = |settled: &Option<Settled>| matches!(settled, Some(Settled::Answered(_)));
        let forfeits = open.settled.iter().zip(&state.excused);
        let forfeits: Vec<_> = forfeits.map(|(settled, excused)| !has_answered(settled) && !excused).collect();
        events.extend(conclude(state, judged, self.next.as_ref(), &forfeits)?);
        Ok(events)
    }
}

/// A judged turn, and what follows it: the next turn, or the result. `forfeits` are the seats without an answer.
pub(super) fn conclude(
    state: &Match,
    judged: TurnJudged,
    next: Option<&TurnOpened>,
    forfeits: &[bool],
) -> Result<Vec<MatchEvent>, MatchError> {
    let (created, open) = state.playing()?;
    let (after, turn) = (state.totals_with(&judged), judged.turn);
    let is_forfeited = created.ends_at_a_missed_turn() && forfeits.contains(&true);
    let ending = if is_forfeited { Ending::Forfeited } else { Ending::Completed };
    let then: MatchEvent = if is_forfeited || turn == created.turn_count {
        let none = vec![false; created.seats.len()];
        finished(state, created, (turn, ending), &after, if is_forfeited { forfeits } else { &none }).into()
    } else {
        following(created, open, next)?.into()
    };
    Ok(vec![judged.into(), then])
}

/// The next turn, which must be the one that follows.
fn following(created: &MatchCreated, open: &OpenTurn, next: Option<&TurnOpened>) -> Result<TurnOpened, MatchError> {
    let next = next.ok_or(MatchError::NextTurn)?;
    let is_next = next.match_id == created.match_id && next.turn == open.number + 1;
    let follows = is_next && (!created.is_debate() || debate_follows(open, next));
    if follows { Ok(next.clone()) } else { Err(MatchError::NextTurn) }
}

impl CloseTurn {
    /// Every seat's result. The judge must have scored exactly the answers that the log has commitments to.
    fn results(&self, open: &OpenTurn) -> Result<Vec<TurnResult>, MatchError> {
        let answered = open.settled.iter().filter(|settled| matches!(settled, Some(Settled::Answered(_)))).count();
        if answered != self.answers.len() {
            return Err(MatchError::Scores);
        }
        (0..).zip(&open.settled).map(|(seat, settled)| self.result(seat, *settled)).collect()
    }

    fn result(&self, seat: u16, settled: Option<Settled>) -> Result<TurnResult, MatchError> {
        let missed = |reason: MissReason| Ok(TurnResult { seat, score: 0, reason: reason.as_str().to_owned() });
        match settled {
            Some(Settled::Answered(commitment)) => {
                let (_, score) = self
                    .answers
                    .iter()
                    .find(|(revealed, score)| revealed.seat == seat && score.seat == seat)
                    .filter(|(revealed, _)| revealed.answer.commitment() == commitment)
                    .ok_or(MatchError::Scores)?;
                Ok(TurnResult { seat, score: score.score.thousandths(), reason: score.reason.as_str().to_owned() })
            }
            Some(Settled::Missed(reason)) => missed(reason),
            None => {
                let absent = self.absent.iter().find(|(absent, _)| *absent == seat);
                missed(absent.map_or(MissReason::Timeout, |(_, reason)| *reason))
            }
        }
    }
}

/// Ends a match without a result.
#[derive(Debug, Clone)]
pub struct VoidMatch {
    /// The reason.
    pub reason: VoidReason,
    /// What was seen, in one sentence.
    pub evidence: String,
}

impl Command for VoidMatch {
    type State<'a> = &'a Match;
    type Event = MatchEvent;
    type Error = MatchError;

    fn decide(&self, state: &Match) -> Result<Vec<MatchEvent>, MatchError> {
        let (created, open) = state.playing()?;
        Ok(vec![void(created, open.number, self.reason, self.evidence.clone())])
    }
}

/// The end of a match whose open turn lacks an answer, if it closes too late after its deadline for a server to have watched it.
pub(super) fn unwatched(created: &MatchCreated, open: &OpenTurn, now: DateTime<Utc>) -> Option<MatchEvent> {
    if !open.settled.contains(&None) || now <= open.due_at + UNWATCHED {
        return None;
    }
    let (turn, seconds) = (open.number, (now - open.due_at).num_seconds());
    let evidence = format!("no server watched the deadline of turn {turn}, which passed {seconds} s ago");
    Some(void(created, turn, VoidReason::Unwatched, evidence))
}

pub(super) fn void(created: &MatchCreated, turn: u16, reason: VoidReason, evidence: String) -> MatchEvent {
    MatchVoided { match_id: created.match_id, turn, reason, evidence }.into()
}

pub(super) fn revealed_event(created: &MatchCreated, turn: u16, revealed: &Revealed) -> MatchEvent {
    let SealedAnswer { output, salt, rationale, confidence } = revealed.answer.clone();
    let (match_id, seat, salt) = (created.match_id, revealed.seat, hex::encode(salt));
    AnswerRevealed { match_id, turn, seat, output, salt, rationale, confidence }.into()
}

impl Match {
    /// The totals after this turn.
    fn totals_with(&self, judged: &TurnJudged) -> Vec<u32> {
        let mut totals = self.totals.clone();
        for result in &judged.results {
            if let Some(total) = totals.get_mut(usize::from(result.seat)) {
                *total += u32::from(result.score);
            }
        }
        totals
    }
}

/// The result: those that skipped the match come last, before them those that forfeited, and the others in the order of their totals.
fn finished(
    state: &Match,
    created: &MatchCreated,
    (turns, ending): (u16, Ending),
    totals: &[u32],
    forfeits: &[bool],
) -> MatchFinished {
    let excused = &state.excused;
    // If all forfeited, none is ahead: the match is drawn.
    let all_forfeited = forfeits.iter().zip(excused).all(|(forfeited, excused)| *forfeited || *excused);
    let rank = |seat: usize| match (excused[seat], all_forfeited) {
        (true, _) => (false, false, 0),
        (false, true) => (true, false, 0),
        (false, false) => (true, !forfeits[seat], totals[seat]),
    };
    let placings: Vec<_> = (0..created.seats.len())
        .map(|seat| {
            let better = (0..created.seats.len()).filter(|other| rank(*other) > rank(seat)).count();
            Placing {
                seat: u16::try_from(seat).unwrap_or(u16::MAX),
                agent_id: created.seats[seat].agent_id,
                place: u16::try_from(better + 1).unwrap_or(u16::MAX),
                total: totals[seat],
                forfeited: forfeits[seat],
                excused: excused[seat],
            }
        })
        .collect();
    let mut first = placings.iter().filter(|placing| placing.place == 1);
    let winner = first.next().filter(|_| first.next().is_none()).map(|placing| placing.agent_id);
    MatchFinished { match_id: created.match_id, ending, winner, turns, placings }
}
