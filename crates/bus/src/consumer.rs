use buildtrack_macros::boxed;
use chrono::{DateTime, Utc};

use crate::{Received, local::LocalConsumer, rabbitmq::RabbitMqConsumer};

/// Receives notices from a queue. Unacknowledged notices return to the queue when the consumer is dropped.
#[derive(Debug)]
pub struct Consumer(Kind);

#[derive(Debug)]
enum Kind {
    Local(LocalConsumer),
    RabbitMq(RabbitMqConsumer),
}

#[boxed]
impl Consumer {
    pub(crate) fn local(consumer: LocalConsumer) -> Self {
        Self(Kind::Local(consumer))
    }

    pub(crate) fn rabbitmq(consumer: RabbitMqConsumer) -> Self {
        Self(Kind::RabbitMq(consumer))
    }

    /// Waits for notices, and returns those that have arrived, in order, at most `max`. Also waits while the consumer is at
    /// its prefetch limit, and while the broker is unreachable. Cancel-safe.
    pub async fn next(&mut self, max: usize) -> Vec<Received> {
        match &mut self.0 {
            Kind::Local(consumer) => consumer.next(max.max(1)).await,
            Kind::RabbitMq(consumer) => consumer.next(max.max(1)).await,
        }
    }

    /// Acknowledges notices, so that they are not delivered again. No effect for notices of a lost connection, which the
    /// broker delivers again.
    pub async fn ack<'a>(&mut self, received: impl IntoIterator<Item = &'a Received>) {
        match &mut self.0 {
            Kind::Local(consumer) => consumer.ack(received),
            Kind::RabbitMq(consumer) => consumer.ack(received).await,
        }
    }

    /// Moves a notice to the queue's dead letters, with the time `now`. Waits while the broker accepts nothing. No effect for
    /// notices of a lost connection, as with [`ack`](Self::ack).
    pub async fn reject(&mut self, received: &Received, reason: &str, now: DateTime<Utc>) {
        match &mut self.0 {
            Kind::Local(consumer) => consumer.reject(received, reason, now),
            Kind::RabbitMq(consumer) => consumer.reject(received, reason, now).await,
        }
    }
}
