//! The matches of a tournament, their results, and what follows from them.

use chrono::{DateTime, TimeDelta, Utc};

use super::{
    ABSENCE, CancelReason, MatchVoided, PATIENCE, Pairing, PairingBegun, PairingResult, PairingScored, Tournament,
    TournamentError, TournamentEvent, registration::cancelled,
};
use crate::{
    decide::{Command, State},
    ids::MatchId,
};

/// Records that the match of a pairing begins. It is written in the same commit.
#[derive(Debug, Clone, Copy)]
pub struct BeginMatch {
    /// The round.
    pub round: u16,
    /// The board.
    pub board: u16,
    /// The match.
    pub match_id: MatchId,
}

impl Command for BeginMatch {
    type State<'a> = &'a Tournament;
    type Event = TournamentEvent;
    type Error = TournamentError;

    fn decide(&self, state: &Tournament) -> Result<Vec<TournamentEvent>, TournamentError> {
        let tournament_id = state.running()?.tournament_id;
        let Self { round, board, match_id } = *self;
        state.waiting(round, board)?;
        Ok(vec![PairingBegun { tournament_id, round, board, match_id }.into()])
    }
}

/// How a match ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Played {
    /// With a result.
    Finished(PairingResult),
    /// Without one.
    Void {
        /// The players that said that they are unavailable.
        unavailable: [bool; 2],
    },
}

/// Counts a match that has ended. The first void match of a pairing is replayed. After the second, a player that said that it is
/// unavailable forfeits; otherwise each has half a point.
#[derive(Debug, Clone, Copy)]
pub struct CountMatch {
    /// The match.
    pub match_id: MatchId,
    /// How it ended.
    pub played: Played,
}

impl Command for CountMatch {
    type State<'a> = &'a Tournament;
    type Event = TournamentEvent;
    type Error = TournamentError;

    fn decide(&self, state: &Tournament) -> Result<Vec<TournamentEvent>, TournamentError> {
        let tournament_id = state.running()?.tournament_id;
        let match_id = self.match_id;
        let (round, mut open) = state.open_pairings();
        let is_played = |pairing: &Pairing| pairing.is_playing && pairing.matches.last() == Some(&match_id);
        let found = open.find(|(_, pairing)| is_played(pairing));
        let (board, pairing) = found.ok_or(TournamentError::OtherMatch)?;
        match self.played {
            Played::Finished(result) => state.score(round, board, result),
            Played::Void { .. } if pairing.matches.len() == 1 => {
                Ok(vec![MatchVoided { tournament_id, round, board, match_id }.into()])
            }
            Played::Void { unavailable } => state.score(round, board, PairingResult::without(unavailable)),
        }
    }
}

/// Scores a pairing whose match cannot begin, because players could not be reached for [`ABSENCE`].
#[derive(Debug, Clone, Copy)]
pub struct Forfeit {
    /// The round.
    pub round: u16,
    /// The board.
    pub board: u16,
    /// The players that cannot be reached.
    pub absent: [bool; 2],
    /// How long the server has watched the pairing wait.
    pub waited: TimeDelta,
}

impl Command for Forfeit {
    type State<'a> = &'a Tournament;
    type Event = TournamentEvent;
    type Error = TournamentError;

    fn decide(&self, state: &Tournament) -> Result<Vec<TournamentEvent>, TournamentError> {
        state.running()?;
        state.waiting(self.round, self.board)?;
        if self.waited < ABSENCE || self.absent == [false; 2] {
            return Err(TournamentError::NotDue);
        }
        state.score(self.round, self.board, PairingResult::without(self.absent))
    }
}

/// Cancels a tournament in which no pairing was scored for [`PATIENCE`].
#[derive(Debug, Clone, Copy)]
pub struct Abandon {
    /// When it was started, or when its last pairing was scored.
    pub since: DateTime<Utc>,
    /// The time.
    pub now: DateTime<Utc>,
}

impl Command for Abandon {
    type State<'a> = &'a Tournament;
    type Event = TournamentEvent;
    type Error = TournamentError;

    fn decide(&self, state: &Tournament) -> Result<Vec<TournamentEvent>, TournamentError> {
        let created = state.running()?;
        if self.now - self.since < PATIENCE {
            return Err(TournamentError::NotDue);
        }
        Ok(vec![cancelled(created, CancelReason::Stalled)])
    }
}

impl Tournament {
    /// The pairing on this board of the open round, which waits for a match.
    fn waiting(&self, round: u16, board: u16) -> Result<&Pairing, TournamentError> {
        let (number, mut open) = self.open_pairings();
        let found = open.find(|(open, pairing)| *open == board && !pairing.is_playing);
        found.filter(|_| number == round).map(|(_, pairing)| pairing).ok_or(TournamentError::NotWaiting)
    }

    /// The result of a pairing, and what follows it.
    fn score(&self, round: u16, board: u16, result: PairingResult) -> Result<Vec<TournamentEvent>, TournamentError> {
        let tournament_id = self.running()?.tournament_id;
        let scored = PairingScored { tournament_id, round, board, result }.into();
        let following = self.clone().apply(&scored).following();
        Ok([scored].into_iter().chain(following).collect())
    }
}
