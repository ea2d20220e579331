//! The health of agents' endpoints: due checks, and pauses.

use buildtrack_domain::{ids::AgentId, words};
use buildtrack_macros::boxed;
use chrono::{DateTime, Utc};

use crate::{
    StoreError,
    arena::Arena,
    database::{FromRow, Tx, columns::parse, values},
};

words! {
    /// Why an agent gets no rounds.
    pub enum PauseReason {
        /// The endpoint answered 429.
        RateLimited = "rate_limited",
        /// The endpoint answered 503, or failed the check before a match.
        Unavailable = "unavailable",
    }
}

impl PauseReason {
    /// The reason of a pause that is stored.
    pub(super) fn stored(name: &str) -> Self {
        name.parse().unwrap_or(Self::Unavailable)
    }
}

/// The condition that an agent has fewer rounds under way than its endpoint says that it answers at once. `endpoint` is the name of
/// its row in the statement.
pub(super) fn has_room(endpoint: &str) -> String {
    format!(
        "({endpoint}.max_concurrent IS NULL OR {endpoint}.max_concurrent > \
         (SELECT count(*) FROM arena_seats AS busy WHERE busy.agent_id = {endpoint}.agent_id AND busy.playing \
         AND busy.channel = 'push') + (SELECT count(*) FROM arena_judges AS busy WHERE busy.agent_id = {endpoint}.agent_id \
         AND busy.voting AND busy.channel = 'push'))"
    )
}

/// What is known of an endpoint after a check.
#[derive(Debug, Clone, Default, PartialEq, Eq, FromRow)]
pub struct EndpointState {
    /// The number of checks in a row that failed.
    pub misses: i64,
    /// Whether the agent gets rounds.
    pub is_healthy: bool,
    /// The end of a pause.
    pub paused_until: Option<DateTime<Utc>>,
    /// The reason of the pause, or of the last failed check.
    pub reason: Option<String>,
    /// The time that the last good check took.
    pub latency_ms: Option<i64>,
    /// How many rounds at once the agent says that it can answer.
    pub max_concurrent: Option<i64>,
    /// When the last check ended.
    pub checked_at: Option<DateTime<Utc>>,
    /// When the next one begins.
    pub check_at: DateTime<Utc>,
}

/// Adds an endpoint. What is known of one at an earlier address ends with it, a pause too.
pub(super) async fn add(tx: &mut Tx<'_>, agent_id: AgentId, now: DateTime<Utc>) -> Result<(), StoreError> {
    tx.execute(
        "INSERT INTO arena_endpoints (agent_id, check_at, misses, is_healthy) VALUES ($1, $2, 0, $3) \
         ON CONFLICT (agent_id) DO UPDATE SET check_at = excluded.check_at, misses = 0, is_healthy = excluded.is_healthy, \
         paused_until = NULL, reason = NULL, latency_ms = NULL, max_concurrent = NULL, checked_at = NULL",
        values![agent_id.to_string(), now, false],
    )
    .await?;
    Ok(())
}

pub(super) async fn remove(tx: &mut Tx<'_>, agent_id: AgentId) -> Result<(), StoreError> {
    tx.execute("DELETE FROM arena_endpoints WHERE agent_id = $1", values![agent_id.to_string()]).await?;
    Ok(())
}

/// Stores the result of a check, unless the agent has another address by now. A longer pause that was set meanwhile stays.
pub(super) async fn check(
    tx: &mut Tx<'_>,
    (agent_id, endpoint_url): (AgentId, &str),
    state: &EndpointState,
    now: DateTime<Utc>,
) -> Result<(), StoreError> {
    tx.execute(
        "UPDATE arena_endpoints SET check_at = $2, misses = $3, is_healthy = $4, \
         reason = CASE WHEN paused_until > $8 THEN reason ELSE $5 END, latency_ms = $6, max_concurrent = $7, \
         paused_until = CASE WHEN paused_until > $8 THEN paused_until ELSE NULL END, checked_at = $8 WHERE agent_id = $1 \
         AND EXISTS (SELECT 1 FROM arena_enrolments WHERE arena_enrolments.agent_id = $1 AND endpoint_url = $9)",
        values![
            agent_id.to_string(),
            state.check_at,
            state.misses,
            state.is_healthy,
            &state.reason,
            state.latency_ms,
            state.max_concurrent,
            now,
            endpoint_url,
        ],
    )
    .await?;
    Ok(())
}

/// Puts a check off. What is known of the endpoint stays.
pub(super) async fn postpone(tx: &mut Tx<'_>, agent_id: AgentId, until: DateTime<Utc>) -> Result<(), StoreError> {
    tx.execute("UPDATE arena_endpoints SET check_at = $2 WHERE agent_id = $1", values![agent_id.to_string(), until])
        .await?;
    Ok(())
}

/// Pauses the endpoint, unless the agent has another address by now, or is paused for longer.
pub(super) async fn pause(
    tx: &mut Tx<'_>,
    (agent_id, endpoint_url): (AgentId, &str),
    until: DateTime<Utc>,
    reason: PauseReason,
) -> Result<(), StoreError> {
    tx.execute(
        "UPDATE arena_endpoints SET paused_until = $2, reason = $3 \
         WHERE agent_id = $1 AND (paused_until IS NULL OR paused_until < $2) \
         AND EXISTS (SELECT 1 FROM arena_enrolments WHERE arena_enrolments.agent_id = $1 AND endpoint_url = $4)",
        values![agent_id.to_string(), until, reason.as_str(), endpoint_url],
    )
    .await?;
    Ok(())
}

#[boxed]
impl Arena {
    /// Up to `limit` endpoints whose check is due: agent, address, and what is known of it.
    pub async fn endpoints_due(&self, limit: i64) -> Result<Vec<(AgentId, String, EndpointState)>, StoreError> {
        #[derive(FromRow)]
        struct Row {
            agent_id: String,
            endpoint_url: String,
            #[column(flat)]
            state: EndpointState,
        }
        let rows: Vec<Row> = self
            .db
            .all(
                "SELECT arena_endpoints.agent_id, endpoint_url, misses, is_healthy, paused_until, reason, latency_ms, \
                 max_concurrent, checked_at, check_at FROM arena_endpoints \
                 JOIN arena_enrolments ON arena_enrolments.agent_id = arena_endpoints.agent_id \
                 WHERE check_at <= $1 AND endpoint_url IS NOT NULL ORDER BY check_at, arena_endpoints.agent_id LIMIT $2",
                values![self.clock.now(), limit],
            )
            .await?;
        rows.into_iter().map(|row| Ok((parse(&row.agent_id)?, row.endpoint_url, row.state))).collect()
    }

    /// What is known of an agent's endpoint; `None` if it has none.
    pub async fn endpoint(&self, agent_id: AgentId) -> Result<Option<EndpointState>, StoreError> {
        self.db
            .optional(
                "SELECT misses, is_healthy, paused_until, reason, latency_ms, max_concurrent, checked_at, check_at \
                 FROM arena_endpoints WHERE agent_id = $1",
                values![agent_id.to_string()],
            )
            .await
    }
}
