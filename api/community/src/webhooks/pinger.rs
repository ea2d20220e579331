//! The outbound calls that a handler needs.

use buildtrack_domain::{targets::TargetError, webhooks::Pong};
use buildtrack_store::{StoreError, WebhookView};
use futures_util::future::BoxFuture;

/// Outbound calls that a handler needs. The binary supplies them, because the HTTP client belongs to the worker crate.
pub struct Pinger {
    /// Sends a test event to an endpoint and returns the result.
    pub ping: Box<dyn Fn(WebhookView) -> BoxFuture<'static, Result<Pong, StoreError>> + Send + Sync>,
    /// Posts a message, given as a body, to the chat at an address, and returns the result.
    pub chat: Box<dyn Fn(String, String) -> BoxFuture<'static, Pong> + Send + Sync>,
    /// Checks whether pushes may go to an address. Resolves its name within a bounded time.
    pub vet: Box<dyn Fn(String) -> BoxFuture<'static, Result<(), TargetError>> + Send + Sync>,
}
