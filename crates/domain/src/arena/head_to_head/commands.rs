//! Starting a head-to-head test, its matches, and its end.

use chrono::{DateTime, Utc};

use super::{
    Counted, ELO_MAX, ERROR_MAX, ERROR_MIN, Ended, HeadToHead, HeadToHeadError, HeadToHeadEvent, MATCHES_MAX,
    MatchBegun, MatchCounted, PATIENCE, Started, Verdict,
};
use crate::{
    decide::{Command, State},
    ids::{HeadToHeadId, MatchId, OwnerId},
};

/// Starts a test.
#[derive(Debug, Clone)]
pub struct Start(pub Started);

impl Command for Start {
    type State<'a> = ();
    type Event = HeadToHeadEvent;
    type Error = HeadToHeadError;

    fn decide(&self, (): ()) -> Result<Vec<HeadToHeadEvent>, HeadToHeadError> {
        let Started { first, second, elo0, elo1, alpha, beta, max_matches, .. } = &self.0;
        if first == second {
            return Err(HeadToHeadError::SameAgent);
        }
        let elos = -ELO_MAX..=ELO_MAX;
        let errors = ERROR_MIN..=ERROR_MAX;
        if ![elo0, elo1].into_iter().all(|elo| elos.contains(elo))
            || ![alpha, beta].into_iter().all(|error| errors.contains(error))
            || !(1..=MATCHES_MAX).contains(max_matches)
        {
            return Err(HeadToHeadError::Range);
        }
        if elo1 <= elo0 {
            return Err(HeadToHeadError::Hypotheses);
        }
        Ok(vec![self.0.clone().into()])
    }
}

/// Records that the next match begins. It is written in the same commit.
#[derive(Debug, Clone, Copy)]
pub struct BeginNext {
    /// The match.
    pub match_id: MatchId,
}

impl Command for BeginNext {
    type State<'a> = &'a HeadToHead;
    type Event = HeadToHeadEvent;
    type Error = HeadToHeadError;

    fn decide(&self, state: &HeadToHead) -> Result<Vec<HeadToHeadEvent>, HeadToHeadError> {
        let head_to_head_id = state.running()?.head_to_head_id;
        if state.playing.is_some() {
            return Err(HeadToHeadError::Playing);
        }
        Ok(vec![MatchBegun { head_to_head_id, match_id: self.match_id }.into()])
    }
}

/// Counts the result of the match that was played, and ends the test when its results say enough.
#[derive(Debug, Clone, Copy)]
pub struct CountMatch {
    /// The match.
    pub match_id: MatchId,
    /// What it was for the first agent.
    pub result: Counted,
}

impl Command for CountMatch {
    type State<'a> = &'a HeadToHead;
    type Event = HeadToHeadEvent;
    type Error = HeadToHeadError;

    fn decide(&self, state: &HeadToHead) -> Result<Vec<HeadToHeadEvent>, HeadToHeadError> {
        let started = state.running()?;
        if state.playing != Some(self.match_id) {
            return Err(HeadToHeadError::OtherMatch);
        }
        let head_to_head_id = started.head_to_head_id;
        let counted = MatchCounted { head_to_head_id, match_id: self.match_id, result: self.result }.into();
        let after = state.clone().apply(&counted);
        let verdict = after.verdict_of(started);
        Ok([counted].into_iter().chain(verdict.map(|verdict| Ended { head_to_head_id, verdict }.into())).collect())
    }
}

/// Ends a test that has made no progress for [`PATIENCE`]. A match that is still played does not count.
#[derive(Debug, Clone, Copy)]
pub struct GiveUp {
    /// When the test was started, or when its last match was counted.
    pub since: DateTime<Utc>,
    /// The time.
    pub now: DateTime<Utc>,
}

impl Command for GiveUp {
    type State<'a> = &'a HeadToHead;
    type Event = HeadToHeadEvent;
    type Error = HeadToHeadError;

    fn decide(&self, state: &HeadToHead) -> Result<Vec<HeadToHeadEvent>, HeadToHeadError> {
        let head_to_head_id = state.running()?.head_to_head_id;
        if self.now - self.since < PATIENCE {
            return Err(HeadToHeadError::NotIdle);
        }
        Ok(vec![Ended { head_to_head_id, verdict: Verdict::Inconclusive }.into()])
    }
}

/// Ends a test for its owner. A match that is played is played on, and does not count.
#[derive(Debug, Clone, Copy)]
pub struct Cancel {
    /// The test.
    pub head_to_head_id: HeadToHeadId,
    /// The caller.
    pub owner_id: OwnerId,
}

impl Command for Cancel {
    type State<'a> = &'a HeadToHead;
    type Event = HeadToHeadEvent;
    type Error = HeadToHeadError;

    fn decide(&self, state: &HeadToHead) -> Result<Vec<HeadToHeadEvent>, HeadToHeadError> {
        // Another owner learns nothing, not even that the test has ended.
        state.started.as_ref().filter(|started| started.owner_id == self.owner_id).ok_or(HeadToHeadError::NotFound)?;
        state.running()?;
        Ok(vec![Ended { head_to_head_id: self.head_to_head_id, verdict: Verdict::Cancelled }.into()])
    }
}
