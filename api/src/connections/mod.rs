//! Open connections: how many there are, how fast their clients read and write, and how many bytes wait for slow clients.
//!
//! actix-web itself bounds the head of the first request only, and hands over answers however slowly their clients read. So
//! each accepted socket is a [`Paced`] stream, which notes progress in its [`Connection`], and one task looks at all of them
//! at every tick ([`Connections::sweep`]). A stream that has nothing to write is never ended for its pace.
//!
//! **Invariant:** a write that the system accepts at once costs a comparison: no lock, no timer, no system call.

mod answers;
mod bounds;
mod connection;
mod paced;
mod requests;

use std::{
    collections::HashMap,
    net::SocketAddr,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed},
    },
};

use buildtrack_http::networks::Network;
use buildtrack_settings::Settings;
use buildtrack_store::{Held, Store};

pub(crate) use answers::{Exchange, Sliced, answer};
pub use bounds::Bounds;
pub(crate) use connection::Connection;
pub(crate) use paced::Paced;

/// The connections of a /48 network as a multiple of those of a /64 network.
const OF_SITE: u32 = 8;

/// All open connections of the server.
pub(crate) struct Connections {
    bounds: Bounds,
    store: Store,
    settings: Arc<Settings>,
    /// Ticks since the start, from 1.
    now: AtomicU64,
    /// Bytes of all requests and answers that connections hold.
    held: AtomicUsize,
    numbers: AtomicU64,
    turns: AtomicU64,
    open: Mutex<HashMap<u64, Arc<Connection>>>,
}

/// The permit of a connection, one of those of the process and of its network.
pub(crate) struct ConnectionPermit {
    connection: Arc<Connection>,
    _network: Option<(Held, Option<Held>)>,
}

impl Drop for ConnectionPermit {
    fn drop(&mut self) {
        self.connection.release(usize::MAX);
        self.connection.all.lock().remove(&self.connection.number);
    }
}

impl Connections {
    pub(crate) fn new(store: Store, settings: Settings, bounds: Bounds) -> Arc<Self> {
        Arc::new(Self {
            bounds,
            store,
            settings: Arc::new(settings),
            now: AtomicU64::new(1),
            held: AtomicUsize::new(0),
            numbers: AtomicU64::new(0),
            turns: AtomicU64::new(0),
            open: Mutex::default(),
        })
    }

    /// Takes a permit for a new connection, unless the process or the peer's network has too many. Trusted proxies connect for
    /// many networks, so only the bound of the process applies to them.
    pub(crate) fn admit(self: &Arc<Self>, peer: Option<SocketAddr>) -> Option<ConnectionPermit> {
        let settings = &self.settings;
        let of_process = self.bounds.of_process.saturating_add(settings.live_streams).saturating_add(settings.waiting);
        if self.lock().len() >= of_process {
            refused("connections");
            return None;
        }
        let waiting = settings.live_streams_per_address.saturating_add(settings.waiting_per_network);
        let of_network = self.bounds.of_network.saturating_add(waiting);
        let mut network = None;
        if let Some(peer) = peer.map(|peer| peer.ip().to_canonical()).filter(|peer| !settings.trusts(*peer)) {
            network = Network::of(peer).hold(&self.store, "connections", of_network, OF_SITE);
            if network.is_none() {
                refused("connections_per_network");
                return None;
            }
        }
        let number = self.numbers.fetch_add(1, Relaxed);
        let connection = Arc::new(Connection::new(number, Arc::clone(self)));
        self.lock().insert(number, Arc::clone(&connection));
        Some(ConnectionPermit { connection, _network: network })
    }

    /// Advances the time and ends every connection whose client is too slow.
    pub(crate) fn sweep(&self) {
        let now = self.now.fetch_add(1, Relaxed) + 1;
        for connection in self.lock().values() {
            if let Some(reason) = connection.too_slow(now, &self.bounds) {
                connection.end(reason);
            }
        }
    }

    /// The number of a wait that begins now.
    fn next_turn(&self) -> u64 {
        self.turns.fetch_add(1, Relaxed)
    }

    fn now(&self) -> u64 {
        self.now.load(Relaxed)
    }

    /// Adds bytes to those that all requests and answers hold. Above the bound, ends the connections whose clients have kept the
    /// server waiting the longest, until an eighth is free again.
    fn hold(&self, bytes: usize) {
        let bound = self.bounds.waiting_bytes;
        if self.held.fetch_add(bytes, Relaxed) + bytes <= bound {
            return;
        }
        let open = self.lock();
        let waits = |connection: &Arc<Connection>| Some((connection.waits()?, Arc::clone(connection)));
        let mut waiting: Vec<_> = open.values().filter_map(waits).collect();
        waiting.sort_unstable_by_key(|((turn, _), _)| *turn);
        for ((_, reason), connection) in waiting {
            if self.held.load(Relaxed) <= bound - bound / 8 {
                break;
            }
            connection.end(reason);
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<u64, Arc<Connection>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn refused(reason: &'static str) {
    metrics::counter!("buildtrack_refused_total", "reason" => reason).increment(1);
}
