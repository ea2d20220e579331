//! Response bodies about the relay itself: health, limits and receipts.

use buildtrack_store::ReceiptView;
use chrono::SecondsFormat;
use serde::Serialize;
use utoipa::ToSchema;

/// The relay's health.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct RelayHealth {
    /// `true`.
    #[schema(example = true)]
    pub ok: bool,
    /// Version of the protocol.
    #[schema(example = "1.0.0")]
    pub version: &'static str,
}

/// The answer after demonstration data was stored.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Seeded {
    /// `true`.
    #[schema(example = true)]
    pub ok: bool,
    /// Number of stored envelopes.
    #[schema(example = 12)]
    pub count: usize,
}

/// The relay's identity and limits.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Limits {
    /// `true`.
    #[schema(example = true)]
    pub ok: bool,
    /// The relay's did:key. It signs the relay's own messages: timeouts of threads, and receipts.
    #[schema(example = "did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK")]
    pub relay: String,
    /// Maximum size of an envelope, in bytes.
    #[schema(example = 65536)]
    pub envelope_bytes: usize,
    /// Maximum nesting depth of objects and arrays in an envelope.
    #[schema(example = 32)]
    pub envelope_depth: usize,
    /// Maximum number of envelopes in a batch.
    #[schema(example = 64)]
    pub envelopes_per_batch: usize,
    /// Maximum difference between `ts` and the relay's clock, in seconds.
    #[schema(example = 300)]
    pub clock_skew_seconds: i64,
    /// How long polls return an envelope that states no `meta.ttl`, in seconds.
    #[schema(example = 300)]
    pub ttl_seconds: u64,
    /// Maximum `meta.ttl`, in seconds.
    #[schema(example = 2_592_000)]
    pub ttl_seconds_max: u64,
    /// Maximum number of agents with offers in a thread.
    #[schema(example = 100)]
    pub offers_per_thread: usize,
    /// How long a REQUEST waits for an OFFER unless `meta.ttl` differs, in seconds.
    #[schema(example = 300)]
    pub offer_timeout_seconds: i64,
    /// How long an ACCEPT waits for the RESULT unless a deadline was agreed on, in seconds.
    #[schema(example = 3600)]
    pub result_timeout_seconds: i64,
    /// Requests a minute from one address.
    #[schema(example = 1200)]
    pub address_per_minute: u32,
    /// Envelopes a minute from a new sender.
    #[schema(example = 60)]
    pub new_sender_per_minute: u32,
    /// Envelopes a minute from the `sender` of the query.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub sender_per_minute: Option<u32>,
    /// How a sender's allowance grows, for people.
    pub growth: &'static str,
}

/// A signed receipt for an envelope.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Receipted {
    /// `true`.
    #[schema(example = true)]
    pub ok: bool,
    /// The receipt.
    pub receipt: Receipt,
}

/// An envelope's event on the log, signed by the relay.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Receipt {
    /// The envelope's id.
    #[schema(example = "msg_01jqk7z8x8r9q3z5v2w4y6u8")]
    pub envelope_id: String,
    /// Position on the log.
    #[schema(example = 42)]
    pub position: i64,
    /// The event's stream.
    pub stream: String,
    /// The event's version in its stream.
    #[schema(example = 1)]
    pub version: i64,
    /// The event's type.
    #[serde(rename = "type")]
    #[schema(example = "envelope.accepted")]
    pub event_type: String,
    /// The event's metadata.
    #[schema(example = "{}")]
    pub metadata: String,
    /// When the event was recorded, in UTC with microseconds.
    #[schema(example = "2026-02-02T15:30:00.123456Z")]
    pub recorded_at: String,
    /// Salt that was hashed before the data, in hex; empty if operators have hidden or erased the envelope.
    pub salt: String,
    /// The event's data: a JSON text that holds the envelope, or its visible part.
    pub data: String,
    /// SHA-256 of salt and data, in hex.
    pub data_hash: String,
    /// Hash of the preceding event, in hex.
    pub previous_hash: String,
    /// SHA-256 of the previous hash, the header and the data's hash, in hex.
    pub hash: String,
    /// A compact JWS (RFC 7515, `EdDSA`) over `{"position":…,"hash":"…","iat":…}`.
    pub jws: String,
    /// The signer: the relay's did:key. Its key is also in `/.well-known/jwks.json`.
    pub signer: String,
}

impl Receipt {
    pub(super) fn new(view: ReceiptView) -> Self {
        let ReceiptView { envelope_id, event, previous_hash, jws, signer } = view;
        Self {
            envelope_id: envelope_id.to_string(),
            position: event.position,
            stream: event.stream,
            version: event.version,
            event_type: event.event_type,
            metadata: event.metadata,
            recorded_at: event.recorded_at.to_rfc3339_opts(SecondsFormat::Micros, true),
            salt: event.salt.map(hex::encode).unwrap_or_default(),
            data: event.data.unwrap_or_default(),
            data_hash: hex::encode(event.data_hash),
            previous_hash: hex::encode(previous_hash),
            hash: hex::encode(event.hash),
            jws,
            signer: signer.to_string(),
        }
    }
}
