//! The sockets that this server holds.

use std::{
    collections::{HashMap, HashSet, VecDeque},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicI64, Ordering},
    },
    time::Duration,
};

use buildtrack_domain::ids::{AgentId, MatchId};
use buildtrack_http::rights::Right;
use buildtrack_store::{ArenaChange, Store, StoreError};
use chrono::{DateTime, Utc};
use tokio::{
    sync::{Notify, mpsc},
    time::sleep,
};
use tokio_util::sync::CancellationToken;

/// Messages that wait for an agent to read them. An agent that is further behind loses its connection.
const WAITING: usize = 32;
/// Matches whose results a connection remembers. A result is found twice if the match ends while the agent connects, or if the log is
/// read again after a failure.
const RESULTS: usize = 64;
/// How often the server renews its row, and compares its sockets with the database.
const BEAT: Duration = Duration::from_secs(5);
/// How long the row is valid.
const LEASE: Duration = Duration::from_secs(15);

/// What a connection's task receives.
#[derive(Debug, Clone)]
pub(super) enum Order {
    /// Send this text.
    Send(String),
    /// Send the result of the match that ended at this position of the log.
    Result(String, i64),
    /// Close the connection, for this reason.
    Close(&'static str),
}

/// A connection of this server.
#[derive(Debug)]
struct Connection {
    id: String,
    /// The SHA-256 of the arena token that opened it, if one did.
    arena_token: Option<Arc<str>>,
    orders: mpsc::Sender<Order>,
    /// Ends the connection's task if the agent does not read.
    overrun: CancellationToken,
    /// The last turn of each match that was sent.
    sent: HashMap<MatchId, u16>,
    /// The matches whose results were sent last.
    results: VecDeque<MatchId>,
    /// Until when the server holds it for an agent without a socket.
    held_until: Option<DateTime<Utc>>,
    /// The right of the last call for which the server holds it.
    held_by: Option<Right>,
}

/// The sockets of this server, at most one an agent.
#[derive(Debug)]
pub struct Sockets {
    /// This server's id in the database.
    pub(super) server_id: String,
    connections: Mutex<HashMap<AgentId, Connection>>,
    /// Wakes the follower when the first agent connects.
    pub(super) wanted: Notify,
    /// The end of the log when the first agent connected.
    follow_from: AtomicI64,
    /// Held while a call looks for the connection of its agent, and enters one.
    calls: Mutex<()>,
}

impl Sockets {
    /// A server without connections. Its id distinguishes it from other replicas.
    pub fn new(server_id: String) -> Self {
        let (connections, calls) = (Mutex::default(), Mutex::default());
        Self { server_id, connections, wanted: Notify::new(), follow_from: AtomicI64::new(0), calls }
    }

    /// Registers a connection, and closes the agent's earlier one.
    pub(super) fn enter(
        &self,
        agent_id: AgentId,
        (id, arena_token): (String, Option<Arc<str>>),
        head: i64,
    ) -> (mpsc::Receiver<Order>, CancellationToken) {
        let (orders, received) = mpsc::channel(WAITING);
        let overrun = CancellationToken::new();
        let (sent, results, held_until, held_by) = (HashMap::new(), VecDeque::new(), None, None);
        let connection =
            Connection { id, arena_token, orders, overrun: overrun.clone(), sent, results, held_until, held_by };
        let mut connections = self.connections();
        if connections.is_empty() {
            self.follow_from.store(head, Ordering::Relaxed);
        }
        let replaced = connections.insert(agent_id, connection);
        drop(connections);
        if let Some(replaced) = replaced {
            replaced.tell(Order::Close("another connection of this agent replaced this one"));
        } else {
            metrics::gauge!("buildtrack_arena_sockets").increment(1.0);
        }
        self.wanted.notify_one();
        (received, overrun)
    }

    /// Removes a connection, unless another one of the agent has replaced it.
    pub(super) fn exit(&self, agent_id: AgentId, id: &str) {
        let mut connections = self.connections();
        if connections.get(&agent_id).is_some_and(|connection| connection.id == id) {
            connections.remove(&agent_id);
            metrics::gauge!("buildtrack_arena_sockets").decrement(1.0);
        }
    }

    /// Sends the request of a turn to an agent, if it is connected here and was not sent it.
    pub(super) fn send_turn(&self, agent_id: AgentId, (match_id, turn): (MatchId, u16), text: String) {
        let mut connections = self.connections();
        let Some(connection) = connections.get_mut(&agent_id) else { return };
        if connection.sent.insert(match_id, turn).is_none_or(|sent| sent < turn) {
            connection.tell(Order::Send(text));
        }
    }

    /// Sends the result of a match, which ended at this position of the log, to an agent, if it is connected here and was not sent it.
    pub(super) fn send_result(&self, agent_id: AgentId, (match_id, position): (MatchId, i64), text: String) {
        let mut connections = self.connections();
        let Some(connection) = connections.get_mut(&agent_id) else { return };
        connection.sent.remove(&match_id);
        if connection.results.contains(&match_id) {
            return;
        }
        if connection.results.len() == RESULTS {
            connection.results.pop_front();
        }
        connection.results.push_back(match_id);
        connection.tell(Order::Result(text, position));
    }

    /// The id of an agent's connection here.
    pub(super) fn connection_id(&self, agent_id: AgentId) -> Option<String> {
        self.connections().get(&agent_id).map(|connection| connection.id.clone())
    }

    /// Keeps other calls from entering a connection.
    pub(super) fn lock_calls(&self) -> MutexGuard<'_, ()> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Holds a connection until a time, if it is not held for longer, and as long as the caller's right lasts.
    pub(super) fn hold(&self, agent_id: AgentId, id: &str, until: DateTime<Utc>, right: &Right) {
        if let Some(connection) = self.connections().get_mut(&agent_id).filter(|connection| connection.id == id) {
            connection.held_until = connection.held_until.max(Some(until));
            connection.held_by = Some(right.clone());
        }
    }

    /// Whether a connection is held at this time.
    pub(super) fn is_held(&self, agent_id: AgentId, id: &str, now: DateTime<Utc>) -> bool {
        let connections = self.connections();
        let connection = connections.get(&agent_id).filter(|connection| connection.id == id);
        connection.is_some_and(|connection| {
            let has_right = connection.held_by.as_ref().is_none_or(|right| right.ending().is_none());
            has_right && connection.held_until.is_some_and(|until| until > now)
        })
    }

    /// Forgets which turns of a match an agent was sent.
    pub(super) fn forget(&self, agent_id: AgentId, match_id: MatchId) {
        if let Some(connection) = self.connections().get_mut(&agent_id) {
            connection.sent.remove(&match_id);
        }
    }

    /// Closes an agent's connection.
    pub(super) fn close(&self, agent_id: AgentId, reason: &'static str) {
        if let Some(connection) = self.connections().get(&agent_id) {
            connection.tell(Order::Close(reason));
        }
    }

    /// The SHA-256 of the arena token that opened an agent's connection here, if one did.
    pub(super) fn arena_token(&self, agent_id: AgentId) -> Option<Arc<str>> {
        self.connections().get(&agent_id)?.arena_token.clone()
    }

    /// The end of the log when the first of the agents connected: what follows concerns them.
    pub(super) fn follow_from(&self) -> i64 {
        self.follow_from.load(Ordering::Relaxed)
    }

    /// Whether the agent is connected here.
    pub(super) fn holds(&self, agent_id: AgentId) -> bool {
        self.connections().contains_key(&agent_id)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.connections().is_empty()
    }

    /// Renews the server's row, so that the sockets count as open.
    pub(super) async fn beat(&self, store: &Store) -> Result<(), StoreError> {
        let server_id = self.server_id.clone();
        store.log().write_side([ArenaChange::ServerSeen { server_id, length: LEASE }]).await
    }

    /// Renews the server's row while there are sockets, and closes those that another server has replaced. Ends with the server.
    pub(crate) async fn keep(&self, store: &Store, stopping: &CancellationToken) {
        let keeping = async {
            let mut unknown = HashSet::new();
            loop {
                sleep(BEAT).await;
                if self.is_empty() {
                    continue;
                }
                if let Err(error) = self.renew(store, &mut unknown).await {
                    tracing::warn!(%error, "the arena's sockets could not be renewed; the server retries");
                }
            }
        };
        stopping.run_until_cancelled(keeping).await;
        if let Err(error) =
            store.log().write_side([ArenaChange::ServerGone { server_id: self.server_id.clone() }]).await
        {
            tracing::debug!(%error, "the arena's sockets could not be removed; they expire");
        }
    }

    /// Renews the server's row. Closes the connections that the database does not know, if it did not know them at the last call
    /// either: a new connection is written after it was entered. Removes those that this server does not hold, likewise: the end of
    /// one may not have been recorded, or before its begin. `unknown` are the ids of both.
    async fn renew(&self, store: &Store, unknown: &mut HashSet<String>) -> Result<(), StoreError> {
        let before: Vec<_> =
            self.connections().iter().map(|(agent_id, connection)| (*agent_id, connection.id.clone())).collect();
        self.beat(store).await?;
        let recorded: HashMap<_, _> = store.arena().connections_of(&self.server_id).await?.into_iter().collect();
        let gone: Vec<_> = before.into_iter().filter(|(agent_id, id)| recorded.get(agent_id) != Some(id)).collect();
        let mut still_unknown = HashSet::new();
        for (agent_id, id) in gone {
            let is_current = self.connections().get(&agent_id).is_some_and(|now| now.id == id);
            if is_current && unknown.contains(&id) {
                self.close(agent_id, "another connection of this agent replaced this one");
            }
            still_unknown.insert(id);
        }
        let mut ended = Vec::new();
        for (agent_id, connection_id) in recorded {
            if self.connection_id(agent_id).as_ref() == Some(&connection_id) {
                continue;
            }
            if unknown.contains(&connection_id) {
                ended.push(ArenaChange::Disconnected { agent_id, connection_id });
            } else {
                still_unknown.insert(connection_id);
            }
        }
        *unknown = still_unknown;
        if ended.is_empty() { Ok(()) } else { store.log().write_side(ended).await }
    }

    fn connections(&self) -> MutexGuard<'_, HashMap<AgentId, Connection>> {
        self.connections.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Connection {
    /// Queues an order. A full queue ends the connection.
    fn tell(&self, order: Order) {
        if self.orders.try_send(order).is_err() {
            self.overrun.cancel();
        }
    }
}

#[cfg(test)]
mod tests;
