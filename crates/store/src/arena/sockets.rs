//! The sockets of agents, and the servers that hold them.
//!
//! A server renews one row for all its sockets. **Invariant:** a socket of a server whose row has expired is lost, which is the
//! server's fault and never the agent's.

use buildtrack_domain::ids::{AgentId, MatchId, OwnerId};
use buildtrack_macros::boxed;
use chrono::{DateTime, Utc};

use crate::{
    StoreError,
    arena::Arena,
    database::{Db, Tx, columns::parse, values},
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
    /// Whether the agent keeps its place in the queue: another server takes over an agent that plays without a socket. A connection
    /// that is recorded again keeps it in any case.
    pub keeps_position: bool,
}

/// An agent's connection, as the database knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentConnection {
    /// Its id.
    pub connection_id: String,
    /// Whether the server that holds it is there.
    pub is_open: bool,
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
    tx.execute(
        "INSERT INTO arena_servers (id, expires_at) VALUES ($1, $2) \
         ON CONFLICT (id) DO UPDATE SET expires_at = excluded.expires_at",
        values![server_id, until],
    )
    .await?;
    Ok(())
}

/// Ends the lease of a server. Its sockets stay, as lost ones: that they are closed is not the agents' doing.
pub(super) async fn end_server(tx: &mut Tx<'_>, server_id: &str, now: DateTime<Utc>) -> Result<(), StoreError> {
    tx.execute("UPDATE arena_servers SET expires_at = $2 WHERE id = $1 AND expires_at > $2", values![server_id, now])
        .await?;
    Ok(())
}

pub(super) async fn connect(tx: &mut Tx<'_>, connection: &NewConnection, now: DateTime<Utc>) -> Result<(), StoreError> {
    // An agent that connects for the first time has missed no result.
    tx.execute(
        "INSERT INTO arena_agents (agent_id, results_until) VALUES ($1, (SELECT coalesce(max(position), 0) FROM events)) \
         ON CONFLICT (agent_id) DO UPDATE SET results_until = coalesce(arena_agents.results_until, excluded.results_until)",
        values![connection.agent_id.to_string()],
    )
    .await?;
    tx.execute(
        "INSERT INTO arena_connections (agent_id, owner_id, connection_id, server_id, connected_at, leagues, queued_at) \
         VALUES ($1, $2, $3, $4, $5, '', NULL) ON CONFLICT (agent_id) DO UPDATE SET owner_id = excluded.owner_id, \
         connection_id = excluded.connection_id, server_id = excluded.server_id, connected_at = excluded.connected_at, \
         queued_at = CASE WHEN $6 OR arena_connections.connection_id = excluded.connection_id THEN arena_connections.queued_at END",
        values![
            connection.agent_id.to_string(),
            connection.owner_id.to_string(),
            &connection.connection_id,
            &connection.server_id,
            now,
            connection.keeps_position,
        ],
    )
    .await?;
    Ok(())
}

pub(super) async fn disconnect(tx: &mut Tx<'_>, agent_id: AgentId, connection_id: &str) -> Result<(), StoreError> {
    tx.execute(
        "DELETE FROM arena_connections WHERE agent_id = $1 AND connection_id = $2",
        values![agent_id.to_string(), connection_id],
    )
    .await?;
    Ok(())
}

/// Records that an agent is sent the result of the match that ended at a position of the log.
pub(super) async fn send_result(tx: &mut Tx<'_>, agent_id: AgentId, position: i64) -> Result<(), StoreError> {
    tx.execute(
        "UPDATE arena_agents SET results_until = $2 WHERE agent_id = $1 AND (results_until IS NULL OR results_until < $2)",
        values![agent_id.to_string(), position],
    )
    .await?;
    Ok(())
}

/// Records that the last result that an agent was to be sent did not leave the server.
pub(super) async fn return_result(tx: &mut Tx<'_>, agent_id: AgentId, position: i64) -> Result<(), StoreError> {
    tx.execute(
        "UPDATE arena_agents SET results_until = $2 - 1 WHERE agent_id = $1 AND results_until = $2",
        values![agent_id.to_string(), position],
    )
    .await?;
    Ok(())
}

/// Deletes lost servers with their sockets, some time after they were lost: the referee must see that they were.
pub(super) async fn prune(tx: &mut Tx<'_>, now: DateTime<Utc>, limit: i64) -> Result<(), StoreError> {
    tx.execute(
        "DELETE FROM arena_connections WHERE agent_id IN (SELECT agent_id FROM arena_connections \
         WHERE server_id IN (SELECT id FROM arena_servers WHERE expires_at <= $1) LIMIT $2)",
        values![now - LOST_FOR, limit],
    )
    .await?;
    tx.execute(
        "DELETE FROM arena_servers WHERE expires_at <= $1 AND NOT EXISTS \
         (SELECT 1 FROM arena_connections WHERE server_id = arena_servers.id)",
        values![now - LOST_FOR],
    )
    .await?;
    Ok(())
}

/// How long the sockets of a lost server are kept.
const LOST_FOR: chrono::TimeDelta = chrono::TimeDelta::minutes(10);

pub(super) async fn has_expired(db: &Db, now: DateTime<Utc>) -> Result<bool, StoreError> {
    db.one("SELECT EXISTS (SELECT 1 FROM arena_servers WHERE expires_at <= $1)", values![now - LOST_FOR]).await
}

#[boxed]
impl Arena {
    /// Those of an agent's latest `limit` matches that have ended and whose results it was not sent, the one that ended first first.
    /// None if it was never connected.
    pub async fn matches_missed(&self, agent_id: AgentId, limit: i64) -> Result<Vec<MatchId>, StoreError> {
        let ids: Vec<String> = self
            .db
            .all(
                "SELECT id FROM (SELECT match_id FROM arena_seats WHERE agent_id = $1 AND channel = 'socket' \
                 ORDER BY position DESC LIMIT $2) AS latest JOIN arena_matches ON arena_matches.id = latest.match_id \
                 WHERE ended_position > (SELECT results_until FROM arena_agents WHERE agent_id = $1) ORDER BY ended_position",
                values![agent_id.to_string(), limit],
            )
            .await?;
        ids.iter().map(|id| parse(id)).collect()
    }

    /// The state of an agent's socket.
    pub async fn socket_state(&self, agent_id: AgentId) -> Result<SocketState, StoreError> {
        Ok(match self.connection_of(agent_id).await? {
            None => SocketState::Closed,
            Some(connection) if connection.is_open => SocketState::Open,
            Some(_) => SocketState::ServerLost,
        })
    }

    /// An agent's connection.
    pub async fn connection_of(&self, agent_id: AgentId) -> Result<Option<AgentConnection>, StoreError> {
        let row: Option<(String, Option<DateTime<Utc>>)> = self
            .db
            .optional(
                "SELECT connection_id, expires_at FROM arena_connections \
                 LEFT JOIN arena_servers ON arena_servers.id = server_id WHERE agent_id = $1",
                values![agent_id.to_string()],
            )
            .await?;
        let now = self.clock.now();
        let connection = |(connection_id, expires_at): (String, Option<DateTime<Utc>>)| AgentConnection {
            connection_id,
            is_open: expires_at.is_some_and(|expires_at| expires_at > now),
        };
        Ok(row.map(connection))
    }

    /// The sockets that a server holds: agent and connection.
    pub async fn connections_of(&self, server_id: &str) -> Result<Vec<(AgentId, String)>, StoreError> {
        let rows: Vec<(String, String)> = self
            .db
            .all("SELECT agent_id, connection_id FROM arena_connections WHERE server_id = $1", values![server_id])
            .await?;
        rows.into_iter().map(|(agent_id, id)| Ok((parse(&agent_id)?, id))).collect()
    }

    /// The number of agents that are connected, and of those that wait for a match.
    pub async fn sockets_open(&self) -> Result<(i64, i64), StoreError> {
        self.db
            .one(
                "SELECT count(*), count(queued_at) FROM arena_connections \
                 WHERE server_id IN (SELECT id FROM arena_servers WHERE expires_at > $1)",
                values![self.clock.now()],
            )
            .await
    }
}
