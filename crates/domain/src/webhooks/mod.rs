//! Webhooks: event types, audiences, push bodies and signatures, retries, and public target addresses.
//!
//! **Invariant:** a body is a function of the event, the recipient and this server's public address. It is never
//! stored, so a redaction also applies to queued deliveries. **Invariant:** its bytes survive
//! `JSON.stringify(JSON.parse(body))` in JavaScript, because the seed's receiver verifies that text.

mod address;
mod changes;
mod circle;
mod endpoint;
mod filter;
mod health;
mod ping;
mod push;
mod push_data;
mod push_type;
mod retry;
mod rotation;
mod signature;
mod slots;
mod target;

pub use address::is_public;
pub use changes::{Addressed, BATCH_MAX, ChangeWebhook, DeleteWebhook, DisableWebhook, WEBHOOK_DESCRIPTION_MAX};
pub use circle::Circle;
pub use endpoint::{
    DisabledReason, ENDPOINTS_MAX, Webhook, WebhookAdded, WebhookChanged, WebhookChangedV2, WebhookDeleted,
    WebhookDisabled, WebhookEnabled, WebhookError, WebhookEvent, WebhookRegistered, WebhookSecretActivated,
    WebhookSecretRotated, WebhookSettings,
};
pub use filter::Filter;
pub use health::{Condition, HealthState, Wait};
pub use ping::{PING, Pong, ping_body};
pub use push::{BATCH, BODY_MAX, Push, batch_body, is_never_pushed};
pub use push_type::PushType;
pub use retry::{FAILING_MAX, RETRY_AFTER_MAX, RetrySchedule, UNVERIFIED_MAX, retry_after};
pub use rotation::{ActivateSecret, OVERLAP_HOURS, OVERLAP_HOURS_MAX, RotateSecret};
pub use signature::{araf_signature, standard_signature};
pub use slots::{AddWebhook, WebhookSlotEvent, WebhookSlotFreed, WebhookSlotTaken, WebhookSlots};
pub use target::{TARGET_MAX, TargetError, check_target};
