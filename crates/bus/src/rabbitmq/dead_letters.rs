use lapin::{
    Channel,
    message::BasicGetMessage,
    options::{BasicAckOptions, BasicGetOptions, BasicNackOptions, QueueDeclareOptions},
    types::FieldTable,
};

use super::{
    RabbitMq,
    connections::while_open,
    messages::{self, Message},
    publisher::{confirming, send_on},
    topology::{dead_queue_name, queue_name},
};
use crate::{BusError, DeadLetter, Notice, Queue};

/// Maximum number of dead letters that are read.
const MOST: usize = 10_000;

/// Number of messages in a queue of this name.
pub(super) async fn message_count(bus: &RabbitMq, queue: &Queue, name: &str) -> Result<u64, BusError> {
    let channel = bus.0.consuming.channel().await?;
    match count(&channel, name).await {
        // The queue does not exist yet. The broker closed the channel with its refusal.
        Err(BusError::Refused(_)) => count(&declared(bus, queue).await?, name).await,
        outcome => outcome,
    }
}

/// Reads all dead letters and returns them to their queue. Reading only some would change their order, because returned
/// messages go to the end of the queue.
pub(super) async fn list(bus: &RabbitMq, queue: &Queue, limit: usize) -> Result<Vec<DeadLetter>, BusError> {
    let channel = declared(bus, queue).await?;
    let mut found = vec![];
    let mut last = None;
    while found.len() < MOST
        && let Some(message) = get(&channel, queue).await?
    {
        found.push(messages::dead_letter(&message.data, &message.properties));
        last = Some(message.delivery_tag);
    }
    if let Some(last) = last {
        requeue(&channel, queue, last).await?;
    }
    found.truncate(limit);
    Ok(found)
}

pub(super) async fn replay(bus: &RabbitMq, queue: &Queue, limit: usize) -> Result<usize, BusError> {
    bus.0.topology.include(queue);
    let channel = confirming(&bus.0.publishing, &bus.0.topology).await?;
    // Messages that become dead letters again meanwhile are not replayed twice.
    let waiting = count(&channel, &dead_queue_name(queue)).await?;
    let mut replayed = 0;
    while replayed < limit.min(usize::try_from(waiting).unwrap_or(usize::MAX))
        && let Some(dead_letter) = get(&channel, queue).await?
    {
        send_on(&channel, vec![again(queue, &dead_letter)]).await?;
        let acked = channel.basic_ack(dead_letter.delivery_tag, BasicAckOptions::default());
        while_open(&channel, async { Ok(acked.await?) }).await?;
        replayed += 1;
    }
    Ok(replayed)
}

/// A message for the default exchange, which routes it to this queue only. It omits the headers of the dead letter.
fn again(queue: &Queue, dead_letter: &BasicGetMessage) -> Message {
    let notice = messages::notice(&dead_letter.data).unwrap_or_else(|_| Notice::new(0, ""));
    Message {
        position: notice.position,
        exchange: "",
        routing_key: queue_name(queue),
        mandatory: true,
        body: dead_letter.data.clone(),
        properties: messages::properties(&notice.event_type),
    }
}

/// Opens a channel and declares the topology.
async fn declared(bus: &RabbitMq, queue: &Queue) -> Result<Channel, BusError> {
    bus.0.topology.include(queue);
    let channel = bus.0.consuming.channel().await?;
    while_open(&channel, bus.0.topology.declare(&channel)).await?;
    Ok(channel)
}

async fn count(channel: &Channel, name: &str) -> Result<u64, BusError> {
    let options = QueueDeclareOptions::durable().passive();
    let declared = channel.queue_declare(name.into(), options, FieldTable::default());
    Ok(while_open(channel, async { Ok(declared.await?) }).await?.message_count().into())
}

async fn get(channel: &Channel, queue: &Queue) -> Result<Option<BasicGetMessage>, BusError> {
    let message = channel.basic_get(dead_queue_name(queue).into(), BasicGetOptions::default());
    while_open(channel, async { Ok(message.await?) }).await
}

/// Returns every message up to `last` to its queue.
async fn requeue(channel: &Channel, queue: &Queue, last: u64) -> Result<(), BusError> {
    let requeued = channel.basic_nack(last, BasicNackOptions { multiple: true, requeue: true });
    while_open(channel, async { Ok(requeued.await?) }).await?;
    // A response on the same channel confirms that the broker has processed the nack.
    count(channel, &dead_queue_name(queue)).await?;
    Ok(())
}
