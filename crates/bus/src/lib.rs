//! Bus: transport of event notices from the log to consumers, in-process or through RabbitMQ. The only user of AMQP.
//!
//! A notice contains an event's position and type. Consumers read the event itself from the log, so that a redaction also
//! applies to queued notices.
//!
//! **Invariant:** a published notice stays until a consumer acknowledges it or rejects it to the dead letters; it may arrive
//! more than once. **Invariant:** an outage of RabbitMQ only delays notices: no process needs a restart.

mod bus;
mod consumer;
mod error;
mod local;
mod notices;
mod queues;
mod rabbitmq;

pub use bus::{Bus, Confirmation};
pub use consumer::Consumer;
pub use error::BusError;
pub use notices::{DeadLetter, Notice, Received};
pub use queues::Queue;
