//! A test event, sent when somebody asks for it.

use chrono::{DateTime, Utc};
use serde_json::json;

use crate::ids::{AgentId, WebhookId};

/// The value of `X-ARAF-Event` of a test event. It is no event type: nobody has to ask for it.
pub const PING: &str = "ping";

/// The body of a test event.
pub fn ping_body(webhook_id: WebhookId, agent_id: AgentId, sent_at: DateTime<Utc>) -> String {
    let note = "A test: nothing has happened. It is signed as every push is.";
    let data = json!({ "webhookId": webhook_id, "note": note });
    json!({ "event": PING, "agentId": agent_id, "data": data, "sentAt": sent_at.timestamp() }).to_string()
}

/// What came back of a test event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pong {
    /// The status of the answer, where one came.
    pub status_code: Option<u16>,
    /// How long it took.
    pub duration_ms: i64,
    /// Why there was no answer.
    pub error: Option<String>,
    /// The beginning of the answer's body.
    pub response: Option<String>,
}

impl Pong {
    /// Whether a push would count as delivered: the answer was 2xx.
    pub fn delivered(&self) -> bool {
        self.status_code.is_some_and(|status| (200..300).contains(&status))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    #[test]
    fn its_body_survives_javascript() {
        let (hook, scout) = (WebhookId::new(Uuid::from_u128(1)), AgentId::new(Uuid::from_u128(2)));
        let body = ping_body(hook, scout, DateTime::UNIX_EPOCH);
        let read: serde_json::Value = serde_json::from_str(&body).unwrap();
        assert_eq!(read.to_string(), body);
        assert_eq!((&read["event"], &read["sentAt"]), (&json!("ping"), &json!(0)));
        assert_eq!((&read["agentId"], &read["data"]["webhookId"]), (&json!(scout), &json!(hook)));
    }

    #[test]
    fn only_a_success_is_a_delivery() {
        let pong = |status_code| Pong { status_code, duration_ms: 1, error: None, response: None };
        assert!(pong(Some(204)).delivered());
        for status in [None, Some(199), Some(302), Some(500)] {
            assert!(!pong(status).delivered(), "{status:?}");
        }
    }
}
