//! Messages to chats: one call to the incoming webhook that an owner has set.

use std::time::Duration;

use buildtrack_domain::webhooks::{Pong, retry_after};
use buildtrack_macros::boxed;
use chrono::{DateTime, Utc};
use reqwest::{Method, StatusCode, header::RETRY_AFTER};
use tokio::time::Instant;

use crate::outbound::{CallError, Client, Limits, Refused, Request};

/// Bytes of a response that are read. Chats answer with a word.
const BODY_MAX: usize = 1024;

/// Posts messages to chats.
#[derive(Debug, Clone)]
pub struct ChatClient {
    outbound: Client,
    timeout: Duration,
}

/// Why a message was not posted. Contains no part of the address.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum PostError {
    /// No attempt was made.
    #[error("the chat has reached its limit of calls; try again in {} s", .0.as_secs().max(1))]
    Busy(Duration),
    /// There is no response.
    #[error(transparent)]
    Call(#[from] CallError),
    /// The response is none of 2xx.
    #[error("the chat answered {status}")]
    Status {
        /// The status.
        status: StatusCode,
        /// How long the chat asks to wait, within bounds.
        wait: Option<Duration>,
    },
}

impl PostError {
    /// Whether the webhook does not exist any more.
    pub(crate) fn is_gone(&self) -> bool {
        matches!(self, Self::Status { status: StatusCode::NOT_FOUND | StatusCode::GONE, .. })
    }
}

#[boxed]
impl ChatClient {
    /// A client whose calls take at most `timeout`.
    pub fn new(outbound: Client, timeout: Duration) -> Self {
        Self { outbound, timeout }
    }

    /// Posts a message, and returns what the owner of the chat may see of the outcome.
    pub async fn test(&self, url: &str, body: String, now: DateTime<Utc>) -> Pong {
        let timer = Instant::now();
        let posted = self.post(url, body, now).await;
        let duration_ms = i64::try_from(timer.elapsed().as_millis()).unwrap_or(i64::MAX);
        let (status_code, error) = match posted {
            Ok(status) | Err(PostError::Status { status, .. }) => (Some(status.as_u16()), None),
            Err(error) => (None, Some(error.to_string())),
        };
        Pong { status_code, duration_ms, error, response: None }
    }

    /// Posts a message, and returns the status, which is 2xx.
    pub(crate) async fn post(&self, url: &str, body: String, now: DateTime<Utc>) -> Result<StatusCode, PostError> {
        let permit = self.outbound.admit(url, false).await.map_err(|Refused { wait }| PostError::Busy(wait))?;
        let headers = vec![("Content-Type", "application/json".to_owned())];
        let limits = Limits { timeout: self.timeout, body_max: BODY_MAX };
        let request = Request { method: Method::POST, url, headers, body: Some(body), limits };
        let response = self.outbound.send_within(&permit, request).await?;
        if response.status.is_success() {
            return Ok(response.status);
        }
        let asked = response.headers.get(RETRY_AFTER).and_then(|value| value.to_str().ok());
        Err(PostError::Status { status: response.status, wait: asked.and_then(|asked| retry_after(asked, now)) })
    }
}
