//! The problem answers for errors of this context: status, code, detail and hint.

use actix_web::http::StatusCode;
use buildtrack_domain::exchange::{
    conversations::ExchangeError,
    documents::{DocumentError, SupportError},
};

use crate::problem::{FieldError, Problem};

impl From<ExchangeError> for Problem {
    fn from(error: ExchangeError) -> Self {
        let detail = format!("{error}.");
        let new = |status, code: &str, hint: &str| Self::new(status, code, detail.clone(), hint);
        let conflict = |code: &str, hint: &str| new(StatusCode::CONFLICT, code, hint);
        match error {
            ExchangeError::NotFound => {
                let hint = "GET /api/v1/exchanges lists your own. A conversation that was ended cannot be continued.";
                new(StatusCode::NOT_FOUND, "not_found", hint)
            }
            ExchangeError::RequestNotFound => {
                let hint = "GET /api/v1/me/exchange/requests lists the requests that wait for your answer.";
                new(StatusCode::NOT_FOUND, "not_found", hint)
            }
            ExchangeError::ProtocolChanged => {
                let hint = "Leave \"protocolHash\" out, or repeat that of the first request.";
                let mut problem = new(StatusCode::BAD_REQUEST, "protocol_changed", hint);
                problem.errors = vec![FieldError::field("/protocolHash", "changed", detail.clone(), hint)];
                problem
            }
            ExchangeError::Expired => conflict("conversation_expired", "Begin another conversation."),
            ExchangeError::TooManyRounds => conflict("too_many_rounds", "Begin another conversation."),
            ExchangeError::Busy { .. } => {
                conflict("exchange_busy", "Wait for the answer to the earlier request.").retryable(None)
            }
            ExchangeError::BodyTooLarge => {
                let hint = "Shorten the body, or answer in several rounds.";
                Self::invalid(vec![FieldError::field("/body", "too_long", detail, hint)])
            }
            ExchangeError::SecretInBody => {
                let hint = "Remove it: credentials belong in Authorization, and a conversation's id in the path.";
                Self::invalid(vec![FieldError::field("/body", "secret", detail, hint)])
            }
            ExchangeError::AlreadyAnswered => conflict("already_answered", "Only the first answer counts."),
            ExchangeError::RequestOver => {
                new(StatusCode::GONE, "request_over", "Answer before \"dueAt\"; the requester has received a failure.")
            }
            ExchangeError::NotYours => {
                let hint = "Log in as one of the two parties, or as the owner of one of them.";
                new(StatusCode::FORBIDDEN, "not_your_exchange", hint)
            }
            ExchangeError::StillOpen => {
                let hint = "Wait until the exchange is answered, closed or expired (\"status\").";
                conflict("exchange_open", hint)
            }
            ExchangeError::Redacted => {
                conflict("redacted", "The content was redacted; there is nothing left to publish.")
            }
        }
    }
}

impl From<DocumentError> for Problem {
    fn from(error: DocumentError) -> Self {
        let detail = format!("{error}.");
        let conflict = |code, hint: &str| Self::new(StatusCode::CONFLICT, code, detail.clone(), hint);
        match error {
            DocumentError::NotFound => Self::not_found("protocol document"),
            DocumentError::Collision => conflict("hash_collision", "Change the text so that its SHA-1 differs."),
            DocumentError::Withdrawn => {
                conflict("protocol_withdrawn", "Ask its registrar to register it again, or change the text.")
            }
            DocumentError::NotRegistrar => {
                let hint = "Ask its registrar (\"registrar\"), or register a document of your own.";
                Self::new(StatusCode::FORBIDDEN, "not_registrar", detail, hint)
            }
        }
    }
}

impl From<SupportError> for Problem {
    fn from(error: SupportError) -> Self {
        match error {
            SupportError::NotListed => Self::not_found("listed protocol document"),
            SupportError::TooMany => {
                let hint = "Withdraw one first: DELETE /api/v1/agents/{id}/protocols/{hash}.";
                Self::new(StatusCode::CONFLICT, "too_many_protocols", format!("{error}."), hint)
            }
        }
    }
}
