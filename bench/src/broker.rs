//! RabbitMQ: what the product makes there is cleared away after a run, and what the broker itself can do is measured.

use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, bail};
use futures_util::{StreamExt, TryStreamExt, stream};
use lapin::options::{
    BasicAckOptions, BasicConsumeOptions, BasicPublishOptions, BasicQosOptions, ConfirmSelectOptions,
    ExchangeDeleteOptions, QueueDeclareOptions, QueueDeleteOptions,
};
use lapin::types::{AMQPValue, FieldTable};
use lapin::{BasicProperties, Channel, Connection, ConnectionProperties, Consumer};
use tokio::runtime::Builder;

use crate::postgres::random_hex;

const QUEUES: [&str; 2] = ["buildtrack.webhooks", "buildtrack.webhooks.dead"];
const EXCHANGES: [&str; 2] = ["buildtrack.events", "buildtrack.dead"];
const NOT_FOUND: u16 = 404;
const BODY_BYTES: usize = 600;
/// Messages that the broker has not confirmed, as many as the product allows itself.
const WINDOW: usize = 1000;
/// Messages that the consumer has not acknowledged, and how many it acknowledges at once.
const PREFETCH: u16 = 500;
const ACKNOWLEDGED: u64 = 100;
const PERSISTENT: u8 = 2;

/// The product's queues and exchanges in a virtual host where there were none; they are deleted with this value.
pub(crate) struct Claim {
    url: String,
}

impl Claim {
    /// Refuses a virtual host that somebody's Buildtrack uses: it would get our events, and lose its queues after them.
    pub(crate) async fn stake(url: &str) -> Result<Self> {
        let connection = connect(url).await?;
        if exists(&connection, QUEUES[0]).await? {
            bail!("there is a queue {} at --amqp already: name a virtual host that nobody uses", QUEUES[0]);
        }
        close(connection).await;
        Ok(Self { url: url.to_owned() })
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        let url = self.url.clone();
        // On a thread of its own, because this may be within a runtime.
        let cleared = thread::spawn(move || Builder::new_current_thread().enable_all().build()?.block_on(clear(&url)));
        if let Err(error) = cleared.join().unwrap_or_else(|_| Err(anyhow!("it broke off"))) {
            eprintln!("the queues and exchanges buildtrack.* are left behind: {error:#}");
        }
    }
}

async fn clear(url: &str) -> Result<()> {
    let connection = connect(url).await?;
    let channel = connection.create_channel().await?;
    for queue in QUEUES {
        channel.queue_delete(queue.into(), QueueDeleteOptions::default()).await?;
    }
    for exchange in EXCHANGES {
        channel.exchange_delete(exchange.into(), ExchangeDeleteOptions::default()).await?;
    }
    close(connection).await;
    Ok(())
}

/// Messages a second through a queue of their own, each published, confirmed, consumed and acknowledged.
pub(crate) async fn measure(url: &str, seconds: u64) -> Result<f64> {
    let connection = connect(url).await?;
    let (publishing, consuming) = (connection.create_channel().await?, connection.create_channel().await?);
    let queue = format!("buildtrack-bench.{}", random_hex(6)?);
    declare(&consuming, &queue).await?;
    let rate = through(&queue, (&publishing, &consuming), Duration::from_secs(seconds)).await;
    consuming.queue_delete(queue.as_str().into(), QueueDeleteOptions::default()).await?;
    close(connection).await;
    rate
}

async fn declare(channel: &Channel, queue: &str) -> Result<()> {
    let mut arguments = FieldTable::default();
    arguments.insert("x-queue-type".into(), AMQPValue::LongString("quorum".into()));
    channel.queue_declare(queue.into(), QueueDeclareOptions::durable(), arguments).await?;
    Ok(())
}

async fn through(queue: &str, (publishing, consuming): (&Channel, &Channel), time: Duration) -> Result<f64> {
    publishing.confirm_select(ConfirmSelectOptions::default()).await?;
    consuming.basic_qos(PREFETCH, BasicQosOptions::default()).await?;
    let (options, arguments) = (BasicConsumeOptions::default(), FieldTable::default());
    let mut consumer = consuming.basic_consume(queue.into(), "bench".into(), options, arguments).await?;
    let begin = Instant::now();
    let publish = publish(publishing, queue, begin + time);
    let mut publish = std::pin::pin!(publish);
    let mut consumed = 0;
    let published = loop {
        tokio::select! {
            published = &mut publish => break published?,
            taken = take(&mut consumer, &mut consumed) => taken?,
        }
    };
    while consumed < published {
        take(&mut consumer, &mut consumed).await?;
    }
    #[expect(clippy::cast_precision_loss, reason = "only printed, and never near 2^53")]
    Ok(published as f64 / begin.elapsed().as_secs_f64())
}

/// Publishes until `end`, and gives how many messages were confirmed.
async fn publish(channel: &Channel, queue: &str, end: Instant) -> Result<u64> {
    let body = [b'x'; BODY_BYTES];
    let properties = BasicProperties::default().with_delivery_mode(PERSISTENT);
    let one = async || {
        let options = BasicPublishOptions::default();
        channel.basic_publish("".into(), queue.into(), options, &body, properties.clone()).await?.await
    };
    let messages = std::iter::from_fn(|| (Instant::now() < end).then_some(()));
    let confirmations = stream::iter(messages).map(|()| one()).buffered(WINDOW);
    let count = confirmations.try_fold(0, async |count, confirmation| Ok(count + u64::from(confirmation.is_ack())));
    Ok(count.await?)
}

async fn take(consumer: &mut Consumer, consumed: &mut u64) -> Result<()> {
    let delivery = consumer.next().await.context("the broker cancelled the consumer")??;
    *consumed += 1;
    if consumed.is_multiple_of(ACKNOWLEDGED) {
        delivery.ack(BasicAckOptions { multiple: true }).await?;
    }
    Ok(())
}

async fn exists(connection: &Connection, queue: &str) -> Result<bool> {
    // Where there is none, the channel closes.
    let channel = connection.create_channel().await?;
    let options = QueueDeclareOptions { passive: true, ..QueueDeclareOptions::default() };
    match channel.queue_declare(queue.into(), options, FieldTable::default()).await {
        Ok(_) => Ok(true),
        Err(error) => match error.kind() {
            lapin::ErrorKind::ProtocolError(error) if error.get_id() == NOT_FOUND => Ok(false),
            _ => Err(error.into()),
        },
    }
}

/// Without the URL in the error, which holds the password.
async fn connect(url: &str) -> Result<Connection> {
    let properties = ConnectionProperties::default().with_connection_name("buildtrack-bench".into());
    Connection::connect(url, properties).await.context("connecting to the RabbitMQ of --amqp")
}

async fn close(connection: Connection) {
    // It closes with the process at the latest.
    drop(connection.close(0, "done".into()).await);
}
