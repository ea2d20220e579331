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

/// How many dead letters are looked at.
const MOST: usize = 10_000;

/// How many messages wait in a queue of this name.
pub(super) async fn message_count(bus: &RabbitMq, queue: &Queue, name: &str) -> Result<u64, BusError> {
    let channel = bus.0.consuming.channel().await?;
    match count(&channel, name).await {
        // It is not there yet. The refusal closed the channel.
        Err(BusError::Refused(_)) => count(&declared(bus, queue).await?, name).await,
        outcome => outcome,
    }
}

/// Takes all of them and gives them back: what is given back goes to the end of the line, so that a look at some would
/// change their order.
pub(super) async fn list(bus: &RabbitMq, queue: &Queue, limit: usize) -> Result<Vec<DeadLetter>, BusError> {
    let channel = declared(bus, queue).await?;
    let mut letters = vec![];
    let mut last = None;
    while letters.len() < MOST
        && let Some(message) = get(&channel, queue).await?
    {
        letters.push(messages::dead_letter(&message.data, &message.properties));
        last = Some(message.delivery_tag);
    }
    if let Some(last) = last {
        give_back(&channel, queue, last).await?;
    }
    letters.truncate(limit);
    Ok(letters)
}

pub(super) async fn replay(bus: &RabbitMq, queue: &Queue, limit: usize) -> Result<usize, BusError> {
    bus.0.topology.include(queue);
    let channel = confirming(&bus.0.publishing, &bus.0.topology).await?;
    // What dies again meanwhile is not replayed again.
    let waiting = count(&channel, &dead_queue_name(queue)).await?;
    let mut replayed = 0;
    while replayed < limit.min(usize::try_from(waiting).unwrap_or(usize::MAX))
        && let Some(letter) = get(&channel, queue).await?
    {
        send_on(&channel, vec![again(queue, &letter)]).await?;
        let acked = channel.basic_ack(letter.delivery_tag, BasicAckOptions::default());
        while_open(&channel, async { Ok(acked.await?) }).await?;
        replayed += 1;
    }
    Ok(replayed)
}

/// The default exchange puts it into this queue and no other, without what was said of its death.
fn again(queue: &Queue, letter: &BasicGetMessage) -> Message {
    let notice = messages::notice(&letter.data).unwrap_or_else(|_| Notice::new(0, ""));
    Message {
        position: notice.position,
        exchange: "",
        routing_key: queue_name(queue),
        mandatory: true,
        body: letter.data.clone(),
        properties: messages::properties(&notice.event_type),
    }
}

/// A new channel, with the topology declared.
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

/// Everything up to `last` goes back where it was.
async fn give_back(channel: &Channel, queue: &Queue, last: u64) -> Result<(), BusError> {
    let given = channel.basic_nack(last, BasicNackOptions { multiple: true, requeue: true });
    while_open(channel, async { Ok(given.await?) }).await?;
    // An answer on the same channel says that the broker has come to it.
    count(channel, &dead_queue_name(queue)).await?;
    Ok(())
}
