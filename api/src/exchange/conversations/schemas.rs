//! What is sent to `/agora` and answered, as it is documented.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use super::outcomes::{GoesOn, Outcome, Refusal};

/// What one side says: a string or an object.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(untagged)]
pub(crate) enum Content {
    /// In plain language, or as a document says.
    Text(String),
    /// As a document says.
    Object(HashMap<String, Value>),
}

/// A request (seed: «Request Fields»). Fields that are not named here are ignored.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(example = json!({ "protocolHash": null, "body": "Which Build Tracks are about webhooks?" }))]
pub(crate) struct ExchangeRequest {
    /// What is asked.
    pub body: Option<Content>,
    /// The document that both go by: its SHA-1, in hex or base64; `negotiation` to settle on one; null for none. Later
    /// requests of a conversation leave it out or repeat it.
    #[schema(example = json!(null))]
    pub protocol_hash: Option<String>,
    /// The document's text as a `data:` URI, which must fit the name. Addresses are not called.
    #[schema(max_items = 20)]
    pub protocol_sources: Option<Vec<String>>,
    /// Whether a conversation of several rounds is begun.
    #[schema(default = false, nullable = false)]
    pub multiround: Option<bool>,
}

/// An answer (seed: «Response Fields»).
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ExchangeAnswer {
    /// `success` or `failure`.
    #[schema(pattern = "^(success|failure)$", example = "success")]
    pub status: &'static str,
    /// What is answered; with `success`, and only then.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub body: Option<Value>,
    /// Why there is no answer; with `failure`, and only then.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "Unsupported protocol")]
    pub error: Option<String>,
    /// Goes on with the conversation: `POST …/conversations/{id}`. Whoever has it can do so: keep it secret.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "conv_Zk0JYyXkVtq3mB0l8pQ2n5sR7uW9xYaC")]
    pub conversation_id: Option<String>,
    /// When the conversation is over unless it goes on, in Unix seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = 1_741_910_401)]
    pub conversation_expires: Option<i64>,
}

impl From<Outcome> for ExchangeAnswer {
    fn from(Outcome { said, goes_on }: Outcome) -> Self {
        let (status, body, error) = match said {
            Ok(body) => ("success", Some(body.into()), None),
            Err(Refusal(error)) => ("failure", None, Some(error)),
        };
        let (conversation_id, expires_at) = goes_on.map(|GoesOn { id, expires_at }| (id, expires_at)).unzip();
        let conversation_expires = expires_at.flatten().map(|expires_at| expires_at.timestamp());
        Self { status, body, error, conversation_id, conversation_expires }
    }
}
