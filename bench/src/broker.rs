//! RabbitMQ: deletes the product's queues and exchanges after a run, and measures the broker alone.

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
/// Unconfirmed messages, as many as the product allows.
const WINDOW: usize = 1000;
/// Unacknowledged messages of the consumer, and messages per acknowledgement.
const PREFETCH: u16 = 500;
const ACKNOWLEDGED: u64 = 100;
const PERSISTENT: u8 = 2;

/// Exclusive use of a virtual host without the product's queues. Dropping it deletes the queues and exchanges of the run.
pub(crate) struct Claim {
    url: String,
}

impl Claim {
    /// Refuses a virtual host that another Buildtrack uses: it would receive this run's events and lose its queues
    /// afterwards.
    pub(crate) async fn stake(url: &str) -> Result<Self> {
        let connection = connect(url).await?;
        if exists(&connection, QUEUES[0]).await? {
            bail!("there is a queue {} at --amqp already: name an unused virtual host", QUEUES[0]);
        }
        close(connection).await;
        Ok(Self { url: url.to_owned() })
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        let url = self.url.clone();
        // A separate thread, because this may run within a runtime.
        let cleared = thread::spawn(move || Builder::new_current_thread().enable_all().build()?.block_on(clear(&url)));
        if let Err(error) = cleared.join().unwrap_or_else(|_| Err(anyhow!("the cleanup panicked"))) {
            eprintln!("the queues and exchanges buildtrack.* could not be deleted: {error:#}");
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

/// Messages a second through a separate queue, each published, confirmed, consumed and acknowledged.
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

/// Publishes until `end`, and returns the number of confirmed messages.
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
    // If the queue does not exist, the broker closes the channel.
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

/// The error omits the URL, which contains the password.
async fn connect(url: &str) -> Result<Connection> {
    let properties = ConnectionProperties::default().with_connection_name("buildtrack-bench".into());
    Connection::connect(url, properties).await.context("connecting to the RabbitMQ of --amqp")
}

async fn close(connection: Connection) {
    // The connection closes with the process at the latest.
    drop(connection.close(0, "done".into()).await);
}
