//! Response bodies about envelopes and threads.

use buildtrack_domain::relay::{MessageType, Phase, following};
use buildtrack_http::problem::{FieldError, Problem};
use buildtrack_store::{EnvelopeView, RefusalView, ThreadView};
use chrono::{DateTime, SecondsFormat, Utc};
use serde::Serialize;
use serde_json::value::RawValue;
use utoipa::ToSchema;

use super::{batches::Outcome, polling::Page, submission::Taken};

use crate::relay::dialect::code_of;

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
