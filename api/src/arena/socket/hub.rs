//! The sockets that this server holds.

use std::{
    collections::{HashMap, HashSet},
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicI64, Ordering},
    },
    time::Duration,
};

use buildtrack_domain::ids::{AgentId, MatchId};
use buildtrack_store::{ArenaChange, Store, StoreError};
use tokio::{
    sync::{Notify, mpsc},
    time::sleep,
};
use tokio_util::sync::CancellationToken;

/// Messages that wait for an agent to read them. An agent that is further behind loses its connection.
const WAITING: usize = 32;
/// How often the server renews its row, and compares its sockets with the database.
const BEAT: Duration = Duration::from_secs(5);
/// How long the row is valid.
const LEASE: Duration = Duration::from_secs(15);

/// What a connection's task receives.
#[derive(Debug, Clone)]
pub(super) enum Order {
    /// Send this text.
    Send(String),
    /// Close the connection, for this reason.
    Close(&'static str),
}

/// A connection of this server.
#[derive(Debug)]
struct Connection {
    id: String,
    /// Whether an arena token opened it, and not that of a session.
    by_arena_token: bool,
    orders: mpsc::Sender<Order>,
    /// Ends the connection's task if the agent does not read.
    overrun: CancellationToken,
    /// The last turn of each match that was sent.
    sent: HashMap<MatchId, u16>,
}

/// The sockets of this server, at most one an agent.
#[derive(Debug)]
pub(crate) struct Sockets {
    /// This server's id in the database.
    pub(super) server_id: String,
    connections: Mutex<HashMap<AgentId, Connection>>,
    /// Wakes the follower when the first agent connects.
    pub(super) wanted: Notify,
    /// The end of the log when the first agent connected.
    follow_from: AtomicI64,
}

impl Sockets {
    pub(crate) fn new(server_id: String) -> Self {
        Self { server_id, connections: Mutex::default(), wanted: Notify::new(), follow_from: AtomicI64::new(0) }
    }

    /// Registers a connection, and closes the agent's earlier one.
    pub(super) fn enter(
        &self,
        agent_id: AgentId,
        (id, by_arena_token): (String, bool),
        head: i64,
    ) -> (mpsc::Receiver<Order>, CancellationToken) {
        let (orders, received) = mpsc::channel(WAITING);
        let overrun = CancellationToken::new();
        let connection = Connection { id, by_arena_token, orders, overrun: overrun.clone(), sent: HashMap::new() };
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

    /// Sends the result of a match to an agent, if it is connected here.
    pub(super) fn send_result(&self, agent_id: AgentId, match_id: MatchId, text: String) {
        let mut connections = self.connections();
        let Some(connection) = connections.get_mut(&agent_id) else { return };
        connection.sent.remove(&match_id);
        connection.tell(Order::Send(text));
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

    /// Closes the connection that an agent's arena token opened.
    pub(super) fn close_of_token(&self, agent_id: AgentId, reason: &'static str) {
        if let Some(connection) = self.connections().get(&agent_id).filter(|connection| connection.by_arena_token) {
            connection.tell(Order::Close(reason));
        }
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
        store.write_side([ArenaChange::ServerSeen { server_id, length: LEASE }]).await
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
        if let Err(error) = store.write_side([ArenaChange::ServerGone { server_id: self.server_id.clone() }]).await {
            tracing::debug!(%error, "the arena's sockets could not be removed; they expire");
        }
    }

    /// Renews the server's row. Closes the connections that the database does not know, if it did not know them at the last call
    /// either: a new connection is written after it was entered. `unknown` are their ids.
    async fn renew(&self, store: &Store, unknown: &mut HashSet<String>) -> Result<(), StoreError> {
        let before: Vec<_> =
            self.connections().iter().map(|(agent_id, connection)| (*agent_id, connection.id.clone())).collect();
        self.beat(store).await?;
        let kept: HashMap<_, _> = store.connections_of(&self.server_id).await?.into_iter().collect();
        let gone = before.into_iter().filter(|(agent_id, id)| kept.get(agent_id) != Some(id));
        let mut still_unknown = HashSet::new();
        for (agent_id, id) in gone {
            let is_current = self.connections().get(&agent_id).is_some_and(|now| now.id == id);
            if is_current && unknown.contains(&id) {
                self.close(agent_id, "another connection of this agent replaced this one");
            }
            still_unknown.insert(id);
        }
        *unknown = still_unknown;
        Ok(())
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
mod tests {
    use buildtrack_domain::ids::OwnerId;
    use buildtrack_store::{Database, NewConnection, Secret, Settings, clock::Clock};

    use super::*;

    async fn record(store: &Store, agent_id: AgentId, (server_id, connection_id): (&str, &str)) {
        let owner_id = OwnerId::new(store.clock().uuid());
        let (server_id, connection_id) = (server_id.to_owned(), connection_id.to_owned());
        let connection = NewConnection { agent_id, owner_id, connection_id, server_id };
        store.write_side([ArenaChange::Connected(Box::new(connection))]).await.unwrap();
    }

    #[test]
    fn a_connection_for_which_more_than_32_messages_wait_ends() {
        let sockets = Sockets::new("here".to_owned());
        let id = |number| uuid::Uuid::from_u128(number);
        let (agent_id, match_id) = (AgentId::new(id(1)), MatchId::new(id(2)));
        let (mut orders, overrun) = sockets.enter(agent_id, ("first".to_owned(), false), 0);
        for _ in 0..WAITING {
            sockets.send_result(agent_id, match_id, "a result".to_owned());
        }
        assert!(!overrun.is_cancelled());
        sockets.send_result(agent_id, match_id, "one more".to_owned());
        assert!(overrun.is_cancelled());
        for _ in 0..WAITING {
            assert!(matches!(orders.try_recv(), Ok(Order::Send(text)) if text == "a result"));
        }
    }

    #[tokio::test]
    async fn a_socket_is_closed_as_replaced_only_if_it_is_unknown_at_two_renewals() {
        let folder = tempfile::tempdir().unwrap();
        let database = Database::Sqlite(folder.path().join("buildtrack.sqlite"));
        let secret = Secret::new(&Secret::generate()).unwrap();
        let store = Store::open(Settings { database, secret, clock: Clock::System }).await.unwrap();
        let (sockets, mut unknown) = (Sockets::new("here".to_owned()), HashSet::new());
        let agent_id = AgentId::new(store.clock().uuid());
        let (mut orders, _overrun) = sockets.enter(agent_id, ("first".to_owned(), false), 0);
        // It was entered, and is not written yet.
        sockets.renew(&store, &mut unknown).await.unwrap();
        assert!(orders.try_recv().is_err());
        record(&store, agent_id, ("here", "first")).await;
        sockets.renew(&store, &mut unknown).await.unwrap();
        assert!(orders.try_recv().is_err() && unknown.is_empty());
        // Another server takes the agent over.
        record(&store, agent_id, ("there", "second")).await;
        sockets.renew(&store, &mut unknown).await.unwrap();
        assert!(orders.try_recv().is_err());
        sockets.renew(&store, &mut unknown).await.unwrap();
        let order = orders.try_recv().unwrap();
        assert!(matches!(order, Order::Close("another connection of this agent replaced this one")), "{order:?}");
        store.close().await;
    }
}
