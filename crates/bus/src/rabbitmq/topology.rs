use std::sync::{Arc, Mutex, PoisonError};

use lapin::{
    Channel, ExchangeKind,
    options::{ExchangeDeclareOptions, QueueBindOptions, QueueDeclareOptions},
    types::{AMQPValue, FieldTable, ShortString},
};

use crate::{BusError, Queue, queues::DELIVERY_LIMIT};

/// The exchange of events. The routing key is the event type.
pub(super) const EVENTS: &str = "buildtrack.events";
/// The exchange of dead letters. The routing key is the name of their original queue.
pub(super) const DEAD: &str = "buildtrack.dead";

pub(super) fn queue_name(queue: &Queue) -> String {
    format!("buildtrack.{}", queue.name)
}

pub(super) fn dead_queue_name(queue: &Queue) -> String {
    format!("buildtrack.{}.dead", queue.name)
}

/// The exchanges, and the queues of all consumers. Declaring is idempotent.
#[derive(Debug, Clone)]
pub(super) struct Topology(pub(super) Arc<Mutex<Vec<Queue>>>);

impl Topology {
    pub(super) fn include(&self, queue: &Queue) {
        let mut queues = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !queues.iter().any(|known| known.name == queue.name) {
            queues.push(queue.clone());
        }
    }

    /// Whether a queue is bound to events of this type.
    pub(super) fn wants(&self, event_type: &str) -> bool {
        self.queues().iter().any(|queue| queue.wants(event_type))
    }

    pub(super) async fn declare(&self, channel: &Channel) -> Result<(), BusError> {
        for (name, kind) in [(EVENTS, ExchangeKind::Topic), (DEAD, ExchangeKind::Direct)] {
            let options = ExchangeDeclareOptions { durable: true, ..Default::default() };
            channel.exchange_declare(name.into(), kind, options, FieldTable::default()).await?;
        }
        for queue in self.queues() {
            declare_dead(channel, &queue).await?;
            declare(channel, &queue).await?;
        }
        Ok(())
    }

    fn queues(&self) -> Vec<Queue> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

async fn declare(channel: &Channel, queue: &Queue) -> Result<(), BusError> {
    let name = queue_name(queue);
    let mut arguments = quorum(i64::from(DELIVERY_LIMIT));
    for (key, value) in [
        ("x-dead-letter-exchange", DEAD),
        ("x-dead-letter-routing-key", &name),
        // By default a quorum queue drops a dead letter before the target queue has confirmed it.
        ("x-dead-letter-strategy", "at-least-once"),
        ("x-overflow", "reject-publish"),
    ] {
        arguments.insert(key.into(), AMQPValue::LongString(value.into()));
    }
    if queue.single_active {
        arguments.insert("x-single-active-consumer".into(), AMQPValue::Boolean(true));
    }
    channel.queue_declare(name.as_str().into(), QueueDeclareOptions::durable(), arguments).await?;
    for pattern in &queue.bindings {
        bind(channel, &name, EVENTS, pattern).await?;
    }
    Ok(())
}

async fn declare_dead(channel: &Channel, queue: &Queue) -> Result<(), BusError> {
    let name = dead_queue_name(queue);
    // Each read counts as a delivery, and since RabbitMQ 4.0 a queue without an explicit limit has a default one.
    let arguments = quorum(i64::from(i32::MAX));
    channel.queue_declare(name.as_str().into(), QueueDeclareOptions::durable(), arguments).await?;
    bind(channel, &name, DEAD, &queue_name(queue)).await
}

async fn bind(channel: &Channel, queue: &str, exchange: &str, key: &str) -> Result<(), BusError> {
    let (queue, exchange, key): (ShortString, ShortString, ShortString) = (queue.into(), exchange.into(), key.into());
    Ok(channel.queue_bind(queue, exchange, key, QueueBindOptions::default(), FieldTable::default()).await?)
}

fn quorum(delivery_limit: i64) -> FieldTable {
    let mut arguments = FieldTable::default();
    arguments.insert("x-queue-type".into(), AMQPValue::LongString("quorum".into()));
    arguments.insert("x-delivery-limit".into(), AMQPValue::LongLongInt(delivery_limit));
    arguments
}
