//! What is told of exchanges where something is refused.

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
                let hint = "GET /api/v1/exchanges lists your own. A conversation that was ended does not go on.";
                new(StatusCode::NOT_FOUND, "not_found", hint)
            }
            ExchangeError::RequestNotFound => {
                let hint = "GET /api/v1/me/exchange/requests lists what waits for you.";
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
            ExchangeError::Busy { .. } => conflict("exchange_busy", "Wait for the answer to it.").retryable(None),
            ExchangeError::BodyTooLarge => {
                let hint = "Shorten it, or answer in several rounds.";
                Self::invalid(vec![FieldError::field("/body", "too_long", detail, hint)])
            }
            ExchangeError::SecretInBody => {
                let hint = "Leave it out: who asks stands in Authorization, and conversations go on by their path.";
                Self::invalid(vec![FieldError::field("/body", "secret", detail, hint)])
            }
            ExchangeError::AlreadyAnswered => conflict("already_answered", "The first answer counts."),
            ExchangeError::RequestOver => {
                new(StatusCode::GONE, "request_over", "Answer before \"dueAt\"; the asker has been told.")
            }
            ExchangeError::NotYours => {
                let hint = "Log in as who asked or answered, or as the owner of either.";
                new(StatusCode::FORBIDDEN, "not_your_exchange", hint)
            }
            ExchangeError::StillOpen => {
                let hint = "Wait until it is answered, ended or expired (\"status\").";
                conflict("exchange_open", hint)
            }
            ExchangeError::Redacted => conflict("redacted", "Its words are gone; nothing is left to show."),
        }
    }
}
