//! Matches with the sparring bot: its open turns, and how often an agent plays it.

use buildtrack_domain::ids::{AgentId, MatchId};
use chrono::{DateTime, Utc};

use crate::{
    Store, StoreError,
    database::{columns::parse, read},
};

/// The latest matches of an agent among which one with the bot is looked for.
const LATEST: i64 = 100;

impl Store {
    /// Up to `limit` matches whose open turn waits for the sparring bot, oldest first.
    pub async fn sparring_turns(&self, limit: i64) -> Result<Vec<MatchId>, StoreError> {
        let ids: Vec<String> = read!(&self.db, |pool| {
            sqlx::query_scalar(
                "SELECT match_id FROM arena_seats WHERE channel = 'system' AND playing AND NOT settled \
                 ORDER BY position, match_id LIMIT $1",
            )
            .bind(limit)
            .fetch_all(pool)
            .await?
        });
        ids.iter().map(|id| parse(id)).collect()
    }

    /// Whether one of an agent's latest matches was with the sparring bot and began after a time.
    pub async fn has_sparred_since(&self, agent_id: AgentId, since: DateTime<Utc>) -> Result<bool, StoreError> {
        Ok(read!(&self.db, |pool| {
            sqlx::query_scalar(
                "SELECT EXISTS (SELECT 1 FROM (SELECT match_id, created_at FROM arena_seats WHERE agent_id = $1 \
                 ORDER BY position DESC LIMIT $3) AS latest JOIN arena_matches ON arena_matches.id = latest.match_id \
                 WHERE latest.created_at > $2 AND mode = 'sparring')",
            )
            .bind(agent_id.to_string())
            .bind(since)
            .bind(LATEST)
            .fetch_one(pool)
            .await?
        }))
    }
}
