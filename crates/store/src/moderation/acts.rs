//! What operators did: their decisions and their administrative acts, as the log has them.
//!
//! **Invariant:** partial indexes serve both lists in the order of positions, so that a page costs the same however long the log
//! is. The statements contain the types as literals, because a partial index requires that.

use buildtrack_domain::{event::Event, ids::OwnerId};
use buildtrack_macros::boxed;
use chrono::{DateTime, Utc};

use crate::{
    StoreError,
    database::{FromRow, Value, columns::constcat},
    log::masks::Hidings,
    moderation::Moderation,
};

/// An act of an operator.
#[derive(Debug, Clone)]
pub struct OperatorAct {
    /// Position of its event on the log.
    pub position: i64,
    /// The operator; `None` for a command on the server's machine.
    pub operator_id: Option<OwnerId>,
    /// A decision about a case, or an administrative act.
    pub event: Event,
    /// When the operator acted.
    pub recorded_at: DateTime<Utc>,
}

/// Filters of a list of acts; newest first.
#[derive(Debug, Clone, Copy, Default)]
pub struct ActFilter {
    /// Only by this operator.
    pub by: Option<OwnerId>,
    /// Only before this position.
    pub before: Option<i64>,
    /// Maximum number of rows.
    pub limit: i64,
}

#[derive(FromRow)]
struct ActRow {
    position: i64,
    #[column(name = "type")]
    event_type: String,
    data: String,
    metadata: String,
    recorded_at: DateTime<Utc>,
}

impl ActRow {
    fn act(self, hidings: &Hidings) -> Result<OperatorAct, StoreError> {
        let Self { position, event_type, data, metadata, recorded_at } = self;
        let metadata: serde_json::Value = serde_json::from_str(&metadata).unwrap_or_default();
        let actor = metadata.get("actor").and_then(serde_json::Value::as_str);
        let data = hidings.masked_data(position, &event_type, data);
        Ok(OperatorAct {
            position,
            operator_id: actor.and_then(|actor| actor.parse().ok()),
            event: Event::decode(&event_type, &data)?,
            recorded_at,
        })
    }
}

const ACTS: &str = "SELECT position, type, data, metadata, recorded_at FROM events \
                    WHERE type IN ('moderation.decided', 'operation.done') AND data IS NOT NULL AND position < $1 ";

#[boxed]
impl Moderation {
    /// What operators did.
    pub async fn operator_acts(&self, filter: &ActFilter) -> Result<Vec<OperatorAct>, StoreError> {
        let by = filter.by.map(|operator_id| format!("{{\"actor\":\"{operator_id}\"}}"));
        let statement = match by {
            Some(_) => constcat(ACTS, "AND metadata = $3 ORDER BY position DESC LIMIT $2"),
            None => constcat(ACTS, "ORDER BY position DESC LIMIT $2"),
        };
        let mut values = vec![Value::from(filter.before.unwrap_or(i64::MAX)), filter.limit.into()];
        values.extend(by.map(Value::from));
        let rows: Vec<ActRow> = self.db.all(&statement, &values).await?;
        let hidings = self.log.hidings().await?;
        rows.into_iter().map(|row| row.act(&hidings)).collect()
    }
}

#[cfg(test)]
mod tests {
    use sqlx::{Connection, SqliteConnection};

    use super::*;

    #[tokio::test]
    async fn an_index_serves_both_lists_in_their_order() {
        let mut connection = SqliteConnection::connect("sqlite::memory:").await.unwrap();
        for migration in [
            "CREATE TABLE events (position INTEGER PRIMARY KEY, type TEXT, data TEXT, metadata TEXT, recorded_at TEXT)",
            "CREATE TABLE reports (position INTEGER PRIMARY KEY, closed_position INTEGER)",
            "CREATE TABLE appeals (position INTEGER PRIMARY KEY, closed_position INTEGER)",
            "CREATE TABLE webhook_progress (webhook_id TEXT PRIMARY KEY, open_until TEXT)",
            include_str!("../../../../migrations/sqlite/0034_operators.sql"),
        ] {
            sqlx::raw_sql(migration).execute(&mut connection).await.unwrap();
        }
        for (rest, index) in [
            ("ORDER BY position DESC LIMIT $2", "events_of_operators"),
            ("AND metadata = $3 ORDER BY position DESC LIMIT $2", "events_by_operator"),
        ] {
            let statement = format!("EXPLAIN QUERY PLAN {ACTS}{rest}");
            let plan: Vec<(i64, i64, i64, String)> =
                sqlx::query_as(&statement).fetch_all(&mut connection).await.unwrap();
            assert!(plan[0].3.contains(index) && plan.len() == 1, "{rest}: {plan:?}");
        }
    }
}
