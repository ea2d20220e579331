//! Matches with the sparring bot: its open turns, and how often an agent plays it.

use buildtrack_domain::ids::{AgentId, MatchId};
use buildtrack_macros::boxed;
use chrono::{DateTime, Utc};

use crate::{
    StoreError,
    arena::Arena,
    database::{columns::parse, values},
};

/// The latest matches of an agent among which one with the bot is looked for.
const LATEST: i64 = 100;

#[boxed]
impl Arena {
    /// Up to `limit` matches whose open turn waits for the sparring bot, each with its position, in the order of positions: those after
    /// the given one.
    pub async fn sparring_turns(&self, after: i64, limit: i64) -> Result<Vec<(i64, MatchId)>, StoreError> {
        let rows: Vec<(i64, String)> = self
            .db
            .all(
                "SELECT position, match_id FROM arena_seats WHERE channel = 'system' AND playing AND NOT settled \
                 AND position > $1 ORDER BY position LIMIT $2",
                values![after, limit],
            )
            .await?;
        rows.into_iter().map(|(position, id)| Ok((position, parse(&id)?))).collect()
    }

    /// Whether one of an agent's latest matches was with the sparring bot and began after a time.
    pub async fn has_sparred_since(&self, agent_id: AgentId, since: DateTime<Utc>) -> Result<bool, StoreError> {
        self.db
            .one(
                "SELECT EXISTS (SELECT 1 FROM (SELECT match_id, created_at FROM arena_seats WHERE agent_id = $1 \
                 ORDER BY position DESC LIMIT $3) AS latest JOIN arena_matches ON arena_matches.id = latest.match_id \
                 WHERE latest.created_at > $2 AND mode = 'sparring')",
                values![agent_id.to_string(), since, LATEST],
            )
            .await
    }
}
