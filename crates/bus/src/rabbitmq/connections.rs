use std::{
    fmt,
    net::Shutdown,
    os::fd::{AsFd, BorrowedFd},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use futures_util::StreamExt;
use lapin::{
    Channel, Connection, ConnectionProperties, ErrorKind, Event,
    protocol::constants::REPLY_SUCCESS,
    tcp::{AMQPUriTcpExt, AsyncTcpStream, OwnedTLSConfig},
    uri::{AMQPScheme, AMQPUri},
};
use rustix::net::sockopt;
use tokio::{net::TcpStream, sync::Mutex as AsyncMutex, task::AbortHandle, time::timeout};

use super::backoff::Backoff;
use crate::BusError;

/// Seconds between heartbeats. A connection that receives nothing for twice as long is closed.
const HEARTBEAT: u16 = 5;
/// Time limit of the reachability check at process start, so that the operator sees the fault within 2 s.
const REACH: Duration = Duration::from_millis(1500);
/// Between two keep-alive probes of an idle connection, and before the first.
const KEEP_ALIVE: Duration = Duration::from_secs(5);
/// The kernel closes a connection after so many probes without an answer.
const KEEP_ALIVE_PROBES: u32 = 3;
/// How long sent data may stay unacknowledged, in milliseconds.
#[cfg(target_os = "linux")]
const UNACKNOWLEDGED_MS: u32 = 15_000;
/// Time limit from the first packet to the end of the AMQP handshake.
const HANDSHAKE: Duration = Duration::from_secs(10);
/// How often a waiting operation checks whether its channel is still open.
const LOOK: Duration = Duration::from_secs(1);
/// Number of these checks after which the wait is logged.
const LONG: u32 = 30;

/// A connection that is opened on first use and reopened after a loss.
pub(super) struct Link {
    uri: AMQPUri,
    purpose: &'static str,
    state: AsyncMutex<State>,
}

#[derive(Default)]
struct State {
    live: Option<Live>,
    backoff: Backoff,
    /// The connection state last logged.
    reported: Reported,
}

#[derive(Default, PartialEq, Clone, Copy)]
enum Reported {
    #[default]
    Nothing,
    Up,
    Down,
}

struct Live {
    connection: Arc<Connection>,
    /// The task that logs events of the connection.
    events: AbortHandle,
}

impl Drop for Live {
    fn drop(&mut self) {
        self.events.abort();
    }
}

impl Link {
    pub(super) fn new(url: &str, purpose: &'static str) -> Result<Arc<Self>, BusError> {
        // The error omits the reason, which may repeat the URL with its password.
        let address = || BusError::Address("expected amqp://user:password@host:port/vhost, or amqps://".to_owned());
        let mut uri: AMQPUri = url.parse().map_err(|_: String| address())?;
        if uri.vhost.is_empty() {
            "/".clone_into(&mut uri.vhost);
        }
        // The AMQP URI parser does not handle IPv6 addresses.
        if let Some(host) = url::Url::parse(url).ok().as_ref().and_then(url::Url::host_str) {
            host.trim_matches(['[', ']']).clone_into(&mut uri.authority.host);
        }
        uri.query.heartbeat.get_or_insert(HEARTBEAT);
        Ok(Arc::new(Self { uri, purpose, state: AsyncMutex::default() }))
    }

    /// Opens a channel on the connection, which is opened if necessary.
    pub(super) async fn channel(self: &Arc<Self>) -> Result<Channel, BusError> {
        let connection = self.connection().await?;
        connection.create_channel().await.map_err(|error| {
            // The connection ended just now.
            if connection.status().connected() { error.into() } else { BusError::Lost }
        })
    }

    /// Connects once and closes the connection. Reports whether the broker is unreachable or refuses the settings.
    pub(super) async fn check(&self) -> Result<(), BusError> {
        let authority = &self.uri.authority;
        let address = format!("{}:{}", authority.host, authority.port);
        // A broker may take a second to refuse a password, so only the TCP connection must succeed quickly.
        let reached = timeout(REACH, TcpStream::connect((&*authority.host, authority.port))).await;
        let absent = match reached {
            Ok(Ok(_)) => None,
            Ok(Err(error)) => Some(error.to_string()),
            Err(_) => Some(format!("no answer within {REACH:?}")),
        };
        if let Some(reason) = absent {
            return Err(BusError::Unreachable { address, reason });
        }
        let error = match open(&self.uri, "check").await {
            Ok(connection) => {
                // The check has succeeded; dropping the value also closes the connection.
                drop(connection.close(REPLY_SUCCESS, "checked".into()).await);
                return Ok(());
            }
            Err(BusError::Away(error) | BusError::Refused(error)) => error,
            Err(error) => return Err(error),
        };
        let user = authority.userinfo.username.clone();
        Err(match error.kind() {
            ErrorKind::ProtocolError(refusal) => {
                BusError::AccessDenied { address, user, reason: refusal.get_message().to_string() }
            }
            _ => BusError::Unreachable { address, reason: error.to_string() },
        })
    }

    /// Connects in a separate task: if the caller gives up, the next caller gets the connection that is being opened.
    async fn connection(self: &Arc<Self>) -> Result<Arc<Connection>, BusError> {
        let link = Arc::clone(self);
        tokio::spawn(async move { link.connect().await }).await.map_err(|_| BusError::Stopping)?
    }

    async fn connect(&self) -> Result<Arc<Connection>, BusError> {
        let mut state = self.state.lock().await;
        if let Some(live) = &state.live {
            if live.connection.status().connected() {
                return Ok(Arc::clone(&live.connection));
            }
            state.live = None;
            state.backoff.failed();
        }
        state.backoff.wait().await;
        match open(&self.uri, self.purpose).await {
            Ok(connection) => {
                state.backoff.succeeded();
                self.report(&mut state, Ok(()));
                let connection = Arc::new(connection);
                let events = tokio::spawn(log_events(self.purpose, connection.events_listener())).abort_handle();
                state.live = Some(Live { connection: Arc::clone(&connection), events });
                Ok(connection)
            }
            Err(error) => {
                state.backoff.failed();
                self.report(&mut state, Err(&error));
                Err(error)
            }
        }
    }

    fn report(&self, state: &mut State, outcome: Result<(), &BusError>) {
        let purpose = self.purpose;
        match (outcome, state.reported) {
            (Ok(()), Reported::Nothing) => tracing::info!(purpose, "connected to RabbitMQ"),
            (Ok(()), _) => {
                metrics::counter!("buildtrack_bus_reconnects_total", "purpose" => purpose).increment(1);
                tracing::info!(purpose, "connected to RabbitMQ again");
            }
            (Err(_), Reported::Down) => {}
            (Err(error), _) => {
                tracing::warn!(purpose, %error, "RabbitMQ is unreachable; reconnecting until it is back");
            }
        }
        state.reported = if outcome.is_ok() { Reported::Up } else { Reported::Down };
    }
}

// Omits the URI, which contains the password.
impl fmt::Debug for Link {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Link").field("purpose", &self.purpose).finish_non_exhaustive()
    }
}

/// The kernel closes a connection whose peer acknowledges nothing, also while the broker has stopped heartbeats.
fn limit_silence(socket: BorrowedFd<'_>) -> std::io::Result<()> {
    sockopt::set_socket_keepalive(socket, true)?;
    sockopt::set_tcp_keepidle(socket, KEEP_ALIVE)?;
    sockopt::set_tcp_keepintvl(socket, KEEP_ALIVE)?;
    sockopt::set_tcp_keepcnt(socket, KEEP_ALIVE_PROBES)?;
    #[cfg(target_os = "linux")]
    sockopt::set_tcp_user_timeout(socket, UNACKNOWLEDGED_MS)?;
    Ok(())
}

async fn open(uri: &AMQPUri, purpose: &str) -> Result<Connection, BusError> {
    let runtime = lapin::runtime::default_runtime()?;
    let properties = ConnectionProperties::default().with_connection_name(format!("buildtrack {purpose}").into());
    // The connection's thread keeps the socket even if its caller has given up. Shutting the socket down ends the thread.
    let socket: Arc<Mutex<Option<std::net::TcpStream>>> = Arc::default();
    let shared = Arc::clone(&socket);
    let connected = Connection::connector(
        uri.clone(),
        runtime,
        async move |uri: AMQPUri, runtime| {
            let plain = AMQPUri { scheme: AMQPScheme::AMQP, ..uri.clone() };
            let config = OwnedTLSConfig::default();
            let dial = async {
                let stream = plain.connect_with_config_async(config.as_ref(), &runtime).await?;
                if let AsyncTcpStream::Plain(tcp) = &stream {
                    limit_silence(tcp.get_ref().as_fd())?;
                    let socket = tcp.get_ref().as_fd().try_clone_to_owned()?.into();
                    *shared.lock().unwrap_or_else(PoisonError::into_inner) = Some(socket);
                }
                match uri.scheme {
                    AMQPScheme::AMQP => Ok(stream),
                    AMQPScheme::AMQPS => stream.into_tls(&uri.authority.host, config.as_ref()).await,
                }
            };
            match timeout(HANDSHAKE, dial).await {
                Ok(outcome) => Ok(outcome?),
                Err(_) => Err(std::io::Error::from(std::io::ErrorKind::TimedOut).into()),
            }
        },
        properties,
    );
    if let Ok(outcome) = timeout(HANDSHAKE, connected).await {
        return outcome.map_err(BusError::Away);
    }
    if let Some(socket) = socket.lock().unwrap_or_else(PoisonError::into_inner).take() {
        // The socket may be closed already.
        drop(socket.shutdown(Shutdown::Both));
    }
    Err(BusError::Silent(HANDSHAKE.as_secs()))
}

async fn log_events(purpose: &'static str, events: impl futures_util::Stream<Item = Event>) {
    let mut events = std::pin::pin!(events);
    while let Some(event) = events.next().await {
        match event {
            Event::ConnectionBlocked(reason) => tracing::warn!(purpose, reason, "RabbitMQ blocks publishers"),
            Event::ConnectionUnblocked => tracing::info!(purpose, "RabbitMQ accepts messages again"),
            _ => {}
        }
    }
}

/// Awaits an operation on the channel, without a time limit: a broker short of memory, disk or quorum resumes it later.
///
/// Lapin ends operations when their connection ends. The regular check covers operations that started at that very moment.
pub(super) async fn while_open<T>(
    channel: &Channel,
    under_way: impl Future<Output = Result<T, BusError>>,
) -> Result<T, BusError> {
    let mut under_way = std::pin::pin!(under_way);
    let mut looks = 0_u32;
    loop {
        match timeout(LOOK, under_way.as_mut()).await {
            Ok(outcome) => return outcome,
            Err(_) if channel.status().connected() => looks += 1,
            Err(_) => return Err(BusError::Lost),
        }
        if looks == LONG {
            tracing::warn!("RabbitMQ is connected, but an operation has been pending for {LONG} s; still waiting");
        }
    }
}
