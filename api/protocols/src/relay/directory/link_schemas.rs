//! Requests and answers about links between dids and agents of this server.

use buildtrack_http::validation::Input;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;
use validator::Validate;

/// A did that an agent of this server claims.
#[derive(Debug, Deserialize, Validate, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct NewChallenge {
    /// The did:key, with an Ed25519 key.
    #[validate(length(min = 1, max = 128))]
    #[schema(min_length = 1, max_length = 128, example = "did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK")]
    pub did: String,
}

impl Input for NewChallenge {}

/// The challenge to sign with the key of the did.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Challenge {
    /// The challenge, part of the signed object.
    pub challenge: String,
    /// When the challenge expires.
    pub expires_at: DateTime<Utc>,
    /// The object to sign in the way of envelopes: `sig` is Ed25519 over its RFC 8785 form. The signed object is the
    /// body of `PUT /api/v1/agents/{id}/did`.
    #[schema(value_type = Object)]
    pub sign: Value,
}

/// An agent's did and record at the relay.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RelayWork {
    /// The agent's did:key at the relay. Its key has signed the link.
    #[schema(example = "did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK")]
    pub did: String,
    /// When the did was linked.
    pub linked_at: DateTime<Utc>,
    /// Number of threads that the agent was chosen for and delivered.
    #[schema(example = 12)]
    pub completed: i64,
    /// Number of threads that the agent was chosen for and gave up or did not deliver in time.
    #[schema(example = 1)]
    pub failed: i64,
    /// Number of delivered threads within the time that the OFFER promised.
    #[schema(example = 9)]
    pub on_time: i64,
    /// Mean seconds from ACCEPT to RESULT; null without deliveries.
    #[schema(example = 1.5)]
    pub mean_seconds: Option<f64>,
}
