//! Bus through RabbitMQ, versions 3.10 to 4.x.
//!
//! Publishing and consuming use separate connections, so that a broker that blocks publishers for lack of memory or disk
//! still delivers. **Invariant:** each channel declares the whole topology before it publishes or consumes, so the queues
//! exist before the first notice. **Invariant:** no channel is used after an error, or after a caller cancelled an operation
//! on it.

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
    /// Has a separate channel, so that a dead letter does not wait for a long publish.
    dead_letter_publisher: Publisher,
}

impl RabbitMq {
    pub(crate) fn new(url: &str, queues: &[Queue]) -> Result<Self, BusError> {
        let publishing = Link::new(url, "publishing")?;
        let consuming = Link::new(url, "consuming")?;
        let topology = Topology(Arc::new(Mutex::new(queues.to_vec())));
        let publisher = Publisher::new(&publishing, &topology);
        let dead_letter_publisher = Publisher::new(&publishing, &topology);
        Ok(Self(Arc::new(Parts { publishing, consuming, topology, publisher, dead_letter_publisher })))
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
