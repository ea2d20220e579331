//! HTTP problems for refused envelopes.

use actix_web::http::StatusCode;
use agora_envelope::{EnvelopeError, JsonError};
use buildtrack_domain::relay::RelayError;

use crate::http::problem::{Cause, FieldError, Problem};

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
