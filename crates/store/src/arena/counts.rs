//! Numbers of matches, which budgets limit.

use buildtrack_domain::ids::{AgentId, OwnerId};
use chrono::{DateTime, Utc};

use crate::{Store, StoreError, database::read};

impl Store {
    /// The number of matches that began today (UTC).
    pub async fn matches_today(&self) -> Result<i64, StoreError> {
        let today = self.clock.now().date_naive().to_string();
        let matches: Option<i64> = read!(&self.db, |pool| {
            sqlx::query_scalar("SELECT matches FROM arena_days WHERE day = $1")
                .bind(&today)
                .fetch_optional(pool)
                .await?
        });
        Ok(matches.unwrap_or(0))
    }

    /// Whether a match is played now.
    pub async fn is_match_playing(&self) -> Result<bool, StoreError> {
        Ok(read!(&self.db, |pool| {
            sqlx::query_scalar("SELECT EXISTS (SELECT 1 FROM arena_matches WHERE phase = 'playing')")
                .fetch_one(pool)
                .await?
        }))
    }

    /// The number of an agent's ranked matches that began after a time, counted up to `limit`.
    pub async fn matches_since(&self, agent_id: AgentId, since: DateTime<Utc>, limit: i64) -> Result<i64, StoreError> {
        self.seats_since("agent_id = $1 AND ranked", &agent_id.to_string(), since, limit).await
    }

    /// The number of seats in matches that began after a time and count for an owner, counted up to `limit`: those of its agents in
    /// ranked matches, and all of those that it asked for.
    pub async fn owner_matches_since(
        &self,
        owner_id: OwnerId,
        since: DateTime<Utc>,
        limit: i64,
    ) -> Result<i64, StoreError> {
        self.seats_since("charged_to = $1", &owner_id.to_string(), since, limit).await
    }

    async fn seats_since(
        &self,
        condition: &str,
        id: &str,
        since: DateTime<Utc>,
        limit: i64,
    ) -> Result<i64, StoreError> {
        let statement = format!(
            "SELECT count(*) FROM (SELECT created_at FROM arena_seats WHERE {condition} \
             ORDER BY position DESC LIMIT $3) AS latest WHERE created_at >= $2"
        );
        Ok(read!(&self.db, |pool| {
            sqlx::query_scalar(&statement).bind(id).bind(since).bind(limit).fetch_one(pool).await?
        }))
    }

    /// The number of ranked matches of two agents against each other, alone, that ended after a time, among the first agent's
    /// latest `limit`.
    pub async fn matches_between(
        &self,
        (agent_id, other): (AgentId, AgentId),
        since: DateTime<Utc>,
        limit: i64,
    ) -> Result<i64, StoreError> {
        Ok(read!(&self.db, |pool| {
            sqlx::query_scalar(
                "SELECT count(*) FROM (SELECT opponent_id, mode, recorded_at FROM arena_results WHERE agent_id = $1 \
                 ORDER BY position DESC LIMIT $4) AS latest \
                 WHERE opponent_id = $2 AND mode = 'ranked' AND recorded_at >= $3",
            )
            .bind(agent_id.to_string())
            .bind(other.to_string())
            .bind(since)
            .bind(limit)
            .fetch_one(pool)
            .await?
        }))
    }
}
