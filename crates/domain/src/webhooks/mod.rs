//! Webhooks: push bodies and signatures, filters, retries, and public target addresses. Each context declares the pushes of its
//! own events: see [`Pushed`](crate::push::Pushed).
//!
//! **Invariant:** a body is a function of the event, the recipient and this server's public address. It is never
//! stored, so a redaction also applies to queued deliveries. **Invariant:** its bytes survive
//! `JSON.stringify(JSON.parse(body))` in JavaScript, because the seed's receiver verifies that text.

pub use crate::{push::Push, push_type::PushType};

mod changes;
mod endpoint;
mod filter;
mod health;
mod ping;
mod push;
mod retry;
mod rotation;
mod signature;
mod slots;

pub use changes::{Addressed, BATCH_MAX, ChangeWebhook, DeleteWebhook, DisableWebhook, WEBHOOK_DESCRIPTION_MAX};
pub use endpoint::{
    DisabledReason, ENDPOINTS_MAX, Webhook, WebhookAdded, WebhookChanged, WebhookChangedV2, WebhookDeleted,
    WebhookDisabled, WebhookEnabled, WebhookError, WebhookEvent, WebhookRegistered, WebhookSecretActivated,
    WebhookSecretRotated, WebhookSettings,
};
pub use filter::Filter;
pub use health::{Condition, HealthState, Wait};
pub use ping::{PING, Pong, ping_body};
pub use push::{BATCH, BODY_MAX, batch_body, is_never_pushed};
pub use retry::{FAILING_MAX, RETRY_AFTER_MAX, RetrySchedule, UNVERIFIED_MAX, retry_after};
pub use rotation::{ActivateSecret, OVERLAP_HOURS, OVERLAP_HOURS_MAX, RotateSecret};
pub use signature::{araf_signature, standard_signature};
pub use slots::{AddWebhook, WebhookSlotEvent, WebhookSlotFreed, WebhookSlotTaken, WebhookSlots};
