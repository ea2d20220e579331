//! What is pushed to whom: event types, the body and its signature, when to try again, and which addresses are safe.
//!
//! **Invariant:** a body is a function of the event, the receiver and the public address of this server, so that it is
//! never stored and a redaction reaches what is queued. **Invariant:** its bytes survive
//! `JSON.stringify(JSON.parse(body))` in JavaScript, because the seed's receiver verifies that text.

mod address;
mod endpoint;
mod push;
mod retry;
mod signature;
mod target;

pub use address::is_public;
pub use endpoint::{Webhook, WebhookChanged, WebhookEvent, WebhookRegistered};
pub use push::{BODY_MAX, Push, PushType};
pub use retry::RetrySchedule;
pub use signature::araf_signature;
pub use target::{TARGET_MAX, TargetError, check_target};
