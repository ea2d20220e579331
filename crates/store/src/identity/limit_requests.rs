//! Read model of requests for higher limits.

use buildtrack_domain::{
    event::Event,
    identity::{AskedLimit, LimitRequestEvent},
    ids::OwnerId,
};
use buildtrack_macros::boxed;
use chrono::{DateTime, Utc};

use crate::{
    StoreError,
    database::{FromRow, Tx, values},
    identity::Identity,
    log::Recorded,
    log::context::EventText,
};

/// A request for a higher limit, with the decision about it.
#[derive(Debug, Clone, FromRow)]
pub struct LimitRequestView {
    /// Position of the request on the log.
    pub position: i64,
    /// The owner that asks.
    #[column(from = String)]
    pub owner_id: OwnerId,
    /// The owner's current name.
    pub owner_name: String,
    /// The number of active agents that the owner asks for.
    pub agent_limit: Option<i64>,
    /// The agent whose tier the request is about.
    pub agent_id: Option<String>,
    /// That agent's current name.
    pub agent_name: Option<String>,
    /// The tier that the owner asks for.
    pub tier: Option<String>,
    /// The owner's reason.
    pub reason: String,
    /// When it was filed.
    pub filed_at: DateTime<Utc>,
    /// Whether it is granted; none while it is open.
    pub granted: Option<bool>,
    /// The operator's reason.
    pub decision: Option<String>,
    /// When it was decided.
    pub decided_at: Option<DateTime<Utc>>,
}

/// Filters of a list of requests; newest first.
#[derive(Debug, Clone, Copy, Default)]
pub struct LimitRequestFilter {
    /// Only requests of this owner.
    pub owner: Option<OwnerId>,
    /// Only open requests, or only decided ones.
    pub open: Option<bool>,
    /// Only requests before this position.
    pub before: Option<i64>,
    /// Maximum number of rows.
    pub limit: i64,
}

#[boxed]
impl Identity {
    /// A list of requests for higher limits.
    pub async fn limit_requests(&self, filter: &LimitRequestFilter) -> Result<Vec<LimitRequestView>, StoreError> {
        self.db
            .all(
                "SELECT asked.position, asked.owner_id, owners.display_name AS owner_name, agent_limit, agent_id, \
                 agents.name AS agent_name, asked.tier, reason, filed_at, granted, decision, decided_at \
                 FROM limit_requests AS asked JOIN owners ON owners.id = asked.owner_id \
                 LEFT JOIN agents ON agents.id = asked.agent_id \
                 WHERE (CAST($1 AS TEXT) IS NULL OR asked.owner_id = $1) \
                 AND (CAST($2 AS BOOLEAN) IS NULL OR (decided_position IS NULL) = $2) AND asked.position < $3 \
                 ORDER BY asked.position DESC LIMIT $4",
                values![
                    filter.owner.map(|owner| owner.to_string()),
                    filter.open,
                    filter.before.unwrap_or(i64::MAX),
                    filter.limit
                ],
            )
            .await
    }
}

pub(super) async fn project(tx: &mut Tx<'_>, recorded: &Recorded, event: &LimitRequestEvent) -> Result<(), StoreError> {
    match event {
        LimitRequestEvent::Filed(data) => {
            let (agent_limit, agent_id, tier) = match data.limit {
                AskedLimit::Agents(limit) => (Some(i64::from(limit)), None, None),
                AskedLimit::Tier { agent_id, tier } => (None, Some(agent_id.to_string()), Some(tier.as_str())),
            };
            tx.execute(
                "INSERT INTO limit_requests (position, owner_id, agent_limit, agent_id, tier, reason, filed_at) \
                 VALUES ($1, $2, $3, $4, $5, $6, $7)",
                values![
                    recorded.position,
                    data.owner_id.to_string(),
                    agent_limit,
                    &agent_id,
                    tier,
                    &data.reason,
                    recorded.recorded_at
                ],
            )
            .await?;
        }
        LimitRequestEvent::Decided(data) => {
            tx.execute(
                "UPDATE limit_requests SET decided_position = $2, granted = $3, decision = $4, decided_at = $5 \
                 WHERE owner_id = $1 AND decided_position IS NULL",
                values![data.owner_id.to_string(), recorded.position, data.granted, &data.reason, recorded.recorded_at],
            )
            .await?;
        }
    }
    Ok(())
}

/// Rewrites the reason of a request or of a decision.
pub(crate) async fn rewrite_text(tx: &mut Tx<'_>, text: &EventText) -> Result<(), StoreError> {
    let position = text.position;
    match &text.event {
        Event::LimitRequest(LimitRequestEvent::Filed(data)) => {
            tx.execute("UPDATE limit_requests SET reason = $2 WHERE position = $1", values![position, &data.reason])
                .await?;
        }
        Event::LimitRequest(LimitRequestEvent::Decided(data)) => {
            tx.execute(
                "UPDATE limit_requests SET decision = $2 WHERE decided_position = $1",
                values![position, &data.reason],
            )
            .await?;
        }
        _ => {}
    }
    Ok(())
}
