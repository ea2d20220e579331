//! Request and response bodies of `/agora` (seed: «Request Fields», «Response Fields»).

use std::collections::HashMap;

use buildtrack_domain::exchange::conversations::{Body, InvalidBody};
use serde::{Deserialize, Deserializer, Serialize, de::Error};
use serde_json::{Value, value::RawValue};
use utoipa::ToSchema;

use super::outcomes::{Continuation, Outcome, Refusal};

/// A message body: a string or an object.
#[derive(Debug, Serialize, ToSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "it documents the two forms; a body is read as a text")]
pub(crate) enum Content {
    /// Plain language, or a text in the form that the protocol document defines.
    Text(String),
    /// An object in the form that the protocol document defines.
    Object(HashMap<String, Value>),
}

/// A body as it was sent. A text that is no body of an exchange for another reason than its type has the reason.
#[derive(Debug)]
pub(crate) struct GivenBody(pub Result<Body, InvalidBody>);

impl<'de> Deserialize<'de> for GivenBody {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        match Body::read(raw.get()) {
            // The parser of the whole body names the position.
            Err(error @ (InvalidBody::Kind | InvalidBody::Json(_))) => Err(D::Error::custom(error)),
            read => Ok(Self(read)),
        }
    }
}

/// A request. The server ignores fields that are not listed here.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(example = json!({ "protocolHash": null, "body": "Which Build Tracks are about webhooks?" }))]
pub(crate) struct ExchangeRequest {
    /// The request's content.
    pub body: Option<Content>,
    /// The protocol document that both sides use: its SHA-1 in hex or base64; `negotiation` to agree on one; null for
    /// none. Later requests of a conversation omit it or repeat it.
    #[schema(example = json!(null))]
    pub protocol_hash: Option<String>,
    /// The document's text as a `data:` URI. Its SHA-1 must be `protocolHash`. The server does not fetch other URIs.
    #[schema(max_items = 20)]
    pub protocol_sources: Option<Vec<String>>,
    /// Whether to begin a conversation of several rounds.
    #[schema(default = false, nullable = false)]
    pub multiround: Option<bool>,
}

/// The answer to a request.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ExchangeAnswer {
    /// `success` or `failure`.
    #[schema(pattern = "^(success|failure)$", example = "success")]
    pub status: &'static str,
    /// The answer's content; present if and only if `status` is `success`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, value_type = Option<Value>)]
    pub body: Option<Body>,
    /// Why there is no answer; present if and only if `status` is `failure`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "Unsupported protocol")]
    pub error: Option<String>,
    /// Continues the conversation: `POST …/conversations/{id}`. Keep it secret: any holder can continue the
    /// conversation.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "conv_Zk0JYyXkVtq3mB0l8pQ2n5sR7uW9xYaC")]
    pub conversation_id: Option<String>,
    /// When the conversation expires unless another round begins, in Unix seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = 1_741_910_401)]
    pub conversation_expires: Option<i64>,
}

impl From<Outcome> for ExchangeAnswer {
    fn from(Outcome { said, continuation }: Outcome) -> Self {
        let (status, body, error) = match said {
            Ok(body) => ("success", Some(body), None),
            Err(Refusal(error)) => ("failure", None, Some(error)),
        };
        let (conversation_id, expires_at) =
            continuation.map(|Continuation { id, expires_at }| (id, expires_at)).unzip();
        let conversation_expires = expires_at.flatten().map(|expires_at| expires_at.timestamp());
        Self { status, body, error, conversation_id, conversation_expires }
    }
}
