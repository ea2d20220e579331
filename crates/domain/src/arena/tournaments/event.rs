//! The events of a tournament.

use serde::{Deserialize, Serialize};

use crate::{
    arena::tasks::League,
    event::event_set,
    ids::{AgentId, MatchId, OwnerId, TournamentId},
    words,
};

event_set! {
    /// The events of one tournament; stream `tn_…`.
    pub enum TournamentEvent: Uncached {
        /// Agents may join.
        Created(TournamentCreated) = "tournament.created", Public, [];
        /// An agent joined.
        Joined(PlayerJoined) = "tournament.player_joined", Public, [];
        /// An agent left before the start.
        Left(PlayerLeft) = "tournament.player_left", Public, [Essential];
        /// The players are final.
        Started(TournamentStarted) = "tournament.started", Public, [];
        /// A round began.
        RoundOpened(RoundOpened) = "tournament.round_opened", Public, [Essential];
        /// The match of a pairing began.
        Begun(PairingBegun) = "tournament.match_begun", Public, [];
        /// The match of a pairing has no result, and is replayed.
        Voided(MatchVoided) = "tournament.match_voided", Public, [Essential];
        /// A pairing has its result.
        Scored(PairingScored) = "tournament.pairing_scored", Public, [Essential];
        /// A player has its final place.
        Placed(PlayerPlaced) = "tournament.player_placed", Public, [Essential, Pushed(TournamentFinished)];
        /// All rounds were played.
        Finished(TournamentFinished) = "tournament.finished", Public, [Essential];
        /// It ended without final places.
        Cancelled(TournamentCancelled) = "tournament.cancelled", Public, [Essential];
    }
}

words! {
    /// Who meets whom.
    pub enum System, "expected round_robin or swiss" {
        /// Each player meets each.
        RoundRobin = "round_robin",
        /// In each round, players of equal points meet.
        Swiss = "swiss",
    }
}

words! {
    /// What a pairing ended as. The first player has the first seat.
    pub enum PairingResult, "expected the result of a pairing" {
        /// The first player won the match.
        FirstWon = "first_won",
        /// The second player won the match.
        SecondWon = "second_won",
        /// The match was drawn.
        Drawn = "drawn",
        /// The first player could not be reached: the second wins.
        FirstAbsent = "first_absent",
        /// The second player could not be reached: the first wins.
        SecondAbsent = "second_absent",
        /// No player could be reached: none has a point.
        BothAbsent = "both_absent",
        /// Two matches were void: each player has half a point.
        NoResult = "no_result",
    }
}

words! {
    /// Why a tournament was cancelled.
    pub enum CancelReason, "expected by_owner, not_started or stalled" {
        /// Its owner cancelled it.
        ByOwner = "by_owner",
        /// It was not started in time.
        NotStarted = "not_started",
        /// Its matches could not be played.
        Stalled = "stalled",
    }
}

/// See [`TournamentEvent::Created`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TournamentCreated {
    /// The tournament.
    pub tournament_id: TournamentId,
    /// The owner that created it, for whom its matches count.
    pub owner_id: OwnerId,
    /// The league of its matches.
    pub league: League,
    /// Who meets whom.
    pub system: System,
    /// The maximum number of players.
    pub players_max: u16,
    /// The number of rounds of a Swiss tournament; `None` if it follows from the number of players.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub rounds: Option<u16>,
}

/// See [`TournamentEvent::Joined`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PlayerJoined {
    /// The tournament.
    pub tournament_id: TournamentId,
    /// The agent.
    pub agent_id: AgentId,
    /// The agent's owner.
    pub owner_id: OwnerId,
}

/// See [`TournamentEvent::Left`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PlayerLeft {
    /// The tournament.
    pub tournament_id: TournamentId,
    /// The agent.
    pub agent_id: AgentId,
}

/// See [`TournamentEvent::Started`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TournamentStarted {
    /// The tournament.
    pub tournament_id: TournamentId,
    /// The players in the order of their ratings at that time; those of equal ratings as they joined.
    pub seeds: Vec<AgentId>,
    /// The number of rounds.
    pub rounds: u16,
}

/// See [`TournamentEvent::RoundOpened`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RoundOpened {
    /// The tournament.
    pub tournament_id: TournamentId,
    /// The round's number, from 1.
    pub round: u16,
    /// The pairings of boards 1, 2 and so on, the first seat first.
    pub pairings: Vec<[AgentId; 2]>,
    /// The player without an opponent. In a Swiss tournament, it has a point.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub bye: Option<AgentId>,
}

/// See [`TournamentEvent::Begun`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PairingBegun {
    /// The tournament.
    pub tournament_id: TournamentId,
    /// The round.
    pub round: u16,
    /// The number of the pairing in its round, from 1.
    pub board: u16,
    /// The match.
    pub match_id: MatchId,
}

/// See [`TournamentEvent::Voided`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MatchVoided {
    /// The tournament.
    pub tournament_id: TournamentId,
    /// The round.
    pub round: u16,
    /// The board.
    pub board: u16,
    /// The match.
    pub match_id: MatchId,
}

/// See [`TournamentEvent::Scored`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PairingScored {
    /// The tournament.
    pub tournament_id: TournamentId,
    /// The round.
    pub round: u16,
    /// The board.
    pub board: u16,
    /// The result.
    pub result: PairingResult,
}

/// See [`TournamentEvent::Placed`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PlayerPlaced {
    /// The tournament.
    pub tournament_id: TournamentId,
    /// Its league.
    pub league: League,
    /// Its system.
    pub system: System,
    /// The player.
    pub agent_id: AgentId,
    /// The place, from 1. Players that nothing tells apart share one.
    pub place: u16,
    /// The number of players.
    pub players: u16,
    /// The points, in halves.
    pub half_points: u32,
    /// The sum of the opponents' points, in halves.
    pub buchholz: u32,
    /// The opponents' points, each times the points against it, in quarters.
    pub sonneborn_berger: u32,
}

/// See [`TournamentEvent::Finished`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TournamentFinished {
    /// The tournament.
    pub tournament_id: TournamentId,
    /// The only player in the first place; `None` if several share it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub winner: Option<AgentId>,
}

/// See [`TournamentEvent::Cancelled`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TournamentCancelled {
    /// The tournament.
    pub tournament_id: TournamentId,
    /// Why.
    pub reason: CancelReason,
}

impl TournamentEvent {
    /// Whether the tournament ends with it.
    pub fn is_end(&self) -> bool {
        matches!(self, Self::Finished(_) | Self::Cancelled(_))
    }
}

impl PairingResult {
    /// The halves of a point of the first and the second player.
    pub fn halves(self) -> (u32, u32) {
        match self {
            Self::FirstWon | Self::SecondAbsent => (2, 0),
            Self::SecondWon | Self::FirstAbsent => (0, 2),
            Self::Drawn | Self::NoResult => (1, 1),
            Self::BothAbsent => (0, 0),
        }
    }

    /// The result of a pairing without a match, by the players that could not be reached.
    pub fn without([first, second]: [bool; 2]) -> Self {
        match (first, second) {
            (true, true) => Self::BothAbsent,
            (true, false) => Self::FirstAbsent,
            (false, true) => Self::SecondAbsent,
            (false, false) => Self::NoResult,
        }
    }
}
