//! The queue for ranked matches: agents wait in it over a socket that is open.

use buildtrack_domain::{
    arena::tasks::League,
    ids::{AgentId, OwnerId},
};
use buildtrack_macros::boxed;
use chrono::{DateTime, Utc};

use super::{budgets::IS_OTHERS_CHALLENGE, leagues::leagues_of};
use crate::{
    StoreError,
    arena::Arena,
    database::{Tx, columns::parse, values},
};

/// The latest matches of an agent among which a challenge is looked for.
const LATEST: i64 = 100;

/// An agent that waits for a ranked match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueuedAgent {
    /// The agent.
    pub agent_id: AgentId,
    /// Its owner.
    pub owner_id: OwnerId,
    /// Its connection.
    pub connection_id: String,
    /// The leagues in which it plays.
    pub leagues: Vec<League>,
    /// Since when it waits.
    pub queued_at: DateTime<Utc>,
}

pub(super) async fn enter(
    tx: &mut Tx<'_>,
    (agent_id, connection_id): (AgentId, &str),
    leagues: &[League],
    now: DateTime<Utc>,
) -> Result<(), StoreError> {
    let leagues: Vec<_> = leagues.iter().map(|league| league.as_str()).collect();
    tx.execute(
        "UPDATE arena_connections SET queued_at = coalesce(queued_at, $3), leagues = $4 \
         WHERE agent_id = $1 AND connection_id = $2",
        values![agent_id.to_string(), connection_id, now, leagues.join(" ")],
    )
    .await?;
    Ok(())
}

pub(super) async fn leave(tx: &mut Tx<'_>, agent_id: AgentId) -> Result<(), StoreError> {
    tx.execute("UPDATE arena_connections SET queued_at = NULL WHERE agent_id = $1", values![agent_id.to_string()])
        .await?;
    Ok(())
}

#[boxed]
impl Arena {
    /// Up to `limit` agents that wait for a ranked match over a socket that is open, the longest waiting first; after an agent and
    /// the time since which it waits, if they are given.
    pub async fn queued_agents(
        &self,
        after: Option<(DateTime<Utc>, AgentId)>,
        limit: i64,
    ) -> Result<Vec<QueuedAgent>, StoreError> {
        let (since, agent) =
            after.map_or((DateTime::UNIX_EPOCH, String::new()), |(since, agent_id)| (since, agent_id.to_string()));
        let rows: Vec<(String, String, String, String, DateTime<Utc>)> = self
            .db
            .all(
                "SELECT agent_id, owner_id, connection_id, leagues, queued_at FROM arena_connections \
                 WHERE queued_at IS NOT NULL AND server_id IN (SELECT id FROM arena_servers WHERE expires_at > $1) \
                 AND queued_at >= $3 AND (queued_at > $3 OR agent_id > $4) ORDER BY queued_at, agent_id LIMIT $2",
                values![self.clock.now(), limit, since, agent],
            )
            .await?;
        let queued = |(agent_id, owner_id, connection_id, leagues, queued_at): (String, String, String, String, _)| {
            let leagues = leagues_of(&leagues)?;
            Ok(QueuedAgent {
                agent_id: parse(&agent_id)?,
                owner_id: parse(&owner_id)?,
                connection_id,
                leagues,
                queued_at,
            })
        };
        rows.into_iter().map(queued).collect()
    }

    /// Whether the agent waits for a match.
    pub async fn is_queued(&self, agent_id: AgentId) -> Result<bool, StoreError> {
        self.db
            .one(
                "SELECT EXISTS (SELECT 1 FROM arena_connections WHERE agent_id = $1 AND queued_at IS NOT NULL)",
                values![agent_id.to_string()],
            )
            .await
    }

    /// Whether the agent waits for a ranked match, and one of its latest matches was a challenge of another owner that began after a time.
    pub async fn is_queued_and_challenged(&self, agent_id: AgentId, since: DateTime<Utc>) -> Result<bool, StoreError> {
        let statement = format!(
            "SELECT EXISTS (SELECT 1 FROM arena_connections WHERE agent_id = $1 AND queued_at IS NOT NULL) \
             AND EXISTS (SELECT 1 FROM (SELECT match_id, created_at, charged_to, owner_id FROM arena_seats WHERE agent_id = $1 \
             ORDER BY position DESC LIMIT $3) AS arena_seats JOIN arena_matches ON arena_matches.id = match_id \
             WHERE arena_seats.created_at > $2 AND {IS_OTHERS_CHALLENGE})"
        );
        self.db.one(&statement, values![agent_id.to_string(), since, LATEST]).await
    }

    /// The agent's place in the queue, from 1 (`None` if it does not wait), and the number of agents that wait.
    pub async fn queue_position(&self, agent_id: AgentId) -> Result<(Option<i64>, i64), StoreError> {
        let (position, size): (Option<i64>, i64) = self
            .db
            .one(
                "SELECT (SELECT count(*) FROM arena_connections AS ahead WHERE ahead.queued_at IS NOT NULL AND \
                 (ahead.queued_at < own.queued_at OR ahead.queued_at = own.queued_at AND ahead.agent_id <= own.agent_id) \
                 AND ahead.server_id IN (SELECT id FROM arena_servers WHERE expires_at > $2)), \
                 (SELECT count(*) FROM arena_connections WHERE queued_at IS NOT NULL \
                 AND server_id IN (SELECT id FROM arena_servers WHERE expires_at > $2)) \
                 FROM (SELECT max(queued_at) AS queued_at, $1 AS agent_id FROM arena_connections WHERE agent_id = $1) AS own",
                values![agent_id.to_string(), self.clock.now()],
            )
            .await?;
        Ok((position.filter(|position| *position > 0), size))
    }
}
