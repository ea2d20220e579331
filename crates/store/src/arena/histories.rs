//! The latest ratings of several agents, for the lines beside a ladder.

use std::collections::HashMap;

use buildtrack_domain::{arena::tasks::League, ids::AgentId};
use buildtrack_macros::boxed;
use serde_json::json;

use crate::{
    StoreError,
    arena::Arena,
    database::{Db, count_read},
};

/// The ratings that are read of each agent.
const RATINGS: i64 = 30;

/// Parameters of both: agents, league, [`RATINGS`]. SQLite has no lateral joins, so that it looks up where each agent's latest begin.
const ON_POSTGRES: &str = "SELECT shown.id, position, rating_milli FROM unnest($1::text[]) AS shown (id) CROSS JOIN LATERAL \
     (SELECT position, rating_milli FROM arena_results WHERE agent_id = shown.id AND league = $2 \
     ORDER BY position DESC LIMIT $3) AS latest";
const ON_SQLITE: &str = "SELECT agent_id, position, rating_milli FROM (SELECT value AS id FROM json_each($1)) AS shown \
     CROSS JOIN arena_results WHERE agent_id = shown.id AND league = $2 AND position >= \
     coalesce((SELECT older.position FROM arena_results AS older WHERE older.agent_id = shown.id AND older.league = $2 \
     ORDER BY older.position DESC LIMIT 1 OFFSET $3 - 1), 0)";

#[boxed]
impl Arena {
    /// The ratings of agents after each of their latest matches in a league, in thousandths, the earliest first, by agent. Agents
    /// without a match are left out.
    pub async fn rating_histories(
        &self,
        league: League,
        agents: &[AgentId],
    ) -> Result<HashMap<String, Vec<i64>>, StoreError> {
        let ids: Vec<_> = agents.iter().map(ToString::to_string).collect();
        count_read();
        let mut rows: Vec<(String, i64, i64)> = match &self.db {
            Db::Postgres { reads: pool, .. } => {
                let query = sqlx::query_as(ON_POSTGRES).bind(ids).bind(league.as_str()).bind(RATINGS);
                query.fetch_all(pool).await?
            }
            Db::Sqlite { readers, .. } => {
                let query = sqlx::query_as(ON_SQLITE).bind(json!(ids).to_string());
                query.bind(league.as_str()).bind(RATINGS).fetch_all(readers).await?
            }
        };
        rows.sort_unstable_by_key(|(_, position, _)| *position);
        let mut histories = HashMap::<String, Vec<i64>>::new();
        for (agent_id, _, rating) in rows {
            histories.entry(agent_id).or_default().push(rating);
        }
        Ok(histories)
    }
}
