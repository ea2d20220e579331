//! Numbers of matches, which budgets limit, and who sat where.

use std::collections::HashSet;

use buildtrack_domain::ids::{AgentId, OwnerId};
use buildtrack_macros::boxed;
use chrono::{DateTime, Utc};

use crate::{
    StoreError,
    arena::Arena,
    database::{columns::parse, values},
    log::Cap,
};

/// The latest ranked matches of an agent among which its seats are looked up.
const LATEST: i64 = 200;

/// The maximum number of matches that an agent skipped without penalty and that began after a time, for the commit of another skip.
pub fn skips_cap(agent_id: AgentId, since: DateTime<Utc>, most: i64) -> Cap {
    let count = "SELECT count(*) FROM arena_seats WHERE agent_id = $1 AND excused AND created_at >= $2";
    Cap::of(count, agent_id, most).since(since)
}

#[boxed]
impl Arena {
    /// The number of matches that began today (UTC).
    pub async fn matches_today(&self) -> Result<i64, StoreError> {
        let today = self.clock.now().date_naive().to_string();
        let matches: Option<i64> =
            self.db.optional("SELECT matches FROM arena_days WHERE day = $1", values![&today]).await?;
        Ok(matches.unwrap_or(0))
    }

    /// Whether a match is played now.
    pub async fn is_match_playing(&self) -> Result<bool, StoreError> {
        self.db.one("SELECT EXISTS (SELECT 1 FROM arena_matches WHERE phase = 'playing')", &[]).await
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
        self.db.one(&statement, values![id, since, limit]).await
    }

    /// The owners whose agents have met those of an owner in at least `times` ranked matches that began after a time, among the
    /// owner's latest `limit` and in matches of any size. A void match does not count.
    pub async fn owners_met(
        &self,
        owner_id: OwnerId,
        since: DateTime<Utc>,
        (times, limit): (i64, i64),
    ) -> Result<HashSet<OwnerId>, StoreError> {
        let owners: Vec<String> = self
            .db
            .all(
                "SELECT others.owner_id FROM (SELECT match_id, created_at FROM arena_seats WHERE charged_to = $1 AND ranked \
                 ORDER BY position DESC LIMIT $4) AS latest \
                 JOIN arena_matches ON arena_matches.id = latest.match_id \
                 JOIN arena_seats AS others ON others.match_id = latest.match_id \
                 WHERE latest.created_at >= $2 AND phase <> 'void' AND others.owner_id <> $1 \
                 GROUP BY others.owner_id HAVING count(*) >= $3",
                values![owner_id.to_string(), since, times, limit],
            )
            .await?;
        owners.iter().map(|owner| parse(owner)).collect()
    }

    /// The agent's seat in the last of its latest ranked matches of two: against another agent, or against any.
    pub async fn last_ranked_seat(
        &self,
        agent_id: AgentId,
        against: Option<AgentId>,
    ) -> Result<Option<i64>, StoreError> {
        self.db
            .optional(
                "SELECT own.seat FROM (SELECT match_id, seat, position FROM arena_seats WHERE agent_id = $1 AND ranked \
                 ORDER BY position DESC LIMIT $3) AS own JOIN arena_matches ON arena_matches.id = own.match_id \
                 JOIN arena_seats AS other ON other.match_id = own.match_id AND other.seat <> own.seat \
                 WHERE seats = 2 AND ($2 = '' OR other.agent_id = $2) ORDER BY own.position DESC LIMIT 1",
                values![agent_id.to_string(), against.map(|against| against.to_string()).unwrap_or_default(), LATEST],
            )
            .await
    }
}
