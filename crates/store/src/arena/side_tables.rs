//! Changes to the side tables of the arena.

use std::time::Duration;

use buildtrack_domain::{
    arena::{matches::SealedAnswer, tasks::League},
    ids::{AgentId, MatchId},
};
use chrono::{DateTime, TimeDelta, Utc};

use super::{EndpointState, NewConnection, NewReport, agents, endpoints, leagues, queue, reports, sealed, sockets};
use crate::{
    StoreError,
    database::{Db, Tx},
    log::context::{Enqueued, Expiry, Rule, SideTable},
};

/// One change to a side table of the arena.
#[derive(Debug, Clone)]
pub enum Change {
    /// Keep an answer until its turn closes.
    Sealed {
        /// The match.
        match_id: MatchId,
        /// The turn.
        turn: u16,
        /// The agent that answered.
        agent_id: AgentId,
        /// Its answer.
        answer: SealedAnswer,
    },
    /// Delete the sealed answers of a match: its turn closes, or it ends.
    Unsealed {
        /// The match.
        match_id: MatchId,
    },
    /// Replace an agent's arena token.
    Token {
        /// The agent.
        agent_id: AgentId,
        /// SHA-256 of the token, in hex.
        hash: String,
    },
    /// End an agent's arena token without a new one.
    TokenRemoved {
        /// The agent.
        agent_id: AgentId,
    },
    /// Store what an agent said of itself on its socket.
    Described {
        /// The agent.
        agent_id: AgentId,
        /// Its name.
        name: Option<String>,
        /// Its model.
        model: Option<String>,
    },
    /// Add an endpoint to the health checks.
    EndpointAdded {
        /// The agent.
        agent_id: AgentId,
    },
    /// End the health checks of an endpoint.
    EndpointRemoved {
        /// The agent.
        agent_id: AgentId,
    },
    /// Store an endpoint's health.
    EndpointChecked {
        /// The agent.
        agent_id: AgentId,
        /// The address that was checked. If the agent has another one by now, nothing is stored.
        endpoint_url: String,
        /// Its health.
        state: Box<EndpointState>,
    },
    /// Put the check of an endpoint off.
    EndpointPostponed {
        /// The agent.
        agent_id: AgentId,
        /// When it is checked.
        until: DateTime<Utc>,
    },
    /// Pause an agent until a time, if it is not paused for longer.
    EndpointPaused {
        /// The agent.
        agent_id: AgentId,
        /// The address that asked for it. If the agent has another one by now, it is not paused.
        endpoint_url: String,
        /// The end of the pause.
        until: DateTime<Utc>,
        /// Why.
        reason: super::PauseReason,
    },
    /// The referee can judge answers in these leagues.
    LeaguesOpened {
        /// The leagues.
        leagues: Vec<League>,
    },
    /// A server that holds sockets is there, and will be for so long.
    ServerSeen {
        /// The server's id.
        server_id: String,
        /// The length of the lease.
        length: Duration,
    },
    /// A server stops. It has lost its sockets, unless their agents open other ones.
    ServerGone {
        /// The server's id.
        server_id: String,
    },
    /// An agent's socket was opened. It replaces the agent's earlier one.
    Connected(Box<NewConnection>),
    /// A socket was closed. An agent that has opened another one stays connected.
    Disconnected {
        /// The agent.
        agent_id: AgentId,
        /// The closed connection.
        connection_id: String,
    },
    /// An agent is sent the result of its match that ended at this position of the log.
    ResultSent {
        /// The agent.
        agent_id: AgentId,
        /// The position.
        position: i64,
    },
    /// Such a result could not be sent: the agent's next connection is sent it.
    ResultReturned {
        /// The agent.
        agent_id: AgentId,
        /// The position.
        position: i64,
    },
    /// The agent waits for a ranked match, over this connection.
    Queued {
        /// The agent.
        agent_id: AgentId,
        /// Its connection.
        connection_id: String,
        /// The leagues in which it plays.
        leagues: Vec<League>,
    },
    /// Store what an agent reports for spectators.
    Reported(Box<NewReport>),
    /// The agent waits no more.
    Unqueued {
        /// The agent.
        agent_id: AgentId,
    },
}

impl SideTable for Change {
    fn rule(&self) -> Rule {
        match self {
            Self::Sealed { .. }
            | Self::Unsealed { .. }
            | Self::Token { .. }
            | Self::TokenRemoved { .. }
            | Self::EndpointRemoved { .. } => Rule::ROW.essential(),
            Self::Described { .. } | Self::EndpointAdded { .. } => Rule::ROW,
            Self::Reported(_) => Rule::ROW.repeatable(),
            // A lost row costs a health check, a reconnection, or a result that is sent twice.
            Self::LeaguesOpened { .. }
            | Self::EndpointChecked { .. }
            | Self::EndpointPostponed { .. }
            | Self::EndpointPaused { .. }
            | Self::ServerSeen { .. }
            | Self::ServerGone { .. }
            | Self::Connected(_)
            | Self::Disconnected { .. }
            | Self::ResultSent { .. }
            | Self::ResultReturned { .. }
            | Self::Queued { .. }
            | Self::Unqueued { .. } => Rule::ROW.repeatable().essential(),
        }
    }

    async fn write(tx: &mut Tx<'_>, changes: &[&Self], now: DateTime<Utc>, _: &mut Enqueued) -> Result<(), StoreError> {
        for change in changes {
            change.write_one(tx, now).await?;
        }
        Ok(())
    }
}

impl Change {
    async fn write_one(&self, tx: &mut Tx<'_>, now: DateTime<Utc>) -> Result<(), StoreError> {
        match self {
            Self::Sealed { match_id, turn, agent_id, answer } => {
                sealed::seal(tx, (*match_id, *turn, *agent_id), answer).await
            }
            Self::Unsealed { match_id } => sealed::unseal(tx, *match_id).await,
            Self::Token { agent_id, hash } => agents::set_token(tx, *agent_id, hash, now).await,
            Self::TokenRemoved { agent_id } => agents::remove_token(tx, *agent_id).await,
            Self::Described { agent_id, name, model } => {
                agents::describe(tx, *agent_id, name.as_deref(), model.as_deref()).await
            }
            Self::EndpointAdded { agent_id } => endpoints::add(tx, *agent_id, now).await,
            Self::EndpointRemoved { agent_id } => endpoints::remove(tx, *agent_id).await,
            Self::EndpointChecked { agent_id, endpoint_url, state } => {
                endpoints::check(tx, (*agent_id, endpoint_url), state, now).await
            }
            Self::EndpointPostponed { agent_id, until } => endpoints::postpone(tx, *agent_id, *until).await,
            Self::EndpointPaused { agent_id, endpoint_url, until, reason } => {
                endpoints::pause(tx, (*agent_id, endpoint_url), *until, *reason).await
            }
            Self::LeaguesOpened { leagues } => leagues::open(tx, leagues, now).await,
            Self::ServerSeen { server_id, length } => {
                let until = now + TimeDelta::from_std(*length).unwrap_or(TimeDelta::zero());
                sockets::see_server(tx, server_id, until).await
            }
            Self::ServerGone { server_id } => sockets::end_server(tx, server_id, now).await,
            Self::Connected(connection) => sockets::connect(tx, connection, now).await,
            Self::Disconnected { agent_id, connection_id } => sockets::disconnect(tx, *agent_id, connection_id).await,
            Self::ResultSent { agent_id, position } => sockets::send_result(tx, *agent_id, *position).await,
            Self::ResultReturned { agent_id, position } => sockets::return_result(tx, *agent_id, *position).await,
            Self::Queued { agent_id, connection_id, leagues } => {
                queue::enter(tx, (*agent_id, connection_id), leagues, now).await
            }
            Self::Reported(report) => reports::add(tx, report, now).await,
            Self::Unqueued { agent_id } => queue::leave(tx, *agent_id).await,
        }
    }
}

pub(crate) async fn prune(tx: &mut Tx<'_>, expiry: Expiry, now: DateTime<Utc>) -> Result<(), StoreError> {
    reports::prune(tx, now, expiry.limit).await?;
    sockets::prune(tx, now, expiry.limit).await
}

pub(crate) async fn has_expired(db: &Db, _: Expiry, now: DateTime<Utc>) -> Result<bool, StoreError> {
    Ok(reports::has_expired(db, now).await? || sockets::has_expired(db, now).await?)
}
