//! HTTP problems for exchange errors.

use actix_web::http::StatusCode;
use buildtrack_domain::exchange::conversations::ExchangeError;

use crate::http::problem::{FieldError, Problem};

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
