//! How events travel: one interface, in-process and through RabbitMQ. The only AMQP.
//!
//! What travels is where an event stands in the log and of what type it is; consumers read the event itself from the
//! log, so that a redaction reaches what is queued.
//!
//! **Invariant:** a notice that was published stays until a consumer acknowledges it or rejects it to the dead letters;
//! it may arrive more than once. **Invariant:** RabbitMQ going away costs delay only: nothing here needs a restart.

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
