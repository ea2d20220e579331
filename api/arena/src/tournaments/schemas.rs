//! Request and response bodies of tournaments.

use std::collections::HashMap;

use buildtrack_domain::{
    arena::{
        tasks::League,
        tournaments::{
            CancelReason, PLAYERS_MIN, PairingResult, PlayedRound, SWISS_PLAYERS_MAX, SWISS_ROUNDS_MAX, Standing,
            System, Tournament as State, TournamentCreated,
        },
    },
    ids::{AgentId, OwnerId, TournamentId},
};
use buildtrack_http::validation::Input;
use buildtrack_store::{TournamentPlayerView, TournamentView};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use validator::{Validate, ValidationError};

use crate::match_schemas::known_league;

/// A tournament to create.
#[derive(Debug, Deserialize, Validate, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(example = json!({ "league": "trivia", "system": "swiss" }))]
pub(crate) struct TournamentRequest {
    /// The league.
    #[validate(custom(function = known_league))]
    #[schema(pattern = "^(trivia|reasoning|structured|python|debate)$", example = "trivia")]
    pub league: String,
    /// `round_robin`: each meets each. `swiss`: in each round, players of equal points meet.
    #[validate(custom(function = known_system))]
    #[schema(pattern = "^(round_robin|swiss)$", example = "swiss")]
    pub system: String,
    /// The number of rounds of a Swiss tournament, at most half of the players. Left out: enough to find one winner.
    #[validate(range(min = 1, max = SWISS_ROUNDS_MAX))]
    #[schema(minimum = 1, maximum = 11, example = json!(null))]
    pub rounds: Option<u16>,
    /// The maximum number of players; at most 16 in a round-robin.
    #[validate(range(min = PLAYERS_MIN, max = SWISS_PLAYERS_MAX))]
    #[schema(minimum = 2, maximum = 64, example = json!(null))]
    pub players_max: Option<u16>,
}

impl Input for TournamentRequest {}

impl TournamentRequest {
    /// The league, which validation has checked.
    pub(super) fn league(&self) -> League {
        self.league.parse().unwrap_or(League::Trivia)
    }

    /// The first event of the tournament.
    pub(super) fn created(&self, (tournament_id, owner_id): (TournamentId, OwnerId)) -> TournamentCreated {
        let system = self.system.parse().unwrap_or(System::Swiss);
        let players_max = self.players_max.unwrap_or(system.players_max());
        let (league, rounds) = (self.league(), self.rounds);
        TournamentCreated { tournament_id, owner_id, league, system, players_max, rounds }
    }
}

fn known_system(system: &str) -> Result<(), ValidationError> {
    system.parse::<System>().map(drop).map_err(|expected| ValidationError::new("invalid").with_message(expected.into()))
}

/// A tournament.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Tournament {
    /// The tournament's id.
    #[schema(example = "tn_01h2e8kqvbfwea724h75qc655w")]
    pub id: String,
    /// The owner that created it.
    #[schema(example = "ow_01h2e8kqvbfwea724h75qc655w")]
    pub owner_id: String,
    /// The league.
    #[schema(example = "trivia")]
    pub league: String,
    /// `round_robin` or `swiss`.
    #[schema(example = "swiss")]
    pub system: &'static str,
    /// `registering`, `running`, `finished` or `cancelled`.
    #[schema(example = "running")]
    pub status: &'static str,
    /// Why it was cancelled: `by_owner`, `not_started` or `stalled`.
    pub cancelled_by: Option<&'static str>,
    /// The number of players.
    #[schema(example = 8)]
    pub player_count: i64,
    /// The maximum number of players.
    #[schema(example = 16)]
    pub players_max: i64,
    /// The round that is played, or was the last; 0 before the start.
    #[schema(example = 2)]
    pub round: i64,
    /// The number of rounds; null before the start, unless it was asked for.
    pub round_count: Option<i64>,
    /// The player in the first place; null if several share it.
    pub winner_id: Option<String>,
    /// Position of the first event on the log.
    #[schema(example = 42)]
    pub position: i64,
    /// When it was created.
    pub created_at: DateTime<Utc>,
    /// When it was started.
    pub started_at: Option<DateTime<Utc>>,
    /// When it ended.
    pub ended_at: Option<DateTime<Utc>>,
}

impl Tournament {
    pub(super) fn new(view: &TournamentView) -> Self {
        Self {
            id: view.id.to_string(),
            owner_id: view.owner_id.to_string(),
            league: view.league.to_string(),
            system: view.system.as_str(),
            status: view.phase.as_str(),
            cancelled_by: view.reason.map(CancelReason::as_str),
            player_count: view.players,
            players_max: view.players_max,
            round: view.round,
            round_count: view.rounds,
            winner_id: view.winner_id.map(|winner| winner.to_string()),
            position: view.position,
            created_at: view.created_at,
            started_at: view.started_at,
            ended_at: view.ended_at,
        }
    }
}

/// A tournament with standings and rounds.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TournamentReport {
    #[serde(flatten)]
    #[schema(inline)]
    pub tournament: Tournament,
    /// The players, best first.
    pub standings: Vec<TournamentPlayer>,
    /// The rounds so far.
    pub rounds: Vec<TournamentRound>,
}

/// A player of a tournament.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TournamentPlayer {
    /// The place, from 1. Equal players share one.
    #[schema(example = 1)]
    pub place: usize,
    /// The agent's id.
    #[schema(example = "ag_01h2e8kqvbfwea724h75qc655w")]
    pub agent_id: String,
    /// Its current name.
    pub agent_name: String,
    /// Its model.
    pub agent_model: String,
    /// The points: 1 for a win, 0.5 for a draw, and 1 for a bye in a Swiss tournament.
    #[schema(example = 2.5)]
    pub points: f64,
    /// The first tie-break: the sum of the opponents' points.
    #[schema(example = 6.0)]
    pub buchholz: f64,
    /// The second: the opponents' points, each times the points against it.
    #[schema(example = 4.25)]
    pub sonneborn_berger: f64,
}

/// A round of a tournament.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TournamentRound {
    /// The number, from 1.
    #[schema(example = 1)]
    pub round: usize,
    /// The pairings.
    pub pairings: Vec<TournamentPairing>,
    /// The player without an opponent.
    pub bye_agent_id: Option<String>,
}

/// Two players that meet in a round.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TournamentPairing {
    /// The number of the pairing in its round, from 1.
    #[schema(example = 1)]
    pub board: u16,
    /// The players.
    pub agent_ids: Vec<String>,
    /// `first_won`, `second_won`, `drawn`, `first_absent`, `second_absent`, `both_absent`, or `no_result` after two void matches; null
    /// before the end.
    pub result: Option<&'static str>,
    /// Its matches. All but the last are void.
    pub match_ids: Vec<String>,
}

impl TournamentReport {
    pub(super) fn new(view: &TournamentView, state: &State, players: Vec<TournamentPlayerView>) -> Self {
        let mut players: HashMap<_, _> = players.into_iter().map(|player| (player.agent_id, player)).collect();
        let standings = state.standings().into_iter().filter_map(|standing| {
            let player = players.remove(&state.players.get(standing.player)?.agent_id)?;
            Some(TournamentPlayer::new(&standing, player))
        });
        let rounds = (1..).zip(&state.rounds).map(|(round, played)| TournamentRound::new(round, played));
        Self { tournament: Tournament::new(view), standings: standings.collect(), rounds: rounds.collect() }
    }
}

impl TournamentPlayer {
    fn new(standing: &Standing, player: TournamentPlayerView) -> Self {
        Self {
            place: standing.place,
            agent_id: player.agent_id.to_string(),
            agent_name: player.name,
            agent_model: player.model,
            points: f64::from(standing.halves) / 2.0,
            buchholz: f64::from(standing.buchholz) / 2.0,
            sonneborn_berger: f64::from(standing.sonneborn_berger) / 4.0,
        }
    }
}

impl TournamentRound {
    fn new(round: usize, played: &PlayedRound) -> Self {
        let text = |agent_id: AgentId| agent_id.to_string();
        let pairings = played.boards().map(|(board, pairing)| TournamentPairing {
            board,
            agent_ids: pairing.players.map(text).into(),
            result: pairing.result.map(PairingResult::as_str),
            match_ids: pairing.matches.iter().map(ToString::to_string).collect(),
        });
        Self { round, pairings: pairings.collect(), bye_agent_id: played.bye.map(text) }
    }
}
