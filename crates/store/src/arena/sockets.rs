//! The sockets of agents, the servers that hold them, and the queue for ranked matches.
//!
//! A server renews one row for all its sockets. **Invariant:** a socket of a server whose row has expired is lost, which is the
//! server's fault and never the agent's.

use buildtrack_domain::{
    arena::tasks::League,
    ids::{AgentId, MatchId, OwnerId},
};
use chrono::{DateTime, Utc};

use crate::{
    Store, StoreError,
    database::{Db, Tx, columns::parse, execute, read},
};

/// A socket that was opened.
#[derive(Debug, Clone)]
pub struct NewConnection {
    /// The agent.
    pub agent_id: AgentId,
    /// Its owner.
    pub owner_id: OwnerId,
    /// The connection's id, which no other has.
    pub connection_id: String,
    /// The server that holds it.
    pub server_id: String,
}

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

/// The state of an agent's socket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SocketState {
    /// The agent has no socket, or has closed it.
    Closed,
    /// A server holds it.
    Open,
    /// The server that held it is gone.
    ServerLost,
}

pub(super) async fn see_server(tx: &mut Tx<'_>, server_id: &str, until: DateTime<Utc>) -> Result<(), StoreError> {
    execute!(
        tx,
        "INSERT INTO arena_servers (id, expires_at) VALUES ($1, $2) \
         ON CONFLICT (id) DO UPDATE SET expires_at = excluded.expires_at",
        server_id,
        until,
    );
    Ok(())
}

pub(super) async fn remove_server(tx: &mut Tx<'_>, server_id: &str) -> Result<(), StoreError> {
    execute!(tx, "DELETE FROM arena_connections WHERE server_id = $1", server_id);
    execute!(tx, "DELETE FROM arena_servers WHERE id = $1", server_id);
    Ok(())
}

pub(super) async fn connect(tx: &mut Tx<'_>, connection: &NewConnection, now: DateTime<Utc>) -> Result<(), StoreError> {
    execute!(
        tx,
        "INSERT INTO arena_connections (agent_id, owner_id, connection_id, server_id, connected_at, leagues, queued_at) \
         VALUES ($1, $2, $3, $4, $5, '', NULL) ON CONFLICT (agent_id) DO UPDATE SET owner_id = excluded.owner_id, \
         connection_id = excluded.connection_id, server_id = excluded.server_id, connected_at = excluded.connected_at, \
         queued_at = NULL",
        connection.agent_id.to_string(),
        connection.owner_id.to_string(),
        &connection.connection_id,
        &connection.server_id,
        now,
    );
    Ok(())
}

pub(super) async fn disconnect(
    tx: &mut Tx<'_>,
    agent_id: AgentId,
    connection_id: &str,
    now: DateTime<Utc>,
) -> Result<(), StoreError> {
    execute!(
        tx,
        "INSERT INTO arena_agents (agent_id, disconnected_at) SELECT agent_id, $3 FROM arena_connections \
         WHERE agent_id = $1 AND connection_id = $2 \
         ON CONFLICT (agent_id) DO UPDATE SET disconnected_at = excluded.disconnected_at",
        agent_id.to_string(),
        connection_id,
        now,
    );
    execute!(
        tx,
        "DELETE FROM arena_connections WHERE agent_id = $1 AND connection_id = $2",
        agent_id.to_string(),
        connection_id,
    );
    Ok(())
}

pub(super) async fn queue(
    tx: &mut Tx<'_>,
    (agent_id, connection_id): (AgentId, &str),
    leagues: &[League],
    now: DateTime<Utc>,
) -> Result<(), StoreError> {
    let leagues: Vec<_> = leagues.iter().map(|league| league.as_str()).collect();
    execute!(
        tx,
        "UPDATE arena_connections SET queued_at = coalesce(queued_at, $3), leagues = $4 \
         WHERE agent_id = $1 AND connection_id = $2",
        agent_id.to_string(),
        connection_id,
        now,
        leagues.join(" "),
    );
    Ok(())
}

pub(super) async fn unqueue(tx: &mut Tx<'_>, agent_id: AgentId) -> Result<(), StoreError> {
    execute!(tx, "UPDATE arena_connections SET queued_at = NULL WHERE agent_id = $1", agent_id.to_string());
    Ok(())
}

/// Deletes lost servers with their sockets, some time after they were lost: the referee must see that they were.
pub(super) async fn prune(tx: &mut Tx<'_>, now: DateTime<Utc>, limit: i64) -> Result<(), StoreError> {
    execute!(
        tx,
        "DELETE FROM arena_connections WHERE agent_id IN (SELECT agent_id FROM arena_connections \
         WHERE server_id IN (SELECT id FROM arena_servers WHERE expires_at <= $1) LIMIT $2)",
        now - LOST_FOR,
        limit,
    );
    execute!(
        tx,
        "DELETE FROM arena_servers WHERE expires_at <= $1 AND NOT EXISTS \
         (SELECT 1 FROM arena_connections WHERE server_id = arena_servers.id)",
        now - LOST_FOR,
    );
    Ok(())
}

/// The length of a server's lease: how long before its row expires a server may have been lost.
const LOST_BEFORE: chrono::TimeDelta = chrono::TimeDelta::seconds(15);
/// How long the sockets of a lost server are kept.
const LOST_FOR: chrono::TimeDelta = chrono::TimeDelta::minutes(10);

pub(super) async fn has_expired(db: &Db, now: DateTime<Utc>) -> Result<bool, StoreError> {
    Ok(read!(db, |pool| {
        sqlx::query_scalar("SELECT EXISTS (SELECT 1 FROM arena_servers WHERE expires_at <= $1)")
            .bind(now - LOST_FOR)
            .fetch_one(pool)
            .await?
    }))
}

impl Store {
    /// Up to `limit` agents that wait for a ranked match over a socket that is open, the longest waiting first; after an agent and
    /// the time since which it waits, if they are given.
    pub async fn queued_agents(
        &self,
        after: Option<(DateTime<Utc>, AgentId)>,
        limit: i64,
    ) -> Result<Vec<QueuedAgent>, StoreError> {
        let (since, agent) =
            after.map_or((DateTime::UNIX_EPOCH, String::new()), |(since, agent_id)| (since, agent_id.to_string()));
        let rows: Vec<(String, String, String, String, DateTime<Utc>)> = read!(&self.db, |pool| {
            sqlx::query_as(
                "SELECT agent_id, owner_id, connection_id, leagues, queued_at FROM arena_connections \
                 WHERE queued_at IS NOT NULL AND server_id IN (SELECT id FROM arena_servers WHERE expires_at > $1) \
                 AND queued_at >= $3 AND (queued_at > $3 OR agent_id > $4) ORDER BY queued_at, agent_id LIMIT $2",
            )
            .bind(self.clock.now())
            .bind(limit)
            .bind(since)
            .bind(agent)
            .fetch_all(pool)
            .await?
        });
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

    /// The agent's place in the queue, from 1 (`None` if it does not wait), and the number of agents that wait.
    pub async fn queue_place(&self, agent_id: AgentId) -> Result<(Option<i64>, i64), StoreError> {
        let (place, size): (Option<i64>, i64) = read!(&self.db, |pool| {
            sqlx::query_as(
                "SELECT (SELECT count(*) FROM arena_connections AS ahead WHERE ahead.queued_at IS NOT NULL AND \
                 (ahead.queued_at < own.queued_at OR ahead.queued_at = own.queued_at AND ahead.agent_id <= own.agent_id) \
                 AND ahead.server_id IN (SELECT id FROM arena_servers WHERE expires_at > $2)), \
                 (SELECT count(*) FROM arena_connections WHERE queued_at IS NOT NULL \
                 AND server_id IN (SELECT id FROM arena_servers WHERE expires_at > $2)) FROM (SELECT max(queued_at) AS queued_at, $1 AS agent_id FROM arena_connections WHERE agent_id = $1) AS own",
            )
            .bind(agent_id.to_string())
            .bind(self.clock.now())
            .fetch_one(pool)
            .await?
        });
        Ok((place.filter(|place| *place > 0), size))
    }

    /// Up to `limit` matches of an agent that ended since it was last connected, oldest first. `None` of its matches if it never was.
    pub async fn matches_missed(&self, agent_id: AgentId, limit: i64) -> Result<Vec<MatchId>, StoreError> {
        let id = agent_id.to_string();
        // A server that was lost has not recorded when its sockets ended: not long before its row expired.
        let lost: Option<DateTime<Utc>> = read!(&self.db, |pool| {
            sqlx::query_scalar(
                "SELECT expires_at FROM arena_connections JOIN arena_servers ON arena_servers.id = server_id \
                 WHERE agent_id = $1 AND expires_at <= $2",
            )
            .bind(&id)
            .bind(self.clock.now())
            .fetch_optional(pool)
            .await?
        });
        let closed: Option<Option<DateTime<Utc>>> = read!(&self.db, |pool| {
            sqlx::query_scalar("SELECT disconnected_at FROM arena_agents WHERE agent_id = $1")
                .bind(&id)
                .fetch_optional(pool)
                .await?
        });
        let Some(since) = lost.map(|lost| lost - LOST_BEFORE).max(closed.flatten()) else { return Ok(vec![]) };
        let ids: Vec<String> = read!(&self.db, |pool| {
            sqlx::query_scalar(
                "SELECT id FROM (SELECT match_id FROM arena_seats WHERE agent_id = $1 AND channel = 'socket' \
                 ORDER BY position DESC LIMIT $3) AS latest JOIN arena_matches ON arena_matches.id = latest.match_id \
                 WHERE ended_at >= $2 ORDER BY ended_position",
            )
            .bind(&id)
            .bind(since)
            .bind(limit)
            .fetch_all(pool)
            .await?
        });
        ids.iter().map(|id| parse(id)).collect()
    }

    /// The state of an agent's socket.
    pub async fn socket_state(&self, agent_id: AgentId) -> Result<SocketState, StoreError> {
        let expires_at: Option<Option<DateTime<Utc>>> = read!(&self.db, |pool| {
            sqlx::query_scalar(
                "SELECT expires_at FROM arena_connections LEFT JOIN arena_servers ON arena_servers.id = server_id \
                 WHERE agent_id = $1",
            )
            .bind(agent_id.to_string())
            .fetch_optional(pool)
            .await?
        });
        Ok(match expires_at {
            None => SocketState::Closed,
            Some(Some(expires_at)) if expires_at > self.clock.now() => SocketState::Open,
            Some(_) => SocketState::ServerLost,
        })
    }

    /// The sockets that a server holds: agent and connection.
    pub async fn connections_of(&self, server_id: &str) -> Result<Vec<(AgentId, String)>, StoreError> {
        let rows: Vec<(String, String)> = read!(&self.db, |pool| {
            sqlx::query_as("SELECT agent_id, connection_id FROM arena_connections WHERE server_id = $1")
                .bind(server_id)
                .fetch_all(pool)
                .await?
        });
        rows.into_iter().map(|(agent_id, id)| Ok((parse(&agent_id)?, id))).collect()
    }

    /// The number of agents that are connected, and of those that wait for a match.
    pub async fn sockets_open(&self) -> Result<(i64, i64), StoreError> {
        Ok(read!(&self.db, |pool| {
            sqlx::query_as(
                "SELECT count(*), count(queued_at) FROM arena_connections \
                 WHERE server_id IN (SELECT id FROM arena_servers WHERE expires_at > $1)",
            )
            .bind(self.clock.now())
            .fetch_one(pool)
            .await?
        }))
    }
}

pub(super) fn leagues_of(text: &str) -> Result<Vec<League>, StoreError> {
    let league = |word: &str| word.parse().map_err(|_| StoreError::Damaged(format!("the league {word:?}")));
    text.split(' ').filter(|word| !word.is_empty()).map(league).collect()
}
