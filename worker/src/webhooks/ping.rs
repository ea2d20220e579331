//! Test events: sent at once, outside all queues, so that the owner of an endpoint sees the response.

use buildtrack_domain::{
    ids::DeliveryId,
    webhooks::{PING, Pong, ping_body},
};
use buildtrack_macros::boxed;
use buildtrack_store::{Purpose, Store, StoreError, WebhookChange, WebhookView};
use tokio::time::Instant;

use super::client::{Client, Signed};
use crate::outbound::Refused;

/// Sends test events.
#[derive(Debug, Clone)]
pub struct Pinger {
    store: Store,
    client: Client,
}

#[boxed]
impl Pinger {
    /// A pinger that calls through `client`.
    pub fn new(store: Store, client: Client) -> Self {
        Self { store, client }
    }

    /// Sends a test event to the endpoint, signed like a push, and returns the response.
    ///
    /// A failure does not count as a failure of the endpoint. A success verifies the endpoint and closes its breaker.
    pub async fn ping(&self, webhook: &WebhookView) -> Result<Pong, StoreError> {
        let Some(url) = webhook.url.as_deref() else {
            let error = Some("the endpoint has no address".to_owned());
            return Ok(Pong { status_code: None, duration_ms: 0, error, response: None });
        };
        let now = self.store.log().clock().now();
        let (secret, next_secret) = webhook.secrets(now);
        let secret = self.store.log().secret().open(Purpose::WebhookSecret, secret)?;
        let next_secret =
            next_secret.map(|sealed| self.store.log().secret().open(Purpose::WebhookSecret, sealed)).transpose()?;
        let body = ping_body(webhook.id, webhook.agent_id, now);
        let delivery = DeliveryId::new(self.store.log().clock().uuid()).to_string();
        let signed = Signed {
            secret: &secret,
            next_secret: next_secret.as_deref(),
            body: &body,
            event: PING,
            delivery: &delivery,
            attempt: 1,
            sequence: None,
            previous: None,
            timestamp: now.timestamp(),
            expires: None,
            events: &[],
        };
        let permit = match self.client.admit(url, webhook.verified_at.is_some()).await {
            Ok(permit) => permit,
            Err(Refused { wait }) => {
                let seconds = wait.as_secs().max(1);
                let error = Some(format!("the target has reached its limit of pushes; try again in {seconds} s"));
                return Ok(Pong { status_code: None, duration_ms: 0, error, response: None });
            }
        };
        let timer = Instant::now();
        let answer = self.client.post(&permit, url, signed).await;
        let duration_ms = i64::try_from(timer.elapsed().as_millis()).unwrap_or(i64::MAX);
        drop(permit);
        let pong = match answer {
            Ok(answer) => {
                Pong { status_code: Some(answer.status.as_u16()), duration_ms, error: None, response: answer.body }
            }
            Err(error) => Pong { status_code: None, duration_ms, error: Some(error.to_string()), response: None },
        };
        if pong.delivered() {
            self.store.webhooks().verify_endpoint(webhook.id, url).await?;
            self.store.log().write_side(vec![WebhookChange::FailuresForgiven { webhook_id: webhook.id }]).await?;
        }
        Ok(pong)
    }
}
