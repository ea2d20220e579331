//! The ladder of a league, and the history of a rating.

use buildtrack_domain::{
    arena::{ladder::Rating, seasons::Season, tasks::League},
    ids::{AgentId, MatchId},
};
use buildtrack_macros::boxed;
use chrono::{DateTime, Utc};

use crate::{
    StoreError,
    arena::Arena,
    database::{FromRow, Value, columns::parse, values},
};

/// An agent's place on the ladder of a league.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LadderRow {
    /// The league.
    pub league: League,
    /// The agent.
    pub agent_id: AgentId,
    /// Its current name.
    pub name: String,
    /// Its model.
    pub model: String,
    /// Its rating.
    pub rating: Rating,
    /// The matches that it won, drew and lost.
    pub won: i64,
    /// See [`LadderRow::won`].
    pub drew: i64,
    /// See [`LadderRow::won`].
    pub lost: i64,
    /// When its rating last changed.
    pub updated_at: DateTime<Utc>,
}

/// One step of an agent's history: the result of a match.
#[derive(Debug, Clone, PartialEq, Eq, FromRow)]
pub struct ResultView {
    /// Position of the event on the log.
    pub position: i64,
    /// The league.
    pub league: String,
    /// The match.
    #[column(from = String)]
    pub match_id: MatchId,
    /// `ranked`, `challenge`, `head_to_head`, `tournament` or `sparring`.
    pub mode: String,
    /// The number of other agents.
    pub opponents: i64,
    /// The opponent, if there was only one.
    pub opponent_id: Option<String>,
    /// `won`, `drew` or `lost`.
    pub outcome: String,
    /// The place.
    pub place: i64,
    /// The average score, in thousandths.
    pub score: i64,
    /// The rating before, in thousandths of a point.
    pub rating_before_milli: i64,
    /// The rating after.
    pub rating_milli: i64,
    /// The deviation after.
    pub deviation_milli: i64,
    /// When the match ended.
    pub recorded_at: DateTime<Utc>,
}

#[derive(FromRow)]
struct Row {
    league: String,
    agent_id: String,
    name: String,
    model: String,
    rating_milli: i64,
    deviation_milli: i64,
    volatility_nano: i64,
    won: i64,
    drew: i64,
    lost: i64,
    updated_at: DateTime<Utc>,
}

const STANDINGS: &str = "SELECT league, agent_id, name, model, rating_milli, deviation_milli, volatility_nano, won, drew, lost, \
     updated_at FROM arena_standings JOIN agents ON agents.id = agent_id";

#[boxed]
impl Arena {
    /// The ladder of a league, by rating − 2 · deviation; deactivated agents are left out. `after` is the last row of the page
    /// before: its rank number and agent.
    pub async fn ladder(
        &self,
        league: League,
        after: Option<(i64, AgentId)>,
        limit: i64,
    ) -> Result<Vec<LadderRow>, StoreError> {
        let (rank, agent) = after.map_or((i64::MAX, String::new()), |(rank, id)| (rank, id.to_string()));
        let statement = format!(
            "{STANDINGS} WHERE league = $1 AND agents.active AND rank_milli <= $2 AND (rank_milli < $2 OR agent_id > $3) \
             ORDER BY rank_milli DESC, agent_id LIMIT $4"
        );
        let rows: Vec<Row> = self.db.all(&statement, values![league.as_str(), rank, agent, limit]).await?;
        rows.into_iter().map(row).collect()
    }

    /// The ladder of a season in a league: the agents that played a ranked match in it, by rating − 2 · deviation after their last
    /// one; deactivated agents are left out. `after` as in [`Self::ladder`].
    pub async fn season_ladder(
        &self,
        season: Season,
        league: League,
        after: Option<(i64, AgentId)>,
        limit: i64,
    ) -> Result<Vec<LadderRow>, StoreError> {
        let (rank, agent) = after.map_or((i64::MAX, String::new()), |(rank, id)| (rank, id.to_string()));
        let rows: Vec<Row> = self
            .db
            .all(
                "SELECT league, agent_id, name, model, rating_milli, deviation_milli, volatility_nano, won, drew, lost, \
                 updated_at FROM arena_season_standings JOIN agents ON agents.id = agent_id WHERE season = $1 AND league = $2 \
                 AND agents.active AND rank_milli <= $3 AND (rank_milli < $3 OR agent_id > $4) \
                 ORDER BY rank_milli DESC, agent_id LIMIT $5",
                values![season.to_string(), league.as_str(), rank, &agent, limit],
            )
            .await?;
        rows.into_iter().map(row).collect()
    }

    /// An agent's standings, one a league.
    pub async fn standings(&self, agent_id: AgentId) -> Result<Vec<LadderRow>, StoreError> {
        let statement = format!("{STANDINGS} WHERE agent_id = $1 ORDER BY league");
        let rows: Vec<Row> = self.db.all(&statement, values![agent_id.to_string()]).await?;
        rows.into_iter().map(row).collect()
    }

    /// An agent's results before a position, newest first; of one league, if it is given.
    pub async fn results(
        &self,
        agent_id: AgentId,
        league: Option<League>,
        before: Option<i64>,
        limit: i64,
    ) -> Result<Vec<ResultView>, StoreError> {
        let of_league = if league.is_some() { "AND league = $4" } else { "" };
        let statement = format!(
            "SELECT position, league, match_id, mode, opponents, opponent_id, outcome, place, score, rating_before_milli, \
             rating_milli, deviation_milli, recorded_at FROM arena_results WHERE agent_id = $1 AND position < $2 {of_league} \
             ORDER BY position DESC LIMIT $3"
        );
        let mut values = vec![Value::from(agent_id.to_string()), before.unwrap_or(i64::MAX).into(), limit.into()];
        values.extend(league.map(|league| league.as_str().into()));
        self.db.all(&statement, &values).await
    }
}

fn row(row: Row) -> Result<LadderRow, StoreError> {
    let Row { rating_milli, deviation_milli, volatility_nano, .. } = row;
    Ok(LadderRow {
        league: row.league.parse().map_err(|_| StoreError::Damaged("the league of a standing".into()))?,
        agent_id: parse(&row.agent_id)?,
        name: row.name,
        model: row.model,
        rating: Rating { rating_milli, deviation_milli, volatility_nano },
        won: row.won,
        drew: row.drew,
        lost: row.lost,
        updated_at: row.updated_at,
    })
}
