use std::{
    collections::BTreeSet,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use chrono::{DateTime, Utc};
use futures_util::{StreamExt, future::join_all};
use lapin::{
    Channel, Consumer,
    message::Delivery,
    options::{BasicAckOptions, BasicConsumeOptions, BasicQosOptions, BasicRejectOptions},
    protocol::constants::REPLY_SUCCESS,
    types::FieldTable,
};
use tokio::{
    sync::mpsc,
    time::{MissedTickBehavior, interval},
};

use super::{
    RabbitMq,
    backoff::Backoff,
    connections::while_open,
    messages::{self, Message},
    topology::{DEAD, queue_name},
};
use crate::{BusError, Queue, Received, notices::Tag};

const LOOK: Duration = Duration::from_secs(1);

/// Counter of the sessions of all consumers in this process, so that no consumer mistakes another's delivery tag for its own.
static SESSIONS: AtomicU64 = AtomicU64::new(0);

/// A consumer of RabbitMQ. A separate task keeps it connected, so that waiting for notices is cancel-safe.
#[derive(Debug)]
pub(crate) struct RabbitMqConsumer {
    bus: RabbitMq,
    queue: Queue,
    arrivals: mpsc::UnboundedReceiver<Arrival>,
    session: Option<Arc<Session>>,
    /// Delivery tags of the session that were returned to the caller and not acknowledged.
    held: BTreeSet<u64>,
}

/// One channel, from opening to end. It closes when its last reference is dropped.
#[derive(Debug)]
struct Session {
    id: u64,
    channel: Channel,
}

#[derive(Debug)]
struct Arrival {
    session: Arc<Session>,
    received: Received,
}

impl RabbitMqConsumer {
    pub(super) fn start(bus: RabbitMq, queue: &Queue) -> Self {
        // Unbounded, because the prefetch limits the number of messages.
        let (sender, arrivals) = mpsc::unbounded_channel();
        tokio::spawn(run(bus.clone(), queue.clone(), sender));
        Self { bus, queue: queue.clone(), arrivals, session: None, held: BTreeSet::new() }
    }

    pub(crate) async fn next(&mut self, max: usize) -> Vec<Received> {
        let mut arrivals = Vec::new();
        loop {
            if self.arrivals.recv_many(&mut arrivals, max).await == 0 {
                // The task ends only with the process.
                std::future::pending::<()>().await;
            }
            let received: Vec<_> = arrivals.drain(..).filter_map(|arrival| self.hold(arrival)).collect();
            if !received.is_empty() {
                return received;
            }
        }
    }

    /// `None` if the session has ended: the broker delivers the notice again.
    fn hold(&mut self, Arrival { session, received }: Arrival) -> Option<Received> {
        if !session.channel.status().connected() {
            return None;
        }
        if self.session.as_ref().is_none_or(|current| current.id != session.id) {
            self.held.clear();
            self.session = Some(session);
        }
        self.held.insert(received.tag.delivery);
        Some(received)
    }

    pub(crate) async fn ack<'a>(&mut self, received: impl IntoIterator<Item = &'a Received>) {
        let Some(session) = self.session.clone() else { return };
        let mut settled: BTreeSet<_> =
            received.into_iter().filter(|one| one.tag.session == session.id).map(|one| one.tag.delivery).collect();
        settled.retain(|delivery| self.held.remove(delivery));
        // `multiple` acknowledges every delivery up to the named one, so it applies below the first one that is still held.
        let contiguous: Vec<_> = match self.held.first() {
            Some(first_held) => settled.range(..first_held).copied().collect(),
            None => settled.iter().copied().collect(),
        };
        let up_to = contiguous.last().map(|last| (*last, true));
        let single = settled.iter().skip(contiguous.len()).map(|delivery| (*delivery, false));
        let acks = up_to.into_iter().chain(single).map(|(delivery, multiple)| {
            // The first poll queues the frame for writing, so that dropping the future later does not retract it.
            session.channel.basic_ack(delivery, BasicAckOptions { multiple })
        });
        let written = join_all(acks);
        // If the session has ended, the broker delivers the notices again.
        drop(while_open(&session.channel, async { Ok(written.await) }).await);
    }

    pub(crate) async fn reject(&mut self, received: &Received, reason: &str, now: DateTime<Utc>) {
        let Some(session) = self.session.clone() else { return };
        while received.tag.session == session.id && session.channel.status().connected() {
            let published = async {
                self.bus.0.dead_letter_publisher.send(vec![self.dead_letter(received, reason, now)]).await?.await
            };
            match published.await {
                Ok(()) => return self.ack([received]).await,
                Err(error) => {
                    let position = received.notice.position;
                    tracing::debug!(%error, position, "a dead letter was not confirmed; publishing it again");
                }
            }
        }
    }

    fn dead_letter(&self, Received { notice, .. }: &Received, reason: &str, now: DateTime<Utc>) -> Message {
        Message {
            position: notice.position,
            exchange: DEAD,
            routing_key: queue_name(&self.queue),
            mandatory: true,
            body: messages::body(notice),
            properties: messages::dead(notice, reason, now),
        }
    }
}

/// Keeps the consumer connected until it is dropped.
async fn run(bus: RabbitMq, queue: Queue, arrivals: mpsc::UnboundedSender<Arrival>) {
    let mut backoff = Backoff::default();
    let mut reported = false;
    while !arrivals.is_closed() {
        let opened = tokio::select! {
            opened = async { backoff.wait().await; open(&bus, &queue).await } => opened,
            () = arrivals.closed() => return,
        };
        match opened {
            Ok((session, deliveries)) => {
                backoff.succeeded();
                reported = false;
                forward(&Arc::new(session), deliveries, &arrivals).await;
            }
            // The link logs errors that concern the connection.
            Err(error @ BusError::Refused(_)) if !reported => {
                reported = true;
                tracing::error!(%error, queue = queue.name, "the queue cannot be consumed; retrying until it can");
            }
            Err(_) => {}
        }
        backoff.failed();
    }
}

async fn open(bus: &RabbitMq, queue: &Queue) -> Result<(Session, Consumer), BusError> {
    let channel = bus.0.consuming.channel().await?;
    let deliveries = while_open(&channel, async {
        bus.0.topology.declare(&channel).await?;
        channel.basic_qos(queue.prefetch, BasicQosOptions::default()).await?;
        let name = queue_name(queue).into();
        let options = BasicConsumeOptions::default();
        Ok(channel.basic_consume(name, "".into(), options, FieldTable::default()).await?)
    })
    .await?;
    Ok((Session { id: SESSIONS.fetch_add(1, Ordering::Relaxed), channel }, deliveries))
}

/// Forwards deliveries until the session ends.
async fn forward(session: &Arc<Session>, mut deliveries: Consumer, arrivals: &mpsc::UnboundedSender<Arrival>) {
    let mut looks = interval(LOOK);
    looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        let delivery = tokio::select! {
            delivery = deliveries.next() => delivery,
            () = arrivals.closed() => return close(&session.channel).await,
            _ = looks.tick() => {
                if session.channel.status().connected() { continue }
                return;
            }
        };
        // `None` means that the queue was deleted or the channel closed.
        let Some(Ok(delivery)) = delivery else { return };
        match receive(session, &delivery) {
            Some(received) => {
                if arrivals.send(Arrival { session: Arc::clone(session), received }).is_err() {
                    return;
                }
            }
            None => {
                // The broker moves it to the dead letters. If the reject is lost, the broker delivers the message again.
                drop(delivery.reject(BasicRejectOptions { requeue: false }).await);
            }
        }
    }
}

/// Closes the channel before the consumer is dropped, because dropping it cancels it. When the active consumer of a queue is
/// cancelled, the queue proceeds to the next consumer but returns this one's notices only when the channel closes.
async fn close(channel: &Channel) {
    let closed = channel.close(REPLY_SUCCESS, "OK".into());
    // A channel that is gone is closed as well.
    drop(while_open(channel, async { Ok(closed.await?) }).await);
}

fn receive(session: &Session, delivery: &Delivery) -> Option<Received> {
    let notice = messages::notice(&delivery.data)
        .inspect_err(|error| tracing::warn!(%error, "a message is not a valid notice; it becomes a dead letter"))
        .ok()?;
    let tag = Tag { session: session.id, delivery: delivery.delivery_tag };
    Some(Received { notice, attempt: Some(messages::attempt(&delivery.properties)), tag })
}
