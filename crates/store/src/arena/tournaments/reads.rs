//! Lists of tournaments, one with its players, and those that the worker has something to do for.

use std::{collections::BTreeMap, sync::Arc};

use buildtrack_domain::{
    arena::{
        tasks::League,
        tournaments::{CancelReason, Phase, REGISTRATION, System, Tournament},
    },
    ids::{AgentId, OwnerId, TournamentId},
};
use buildtrack_macros::boxed;
use chrono::{DateTime, Utc};

use crate::{
    StoreError,
    arena::Arena,
    database::{FromRow, columns::parse, values},
};

/// A tournament.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TournamentView {
    /// Its id.
    pub id: TournamentId,
    /// Position of its first event on the log.
    pub position: i64,
    /// Its owner.
    pub owner_id: OwnerId,
    /// Its league.
    pub league: League,
    /// Who meets whom.
    pub system: System,
    /// How far it is.
    pub phase: Phase,
    /// The number of players.
    pub players: i64,
    /// The maximum number of players.
    pub players_max: i64,
    /// The round that is played, or was the last; 0 before the first.
    pub round: i64,
    /// The number of rounds; before the start, that which was asked for.
    pub rounds: Option<i64>,
    /// The only player in the first place.
    pub winner_id: Option<AgentId>,
    /// Why it was cancelled.
    pub reason: Option<CancelReason>,
    /// When it was created.
    pub created_at: DateTime<Utc>,
    /// When it was started.
    pub started_at: Option<DateTime<Utc>>,
    /// When it ended.
    pub ended_at: Option<DateTime<Utc>>,
}

/// A player of a tournament.
#[derive(Debug, Clone, PartialEq, Eq, FromRow)]
pub struct TournamentPlayerView {
    /// The agent.
    #[column(from = String)]
    pub agent_id: AgentId,
    /// Its current name.
    pub name: String,
    /// Its model.
    pub model: String,
}

/// Filters of a list of tournaments, newest first.
#[derive(Debug, Clone, Default)]
pub struct TournamentFilter {
    /// Only tournaments of this phase.
    pub phase: Option<Phase>,
    /// Only tournaments of this league.
    pub league: Option<League>,
    /// Only tournaments whose first event is before this position.
    pub before: Option<i64>,
    /// The maximum number of tournaments.
    pub limit: i64,
}

/// A tournament that the worker has something to do for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TournamentWork {
    /// The tournament.
    pub id: TournamentId,
    /// When its last pairing was scored, or it was started; before that, when it was created.
    pub progress_at: DateTime<Utc>,
}

#[derive(FromRow)]
struct Row {
    id: String,
    position: i64,
    owner_id: String,
    league: String,
    system: String,
    phase: String,
    players: i64,
    players_max: i64,
    round: i64,
    rounds: Option<i64>,
    winner_id: Option<String>,
    reason: Option<String>,
    created_at: DateTime<Utc>,
    started_at: Option<DateTime<Utc>>,
    ended_at: Option<DateTime<Utc>>,
}

const TOURNAMENTS: &str = "SELECT id, position, owner_id, league, system, phase, players, players_max, round, rounds, winner_id, \
     reason, created_at, started_at, ended_at FROM arena_tournaments";

#[boxed]
impl Arena {
    /// The state of a tournament, from the cache or the log.
    pub async fn tournament_state(&self, id: TournamentId) -> Result<Arc<Tournament>, StoreError> {
        Ok(self.log.state::<Tournament>(&id.to_string().into(), true).await?.state)
    }

    /// A tournament.
    pub async fn tournament(&self, id: TournamentId) -> Result<Option<TournamentView>, StoreError> {
        let statement = format!("{TOURNAMENTS} WHERE id = $1");
        let row: Option<Row> = self.db.optional(&statement, values![id.to_string()]).await?;
        row.map(view).transpose()
    }

    /// Tournaments, newest first.
    pub async fn tournaments(&self, filter: &TournamentFilter) -> Result<Vec<TournamentView>, StoreError> {
        let mut statement = format!("{TOURNAMENTS} WHERE position < $1");
        if let Some(phase) = filter.phase {
            statement.extend([" AND phase = '", phase.as_str(), "'"]);
        }
        if let Some(league) = filter.league {
            statement.extend([" AND league = '", league.as_str(), "'"]);
        }
        statement += " ORDER BY position DESC LIMIT $2";
        let before = filter.before.unwrap_or(i64::MAX);
        let rows: Vec<Row> = self.db.all(&statement, values![before, filter.limit]).await?;
        rows.into_iter().map(view).collect()
    }

    /// The players of a tournament, in the order of their ids.
    pub async fn tournament_players(&self, id: TournamentId) -> Result<Vec<TournamentPlayerView>, StoreError> {
        self.db
            .all(
                "SELECT agent_id, name, model FROM arena_tournament_players JOIN agents ON agents.id = agent_id \
                 WHERE tournament_id = $1 ORDER BY agent_id",
                values![id.to_string()],
            )
            .await
    }

    /// The ratings of the players of a tournament in a league, in thousandths. Players without a ranked match have none.
    pub async fn tournament_ratings(
        &self,
        id: TournamentId,
        league: League,
    ) -> Result<BTreeMap<AgentId, i64>, StoreError> {
        let rows: Vec<(String, i64)> = self
            .db
            .all(
                "SELECT players.agent_id, rating_milli FROM arena_tournament_players AS players \
                 JOIN arena_standings ON arena_standings.agent_id = players.agent_id \
                 WHERE tournament_id = $1 AND league = $2",
                values![id.to_string(), league.as_str()],
            )
            .await?;
        rows.into_iter().map(|(agent_id, rating)| Ok((parse(&agent_id)?, rating))).collect()
    }

    /// Up to `limit` tournaments after an id, in the order of ids, that the worker has something to do for: a pairing waits for a
    /// match, or its match has ended; or the time for its start has passed.
    pub async fn tournaments_to_do(
        &self,
        after: Option<TournamentId>,
        limit: i64,
    ) -> Result<Vec<TournamentWork>, StoreError> {
        let rows: Vec<(String, DateTime<Utc>)> = self
            .db
            .all(
                "SELECT id, progress_at FROM arena_tournaments AS tournaments WHERE ended_at IS NULL AND id > $1 \
                 AND (phase = 'registering' AND created_at <= $2 OR phase = 'running' AND EXISTS \
                 (SELECT 1 FROM arena_pairings WHERE tournament_id = tournaments.id AND result IS NULL AND NOT EXISTS \
                 (SELECT 1 FROM arena_matches WHERE arena_matches.id = match_id AND arena_matches.phase = 'playing'))) \
                 ORDER BY id LIMIT $3",
                values![
                    after.map(|after| after.to_string()).unwrap_or_default(),
                    self.clock.now() - REGISTRATION,
                    limit
                ],
            )
            .await?;
        rows.into_iter().map(|(id, progress_at)| Ok(TournamentWork { id: parse(&id)?, progress_at })).collect()
    }
}

fn view(row: Row) -> Result<TournamentView, StoreError> {
    let damaged = |what: &'static str| StoreError::Damaged(format!("the {what} of a tournament"));
    Ok(TournamentView {
        id: parse(&row.id)?,
        position: row.position,
        owner_id: parse(&row.owner_id)?,
        league: row.league.parse().map_err(|_| damaged("league"))?,
        system: row.system.parse().map_err(|_| damaged("system"))?,
        phase: row.phase.parse().map_err(|_| damaged("phase"))?,
        players: row.players,
        players_max: row.players_max,
        round: row.round,
        rounds: row.rounds,
        winner_id: row.winner_id.as_deref().map(parse).transpose()?,
        reason: row.reason.map(|reason| reason.parse().map_err(|_| damaged("reason"))).transpose()?,
        created_at: row.created_at,
        started_at: row.started_at,
        ended_at: row.ended_at,
    })
}
