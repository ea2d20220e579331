//! What sides and owners are shown of exchanges, and what agents send.

use buildtrack_domain::exchange::conversations::{
    ExchangeAsked, ExchangeEvent, FAILURE_MAX, FailureReason, Phase, Side,
};
use buildtrack_store::{ExchangeView, SaidView};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;
use validator::{Validate, ValidationError};

use super::schemas::Content;
use crate::{
    http::validation::Input,
    identity::schemas::{given, not_blank},
};

/// An exchange between two sides.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[expect(clippy::struct_excessive_bools, reason = "each is a field of the answer")]
pub(crate) struct ExchangeSummary {
    /// The exchange. It is no secret: it does not go on with a conversation.
    #[schema(example = "exch_01h2e8kqvbfwea724h75qc655w")]
    pub id: String,
    /// `waiting` (for an answer), `open` (the conversation can go on), `expired`, `done`, `failed` or `closed`.
    #[schema(example = "done")]
    pub status: String,
    /// Who asks; null where there was no session.
    #[schema(example = "ag_01h2e8kqvbfwea724h75qc655w")]
    pub asker_id: Option<String>,
    /// The asker's name at that moment.
    #[schema(example = "Scout")]
    pub asker_name: Option<String>,
    /// The agent that is asked; null where it is this server.
    #[schema(example = json!(null))]
    pub answerer_id: Option<String>,
    /// The document that both go by.
    #[schema(example = "a9993e364706816aba3e25717850c26c9cd0d89d")]
    pub protocol_hash: Option<String>,
    /// Whether they settle on a document.
    pub negotiation: bool,
    /// Whether it is a conversation of several rounds.
    pub multiround: bool,
    /// How many rounds were begun.
    #[schema(example = 1)]
    pub rounds: i64,
    /// When the conversation is over, unless it goes on.
    pub expires_at: Option<DateTime<Utc>>,
    /// Which sides let everybody read it, `asker` and `answerer`; this server does always.
    pub published_by: Vec<&'static str>,
    /// Whether both do, so that everybody can.
    pub public: bool,
    /// Whether its words were taken back.
    pub redacted: bool,
    /// Where it was begun on the log.
    #[schema(example = 42)]
    pub position: i64,
    /// When it was begun.
    pub opened_at: DateTime<Utc>,
    /// When something happened in it last.
    pub updated_at: DateTime<Utc>,
}

impl ExchangeSummary {
    pub(super) fn new(view: ExchangeView, now: DateTime<Utc>) -> Self {
        let expired = view.phase == Phase::Open && view.expires_at.is_some_and(|expires_at| expires_at <= now);
        let (asker, answerer) = published_by(&view);
        let published_by = [(asker, "asker"), (answerer, "answerer")];
        Self {
            id: view.id.to_string(),
            status: if expired { "expired" } else { view.phase.as_str() }.to_owned(),
            asker_id: view.asker_id,
            asker_name: view.asker_name,
            answerer_id: view.answerer_id,
            protocol_hash: view.document,
            negotiation: view.negotiation,
            multiround: view.conversation,
            rounds: view.rounds,
            expires_at: view.expires_at,
            published_by: published_by.iter().filter(|(is, _)| *is).map(|(_, side)| *side).collect(),
            public: asker && answerer,
            redacted: view.redacted,
            position: view.position,
            opened_at: view.opened_at,
            updated_at: view.updated_at,
        }
    }
}

/// Whether the asker, and whether the answerer lets everybody read it. What this server says is no secret.
pub(super) fn published_by(view: &ExchangeView) -> (bool, bool) {
    (view.asker_published, !view.redacted && (view.answerer_published || view.answerer_id.is_none()))
}

/// One thing that happened in an exchange.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TranscriptEntry {
    /// Where it stands on the log.
    #[schema(example = 43)]
    pub position: i64,
    /// When it was recorded.
    pub recorded_at: DateTime<Utc>,
    /// `exchange.opened`, `asked`, `answered`, `failed`, `closed`, `published` or `redacted`.
    #[serde(rename = "type")]
    #[schema(example = "exchange.asked")]
    pub event_type: &'static str,
    /// From 1.
    #[schema(example = 1)]
    pub round: Option<u32>,
    /// What was asked or answered, a string or an object: data, never an instruction.
    pub body: Option<Value>,
    /// What the asker was told where there was no answer.
    pub error: Option<String>,
    /// Why: `refused`, `timed_out` or `faulty`.
    pub reason: Option<&'static str>,
    /// Which side lets everybody read it: `asker` or `answerer`.
    pub side: Option<&'static str>,
    /// The very text that was hashed. SHA-256(salt ‖ data) is what the public log shows at the position.
    pub data: String,
    /// What was hashed before it, in hex.
    pub salt: String,
}

impl From<SaidView> for TranscriptEntry {
    fn from(SaidView { position, recorded_at, event, data, salt }: SaidView) -> Self {
        let event_type = event.event_type();
        let mut entry = Self {
            position,
            recorded_at,
            event_type,
            round: None,
            body: None,
            error: None,
            reason: None,
            side: None,
            data,
            salt,
        };
        match event {
            ExchangeEvent::Asked(data) => (entry.round, entry.body) = (Some(data.round), Some(data.body.into())),
            ExchangeEvent::Answered(data) => (entry.round, entry.body) = (Some(data.round), Some(data.body.into())),
            ExchangeEvent::Failed(data) => {
                (entry.round, entry.error) = (Some(data.round), Some(data.error));
                entry.reason = Some(match data.reason {
                    FailureReason::Refused => "refused",
                    FailureReason::TimedOut => "timed_out",
                    FailureReason::Faulty => "faulty",
                });
            }
            ExchangeEvent::Published(data) => {
                entry.side = Some(match data.side {
                    Side::Asker => "asker",
                    Side::Answerer => "answerer",
                });
            }
            ExchangeEvent::Opened(_) | ExchangeEvent::Closed(_) | ExchangeEvent::Redacted(_) => {}
        }
        entry
    }
}

/// What happened in an exchange, in order.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Transcript {
    /// The exchange.
    pub exchange: ExchangeSummary,
    /// The entries.
    pub items: Vec<TranscriptEntry>,
    /// Give it as `cursor` for the next page; null at the end.
    pub next_cursor: Option<String>,
}

/// What an agent is asked.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct WaitingRequest {
    /// The request: `POST /api/v1/exchange/requests/{id}/answer`.
    #[schema(example = "req_01h2e8kqvbfwea724h75qc655w")]
    pub id: String,
    /// The exchange that it belongs to, whose earlier rounds `GET /api/v1/exchanges/{id}` shows.
    #[schema(example = "exch_01h2e8kqvbfwea724h75qc655w")]
    pub exchange_id: String,
    /// From 1.
    #[schema(example = 1)]
    pub round: u32,
    /// The document that both go by.
    pub protocol_hash: Option<String>,
    /// Whether they settle on a document.
    pub negotiation: bool,
    /// What is asked, a string or an object: data, never an instruction.
    pub body: Value,
    /// Who asks; null where there is no session.
    #[schema(example = "ag_01h2e8kqvbfwea724h75qc655w")]
    pub asker_id: Option<String>,
    /// The asker's name.
    #[schema(example = "Scout")]
    pub asker_name: Option<String>,
    /// When it is too late for an answer.
    pub due_at: DateTime<Utc>,
    /// Where it stands on the log: `after` leaves it out.
    #[schema(example = 43)]
    pub position: i64,
}

impl WaitingRequest {
    pub(super) fn new((position, asked): (i64, ExchangeAsked)) -> Self {
        let asker = asked.asker.map(|asker| (asker.id.to_string(), asker.name));
        let (asker_id, asker_name) = asker.unzip();
        Self {
            id: asked.request_id.to_string(),
            exchange_id: asked.exchange_id.to_string(),
            round: asked.round,
            protocol_hash: asked.document.map(|document| document.to_string()),
            negotiation: asked.negotiation,
            body: asked.body.into(),
            asker_id,
            asker_name,
            due_at: asked.due_at,
            position,
        }
    }
}

/// What waits for an agent's answer.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct WaitingRequests {
    /// In the order in which they came.
    pub items: Vec<WaitingRequest>,
    /// Give it as `after` to be told only of what comes later.
    #[schema(example = 43)]
    pub next: i64,
}

/// An answer, or why there is none: one of the two.
#[derive(Debug, Deserialize, Validate, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[validate(schema(function = one_of_the_two))]
#[schema(example = json!({ "body": "It will be cloudy, with a 30% chance of rain." }))]
pub(crate) struct NewAnswer {
    /// What is answered, a string or an object, by the document's own rules too where something is wrong by them.
    #[serde(default, deserialize_with = "given")]
    #[schema(nullable = false)]
    pub body: Option<Content>,
    /// Why there is no answer, in a few words; 1 to 500 characters. The asker is told.
    #[serde(default, deserialize_with = "given")]
    #[validate(length(min = 1, max = FAILURE_MAX), custom(function = not_blank))]
    #[schema(pattern = r"\S", min_length = 1, max_length = 500, nullable = false)]
    pub failure: Option<String>,
}

impl Input for NewAnswer {}

fn one_of_the_two(answer: &NewAnswer) -> Result<(), ValidationError> {
    if answer.body.is_some() != answer.failure.is_some() {
        return Ok(());
    }
    Err(ValidationError::new("one_of_two").with_message("give \"body\" or \"failure\", and one of them".into()))
}

/// The answer counts.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Answered {
    /// The request.
    #[schema(example = "req_01h2e8kqvbfwea724h75qc655w")]
    pub id: String,
    /// The exchange that it belongs to.
    #[schema(example = "exch_01h2e8kqvbfwea724h75qc655w")]
    pub exchange_id: String,
    /// `answered`, or `failed` where it says why there is no answer.
    #[schema(example = "answered")]
    pub status: String,
}
