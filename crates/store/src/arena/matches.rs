//! Matches and their seats: lists, and those that are due.

use std::sync::Arc;

use buildtrack_domain::{
    arena::{
        matches::{Channel, Match, Mode},
        tasks::League,
    },
    ids::{AgentId, MatchId},
    words::UnknownName,
};
use buildtrack_macros::boxed;
use chrono::{DateTime, Utc};

use crate::{
    StoreError,
    arena::Arena,
    database::{Due, DueCursor, FromRow, Value, columns::parse, values},
};

/// A match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MatchView {
    /// Its id.
    pub id: MatchId,
    /// Position of its first event on the log.
    pub position: i64,
    /// The league.
    pub league: League,
    /// Why it is played.
    pub mode: Mode,
    /// `playing`, `finished` or `void`.
    pub phase: String,
    /// The turn that is open, or was the last; 0 before the first.
    pub turn: i64,
    /// The number of turns.
    pub turn_count: i64,
    /// The task of this turn.
    pub task_id: Option<String>,
    /// The number of seats that may still answer.
    pub waiting: i64,
    /// The deadline of the turn.
    pub deadline: Option<DateTime<Utc>>,
    /// The winner.
    pub winner_id: Option<AgentId>,
    /// How it ended, or why it is void.
    pub ending: Option<String>,
    /// What was seen, for a void match.
    pub evidence: Option<String>,
    /// When it began.
    pub created_at: DateTime<Utc>,
    /// Position of its last event.
    pub ended_position: Option<i64>,
    /// When it ended.
    pub ended_at: Option<DateTime<Utc>>,
    /// Its seats, in order.
    pub seats: Vec<SeatView>,
}

/// A seat of a match.
#[derive(Debug, Clone, PartialEq, Eq, FromRow)]
pub struct SeatView {
    /// The match.
    #[column(from = String)]
    pub match_id: MatchId,
    /// The number, from 0.
    pub seat: i64,
    /// The agent.
    #[column(from = String)]
    pub agent_id: AgentId,
    /// Its name at the match's begin.
    pub agent_name: String,
    /// Its model at that time.
    pub agent_model: Option<String>,
    /// `socket`, `push` or `system`.
    #[column(from = String)]
    pub channel: Channel,
    /// Whether it has answered or missed the open turn.
    pub settled: bool,
    /// The sum of its scores, in thousandths.
    pub total: i64,
    /// The final place.
    pub place: Option<i64>,
}

/// Filters of a list of matches, newest first.
#[derive(Debug, Clone, Default)]
pub struct MatchFilter {
    /// Only matches of this phase.
    pub phase: Option<&'static str>,
    /// Only matches of this league.
    pub league: Option<League>,
    /// Only matches in which this agent has a seat.
    pub agent_id: Option<AgentId>,
    /// Only matches whose first event is before this position.
    pub before: Option<i64>,
    /// The maximum number of matches.
    pub limit: i64,
}

#[derive(FromRow)]
struct Row {
    id: String,
    position: i64,
    league: String,
    mode: String,
    phase: String,
    turn: i64,
    turn_count: i64,
    task_id: Option<String>,
    waiting: i64,
    deadline: Option<DateTime<Utc>>,
    winner_id: Option<String>,
    ending: Option<String>,
    evidence: Option<String>,
    created_at: DateTime<Utc>,
    ended_position: Option<i64>,
    ended_at: Option<DateTime<Utc>>,
}

const MATCHES: &str = "SELECT id, arena_matches.position, league, mode, phase, turn, turn_count, task_id, waiting, deadline, \
     winner_id, ending, evidence, arena_matches.created_at, ended_position, ended_at FROM arena_matches";

/// The leagues whose turns are closed together, by how long their answers take to judge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Judging {
    /// Answers that are compared at once; and turns of programs whose deadline has passed with answers missing, which are settled
    /// before the programs run.
    Texts,
    /// Programs, which run in the sandbox. Every seat of the turn is settled.
    Programs,
}

#[boxed]
impl Arena {
    /// The state of a match, from the cache or the log.
    pub async fn match_state(&self, id: MatchId) -> Result<Arc<Match>, StoreError> {
        Ok(self.log.state::<Match>(&id.to_string().into(), true).await?.state)
    }

    /// A match with its seats.
    pub async fn match_view(&self, id: MatchId) -> Result<Option<MatchView>, StoreError> {
        let statement = format!("{MATCHES} WHERE id = $1");
        let rows: Vec<Row> = self.db.all(&statement, values![id.to_string()]).await?;
        Ok(self.with_seats(rows).await?.pop())
    }

    /// Matches with their seats, newest first.
    pub async fn matches(&self, filter: &MatchFilter) -> Result<Vec<MatchView>, StoreError> {
        // One condition a filter, so that each list is read from its own index.
        let of_agent = "JOIN arena_seats ON arena_seats.match_id = id AND agent_id = $2";
        let mut statement = format!(
            "{MATCHES} {} WHERE arena_matches.position < $1",
            if filter.agent_id.is_some() { of_agent } else { "" }
        );
        if let Some(phase) = filter.phase {
            statement.extend([" AND phase = '", phase, "'"]);
        }
        if let Some(league) = filter.league {
            statement.extend([" AND league = '", league.as_str(), "'"]);
        }
        statement += if filter.agent_id.is_some() {
            " ORDER BY arena_seats.position DESC LIMIT $3"
        } else {
            " ORDER BY arena_matches.position DESC LIMIT $2"
        };
        let before = filter.before.unwrap_or(i64::MAX);
        let mut values = vec![Value::from(before)];
        values.extend(filter.agent_id.map(|agent_id| agent_id.to_string().into()));
        values.push(filter.limit.into());
        let rows: Vec<Row> = self.db.all(&statement, &values).await?;
        self.with_seats(rows).await
    }

    async fn with_seats(&self, rows: Vec<Row>) -> Result<Vec<MatchView>, StoreError> {
        let mut matches = Vec::with_capacity(rows.len());
        for row in rows {
            let seats: Vec<SeatView> = self
                .db
                .all(
                    "SELECT match_id, seat, agent_id, agent_name, agent_model, channel, settled, total, place \
                     FROM arena_seats WHERE match_id = $1 ORDER BY seat",
                    values![&row.id],
                )
                .await?;
            matches.push(view(row, seats)?);
        }
        Ok(matches)
    }

    /// Up to `limit` matches of some leagues whose turn is to be closed, beyond a cursor.
    pub async fn matches_due(
        &self,
        judging: Judging,
        after: Option<DueCursor>,
        limit: i64,
    ) -> Result<Vec<Due<MatchId>>, StoreError> {
        let select = match judging {
            Judging::Texts => {
                "SELECT due_at, id, id FROM arena_matches WHERE phase = 'playing' AND due_at <= $1 \
                 AND (league <> 'python' OR waiting > 0)"
            }
            Judging::Programs => {
                "SELECT due_at, id, id FROM arena_matches WHERE phase = 'playing' AND due_at <= $1 \
                 AND league = 'python' AND waiting = 0"
            }
        };
        let due = |(due_at, key, id): (_, String, String)| Due { key, due_at, item: parse(&id) };
        Ok(self.db.due(self.clock.now(), select, after, limit).await?.into_iter().map(due).collect())
    }

    /// The matches that an agent plays now.
    pub async fn matches_of(&self, agent_id: AgentId) -> Result<Vec<MatchId>, StoreError> {
        let ids: Vec<String> = self
            .db
            .all(
                "SELECT match_id FROM arena_seats WHERE agent_id = $1 AND playing ORDER BY position LIMIT 100",
                values![agent_id.to_string()],
            )
            .await?;
        ids.iter().map(|id| parse(id)).collect()
    }
}

fn view(row: Row, seats: Vec<SeatView>) -> Result<MatchView, StoreError> {
    Ok(MatchView {
        id: parse(&row.id)?,
        position: row.position,
        league: row.league.parse().map_err(unknown)?,
        mode: row.mode.parse().map_err(unknown)?,
        phase: row.phase,
        turn: row.turn,
        turn_count: row.turn_count,
        task_id: row.task_id,
        waiting: row.waiting,
        deadline: row.deadline,
        winner_id: row.winner_id.as_deref().map(parse).transpose()?,
        ending: row.ending,
        evidence: row.evidence,
        created_at: row.created_at,
        ended_position: row.ended_position,
        ended_at: row.ended_at,
        seats,
    })
}

fn unknown(_: &str) -> StoreError {
    StoreError::Damaged(UnknownName.to_string())
}
