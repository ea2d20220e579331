//! The bus through RabbitMQ, 3.10 to 4.x.
//!
//! Publishing and consuming have a connection each, so that a broker that takes nothing for want of memory or disk still
//! hands out. **Invariant:** the whole topology is declared whenever a channel begins to publish or consume, so that
//! nothing is published before the queues are there that keep it. **Invariant:** no channel is used again after an
//! error, or after somebody gave up waiting in the middle of something.

mod backoff;
mod connections;
mod consumer;
mod dead_letters;
mod messages;
mod publisher;
mod topology;

use std::sync::{Arc, Mutex};

pub(crate) use consumer::RabbitMqConsumer;

use crate::{BusError, Confirmation, DeadLetter, Notice, Queue};
use connections::Link;
use publisher::Publisher;
use topology::Topology;

#[derive(Debug, Clone)]
pub(crate) struct RabbitMq(Arc<Parts>);

#[derive(Debug)]
struct Parts {
    publishing: Arc<Link>,
    consuming: Arc<Link>,
    topology: Topology,
    publisher: Publisher,
    /// On a channel of its own, so that a dead letter does not wait for a long publish.
    undertaker: Publisher,
}

impl RabbitMq {
    pub(crate) fn new(url: &str, queues: &[Queue]) -> Result<Self, BusError> {
        let publishing = Link::new(url, "publishing")?;
        let consuming = Link::new(url, "consuming")?;
        let topology = Topology(Arc::new(Mutex::new(queues.to_vec())));
        let publisher = Publisher::new(&publishing, &topology);
        let undertaker = Publisher::new(&publishing, &topology);
        Ok(Self(Arc::new(Parts { publishing, consuming, topology, publisher, undertaker })))
    }

    pub(crate) async fn check(&self) -> Result<(), BusError> {
        self.0.publishing.check().await
    }

    pub(crate) async fn publish(&self, notices: &[Notice]) -> Result<Confirmation, BusError> {
        self.0.publisher.publish(notices).await
    }

    pub(crate) fn consume(&self, queue: &Queue) -> RabbitMqConsumer {
        self.0.topology.include(queue);
        RabbitMqConsumer::start(self.clone(), queue)
    }

    pub(crate) async fn depth(&self, queue: &Queue) -> Result<u64, BusError> {
        dead_letters::message_count(self, queue, &topology::queue_name(queue)).await
    }

    pub(crate) async fn dead_letters(&self, queue: &Queue, limit: usize) -> Result<Vec<DeadLetter>, BusError> {
        dead_letters::list(self, queue, limit).await
    }

    pub(crate) async fn dead_letter_count(&self, queue: &Queue) -> Result<u64, BusError> {
        dead_letters::message_count(self, queue, &topology::dead_queue_name(queue)).await
    }

    pub(crate) async fn replay_dead_letters(&self, queue: &Queue, limit: usize) -> Result<usize, BusError> {
        dead_letters::replay(self, queue, limit).await
    }
}
