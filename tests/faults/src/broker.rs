//! RabbitMQ: the virtual host that `TEST_AMQP_URL` names, cleared of what the product makes there.
//!
//! The product's queues have fixed names, so one run uses the virtual host at a time. `scripts/faults` and `scripts/test`
//! make one of their own, and remove it.

use std::net::SocketAddr;

use anyhow::{Context, Result, bail};
use lapin::{
    Connection, ConnectionProperties,
    options::{ExchangeDeleteOptions, QueueDeclareOptions, QueueDeleteOptions},
    types::FieldTable,
    uri::AMQPUri,
};
use tokio::sync::{Semaphore, SemaphorePermit};

use crate::database::aside;

const QUEUES: [&str; 2] = ["buildtrack.webhooks", "buildtrack.webhooks.dead"];
const EXCHANGES: [&str; 2] = ["buildtrack.events", "buildtrack.dead"];

const NOT_FOUND: u16 = 404;

static VIRTUAL_HOST: Semaphore = Semaphore::const_new(1);

/// The virtual host while one run uses it; cleared when this is dropped.
#[derive(Debug)]
pub(crate) struct Broker {
    uri: AMQPUri,
    _turn: SemaphorePermit<'static>,
}

impl Broker {
    /// Refuses a virtual host that a Buildtrack uses already: it would get this run's events, and lose its queues.
    pub(crate) async fn claim() -> Result<Self> {
        let turn = VIRTUAL_HOST.acquire().await?;
        let url = std::env::var("TEST_AMQP_URL")
            .context("TEST_AMQP_URL is not set: an unshared virtual host of RabbitMQ (scripts/faults makes one)")?;
        let uri: AMQPUri = url.parse().map_err(|reason| anyhow::anyhow!("TEST_AMQP_URL: {reason}"))?;
        if exists(&uri).await? {
            bail!("the virtual host of TEST_AMQP_URL has a queue {} already: it is in use", QUEUES[0]);
        }
        Ok(Self { uri, _turn: turn })
    }

    /// Its address, as a process reaches it at a proxy's.
    pub(crate) fn url(&self, proxy: SocketAddr) -> String {
        let credentials = &self.uri.authority.userinfo;
        let vhost = self.uri.vhost.replace('%', "%25").replace('/', "%2f");
        format!("amqp://{}:{}@{proxy}/{vhost}", credentials.username, credentials.password)
    }

    /// Where the broker listens.
    pub(crate) async fn address(&self) -> Result<SocketAddr> {
        let authority = &self.uri.authority;
        let mut found = tokio::net::lookup_host((authority.host.as_str(), authority.port)).await?;
        found.next().with_context(|| format!("no address of {}", authority.host))
    }
}

impl Drop for Broker {
    fn drop(&mut self) {
        let uri = self.uri.clone();
        if let Err(error) = aside(async move { clear(&uri).await }) {
            eprintln!("the queues and exchanges buildtrack.* are left over: {error:#}");
        }
    }
}

async fn connect(uri: &AMQPUri) -> Result<Connection> {
    Connection::connect_uri(uri.clone(), ConnectionProperties::default()).await.context("RabbitMQ cannot be reached")
}

async fn exists(uri: &AMQPUri) -> Result<bool> {
    let connection = connect(uri).await?;
    let channel = connection.create_channel().await?;
    let passive = QueueDeclareOptions { passive: true, ..QueueDeclareOptions::default() };
    match channel.queue_declare(QUEUES[0].into(), passive, FieldTable::default()).await {
        Ok(_) => Ok(true),
        Err(error) => match error.kind() {
            lapin::ErrorKind::ProtocolError(error) if error.get_id() == NOT_FOUND => Ok(false),
            _ => Err(error.into()),
        },
    }
}

async fn clear(uri: &AMQPUri) -> Result<()> {
    let channel = connect(uri).await?.create_channel().await?;
    for queue in QUEUES {
        channel.queue_delete(queue.into(), QueueDeleteOptions::default()).await?;
    }
    for exchange in EXCHANGES {
        channel.exchange_delete(exchange.into(), ExchangeDeleteOptions::default()).await?;
    }
    Ok(())
}
