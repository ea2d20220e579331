//! What the relay gives.

use buildtrack_domain::relay::{MessageType, Phase, following};
use buildtrack_store::{EnvelopeView, ReceiptView, RefusalView, ThreadView};
use chrono::{DateTime, SecondsFormat, Utc};
use serde::Serialize;
use serde_json::value::RawValue;
use utoipa::ToSchema;

use super::{batches::Outcome, polling::Page, submission::Taken};
use crate::http::{
    dialect::code_of,
    problem::{FieldError, Problem},
};

/// An envelope was accepted.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Submitted {
    /// `true`.
    #[schema(example = true)]
    pub ok: bool,
    /// The envelope's id.
    #[schema(example = "msg_01jqk7z8x8r9q3z5v2w4y6u8")]
    pub id: String,
    /// `true` where the same envelope had been accepted before; else absent.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schema(required = false)]
    pub duplicate: bool,
}

/// A batch was read, and each of its envelopes taken or refused by itself.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SubmittedBatch {
    /// `true`.
    #[schema(example = true)]
    pub ok: bool,
    /// How many were accepted, now or before.
    #[schema(example = 1)]
    pub accepted: usize,
    /// What became of each, in the order in which they were posted.
    pub results: Vec<BatchResult>,
}

/// What became of an envelope of a batch.
#[derive(Debug, Serialize, ToSchema)]
#[serde(untagged)]
pub(crate) enum BatchResult {
    /// It is on the log.
    Submitted(Submitted),
    /// It was refused.
    Refused(RefusedEnvelope),
}

/// Why an envelope of a batch was refused, in the words in which one that is posted alone is.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct RefusedEnvelope {
    /// `false`.
    #[schema(example = false)]
    pub ok: bool,
    /// The envelope's id; absent where it could not be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "msg_01jqk7z8x8r9q3z5v2w4y6u8")]
    pub id: Option<String>,
    /// The protocol's code.
    #[schema(example = "INVALID_REQUEST")]
    pub error: String,
    /// What happened this time, for people.
    #[schema(example = "the signature is not that of sender.id over this envelope.")]
    pub message: String,
    /// The kind of problem, for programs.
    #[schema(example = "signature_invalid")]
    pub reason: String,
    /// What to do next.
    pub hint: String,
    /// Whether the same envelope may be accepted later.
    pub retryable: bool,
    /// Every wrong field.
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

/// Envelopes that were polled for.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Events {
    /// `true`.
    #[schema(example = true)]
    pub ok: bool,
    /// Signed envelopes, in the order in which they were recorded.
    #[schema(value_type = Vec<Object>)]
    pub events: Vec<Box<RawValue>>,
    /// Whether there are more already.
    #[schema(example = false)]
    pub has_more: bool,
    /// Goes on from here, to the envelope: `cursor` of the next poll, in the place of `since`.
    #[schema(example = "42")]
    pub cursor: String,
    /// `ts` of the last event, or `since` where there is none: `since` of the next poll.
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

/// The envelope as it is.
pub(super) fn raw(view: &EnvelopeView) -> Box<RawValue> {
    // What is on the log was parsed when it came in, and when it was read.
    RawValue::from_string(view.accepted.envelope.as_str().to_owned()).unwrap_or_else(|_| RawValue::NULL.to_owned())
}

/// `ts` as its sender wrote it, as precisely as it is compared.
fn ts_of(view: &EnvelopeView) -> String {
    view.ts.to_rfc3339_opts(SecondsFormat::AutoSi, true)
}

/// A thread, and what was said in it.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ThreadAnswer {
    /// `true`.
    #[schema(example = true)]
    pub ok: bool,
    /// The thread.
    pub thread: Thread,
    /// Which types of envelopes may follow.
    #[schema(example = json!(["OFFER", "ACCEPT", "CANCEL", "ERROR"]))]
    pub next: Vec<String>,
    /// Its envelopes, in the order in which they were recorded, whether or not they are still given to those who poll.
    #[schema(value_type = Vec<Object>)]
    pub messages: Vec<Box<RawValue>>,
    /// Whether there are more.
    #[schema(example = false)]
    pub has_more: bool,
    /// Goes on from here: `cursor` of the next page.
    #[schema(example = "42")]
    pub cursor: String,
}

/// A thread, as it stands.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Thread {
    /// What it is called.
    #[schema(example = "thread_01jqk7za")]
    pub id: String,
    /// `OPEN`, `PENDING`, `ACTIVE`, `COMPLETED` or `ERROR`.
    #[schema(example = "PENDING")]
    pub state: String,
    /// What is said in `payload.request_id` of what belongs to it.
    #[schema(example = "req_01jqk7z9")]
    pub request_id: String,
    /// What was requested.
    #[schema(example = "translation.en_zh")]
    pub intent: String,
    /// Who requested.
    #[schema(example = "did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK")]
    pub requester: String,
    /// The only agent that may make an offer, where one is addressed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recipient: Option<String>,
    /// The agent whose offer was accepted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// What the agent says of its result.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "success")]
    pub status: Option<String>,
    /// Why it failed: `error`, `cancelled`, `no_offer`, `no_accept` or `no_result`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The requester's deadline.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deadline: Option<DateTime<Utc>>,
    /// When it times out, unless something comes before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub due_at: Option<DateTime<Utc>>,
    /// When it began.
    pub requested_at: DateTime<Utc>,
    /// When it was last advanced.
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

/// Which types may follow while a thread is so far.
pub(super) fn next(phase: Phase) -> Vec<String> {
    following(phase).iter().copied().map(MessageType::as_str).map(str::to_owned).collect()
}

/// What became of an envelope.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Fate {
    /// `true`.
    #[schema(example = true)]
    pub ok: bool,
    /// The envelope's id.
    #[schema(example = "msg_01jqk7z8x8r9q3z5v2w4y6u8")]
    pub id: String,
    /// `accepted` or `refused`.
    #[schema(example = "accepted")]
    pub status: String,
    /// Where it was recorded on the log, where it was accepted.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = 42)]
    pub position: Option<i64>,
    /// The thread that it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "thread_01jqk7za")]
    pub thread_id: Option<String>,
    /// When it was recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recorded_at: Option<DateTime<Utc>>,
    /// The envelope, where it was accepted.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub envelope: Option<Box<RawValue>>,
    /// Why envelopes that called themselves so were refused within the last day, the last time first.
    pub refusals: Vec<Refusal>,
}

/// Why an envelope was refused.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Refusal {
    /// The protocol's code.
    #[schema(example = "INVALID_REQUEST")]
    pub error: String,
    /// The kind of problem, for programs.
    #[schema(example = "timestamp_out_of_window")]
    pub reason: String,
    /// What was wrong, for people.
    pub message: String,
    /// When it was last refused so.
    pub refused_at: DateTime<Utc>,
}

impl From<RefusalView> for Refusal {
    fn from(view: RefusalView) -> Self {
        let RefusalView { reason, error, message, refused_at } = view;
        Self { error, reason, message, refused_at }
    }
}

/// The relay lives.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct RelayHealth {
    /// `true`.
    #[schema(example = true)]
    pub ok: bool,
    /// Of the protocol.
    #[schema(example = "1.0.0")]
    pub version: &'static str,
}

/// Demonstration data were stored.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Seeded {
    /// `true`.
    #[schema(example = true)]
    pub ok: bool,
    /// How many envelopes.
    #[schema(example = 12)]
    pub count: usize,
}

/// What the relay allows.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Limits {
    /// `true`.
    #[schema(example = true)]
    pub ok: bool,
    /// Who signs what the relay says itself: threads that have timed out, and receipts.
    #[schema(example = "did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK")]
    pub relay: String,
    /// Bytes of an envelope.
    #[schema(example = 65536)]
    pub envelope_bytes: usize,
    /// Objects and arrays within each other.
    #[schema(example = 32)]
    pub envelope_depth: usize,
    /// Envelopes that are posted at once.
    #[schema(example = 64)]
    pub envelopes_per_batch: usize,
    /// How far `ts` may be from the relay's clock.
    #[schema(example = 300)]
    pub clock_skew_seconds: i64,
    /// How long those who poll are given an envelope that does not say.
    #[schema(example = 300)]
    pub ttl_seconds: u64,
    /// And at most.
    #[schema(example = 2_592_000)]
    pub ttl_seconds_max: u64,
    /// Agents whose offers a thread holds.
    #[schema(example = 100)]
    pub offers_per_thread: usize,
    /// How long a REQUEST waits for an OFFER, unless `meta.ttl` says otherwise.
    #[schema(example = 300)]
    pub offer_timeout_seconds: i64,
    /// How long an ACCEPT waits for the RESULT, unless a deadline was agreed on.
    #[schema(example = 3600)]
    pub result_timeout_seconds: i64,
    /// Requests a minute of an address.
    #[schema(example = 1200)]
    pub address_per_minute: u32,
    /// Envelopes a minute of a sender that is new.
    #[schema(example = 60)]
    pub new_sender_per_minute: u32,
    /// Envelopes a minute of the `sender` that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub sender_per_minute: Option<u32>,
    /// How a sender's allowance grows.
    pub growth: &'static str,
}

/// A receipt for an envelope.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Receipted {
    /// `true`.
    #[schema(example = true)]
    pub ok: bool,
    /// The receipt.
    pub receipt: Receipt,
}

/// Where an envelope is on the log, signed by the relay.
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
    /// When it was recorded; UTC, six digits behind the second.
    #[schema(example = "2026-02-02T15:30:00.123456Z")]
    pub recorded_at: String,
    /// What was hashed before the data, in hex; empty where operators hide or have erased the envelope.
    pub salt: String,
    /// The event's data: a JSON text that holds the envelope, or what is shown of it.
    pub data: String,
    /// SHA-256 of salt and data, in hex.
    pub data_hash: String,
    /// The hash of the event before it, in hex.
    pub previous_hash: String,
    /// SHA-256 of the previous hash, the header and the data's hash, in hex.
    pub hash: String,
    /// A compact JWS (RFC 7515, `EdDSA`) over `{"position":…,"hash":"…","iat":…}`.
    pub jws: String,
    /// Who signs it: the relay's did:key, whose key is in `/.well-known/jwks.json` too.
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
