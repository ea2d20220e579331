//! Exchanges of one requester with one responder, the latest change first: the tasks of the A2A protocol.

use buildtrack_domain::{
    actors::ActorId,
    exchange::conversations::Phase,
    ids::{AgentId, ExchangeId},
};
use buildtrack_macros::boxed;
use chrono::{DateTime, Utc};

use super::transcripts::{EXCHANGE, ExchangeView};
use crate::{
    StoreError,
    database::{Listed, values},
    exchange::Exchange,
};

/// The scan limit, in rows: a filtered list examines no more of a requester's exchanges in one request.
const SCANNED: i64 = 1000;

/// Filters of a list of tasks.
#[derive(Debug, Clone)]
pub struct TaskFilter {
    /// The requester.
    pub asker: ActorId,
    /// The agent that answers; none for this server.
    pub answerer: Option<AgentId>,
    /// Only this exchange.
    pub id: Option<ExchangeId>,
    /// Only exchanges in these states.
    pub states: Option<TaskStates>,
    /// Only exchanges that changed then or later.
    pub since: Option<DateTime<Utc>>,
    /// Only exchanges whose last event is before this position.
    pub before: Option<i64>,
    /// Maximum number of rows.
    pub limit: i64,
}

/// The exchanges of one state of a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TaskStates {
    /// Exchanges in this phase; an `open` conversation has not expired.
    In(Phase),
    /// Exchanges of one round that were answered, and conversations that have expired.
    Completed,
    /// No exchange.
    Nothing,
}

/// A page of tasks.
#[derive(Debug, Clone)]
pub struct Tasks {
    /// The tasks, and where the scan stopped: a position of a last event.
    pub listed: Listed<ExchangeView>,
    /// The number of matching tasks among the latest 1000 of the requester and the responder.
    pub total: i64,
}

impl TaskFilter {
    /// The exchanges of the two parties before a position: $1 requester, $2 responder, $3 position.
    fn recent(&self) -> String {
        let answerer = if self.answerer.is_some() {
            "answerer_id = $2"
        } else {
            "answerer_id IS NULL AND CAST($2 AS TEXT) IS NULL"
        };
        format!(
            "WHERE asker_id = $1 AND {answerer} AND (CAST($3 AS BIGINT) IS NULL OR active_position < $3) \
             ORDER BY active_position DESC"
        )
    }

    /// The filter of these exchanges: $4 earliest change, $5 time now, $6 id.
    fn conditions(&self) -> String {
        let states = match self.states {
            None => "",
            Some(TaskStates::In(Phase::Waiting)) => " AND phase = 'waiting'",
            Some(TaskStates::In(Phase::Open)) => " AND phase = 'open' AND expires_at > $5",
            Some(TaskStates::In(Phase::Done)) => " AND phase = 'done'",
            Some(TaskStates::In(Phase::Failed)) => " AND phase = 'failed'",
            Some(TaskStates::In(Phase::Closed)) => " AND phase = 'closed'",
            Some(TaskStates::Completed) => " AND (phase = 'done' OR (phase = 'open' AND expires_at <= $5))",
            Some(TaskStates::Nothing) => " AND phase = ''",
        };
        format!("updated_at >= $4 AND ($5 IS NOT NULL) AND (CAST($6 AS TEXT) IS NULL OR id = $6){states}")
    }

    fn is_filtered(&self) -> bool {
        self.id.is_some() || self.states.is_some() || self.since.is_some()
    }
}

#[boxed]
impl Exchange {
    /// The exchanges of a requester with one responder.
    pub async fn tasks(&self, filter: &TaskFilter) -> Result<Tasks, StoreError> {
        let (recent, conditions) = (filter.recent(), filter.conditions());
        let rows = format!(
            "SELECT * FROM ({EXCHANGE} {recent} LIMIT $7) AS recent WHERE {conditions} ORDER BY active_position DESC LIMIT $8"
        );
        let count = format!("SELECT count(*) FROM ({EXCHANGE} {recent} LIMIT $7) AS recent WHERE {conditions}");
        let (asker, answerer) = (filter.asker.to_string(), filter.answerer.map(|agent| agent.to_string()));
        let (id, now) = (filter.id.map(|id| id.to_string()), self.clock.now());
        let since = filter.since.unwrap_or(DateTime::UNIX_EPOCH);
        let rows: Vec<ExchangeView> = self
            .db
            .all(&rows, values![&asker, &answerer, filter.before, since, now, &id, SCANNED, filter.limit])
            .await?;
        let total = self.db.one(&count, values![&asker, &answerer, None::<i64>, since, now, &id, SCANNED]).await?;
        let scanned_to = if filter.is_filtered() { self.scanned_tasks(filter).await? } else { None };
        Ok(Tasks { listed: Listed { rows, scanned_to }, total })
    }

    /// Where the scan of a filtered list stops; none if it reaches the end.
    async fn scanned_tasks(&self, filter: &TaskFilter) -> Result<Option<i64>, StoreError> {
        let statement = format!("SELECT active_position FROM exchanges {} LIMIT 1 OFFSET $4", filter.recent());
        let answerer = filter.answerer.map(|agent| agent.to_string());
        self.db.optional(&statement, values![filter.asker.to_string(), answerer, filter.before, SCANNED - 1]).await
    }
}
