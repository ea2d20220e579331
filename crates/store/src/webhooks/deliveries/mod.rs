//! Deliveries: one event for one endpoint, with every attempt.
//!
//! **Invariant:** a delivery stores no text of the event. The sender renders the body from the log for each attempt, so that a
//! redaction also applies to queued deliveries.

mod health;
mod lists;
mod reading;
mod retention;
mod types;
mod writing;

pub use health::EndpointHealth;
pub(crate) use health::{clear_failures, close_breaker};
pub use lists::{AttemptView, DeliveryFilter, DeliveryView};
pub(crate) use retention::{has_settled, prune};
pub use types::{
    Attempt, ClaimLimits, ClaimedDeliveries, Delivery, DeliveryStatus, FirstPending, NewDelivery, Outcome, QueueDepth,
    StoredBreaker, Verdict, WaitsFor,
};
pub(crate) use types::{Claim, DeliveryRow, Streak};
pub(crate) use writing::{cancel, cancel_all, postpone, release, resend, write};
