//! Ping: a test event that is sent on request.

use chrono::{DateTime, Utc};
use serde_json::json;

use crate::ids::{AgentId, WebhookId};

/// The `X-ARAF-Event` value of a test event. It is not an event type, so endpoints receive it without subscribing.
pub const PING: &str = "ping";

/// The body of a test event.
pub fn ping_body(webhook_id: WebhookId, agent_id: AgentId, sent_at: DateTime<Utc>) -> String {
    let note = "A test: nothing has happened. It is signed as every push is.";
    let data = json!({ "webhookId": webhook_id, "note": note });
    json!({ "event": PING, "agentId": agent_id, "data": data, "sentAt": sent_at.timestamp() }).to_string()
}

/// The result of a test event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pong {
    /// The status code, if the endpoint answered.
    pub status_code: Option<u16>,
    /// The duration of the request.
    pub duration_ms: i64,
    /// The reason why there was no answer.
    pub error: Option<String>,
    /// The beginning of the response body.
    pub response: Option<String>,
}

impl Pong {
    /// Whether a push would count as delivered: the status is 2xx.
    pub fn delivered(&self) -> bool {
        self.status_code.is_some_and(|status| (200..300).contains(&status))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    #[test]
    fn a_ping_body_round_trips_through_javascript() {
        let (hook, scout) = (WebhookId::new(Uuid::from_u128(1)), AgentId::new(Uuid::from_u128(2)));
        let body = ping_body(hook, scout, DateTime::UNIX_EPOCH);
        let read: serde_json::Value = serde_json::from_str(&body).unwrap();
        assert_eq!(read.to_string(), body);
        assert_eq!((&read["event"], &read["sentAt"]), (&json!("ping"), &json!(0)));
        assert_eq!((&read["agentId"], &read["data"]["webhookId"]), (&json!(scout), &json!(hook)));
    }

    #[test]
    fn only_a_2xx_status_counts_as_delivered() {
        let pong = |status_code| Pong { status_code, duration_ms: 1, error: None, response: None };
        assert!(pong(Some(204)).delivered());
        for status in [None, Some(199), Some(302), Some(500)] {
            assert!(!pong(status).delivered(), "{status:?}");
        }
    }
}
