use chrono::{DateTime, Utc};

use crate::{Received, local::LocalConsumer, rabbitmq::RabbitMqConsumer};

/// Takes notices from a queue. What it holds and has not settled goes back to the queue when it is dropped.
#[derive(Debug)]
pub struct Consumer(Kind);

#[derive(Debug)]
enum Kind {
    Local(LocalConsumer),
    RabbitMq(RabbitMqConsumer),
}

impl Consumer {
    pub(crate) fn local(consumer: LocalConsumer) -> Self {
        Self(Kind::Local(consumer))
    }

    pub(crate) fn rabbitmq(consumer: RabbitMqConsumer) -> Self {
        Self(Kind::RabbitMq(consumer))
    }

    /// Waits for a notice, and gives what has arrived, in order, at most `max`. Waits too where the consumer holds as
    /// much as it may, and while the broker is away. Cancel-safe.
    pub async fn next(&mut self, max: usize) -> Vec<Received> {
        match &mut self.0 {
            Kind::Local(consumer) => consumer.next(max.max(1)).await,
            Kind::RabbitMq(consumer) => consumer.next(max.max(1)).await,
        }
    }

    /// Acknowledges: they don't come again. Void for what was received over a connection that is gone, which the broker
    /// delivers again.
    pub async fn ack<'a>(&mut self, received: impl IntoIterator<Item = &'a Received>) {
        match &mut self.0 {
            Kind::Local(consumer) => consumer.ack(received),
            Kind::RabbitMq(consumer) => consumer.ack(received).await,
        }
    }

    /// Gives one up, at `now`: it goes to the queue's dead letters. Waits while the broker takes nothing; void as
    /// [`ack`](Self::ack) is.
    pub async fn reject(&mut self, received: &Received, reason: &str, now: DateTime<Utc>) {
        match &mut self.0 {
            Kind::Local(consumer) => consumer.reject(received, reason, now),
            Kind::RabbitMq(consumer) => consumer.reject(received, reason, now).await,
        }
    }
}
