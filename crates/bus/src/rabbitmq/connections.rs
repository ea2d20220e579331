use std::{
    fmt,
    net::Shutdown,
    os::fd::AsFd,
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
use tokio::{net::TcpStream, sync::Mutex as AsyncMutex, task::AbortHandle, time::timeout};

use super::backoff::Backoff;
use crate::BusError;

/// Seconds between heartbeats. A connection on which nothing was heard for twice as long is given up.
const HEARTBEAT: u16 = 5;
/// How long a check at the process's start may take. The operator learns within 2 s what is wrong.
const REACH: Duration = Duration::from_millis(1500);
/// From the first packet until the broker has let us in.
const HANDSHAKE: Duration = Duration::from_secs(10);
/// How often to look whether the channel is still there that something waits for.
const LOOK: Duration = Duration::from_secs(1);
/// After how many of these looks the log tells that something waits.
const LONG: u32 = 30;

/// A connection that is made when it is needed, and made again when it was lost.
pub(super) struct Link {
    uri: AMQPUri,
    purpose: &'static str,
    state: AsyncMutex<State>,
}

#[derive(Default)]
struct State {
    live: Option<Live>,
    backoff: Backoff,
    /// The last thing the log said.
    told: Told,
}

#[derive(Default, PartialEq, Clone, Copy)]
enum Told {
    #[default]
    Nothing,
    Up,
    Down,
}

struct Live {
    connection: Arc<Connection>,
    /// Writes its news into the log.
    news: AbortHandle,
}

impl Drop for Live {
    fn drop(&mut self) {
        self.news.abort();
    }
}

impl Link {
    pub(super) fn new(url: &str, purpose: &'static str) -> Result<Arc<Self>, BusError> {
        // Without the reason, which may repeat the URL and the password in it.
        let address = || BusError::Address("expected amqp://user:password@host:port/vhost, or amqps://".to_owned());
        let mut uri: AMQPUri = url.parse().map_err(|_: String| address())?;
        if uri.vhost.is_empty() {
            "/".clone_into(&mut uri.vhost);
        }
        // What reads the URI takes an IPv6 address for none.
        if let Some(host) = url::Url::parse(url).ok().as_ref().and_then(url::Url::host_str) {
            host.trim_matches(['[', ']']).clone_into(&mut uri.authority.host);
        }
        uri.query.heartbeat.get_or_insert(HEARTBEAT);
        Ok(Arc::new(Self { uri, purpose, state: AsyncMutex::default() }))
    }

    /// A new channel on the connection, which is made if need be.
    pub(super) async fn channel(self: &Arc<Self>) -> Result<Channel, BusError> {
        let connection = self.connection().await?;
        connection.create_channel().await.map_err(|error| {
            // Refused on a connection that just ended.
            if connection.status().connected() { error.into() } else { BusError::Lost }
        })
    }

    /// Connects once and closes the connection again. Says whether the broker is away, or refuses the address.
    pub(super) async fn check(&self) -> Result<(), BusError> {
        let authority = &self.uri.authority;
        let address = format!("{}:{}", authority.host, authority.port);
        // A broker that is there may take a second to refuse a password: only its port has to answer soon.
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
                // What was asked is answered; the connection ends with its value all the same.
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

    /// In a task of its own: whoever waits may give up, the connection that is being made is there for the next.
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
                self.tell(&mut state, Ok(()));
                let connection = Arc::new(connection);
                let news = tokio::spawn(tell_news(self.purpose, connection.events_listener())).abort_handle();
                state.live = Some(Live { connection: Arc::clone(&connection), news });
                Ok(connection)
            }
            Err(error) => {
                state.backoff.failed();
                self.tell(&mut state, Err(&error));
                Err(error)
            }
        }
    }

    fn tell(&self, state: &mut State, outcome: Result<(), &BusError>) {
        let purpose = self.purpose;
        match (outcome, state.told) {
            (Ok(()), Told::Nothing) => tracing::info!(purpose, "connected to RabbitMQ"),
            (Ok(()), _) => {
                metrics::counter!("buildtrack_bus_reconnects_total", "purpose" => purpose).increment(1);
                tracing::info!(purpose, "connected to RabbitMQ again");
            }
            (Err(_), Told::Down) => {}
            (Err(error), _) => tracing::warn!(purpose, %error, "RabbitMQ is away; trying until it is back"),
        }
        state.told = if outcome.is_ok() { Told::Up } else { Told::Down };
    }
}

// Without the URI, which holds the password.
impl fmt::Debug for Link {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Link").field("purpose", &self.purpose).finish_non_exhaustive()
    }
}

async fn open(uri: &AMQPUri, purpose: &str) -> Result<Connection, BusError> {
    let runtime = lapin::runtime::default_runtime()?;
    let properties = ConnectionProperties::default().with_connection_name(format!("buildtrack {purpose}").into());
    // The connection's own thread keeps the socket, also when nobody waits for it any more: this ends it.
    let socket: Arc<Mutex<Option<std::net::TcpStream>>> = Arc::default();
    let kept = Arc::clone(&socket);
    let connected = Connection::connector(
        uri.clone(),
        runtime,
        async move |uri: AMQPUri, runtime| {
            let plain = AMQPUri { scheme: AMQPScheme::AMQP, ..uri.clone() };
            let config = OwnedTLSConfig::default();
            let dial = async {
                let stream = plain.connect_with_config_async(config.as_ref(), &runtime).await?;
                if let AsyncTcpStream::Plain(tcp) = &stream {
                    let socket = tcp.get_ref().as_fd().try_clone_to_owned()?.into();
                    *kept.lock().unwrap_or_else(PoisonError::into_inner) = Some(socket);
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
        // It may have ended by itself.
        drop(socket.shutdown(Shutdown::Both));
    }
    Err(BusError::Silent(HANDSHAKE.as_secs()))
}

async fn tell_news(purpose: &'static str, news: impl futures_util::Stream<Item = Event>) {
    let mut news = std::pin::pin!(news);
    while let Some(event) = news.next().await {
        match event {
            Event::ConnectionBlocked(reason) => tracing::warn!(purpose, reason, "RabbitMQ takes no messages for now"),
            Event::ConnectionUnblocked => tracing::info!(purpose, "RabbitMQ takes messages again"),
            _ => {}
        }
    }
}

/// Waits for something that needs the channel, however long: a broker without memory, disk or quorum comes back to it.
/// Lapin ends what is under way when a connection ends; this is the net for what it was told in that very moment.
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
            tracing::warn!("RabbitMQ is connected, but has left something undone for {LONG} s; still waiting");
        }
    }
}
