//! Response bodies of the relay.

use buildtrack_domain::relay::{MessageType, Phase, following};
use buildtrack_store::{EnvelopeView, ReceiptView, RefusalView, ThreadView};
use chrono::{DateTime, SecondsFormat, Utc};
use serde::Serialize;
use serde_json::value::RawValue;
use utoipa::ToSchema;

use super::{batches::Outcome, polling::Page, submission::Taken};
use crate::{
    http::problem::{FieldError, Problem},
    relay::dialect::code_of,
};

/// The answer to an accepted envelope.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Submitted {
    /// `true`.
    #[schema(example = true)]
    pub ok: bool,
    /// The envelope's id.
    #[schema(example = "msg_01jqk7z8x8r9q3z5v2w4y6u8")]
    pub id: String,
    /// `true` if the same envelope was already accepted; otherwise absent.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schema(required = false)]
    pub duplicate: bool,
}

/// The answer to a batch. Each envelope is accepted or refused separately.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SubmittedBatch {
    /// `true`.
    #[schema(example = true)]
    pub ok: bool,
    /// Number of accepted envelopes, including those accepted before.
    #[schema(example = 1)]
    pub accepted: usize,
    /// The result of each envelope, in the order of the request.
    pub results: Vec<BatchResult>,
}

/// The result of one envelope of a batch.
#[derive(Debug, Serialize, ToSchema)]
#[serde(untagged)]
pub(crate) enum BatchResult {
    /// The envelope is recorded on the log.
    Submitted(Submitted),
    /// The envelope was refused.
    Refused(RefusedEnvelope),
}

/// Why an envelope of a batch was refused; the same fields as the error of a single envelope.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct RefusedEnvelope {
    /// `false`.
    #[schema(example = false)]
    pub ok: bool,
    /// The envelope's id; absent if it could not be parsed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "msg_01jqk7z8x8r9q3z5v2w4y6u8")]
    pub id: Option<String>,
    /// The error code of the Agora Protocol.
    #[schema(example = "INVALID_REQUEST")]
    pub error: String,
    /// What happened, for people.
    #[schema(example = "the signature is not that of sender.id over this envelope.")]
    pub message: String,
    /// The problem's code, for programs.
    #[schema(example = "signature_invalid")]
    pub reason: String,
    /// What the client can do.
    pub hint: String,
    /// Whether the relay may accept the same envelope later.
    pub retryable: bool,
    /// All invalid fields.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    pub errors: Vec<FieldError>,
}

impl RefusedEnvelope {
    fn new(id: Option<String>, problem: Problem) -> Self {
        let error = code_of(&problem).to_owned();
        let Problem { detail: message, code: reason, hint, retryable, errors, .. } = problem;
        Self { ok: false, id, error, message, reason, hint, retryable, errors }
    }
}

impl SubmittedBatch {
    pub(super) fn new(outcomes: Vec<Outcome>) -> Self {
        let result = |Outcome { id, taken }| match taken {
            Ok(Taken { id, duplicate }) => BatchResult::Submitted(Submitted { ok: true, id, duplicate }),
            Err(problem) => BatchResult::Refused(RefusedEnvelope::new(id, problem)),
        };
        let accepted = outcomes.iter().filter(|outcome| outcome.taken.is_ok()).count();
        Self { ok: true, accepted, results: outcomes.into_iter().map(result).collect() }
    }
}

/// The answer to a poll.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Events {
    /// `true`.
    #[schema(example = true)]
    pub ok: bool,
    /// Signed envelopes, in log order.
    #[schema(value_type = Vec<Object>)]
    pub events: Vec<Box<RawValue>>,
    /// Whether more envelopes are already recorded.
    #[schema(example = false)]
    pub has_more: bool,
    /// The exact position to continue from: `cursor` of the next poll, instead of `since`.
    #[schema(example = "42")]
    pub cursor: String,
    /// `ts` of the last event, or the request's `since` if there is none; `since` of the next poll.
    #[schema(example = "2026-02-02T15:30:00Z")]
    pub last_ts: Option<String>,
}

impl Events {
    pub(super) fn new(page: &Page, since: Option<String>) -> Self {
        let last_ts = page.events.last().map(ts_of).or(since);
        let (has_more, cursor) = (page.has_more, page.cursor.to_string());
        Self { ok: true, events: page.events.iter().map(raw).collect(), has_more, cursor, last_ts }
    }
}

/// The envelope's recorded text.
pub(super) fn raw(view: &EnvelopeView) -> Box<RawValue> {
    // The log holds parsed JSON only, so the fallback is never used.
    RawValue::from_string(view.accepted.envelope.as_str().to_owned()).unwrap_or_else(|_| RawValue::NULL.to_owned())
}

/// `ts` with the precision that the sender gave and that polls compare.
fn ts_of(view: &EnvelopeView) -> String {
    view.ts.to_rfc3339_opts(SecondsFormat::AutoSi, true)
}

/// A thread with its envelopes.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ThreadAnswer {
    /// `true`.
    #[schema(example = true)]
    pub ok: bool,
    /// The thread.
    pub thread: Thread,
    /// The types of envelopes that may follow.
    #[schema(example = json!(["OFFER", "ACCEPT", "CANCEL", "ERROR"]))]
    pub next: Vec<String>,
    /// The thread's envelopes in log order, including expired ones.
    #[schema(value_type = Vec<Object>)]
    pub messages: Vec<Box<RawValue>>,
    /// Whether there are more envelopes.
    #[schema(example = false)]
    pub has_more: bool,
    /// The position to continue from: `cursor` of the next page.
    #[schema(example = "42")]
    pub cursor: String,
}

/// The current state of a thread.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Thread {
    /// The thread's id.
    #[schema(example = "thread_01jqk7za")]
    pub id: String,
    /// `OPEN`, `PENDING`, `ACTIVE`, `COMPLETED` or `ERROR`.
    #[schema(example = "PENDING")]
    pub state: String,
    /// The `payload.request_id` of the thread's envelopes.
    #[schema(example = "req_01jqk7z9")]
    pub request_id: String,
    /// The requested service.
    #[schema(example = "translation.en_zh")]
    pub intent: String,
    /// The did:key of the agent that sent the REQUEST.
    #[schema(example = "did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK")]
    pub requester: String,
    /// The agent that the REQUEST is addressed to. Only this agent may make an offer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recipient: Option<String>,
    /// The agent whose offer was accepted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// The status that the agent reports with its result.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "success")]
    pub status: Option<String>,
    /// Why the thread failed: `error`, `cancelled`, `no_offer`, `no_accept` or `no_result`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The requester's deadline.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deadline: Option<DateTime<Utc>>,
    /// When the thread times out unless the next envelope arrives.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub due_at: Option<DateTime<Utc>>,
    /// When the thread began.
    pub requested_at: DateTime<Utc>,
    /// When the last envelope advanced the thread.
    pub updated_at: DateTime<Utc>,
}

impl From<ThreadView> for Thread {
    fn from(view: ThreadView) -> Self {
        Self {
            id: view.id.to_string(),
            state: view.phase.as_str().to_owned(),
            request_id: view.request_id,
            intent: view.intent,
            requester: view.requester.to_string(),
            recipient: view.recipient,
            agent: view.agent,
            status: view.status,
            reason: view.reason,
            deadline: view.deadline,
            due_at: view.due_at,
            requested_at: view.requested_at,
            updated_at: view.updated_at,
        }
    }
}

/// The types of envelopes that may follow in a phase.
pub(super) fn next(phase: Phase) -> Vec<String> {
    following(phase).iter().copied().map(MessageType::as_str).map(str::to_owned).collect()
}

/// Whether an envelope was accepted, and why it was refused.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct EnvelopeStatus {
    /// `true`.
    #[schema(example = true)]
    pub ok: bool,
    /// The envelope's id.
    #[schema(example = "msg_01jqk7z8x8r9q3z5v2w4y6u8")]
    pub id: String,
    /// `accepted` or `refused`.
    #[schema(example = "accepted")]
    pub status: String,
    /// Position on the log, if the envelope was accepted.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = 42)]
    pub position: Option<i64>,
    /// The envelope's thread.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "thread_01jqk7za")]
    pub thread_id: Option<String>,
    /// When it was recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recorded_at: Option<DateTime<Utc>>,
    /// The envelope, if it was accepted.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub envelope: Option<Box<RawValue>>,
    /// Refusals of envelopes with this id within the last day, the latest first.
    pub refusals: Vec<Refusal>,
}

/// A refusal of an envelope.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Refusal {
    /// The error code of the Agora Protocol.
    #[schema(example = "INVALID_REQUEST")]
    pub error: String,
    /// The problem's code, for programs.
    #[schema(example = "timestamp_out_of_window")]
    pub reason: String,
    /// Why the envelope was refused, for people.
    pub message: String,
    /// When an envelope was last refused for this reason.
    pub refused_at: DateTime<Utc>,
}

impl From<RefusalView> for Refusal {
    fn from(view: RefusalView) -> Self {
        let RefusalView { reason, error, message, refused_at } = view;
        Self { error, reason, message, refused_at }
    }
}

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
