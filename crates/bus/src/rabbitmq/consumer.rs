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

/// Sessions of all consumers of this process, so that none takes another's delivery for its own.
static SESSIONS: AtomicU64 = AtomicU64::new(0);

/// A consumer of RabbitMQ. A task of its own keeps it connected, so that whoever waits for it may give up at any time.
#[derive(Debug)]
pub(crate) struct RabbitMqConsumer {
    bus: RabbitMq,
    queue: Queue,
    arrivals: mpsc::UnboundedReceiver<Arrival>,
    session: Option<Arc<Session>>,
    /// Deliveries of the session that were given out and not settled.
    held: BTreeSet<u64>,
}

/// One channel, from its opening to its end. The channel closes when the last hold on it is gone.
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
        // Not bounded here: the prefetch is the bound.
        let (sender, arrivals) = mpsc::unbounded_channel();
        tokio::spawn(run(bus.clone(), queue.clone(), sender));
        Self { bus, queue: queue.clone(), arrivals, session: None, held: BTreeSet::new() }
    }

    pub(crate) async fn next(&mut self, max: usize) -> Vec<Received> {
        let mut arrivals = Vec::new();
        loop {
            if self.arrivals.recv_many(&mut arrivals, max).await == 0 {
                // The task ends with the process only.
                std::future::pending::<()>().await;
            }
            let received: Vec<_> = arrivals.drain(..).filter_map(|arrival| self.hold(arrival)).collect();
            if !received.is_empty() {
                return received;
            }
        }
    }

    /// Nothing where its session is gone: the broker delivers it again.
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
        // `multiple` settles every delivery up to the one it names, so up to the first that is still held.
        let contiguous: Vec<_> = match self.held.first() {
            Some(first_held) => settled.range(..first_held).copied().collect(),
            None => settled.iter().copied().collect(),
        };
        let up_to = contiguous.last().map(|last| (*last, true));
        let single = settled.iter().skip(contiguous.len()).map(|delivery| (*delivery, false));
        let acks = up_to.into_iter().chain(single).map(|(delivery, multiple)| {
            // Its first look puts it in the line of what is written, so that giving up later takes nothing back.
            session.channel.basic_ack(delivery, BasicAckOptions { multiple })
        });
        let written = join_all(acks);
        // The session is gone: it is delivered again.
        drop(while_open(&session.channel, async { Ok(written.await) }).await);
    }

    pub(crate) async fn reject(&mut self, received: &Received, reason: &str, now: DateTime<Utc>) {
        let Some(session) = self.session.clone() else { return };
        while received.tag.session == session.id && session.channel.status().connected() {
            let buried =
                async { self.bus.0.undertaker.send(vec![self.dead_letter(received, reason, now)]).await?.await };
            match buried.await {
                Ok(()) => return self.ack([received]).await,
                Err(error) => {
                    let position = received.notice.position;
                    tracing::debug!(%error, position, "a dead letter was not taken yet");
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

/// Until the consumer is dropped.
async fn run(bus: RabbitMq, queue: Queue, arrivals: mpsc::UnboundedSender<Arrival>) {
    let mut backoff = Backoff::default();
    let mut told = false;
    while !arrivals.is_closed() {
        let opened = tokio::select! {
            opened = async { backoff.wait().await; open(&bus, &queue).await } => opened,
            () = arrivals.closed() => return,
        };
        match opened {
            Ok((session, deliveries)) => {
                backoff.succeeded();
                told = false;
                forward(&Arc::new(session), deliveries, &arrivals).await;
            }
            // The link tells of those that concern the connection.
            Err(error @ BusError::Refused(_)) if !told => {
                told = true;
                tracing::error!(%error, queue = queue.name, "the queue cannot be consumed; trying until it can");
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

/// Until the session ends.
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
        // None: the queue was deleted, or the channel closed.
        let Some(Ok(delivery)) = delivery else { return };
        match receive(session, &delivery) {
            Some(received) => {
                if arrivals.send(Arrival { session: Arc::clone(session), received }).is_err() {
                    return;
                }
            }
            None => {
                // Dead letters. If this does not get through, it is delivered again.
                drop(delivery.reject(BasicRejectOptions { requeue: false }).await);
            }
        }
    }
}

/// Before the consumer is dropped, which would cancel it: a queue that has one consumer at a time goes on to the next one
/// when this one is cancelled, but takes back what this one holds only when the channel closes.
async fn close(channel: &Channel) {
    let closed = channel.close(REPLY_SUCCESS, "OK".into());
    // One that is gone already is closed as well.
    drop(while_open(channel, async { Ok(closed.await?) }).await);
}

fn receive(session: &Session, delivery: &Delivery) -> Option<Received> {
    let notice = messages::notice(&delivery.data)
        .inspect_err(|error| tracing::warn!(%error, "a message that is no notice goes to the dead letters"))
        .ok()?;
    let tag = Tag { session: session.id, delivery: delivery.delivery_tag };
    Some(Received { notice, attempt: Some(messages::attempt(&delivery.properties)), tag })
}
