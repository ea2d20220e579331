//! Deliveries: one event on its way to one endpoint, with every attempt.
//!
//! **Invariant:** a delivery holds no text of the event. The body is made anew from the log for each attempt, so that
//! a redaction reaches what is queued.

mod health;
mod reading;
mod types;
mod writing;

pub use health::EndpointHealth;
pub(crate) use health::{close_breaker, forgive};
pub use types::{
    Attempt, Delivery, DeliveryStatus, FirstPending, NewDelivery, Outcome, QueueDepth, StoredBreaker, Verdict, WaitsFor,
};
pub(crate) use types::{Claim, DeliveryRow, Streak};
pub(crate) use writing::{claim, give_back, postpone, write};
