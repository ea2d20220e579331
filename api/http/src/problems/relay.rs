//! HTTP problems for refused envelopes.

use buildtrack_domain::relay::{
    RelayError,
    directory::{DirectoryError, LinkError},
};

use crate::problem::{Cause, FieldError, Problem};
use actix_web::http::StatusCode;
use agora_envelope::{EnvelopeError, JsonError};

impl From<EnvelopeError> for Problem {
    fn from(error: EnvelopeError) -> Self {
        let detail = format!("{error}.");
        let status = match &error {
            EnvelopeError::Json(JsonError::TooLarge { .. }) => StatusCode::PAYLOAD_TOO_LARGE,
            _ => StatusCode::BAD_REQUEST,
        };
        let hint = match &error {
            EnvelopeError::Signature(_) => {
                "Sign the RFC 8785 form of the envelope without \"sig\", with the key of \"sender.id\"; base64url, unpadded."
            }
            EnvelopeError::TimeOutOfWindow { .. } => {
                "Set the clock, and sign the envelope again with the current time."
            }
            EnvelopeError::BatchSize { .. } => "Send several batches.",
            EnvelopeError::Did { .. } => "Use did:key with an Ed25519 key: did:key:z6Mk….",
            _ => "See the Agora Protocol v1.0, «Envelope Format».",
        };
        let mut problem = Self::new(status, error.reason(), detail.clone(), hint);
        if let Some(field) = error.field() {
            problem.errors = vec![FieldError::field(pointer(field), error.reason(), detail, hint)];
        }
        problem
    }
}

/// `sender.id` as a JSON Pointer.
fn pointer(path: &str) -> String {
    format!("/{}", path.replace('.', "/"))
}

impl From<RelayError> for Problem {
    fn from(error: RelayError) -> Self {
        let detail = format!("{error}.");
        let new = |status, code: &str, hint: &str| Self::new(status, code, detail.clone(), hint);
        let conflict = |code: &str, hint: &str| new(StatusCode::CONFLICT, code, hint);
        let forbidden = |code: &str, hint: &str| new(StatusCode::FORBIDDEN, code, hint);
        let wrong = |pointer: &str, code: &str, hint: &str| {
            let mut problem = new(StatusCode::BAD_REQUEST, code, hint);
            problem.errors = vec![FieldError::field(pointer, code, detail.clone(), hint)];
            problem
        };
        match error {
            RelayError::Payload(invalid) => {
                wrong(invalid.field, "payload_invalid", "See the Agora Protocol v1.0, «Message Types».")
            }
            RelayError::NoThread => wrong(
                "/thread/id",
                "thread_missing",
                "Name the thread in thread.id, or the request in payload.request_id.",
            ),
            RelayError::UnknownThread => {
                new(StatusCode::NOT_FOUND, "thread_unknown", "A thread begins with a REQUEST.")
            }
            RelayError::WhichThread => wrong("/thread/id", "thread_ambiguous", "Name one of them in thread.id."),
            RelayError::AlreadyRequested => {
                conflict("thread_begun", "Begin another thread: another thread.id, or another payload.request_id.")
            }
            RelayError::OtherRequest => {
                wrong("/payload/request_id", "request_id_mismatch", "Repeat the request_id of the REQUEST, or omit it.")
            }
            RelayError::OutOfTurn { .. } => {
                conflict("out_of_turn", "GET /v1/threads/{id} shows which types may follow (\"next\").")
            }
            RelayError::TimedOut => conflict("thread_timed_out", "Send a new REQUEST.").of(Cause::TimedOut),
            RelayError::NotRequester(_) => {
                forbidden("not_requester", "Only the agent that sent the REQUEST can accept and cancel.")
            }
            RelayError::NotChosen => forbidden("not_chosen", "Only the agent that the ACCEPT names can deliver."),
            RelayError::NotAddressed => {
                forbidden("not_addressed", "Answer a REQUEST that is addressed to you, or that has no recipient.")
            }
            RelayError::OwnRequest => forbidden("own_request", "Wait for the OFFER of another agent."),
            RelayError::NotParticipant => forbidden(
                "not_participant",
                "Only the requester, the recipient, agents with an offer and the chosen agent can take part.",
            ),
            RelayError::WrongRecipient(_) => wrong(
                "/recipient/id",
                "recipient_mismatch",
                "Address the other side of the thread, or omit the recipient.",
            ),
            RelayError::NoOffer => conflict("no_offer", "GET /v1/threads/{id} shows the offers; accept one of them."),
            RelayError::WhichOffer => {
                wrong("/recipient/id", "recipient_required", "Name the agent whose offer you accept in recipient.id.")
            }
            RelayError::OfferExpired => conflict("offer_expired", "Ask the agent for a new OFFER."),
            RelayError::TooManyOffers => conflict("too_many_offers", "Accept one of the existing offers."),
        }
    }
}

impl From<LinkError> for Problem {
    fn from(error: LinkError) -> Self {
        let detail = format!("{error}.");
        let (code, hint) = match error {
            LinkError::Taken => ("did_taken", "Unlink it from the other agent first: DELETE /api/v1/agents/{id}/did."),
            LinkError::HasAnother => {
                ("has_did", "Unlink the agent's current did first: DELETE /api/v1/agents/{id}/did.")
            }
        };
        Self::new(StatusCode::CONFLICT, code, detail, hint)
    }
}

impl From<DirectoryError> for Problem {
    fn from(error: DirectoryError) -> Self {
        let detail = format!("{error}.");
        match error {
            DirectoryError::OutOfWindow => {
                let hint = "Set the clock, and sign the object again with the current time.";
                let mut problem = Self::new(StatusCode::BAD_REQUEST, "timestamp_out_of_window", detail.clone(), hint);
                problem.errors = vec![FieldError::field("/ts", "timestamp_out_of_window", detail, hint)];
                problem
            }
            DirectoryError::Stale => {
                let hint = "Sign the object again with the current time.";
                Self::new(StatusCode::CONFLICT, "declaration_stale", detail, hint)
            }
            DirectoryError::NotListed => unknown(),
        }
    }
}

/// The 404 problem of an agent that is not listed.
pub fn unknown() -> Problem {
    let hint = "Agents register themselves: POST /v1/agents.";
    Problem::new(StatusCode::NOT_FOUND, "agent_unknown", "The agent is not registered.", hint)
}
